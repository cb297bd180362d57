import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output

/// Writes rows of the packet list as JSON.
struct RowWriter {
    private let line = FrameLine()
    private let frame = DissectedFrame()
    private let dissector: Dissector
    private let marks: FrameMarks
    private let columns: (any FrameWriter)?

    /// Separator between columns. It occurs in no value, because control characters in texts are escaped.
    private static let separator: UInt8 = 0x1F

    /// - Parameter fields: names of additional columns; throws `UnknownField`.
    init(_ plugins: PluginSet, _ marks: FrameMarks, fields: [String], _ catalog: FieldCatalog) throws(UnknownField) {
        var scope = DissectionScope.all
        var columns: (any FrameWriter)?
        if !fields.isEmpty {
            var layout = FieldsPrinter.Layout()
            layout.separator = [Self.separator]
            let printer = try FieldsPrinter(fields, catalog: catalog, layout: layout)
            scope.formUnion(printer.scope)
            columns = printer.makeWriter()
        }
        self.columns = columns
        self.marks = marks
        dissector = Dissector(scope: scope, plugins: plugins)
    }

    /// Writes the row of the packet at an index in a window.
    func write(_ place: Int, of window: PacketWindow, to output: inout TextWriter) {
        let batch = window.batch
        let metadata = batch.metadata[place]
        dissector.dissect(metadata, of: batch, into: frame)
        write(frame, metadata, of: batch, index: window.range.lowerBound + place, to: &output)
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch, index: Int,
        to output: inout TextWriter
    ) {
        let packet = metadata.packet
        output.write("{\"index\":" as StaticString)
        output.writeDecimal(UInt64(index))
        output.write(",\"number\":" as StaticString)
        output.writeDecimal(UInt64(packet.number))
        output.write(",\"time\":" as StaticString)
        output.writeSeconds(nanoseconds: packet.time.nanoseconds(since: batch.start))
        output.write(",\"delta\":" as StaticString)
        output.writeSeconds(nanoseconds: packet.time.nanoseconds(since: batch.time(before: packet)))
        output.writeMember("direction", metadata.direction.name)
        let (source, destination) = Self.ends(of: metadata, in: batch)
        output.writeMember("source", source)
        output.writeMember("destination", destination)
        if let peer = metadata.peer(in: batch)?.title { output.writeMember("peer", peer) }
        output.writeMember("protocol", ProtocolStack(of: frame.recorder, packet).column)
        output.write(",\"info\":" as StaticString)
        output.writeSummary(of: frame, metadata, batch, line)
        output.write(",\"length\":" as StaticString)
        output.writeDecimal(UInt64(packet.frameLength))
        if metadata.connection >= 0 {
            output.write(",\"connection\":" as StaticString)
            output.writeDecimal(UInt64(metadata.connection) + 1)
        }
        output.writeFaults(of: frame, metadata, marks)
        if let columns {
            var text = TextWriter(capacity: 256)
            columns.write(frame, metadata, of: batch, to: &text)
            let parts = text.bytes.dropLast().split(separator: Self.separator, omittingEmptySubsequences: false)
            output.writeMember("columns", parts.map { String(decoding: $0, as: UTF8.self) })
        }
        output.write(UInt8(ascii: "}"))
    }

    /// Names of a packet's sender and receiver, as far as they are known.
    static func ends(of metadata: FrameMetadata, in batch: borrowing TrackedBatch) -> (
        source: String, destination: String
    ) {
        switch metadata.kind {
        case .command: return ("host", "controller")
        case .event: return ("controller", "host")
        default: break
        }
        let source = batch.devices[metadata.sender]?.title ?? ""
        let everybody = metadata.kind.isAdvertising ? "Broadcast" : ""
        return (source, batch.devices[metadata.receiver]?.title ?? everybody)
    }
}

extension DissectedFrame {
    var worstSeverity: Diagnostic.Severity? {
        [.error, .warning, .note].first { severity in diagnoses.contains { $0.severity == severity } }
    }
}

extension Direction {
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .sent: "sent"
        case .received: "received"
        }
    }
}

extension TextWriter {
    /// Writes a frame's summary as a JSON string.
    mutating func writeSummary(
        of frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ line: FrameLine
    ) {
        write(UInt8(ascii: "\""))
        let start = count
        line.writeSummary(frame, metadata, of: batch, to: &self)
        escapeJSON(from: start)
        write(UInt8(ascii: "\""))
    }

    /// Writes the members for a frame's diagnostics and the rules it breaks.
    mutating func writeFaults(of frame: DissectedFrame, _ metadata: FrameMetadata, _ marks: FrameMarks) {
        if let severity = frame.worstSeverity { writeMember("severity", severity.rawValue) }
        guard let verdict = marks.verdict(of: metadata.packet.number) else { return }
        writeMember("verdict", verdict)
        writeMember("rules", Set(marks[metadata.packet.number].map(\.rule.id)).sorted())
    }

    /// Writes the members for the request that a frame answers, and the latency.
    mutating func writeRequest(of metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let request = batch.request(of: metadata) else { return }
        writeMember("request", request.frame)
        write(",\"latency\":" as StaticString)
        writeSeconds(nanoseconds: request.latency.nanoseconds)
    }

    /// Writes a member, other than the first, of a JSON object.
    mutating func writeMember(_ name: StaticString, _ text: String) {
        write(",\"" as StaticString)
        write(name)
        write("\":" as StaticString)
        writeJSON(text)
    }

    mutating func writeMember(_ name: StaticString, _ texts: [String]) {
        write(",\"" as StaticString)
        write(name)
        write("\":[" as StaticString)
        for (place, text) in texts.enumerated() {
            if place > 0 { write(UInt8(ascii: ",")) }
            writeJSON(text)
        }
        write(UInt8(ascii: "]"))
    }

    mutating func writeMember(_ name: StaticString, _ number: Int) {
        write(",\"" as StaticString)
        write(name)
        write("\":" as StaticString)
        writeDecimal(Int64(number))
    }
}
