import Bluetooth
import Bytes
import Captures

/// Reassembles L2CAP PDUs from the fragments of one direction of one connection (Vol 3, Part A, 7.2.2).
///
/// A first fragment may be shorter than the 4-byte L2CAP header; the length of the PDU is known only when the header is
/// complete.
struct FragmentAssembler: Sendable {
    /// Whether `bytes` belongs to an incomplete PDU.
    private(set) var isAssembling = false
    private(set) var bytes: [UInt8] = []

    /// Bytes of the L2CAP header: length and channel.
    static let headerLength = 4
    /// The longest PDU: 65535 bytes and the header. Longer input is an overrun, so memory stays bounded.
    static let longestPDU = 65535 + headerLength

    /// Bytes held for the incomplete PDU.
    var heldBytes: Int { bytes.count }

    /// Result of adding a fragment.
    enum Result {
        /// A whole PDU in the frame.
        case whole(Range<Int>)
        /// The PDU's last fragment; its bytes were appended to the reassembled ones.
        case assembled(Range<Int>)
        case incomplete
        case orphan
    }

    /// Whether a first fragment in `range` of `source` is exactly one PDU.
    @inline(__always)
    static func isWholePDU(_ range: Range<Int>, of source: [UInt8]) -> Bool {
        range.count >= headerLength && range.count == pduLength(source, at: range.lowerBound)
    }

    /// Adds the fragment in `range` of `source`; a complete PDU from several frames is appended to `reassembled`.
    mutating func add(
        _ range: Range<Int>, of source: [UInt8], isFirst: Bool, to reassembled: inout [UInt8],
        notes: inout FrameMetadata.Notes
    ) -> Result {
        if isFirst {
            if isAssembling {
                notes.insert(.unfinished)
                reset()
            }
            if range.count >= Self.headerLength {
                let length = Self.pduLength(source, at: range.lowerBound)
                if range.count >= length {
                    if range.count > length { notes.insert(.overrun) }
                    return .whole(range.lowerBound..<(range.lowerBound + length))
                }
            }
            isAssembling = true
        } else if !isAssembling {
            notes.insert(.orphan)
            return .orphan
        }
        bytes.append(contentsOf: source[range])
        guard bytes.count >= Self.headerLength else { return .incomplete }
        let length = Self.pduLength(bytes, at: 0)
        guard bytes.count >= length else { return .incomplete }
        if bytes.count > length { notes.insert(.overrun) }
        let start = reassembled.count
        reassembled.append(contentsOf: bytes[..<length])
        reset()
        return .assembled(start..<reassembled.count)
    }

    /// Discards the incomplete PDU, for example after a packet that was cut short.
    mutating func reset() {
        isAssembling = false
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4096)
    }

    /// The channel of the PDU that begins with `bytes`; nil if they do not contain the whole header.
    static func channel(_ bytes: ArraySlice<UInt8>) -> L2CAP.ChannelID? {
        guard bytes.count >= headerLength else { return nil }
        return L2CAP.ChannelID(rawValue: bytes.span.rawBytes.littleEndian(at: 2))
    }

    @inline(__always)
    private static func pduLength(_ bytes: [UInt8], at start: Int) -> Int {
        headerLength + Int(bytes.span.rawBytes.littleEndian(at: start, as: UInt16.self))
    }
}
