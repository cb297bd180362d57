import Bluetooth
package import Bytes
import Captures
package import Conversation
package import Dissection

/// `-T text`: one line per frame for people; `-V` adds the field tree, `-x` the bytes.
package struct TextPrinter: FramePrinter {
    package var scope: DissectionScope { .all.subtracting([.frame, .bluetooth]) }
    package var batchSize: Int { showsTree ? 64 * 1024 : 256 * 1024 }

    fileprivate let showsTree: Bool
    fileprivate let showsBytes: Bool
    fileprivate let paint: Paint
    fileprivate let timeFormat: TimeFormat

    /// Time format of a frame: tshark's `-t`. Times of day are UTC.
    package enum TimeFormat: String, Sendable, CaseIterable {
        /// Since the first frame.
        case relative = "r"
        case clock = "a"
        case dateAndClock = "ad"
        /// Year, day of the year, and time of day.
        case dayOfYearAndClock = "adoy"
        /// Same as `clock`, which is UTC too.
        case utcClock = "u"
        case utcDateAndClock = "ud"
        case utcDayOfYearAndClock = "udoy"
        /// Since the previous frame.
        case delta = "d"
        /// Since the previously shown frame.
        case deltaShown = "dd"
        /// Since 1970.
        case epoch = "e"
    }

    package init(
        tree: Bool = false, bytes: Bool = false, paint: Paint = .none, timeFormat: TimeFormat = .relative
    ) {
        showsTree = tree
        showsBytes = bytes
        self.paint = paint
        self.timeFormat = timeFormat
    }

    package var isSequential: Bool { timeFormat == .deltaShown }

    package func makeWriter() -> any FrameWriter { TextFrameWriter(self) }
}

/// Writes the parts of a frame's line separately, for callers with their own layout.
package struct FrameLine {
    private let writer = TextFrameWriter(TextPrinter())

    package init() {}

    /// Writes the frame's summary, the last column of `-T text`.
    package func writeSummary(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        writer.writeSummary(frame, metadata, batch, to: &output)
    }

    /// Ranges of the frame's bytes that contain keys and passkeys. The whole frame if a PDU with a key ends in it or if
    /// it has undocumented bytes.
    package func secrets(of frame: DissectedFrame) -> [Range<Int>] {
        frame.recorder.fields.contains { $0.field == FrameFields.undocumented }
            ? [0..<Int.max] : writer.secrets(of: frame, in: .frame)
    }
}

final class TextFrameWriter: FrameWriter {
    private let showsTree: Bool
    private let showsBytes: Bool
    private let paint: Paint
    private var headlines = Headlines()
    private let timeFormat: TextPrinter.TimeFormat
    private var lastShown: Timestamp?

    init(_ printer: TextPrinter) {
        showsTree = printer.showsTree
        showsBytes = printer.showsBytes
        paint = printer.paint
        timeFormat = printer.timeFormat
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        writeLine(frame, metadata, batch, to: &output)
        for comment in batch.packets.comments(of: metadata.packet) {
            output.write("        # " as StaticString)
            output.writeText(Array(comment.utf8)[...])
            output.write(UInt8(ascii: "\n"))
        }
        for diagnosis in frame.diagnoses where diagnosis.severity != .note || showsTree {
            output.write("        " as StaticString)
            output.write(paint.of(diagnosis.severity))
            output.write("! " as StaticString)
            output.write(diagnosis.layer)
            output.write(" at byte " as StaticString)
            output.writeDecimal(UInt64(max(0, diagnosis.offset)))
            output.write(": " as StaticString)
            output.write(diagnosis.text)
            output.write(paint.plain)
            output.write(UInt8(ascii: "\n"))
        }
        if showsTree { writeTree(frame, metadata, batch, to: &output) }
        if showsBytes, !frame.recorder.fields.contains(where: { $0.field == FrameFields.undocumented }) {
            output.writeHexDump(batch.packets.bytes[metadata.packet.range], masking: secrets(of: frame, in: .frame))
            if metadata.plain.isPresent {
                output.write("    Decrypted:\n" as StaticString)
                output.writeHexDump(batch.bytes(of: metadata.plain), masking: secrets(of: frame, in: .decrypted))
            }
        }
        if showsTree || showsBytes { output.write(UInt8(ascii: "\n")) }
    }
}

