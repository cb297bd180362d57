import Bytes

/// The header of an HCI packet, which follows the packet indicator where there is one: its size, and where it has the
/// length of the data after it (Vol 4, Part E, 5.4).
package struct HCIPacketHeader: Sendable, Hashable {
    /// In bytes.
    package let size: Int
    package let lengthOffset: Int
    /// The bits of the length.
    private let mask: UInt16

    /// Whether the length has two bytes.
    package var hasWideLength: Bool { mask > 0xFF }

    /// Nil for what is no packet of HCI.
    package init?(_ type: H4PacketType) {
        switch type {
        case .command, .sco: (size, lengthOffset, mask) = (3, 2, 0xFF)
        case .event: (size, lengthOffset, mask) = (2, 1, 0xFF)
        case .acl: (size, lengthOffset, mask) = (4, 2, 0xFFFF)
        case .iso: (size, lengthOffset, mask) = (4, 2, 0x3FFF)
        default: return nil
        }
    }

    /// Length of the packet whose header begins at an offset, with the header; nil if the header is not complete.
    package func packetLength(_ bytes: RawSpan, at start: Int) -> Int? {
        guard bytes.byteCount - start >= size else { return nil }
        let place = start + lengthOffset
        let stated = hasWideLength ? bytes.littleEndian(at: place) : UInt16(bytes.byte(at: place))
        return size + Int(stated & mask)
    }
}
