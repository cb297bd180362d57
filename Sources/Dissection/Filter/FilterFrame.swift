package import Bytes
import Captures
package import Conversation

/// The input of a display filter: a frame's recorded fields and their source bytes.
package struct FilterFrame: ~Escapable {
    let recorder: FieldRecorder
    private let frame: RawSpan
    private let reassembled: RawSpan
    private let sdu: RawSpan
    private let decrypted: RawSpan

    /// The spans are the recorder's buffers, to which field offsets refer.
    @_lifetime(copy frame, copy reassembled, copy sdu, copy decrypted)
    package init(
        _ recorder: FieldRecorder, frame: RawSpan, reassembled: RawSpan, sdu: RawSpan, decrypted: RawSpan
    ) {
        self.recorder = recorder
        self.decrypted = decrypted
        self.frame = frame
        self.reassembled = reassembled
        self.sdu = sdu
    }

    /// The source bytes of a field, as far as they were captured; none of a key.
    func bytes(of entry: RecordedField) -> [UInt8] {
        if entry.isKey { return [] }
        return switch entry.buffer {
        case .frame: Self.bytes(of: entry, in: frame)
        case .reassembled: Self.bytes(of: entry, in: reassembled)
        case .sdu: Self.bytes(of: entry, in: sdu)
        case .decrypted: Self.bytes(of: entry, in: decrypted)
        }
    }

    private static func bytes(of entry: RecordedField, in span: RawSpan) -> [UInt8] {
        let start = min(Int(entry.offset), span.byteCount)
        let end = min(start + Int(entry.length), span.byteCount)
        return ByteReader(span.extracting(start..<end)).restBytes
    }

    func value(of entry: RecordedField, as form: FilterValueForm) -> FilterValue {
        switch form {
        case .unsigned: .number(Int128(entry.value))
        case .signed(let bits): .number(Int128(Self.signed(entry.value, bits: bits ?? Int(entry.length) * 8)))
        case .real: .real(Double(bitPattern: entry.value))
        case .scaled: .real(entry.roundedValue)
        case .seconds: .real(Double(Int64(bitPattern: entry.value)) / 1e9)
        case .bytes: .bytes(bytes(of: entry))
        case .text: .bytes(text(of: entry))
        case .address: .bytes((0..<6).map { UInt8(truncatingIfNeeded: entry.value >> (40 - 8 * UInt64($0))) })
        case .uuid: .bytes(uuid(of: entry))
        }
    }

    private func text(of entry: RecordedField) -> [UInt8] {
        if entry.isGenerated {
            let texts = recorder.texts
            return entry.value < texts.count ? Array(texts[Int(entry.value)].utf8) : []
        }
        return Array(bytes(of: entry).prefix { $0 != 0 })
    }

    /// The bytes of a UUID in written order; a generated UUID is stored as text.
    private func uuid(of entry: RecordedField) -> [UInt8] {
        guard entry.isGenerated else { return bytes(of: entry).reversed() }
        let digits = text(of: entry).compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func signed(_ value: UInt64, bits: Int) -> Int64 {
        guard (1..<64).contains(bits) else { return Int64(bitPattern: value) }
        let unused = UInt64(64 - bits)
        return Int64(bitPattern: value << unused) >> Int64(unused)
    }
}

extension TrackedBatch {
    /// Whether a frame of the batch passes a filter.
    package func matches(_ filter: DisplayFilter, _ frame: DissectedFrame, _ metadata: FrameMetadata) -> Bool {
        let gatheredBytes = reassembly.bytes.span
        return filter.matches(
            FilterFrame(
                frame.recorder, frame: packets.bytes.span.extracting(metadata.packet.range).rawBytes,
                reassembled: gatheredBytes.extracting(
                    metadata.pdu.place == .reassembled ? metadata.pdu.range : 0..<0
                ).rawBytes, sdu: gatheredBytes.extracting(metadata.assembled.range).rawBytes,
                decrypted: gatheredBytes.extracting(metadata.plain.range).rawBytes))
    }
}