extension TextFrameWriter {
    /// Ranges of a buffer's bytes that contain keys and passkeys. If a PDU with a key that lies in another buffer ends in
    /// this frame, no byte is shown.
    fileprivate func secrets(of frame: DissectedFrame, in buffer: RecordedField.Buffer) -> [Range<Int>] {
        frame.recorder.fields.filter { $0.isKey && !$0.isGenerated }.map {
            $0.buffer == buffer ? Int($0.offset)..<Int($0.offset + $0.length) : 0..<Int.max
        }
    }
}

// MARK: - The line

extension TextFrameWriter {
    private func writeLine(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let line = output.count
        output.write(paint.faint)
        output.writeDecimal(UInt64(metadata.packet.number))
        output.pad(from: line, to: 7 + paint.faint.count)
        let time = output.count
        writeTime(of: metadata.packet, batch, to: &output)
        output.padLeft(from: time, to: 12)
        output.write(paint.plain)
        output.write(metadata.direction.arrow)
        let peer = output.count
        output.write(paint.peer)
        output.write(metadata.peer(in: batch)?.title.legible() ?? "")
        output.write(paint.plain)
        output.pad(from: peer, to: 18 + paint.peer.count + paint.plain.count)
        output.write(UInt8(ascii: " "))
        writeSummary(frame, metadata, batch, to: &output)
        output.write(UInt8(ascii: "\n"))
    }

    private func writeTime(of packet: CapturedPacket, _ batch: borrowing TrackedBatch, to output: inout TextWriter) {
        let time = packet.time
        switch timeFormat {
        case .relative:
            output.writeSeconds(nanoseconds: time.nanoseconds(since: batch.start), decimals: 6)
        case .delta:
            output.writeSeconds(nanoseconds: time.nanoseconds(since: batch.time(before: packet)), decimals: 6)
        case .deltaShown:
            output.writeSeconds(
                nanoseconds: time.nanoseconds(since: lastShown ?? time), decimals: 6)
            lastShown = time
        case .epoch: output.writeSeconds(nanoseconds: time.nanoseconds, decimals: 6)
        case .clock, .utcClock: output.writeClock(time, hasDate: false)
        case .dateAndClock, .utcDateAndClock: output.writeClock(time, hasDate: true)
        case .dayOfYearAndClock, .utcDayOfYearAndClock: output.writeDayOfYearAndClock(time)
        }
    }

    /// Writes the frame's summary, the last column of its line.
    func writeSummary(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        if let attribute = metadata.attribute, metadata.pdu.place != .none {
            writeAttribute(attribute, frame, metadata, batch, to: &output)
        } else {
            writeHeadlines(frame, metadata, batch, to: &output)
            writeAdvertised(frame, metadata, batch, to: &output)
        }
        writeNotes(metadata, to: &output)
    }

    /// Writes an ATT PDU: its operation, attribute and value.
    private func writeAttribute(
        _ attribute: AttributeFacts, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        output.write(attribute.opcode.name ?? "Unknown ATT PDU")
        if let use = frame.attribute {
            writeName(use, to: &output)
        } else if attribute.handle.rawValue != 0 {
            output.write("  0x" as StaticString)
            output.writeHex(UInt64(attribute.handle.rawValue), digits: 4)
        }
        if let message = frame.message {
            output.write(": " as StaticString)
            writeMessage(message, frame, metadata, batch, to: &output)
        } else if let value = frame.attribute?.value ?? batch.valueOrPart(of: metadata) {
            output.write(": " as StaticString)
            output.writeHexExcerpt(batch.bytes(of: value))
        } else if !frame.values.isEmpty {
            writeValues(frame, metadata, batch, to: &output)
        } else {
            writeDetails(frame, metadata, batch, to: &output)
        }
        if let request = batch.request(of: metadata) {
            output.write(paint.faint)
            output.write("  (" as StaticString)
            output.writeMilliseconds(request.latency)
            output.write(UInt8(ascii: ")"))
            output.write(paint.plain)
        }
    }

