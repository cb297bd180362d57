import Bytes

/// The HCI packets of one endpoint: their boundaries in the transfers, and the start of a packet of which more is to
/// come.
struct USBStream {
    /// Type and length of an HCI packet, from its header.
    struct Header {
        var type: H4PacketType
        /// Length with the header.
        var total: Int
    }

    let endpoint: UInt8
    /// Captured bytes of a packet of which more is to come.
    var bytes: [UInt8] = []
    /// The packet's header; nil until it is complete.
    var header: Header?
    /// Number of its bytes that were transferred.
    var received = 0
    /// Whether a packet was read, so that the next one starts where it ended.
    var isSynchronized = false

    /// Whether bytes of the packet were transferred but not captured.
    var isCut: Bool { bytes.count < received }

    /// Forgets the packet of which more is to come.
    mutating func abandon() {
        bytes = []
        header = nil
        received = 0
    }
}

extension USBTransfer {
    /// The header of the HCI packet that starts with `bytes`; nil if they are too few.
    ///
    /// Interrupt transfers have events, bulk transfers ACL data, isochronous transfers synchronous data (Vol 4,
    /// Part B, 2.1). The last two may have isochronous data, which has a handle of its own kind.
    func header(_ bytes: [UInt8], of device: USBDevice) -> USBStream.Header? {
        let type: H4PacketType
        if kind == .interrupt {
            type = .event
        } else {
            guard bytes.count >= 2 else { return nil }
            let handle = UInt16(bytes[0]) | UInt16(bytes[1] & 0x0F) << 8
            type = device.isIsochronous(handle) ? .iso : kind == .isochronous ? .sco : .acl
        }
        return HCIPacketHeader(type)?.packetLength(bytes.span.rawBytes, at: 0).map {
            USBStream.Header(type: type, total: $0)
        }
    }

    /// Whether a packet can start with `bytes` in a transfer of which `left` bytes are left. Decides where a capture
    /// starts that does not have the start of a packet: only a full USB packet, of 8 bytes or a multiple of them, has
    /// a continuation.
    func canStart(_ header: USBStream.Header, _ bytes: [UInt8], left: Int) -> Bool {
        if kind == .isochronous { return hasValidHandle(bytes) }
        guard isIn else { return true }
        guard kind == .interrupt || hasValidHandle(bytes) else { return false }
        return header.total == left || (header.total > left && left.isMultiple(of: 8))
    }

    /// Whether the first two bytes hold a connection handle, which has a maximum of 0x0EFF.
    func hasValidHandle(_ bytes: [UInt8]) -> Bool { bytes.count >= 2 && bytes[1] & 0x0F <= 0x0E }

    /// Whether `bytes`, the start of a transfer of `length` bytes, show that an unknown device is a Bluetooth adapter:
    /// lengths and values of a packet that every session has are consistent.
    func isEvidence(_ bytes: [UInt8], length: Int) -> Bool {
        switch kind {
        case .interrupt: isIn && Self.isEventEvidence(bytes, length)
        case .bulk: Self.isDataEvidence(bytes, length)
        default: false
        }
    }

    /// Number of bytes that `isEvidence` regards.
    static let evidenceSize = 16

    private static func isEventEvidence(_ bytes: [UInt8], _ length: Int) -> Bool {
        guard bytes.count >= 6 else { return false }
        let isWhole = 2 + Int(bytes[1]) == length
        func isGroup(_ opcodeHigh: UInt8) -> Bool { (0x00...0x23).contains(opcodeHigh) || opcodeHigh >= 0xFC }
        switch bytes[0] {
        // Command Complete, Command Status, Number Of Completed Packets, Disconnection Complete.
        case 0x0E: return isWhole && length >= 6 && isGroup(bytes[4])
        case 0x0F: return isWhole && length == 6 && isGroup(bytes[5])
        case 0x13:
            let count = Int(bytes[2])
            return isWhole && count > 0 && length == 3 + 4 * count && bytes[4] <= 0x0E
        case 0x05: return isWhole && length == 6 && bytes[2] == 0 && bytes[4] <= 0x0E
        case 0x3E:
            guard isWhole || (2 + Int(bytes[1]) > length && length.isMultiple(of: 8)) else { return false }
            switch bytes[2] {
            // Connection complete events; reports with 1 to 25 advertisers.
            case 0x01, 0x0A, 0x29: return bytes[1] >= 19 && bytes[3] == 0 && bytes[5] <= 0x0E
            case 0x02: return bytes[1] >= 12 && (1...25).contains(bytes[3]) && bytes[4] <= 4
            case 0x0D: return bytes[1] >= 26 && (1...10).contains(bytes[3]) && bytes[5] == 0
            default: return false
            }
        default: return false
        }
    }

    /// ACL data that starts an L2CAP PDU of signaling, ATT, LE signaling or SMP.
    private static func isDataEvidence(_ bytes: [UInt8], _ length: Int) -> Bool {
        guard bytes.count >= 8 else { return false }
        let (data, payload) = (Int(bytes[2]) | Int(bytes[3]) << 8, Int(bytes[4]) | Int(bytes[5]) << 8)
        guard data + 4 == length, payload > 0, payload + 8 >= length else { return false }
        // The handle's upper digit, the packet boundary (not a continuation), no broadcast.
        let (handle, boundary, broadcast) = (bytes[1] & 0x0F, bytes[1] & 0x30, bytes[1] & 0xC0)
        guard handle <= 0x0E, boundary != 0x10, broadcast == 0 else { return false }
        return bytes[7] == 0 && [1, 4, 5, 6].contains(bytes[6])
    }
}
