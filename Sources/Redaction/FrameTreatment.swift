import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection

/// The treatment of a frame's bytes, and of the buffers that were put together of several frames, by the fields in its
/// tree.
struct FrameTreatment {
    /// The frame, from its first byte.
    var frame: BufferTreatment
    /// The L2CAP PDU that ends with the frame, if it was put together from fragments.
    var pdu: BufferTreatment?
    /// The SDU, the long value or the messages that end with it.
    var assembled: BufferTreatment?
    /// The bytes that may change: the HCI packet after its indicator, or the packet on the air from its access address on.
    let content: Range<Int>
    /// A fragment of an L2CAP PDU in the frame, and whether a PDU begins with it.
    private(set) var fragment: (range: Range<Int>, isFirst: Bool)?
    /// Bytes that are a part of something longer: of a value or of an SDU.
    private(set) var part: Range<Int>?

    /// Length of the L2CAP header, which stays in a fragment of a PDU that nothing completes.
    private static let headerLength = 4

    /// Nil for a packet that is too short to identify.
    init?(
        _ dissected: DissectedFrame, _ metadata: FrameMetadata, in batch: borrowing TrackedBatch,
        _ treatments: inout FieldTreatments
    ) {
        let start: Int
        if metadata.packet.encapsulation.isLinkLayer {
            guard let view = metadata.packet.linkLayerView(in: batch.packets.bytes.span.rawBytes) else { return nil }
            start = view.start
        } else {
            guard let view = metadata.hci else { return nil }
            start = view.start
        }
        content = (start - metadata.packet.start)..<metadata.packet.count
        frame = BufferTreatment(count: metadata.packet.count)
        if metadata.pdu.place == .reassembled, !metadata.isPDUDecrypted {
            pdu = BufferTreatment(count: metadata.pdu.count)
        }
        if metadata.assembled.place == .reassembled { assembled = BufferTreatment(count: metadata.assembled.count) }
        addFields(
            of: dissected, keepsValue: Self.isOfGroup(metadata, batch), beginsPDU: Self.beginsPDU(metadata, batch),
            &treatments)
        keepHeaders(metadata, batch)
        if let carried = metadata.carriedValue, carried.place == .frame {
            part = (carried.start - metadata.packet.start)..<(carried.start - metadata.packet.start + carried.count)
        }
    }

    /// Whether the value of a Find By Type Value Request is the UUID of a service, which identifies no device.
    private static func isOfGroup(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> Bool {
        guard metadata.attribute?.opcode == .findByTypeValueRequest else { return false }
        let pdu = metadata.attPDU
        guard pdu.count >= 7 else { return false }
        let bytes = batch.bytes(of: pdu)
        let type = UInt16(bytes[bytes.startIndex + 5]) | UInt16(bytes[bytes.startIndex + 6]) << 8
        return type == 0x2800 || type == 0x2801
    }

    /// Whether the frame's fragment begins an L2CAP PDU (Vol 4, Part E, 5.4.2; Vol 6, Part B, 2.4).
    private static func beginsPDU(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> Bool {
        if let packet = batch.linkLayer(of: metadata) {
            return LL.DataHeader(bits: packet.header.header).llid == .start
        }
        guard metadata.kind == .acl, let view = metadata.hci, view.count >= 2 else { return false }
        return batch.packets.bytes[view.start + 1] >> 4 & 3 != 1
    }

    private mutating func addFields(
        of dissected: DissectedFrame, keepsValue: Bool, beginsPDU: Bool, _ treatments: inout FieldTreatments
    ) {
        let fields = dissected.recorder.fields
        var profileDepth: UInt8?
        for (index, recorded) in fields.enumerated() {
            if let depth = profileDepth, recorded.depth <= depth { profileDepth = nil }
            if recorded.field == FrameFields.device || recorded.field == FrameFields.assembled {
                profileDepth = profileDepth ?? recorded.depth
            }
            if recorded.isGenerated || recorded.field.isGroup || recorded.length == 0 { continue }
            var treatment = treatments.treatment(of: recorded, isOfProfile: profileDepth != nil)
            if keepsValue, recorded.field == ATT.Fields.value { treatment = .keep }
            // Its bytes are those of a PDU, with fields of their own if that is complete.
            let isFragment = recorded.field == FrameFields.fragment || recorded.field == FrameFields.secretFragment
            if isFragment { treatment = .open }
            let range = Int(recorded.offset)..<(Int(recorded.offset) + Int(recorded.length))
            // The parts of a number are replaced one by one.
            let hasParts = index + 1 < fields.count && fields[index + 1].depth > recorded.depth
            if hasParts, treatment != .open, fields[index + 1].field.mask != 0 { treatment = .keep }
            let isBytes = recorded.field.format == .bytes || recorded.field.format == .text
            let step = BufferTreatment.Step(
                treatment: treatment, range: range, value: recorded.value, mask: recorded.field.mask,
                isNumber: !isBytes && recorded.field.format != .uuid128
                    && recorded.field.format != .bigEndianUUID128)
            add(step, to: recorded.buffer)
            if profileDepth != nil, let date = Self.date(endingAt: index, of: fields) { add(date, to: recorded.buffer) }
            if isFragment, recorded.buffer == .frame { fragment = (range, beginsPDU) }
        }
    }

    /// The date that ends with a field for its day; nil for other fields.
    private static func date(endingAt index: Int, of fields: [RecordedField]) -> BufferTreatment.Step? {
        guard index >= 2, fields[index].field.name.hasSuffix(".day") else { return nil }
        let (year, month, day) = (fields[index - 2], fields[index - 1], fields[index])
        guard year.field.name.hasSuffix(".year"), month.field.name.hasSuffix(".month"), year.length == 2,
            month.length == 1, day.length == 1, month.offset == year.offset &+ 2, day.offset == year.offset &+ 3
        else { return nil }
        let start = Int(year.offset)
        return .init(treatment: .civilDate, range: start..<(start + 4), value: 0)
    }

    private mutating func add(_ step: BufferTreatment.Step, to buffer: RecordedField.Buffer) {
        switch buffer {
        case .frame: frame.add(step)
        case .reassembled: pdu?.add(step)
        case .sdu: assembled?.add(step)
        case .decrypted: break
        }
    }

    /// Keeps the headers that bytes without a field depend on.
    private mutating func keepHeaders(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        if metadata.packet.encapsulation.isLinkLayer {
            // Access address, coding indicator and the header of the PDU; the CRC is computed anew.
            let header = batch.linkLayer(of: metadata)?.header
            let end = header.map { $0.pdu.lowerBound + 2 } ?? content.upperBound
            frame.keep(content.lowerBound..<max(content.lowerBound, min(content.upperBound, end)))
            if let header, header.pdu.upperBound <= content.upperBound {
                frame.keep(header.pdu.upperBound..<content.upperBound)
            }
        }
        if let fragment, fragment.isFirst {
            frame.keep(
                fragment.range
                    .lowerBound..<min(fragment.range.upperBound, fragment.range.lowerBound + Self.headerLength))
        }
    }
}