    private func writeName(_ use: DissectedFrame.AttributeUse, to output: inout TextWriter) {
        output.write("  " as StaticString)
        output.write(paint.name)
        output.write(use.title)
        output.write(paint.plain)
        if use.confidence != .discovered {
            output.write(" [" as StaticString)
            output.write(use.confidence.rawValue)
            output.write("]" as StaticString)
        }
    }

    /// Writes the values of a PDU with several.
    private func writeValues(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        for value in frame.values {
            guard let use = value.attribute else { continue }
            writeName(use, to: &output)
            output.write(": " as StaticString)
            if let message = value.message {
                writeMessage(message, frame, metadata, batch, to: &output)
            } else if let piece = use.value {
                output.writeHexExcerpt(batch.bytes(of: piece))
            }
        }
    }

    private func writeMessage(
        _ message: DissectedFrame.DeviceMessage, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let all = frame.recorder.fields
        let fields = message.fields.filter { all[$0].field.format != .group && all[$0].field.mask == 0 }
        for (place, index) in fields.prefix(Self.fieldsOfLine).enumerated() {
            if place > 0 { output.write(", " as StaticString) }
            if fields.count > 1 {
                output.write(all[index].field.label)
                output.write(UInt8(ascii: " "))
            }
            output.writeBrief(all[index], in: metadata, of: batch, texts: frame.recorder.texts)
            if all[index].field.names == nil { writeParts(of: index, in: all, frame, metadata, batch, to: &output) }
        }
        if fields.count > Self.fieldsOfLine { output.write(", … \(fields.count - Self.fieldsOfLine) more") }
    }

    /// Maximum number of fields of a value in a line; `-V` shows all.
    private static let fieldsOfLine = 24

    /// Writes the nonzero parts of a number: flags by name, others with their values.
    private func writeParts(
        of index: Int, in fields: [RecordedField], _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let parts = fields[(index + 1)..<fields.span.endOfTree(index, before: fields.count)].filter { $0.value != 0 }
        guard !parts.isEmpty else { return }
        for (place, part) in parts.enumerated() {
            output.write(place == 0 ? " (" : ", " as StaticString)
            output.write(part.field.label)
            if part.field.format == .boolean { continue }
            output.write(UInt8(ascii: " "))
            output.writeBrief(part, in: metadata, of: batch, texts: frame.recorder.texts)
        }
        output.write(UInt8(ascii: ")"))
    }

    /// Writes the most informative fields of an ATT PDU.
    private func writeDetails(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let details: [Field] = [
            ATT.Fields.errorCode, ATT.Fields.clientRxMTU, ATT.Fields.serverRxMTU, ATT.Fields.startingHandle,
            ATT.Fields.endingHandle, ATT.Fields.uuid16, ATT.Fields.uuid128,
        ]
        var isFirst = true
        for recorded in frame.recorder.fields
        where !recorded.isGenerated && details.contains(recorded.field) {
            let separator: StaticString = recorded.field == ATT.Fields.endingHandle ? "–" : ", "
            output.write(isFirst ? "  " : separator)
            isFirst = false
            output.writeBrief(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
        }
    }

    /// Writes the headline of the innermost layer that has one.
    private func writeHeadlines(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        if metadata.kind == .empty { return output.write("Empty PDU" as StaticString) }
        if metadata.pdu.isPresent, metadata.isOnDynamicChannel { return writeChannel(frame, metadata, to: &output) }
        let fields = frame.recorder.fields
        var highest = -1
        var headlined: [RecordedField] = []
        var details: [RecordedField] = []
        for field in fields {
            switch headlines.part(of: field) {
            case .headline(let rank)? where rank >= highest:
                if rank > highest { headlined.removeAll(keepingCapacity: true) }
                highest = rank
                headlined.append(field)
            case .detail?: details.append(field)
            case .headline?, nil: continue
            }
        }
        if metadata.notes.contains(.vendorData) {
            output.write("Vendor ACL Data" as StaticString)
            details = fields.filter { Self.vendorDetails.contains($0.field.name) }
        } else if headlined.isEmpty {
            // A filter may add generated fields, which name no layer.
            output.write(fields.last { $0.depth == 0 && !$0.isGenerated }?.field.label ?? "")
        }
        for headline in headlined {
            if headline.field.names?[headline.value] == nil {
                output.write(headline.field.label)
                output.write(UInt8(ascii: " "))
            }
            output.writeBrief(headline, in: metadata, of: batch, texts: frame.recorder.texts)
            output.write(UInt8(ascii: " "))
        }
        for detail in details {
            output.write("  " as StaticString)
            output.write(detail.field.label)
            output.write(UInt8(ascii: " "))
            output.writeBrief(detail, in: metadata, of: batch, texts: frame.recorder.texts)
        }
    }

    /// Writes a PDU of a dynamic channel: the channel's purpose, its CID and the payload length.
    private func writeChannel(_ frame: DissectedFrame, _ metadata: FrameMetadata, to output: inout TextWriter) {
        let psm = frame.recorder.fields.first { $0.field.name == "btl2cap.psm" }
        if let psm {
            if let name = psm.field.names?[psm.value] {
                output.write(name)
                output.write(", " as StaticString)
            }
            output.write("PSM 0x" as StaticString)
            output.writeHex(psm.value, digits: 4)
        } else {
            output.write("Dynamic channel" as StaticString)
        }
        output.write(", CID 0x" as StaticString)
        output.writeHex(UInt64(metadata.channel), digits: 4)
        output.write(", " as StaticString)
        output.writeDecimal(UInt64(metadata.payloadCount))
        output.write(" bytes" as StaticString)
    }

    private static let vendorDetails = ["bthci_acl.chandle", "bthci_acl.length"]

    /// Writes advertising data decoded by plugins, with the advertiser if an event has several reports.
    private func writeAdvertised(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let values = frame.message.map { [DissectedFrame.CarriedValue(message: $0)] } ?? frame.values
        let hasReporters = batch.reassembly.reporters[metadata.packet.number] != nil
        for value in values {
            guard let message = value.message else { continue }
            output.write("  " as StaticString)
            if hasReporters, let device = batch.devices[value.advertiser] {
                output.write(paint.peer)
                output.write(device.title.legible())
                output.write(paint.plain)
                output.write(UInt8(ascii: " "))
            }
            output.write(paint.name)
            output.write(message.title)
            output.write(paint.plain)
            output.write(": " as StaticString)
            writeMessage(message, frame, metadata, batch, to: &output)
        }
    }

    private func writeNotes(_ metadata: FrameMetadata, to output: inout TextWriter) {
        let notes: [(FrameMetadata.Notes, StaticString)] = [
            (.fragment, "fragment"), (.segment, "part of an SDU"), (.retransmission, "retransmission"),
            (.encrypted, "encrypted"), (.badCRC, "bad CRC"), (.damagedAddress, "damaged access address"),
            (.lostSDU, "lost"),
        ]
        for (note, text) in notes where metadata.notes.contains(note) {
            output.write("  [" as StaticString)
            output.write(text)
            if note == .encrypted, let reason = metadata.closed {
                output.write(": " as StaticString)
                output.write(reason.rawValue)
            }
            output.write("]" as StaticString)
        }
    }
}

// MARK: - Tree and bytes

extension TextFrameWriter {
    private func writeTree(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        for recorded in frame.recorder.fields {
            for _ in 0...recorded.depth { output.write("    " as StaticString) }
            let isConclusion = recorded.isGenerated && recorded.field.format != .group
            if isConclusion { output.write(UInt8(ascii: "[")) }
            output.write(recorded.field.label)
            if recorded.field.format != .group {
                output.write(": " as StaticString)
                output.writeDisplay(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
            }
            if isConclusion { output.write(UInt8(ascii: "]")) }
            output.write(UInt8(ascii: "\n"))
        }
    }
}
