package import Bytes

/// A frame of the monitor protocol that firmware writes to a serial port or an RTT channel: BlueZ's `src/shared/tty.h`,
/// Zephyr's `subsys/bluetooth/host/monitor.h`.
///
/// `data_len` u16, opcode u16, flags u8, length of the extended header u8, extended header, body; little-endian.
/// `data_len` counts what follows it. The protocol has neither a sync word nor a checksum.
package struct MonitorFrame: Hashable, Sendable {
    /// A record type of the kernel's HCI monitor.
    package let opcode: MonitorOpcode
    /// Number of packets that the firmware dropped since its previous frame: the sum of all kinds of packets.
    package let drops: Int
    /// `ts32`: time in units of 0.1 ms; nil without a timestamp.
    package let ticks: UInt32?
    package let body: [UInt8]

    private static let headerSize = 6
    /// Item of the extended header that has the time; 1 to 7 have the drops of a kind of packets.
    private static let timeItem = 8
    /// Size of an extended header with each item once.
    private static let extendedHeaderLimit = 7 * 2 + 5
    /// Maximum length of a text or of vendor diagnostics; firmware cuts texts at 128 bytes or a few hundred.
    private static let textLimit = 4096

    /// What bytes are, if a frame starts with the first of them.
    enum Examination {
        case invalid
        /// The header is incomplete.
        case undecided
        /// The header fits the part of the body that has arrived.
        case incomplete
        /// A frame of `size` bytes. `isExact`: so much of it is determined that it needs no confirmation by its
        /// neighbours.
        case complete(MonitorFrame, size: Int, isExact: Bool)
    }

    static func examine(_ bytes: ArraySlice<UInt8>) -> Examination {
        guard bytes.count >= headerSize else { return .undecided }
        func byte(_ offset: Int) -> Int { Int(bytes[bytes.startIndex + offset]) }
        let size = 2 + (byte(0) | byte(1) << 8)
        let opcode = MonitorOpcode(rawValue: UInt16(byte(2) | byte(3) << 8))
        let bodyOffset = headerSize + byte(5)
        guard byte(4) == 0, byte(5) <= extendedHeaderLimit, size >= bodyOffset else { return .invalid }

        var (drops, seen, offset) = (0, 0, headerSize)
        var ticks: UInt32?
        while offset < bodyOffset {
            guard offset < bytes.count else { return .undecided }
            let item = byte(offset)
            let end = offset + (item == timeItem ? 5 : 2)
            guard (1...timeItem).contains(item), seen & (1 << item) == 0, end <= bodyOffset else { return .invalid }
            guard end <= bytes.count else { return .undecided }
            seen |= 1 << item
            if item == timeItem {
                let time = byte(offset + 1) | byte(offset + 2) << 8 | byte(offset + 3) << 16 | byte(offset + 4) << 24
                ticks = UInt32(time)
            } else {
                drops += byte(offset + 1)
            }
            offset = end
        }
        let body = bytes.dropFirst(bodyOffset).prefix(size - bodyOffset)
        switch isPlausible(body, length: size - bodyOffset, opcode) {
        case nil: return .undecided
        case false?: return .invalid
        case true?: break
        }
        guard bytes.count >= size else { return .incomplete }
        return .complete(
            MonitorFrame(opcode: opcode, drops: drops, ticks: ticks, body: Array(body)), size: size,
            isExact: ticks != nil && opcode != .vendorDiagnostic)
    }

    /// Whether `length` bytes that begin with `body` can be the body of a record; nil if too few have arrived to know.
    private static func isPlausible(_ body: ArraySlice<UInt8>, length: Int, _ opcode: MonitorOpcode) -> Bool? {
        if let type = opcode.row?.packetType { return isPacket(body, length: length, type) }
        switch opcode {
        case .newIndex: return length == 16
        case .indexInfo: return length == 8
        case .deleteIndex, .openIndex, .closeIndex: return length == 0
        case .vendorDiagnostic: return length > 0 && length <= textLimit
        // NimBLE sends an empty note to report drops.
        case .systemNote: return length == 0 || isText(body, length: length)
        case .userLogging:
            guard body.count >= 2 else { return length < 2 ? false : nil }
            let identLength = Int(body[body.startIndex + 1])
            guard identLength == 0 || isText(body.dropFirst(2).prefix(identLength), length: identLength) else {
                return false
            }
            return isText(body.dropFirst(2 + identLength), length: length - 2 - identLength)
        // The kernel's records of its management interface, and unknown types.
        default: return false
        }
    }

    /// Whether an HCI packet's own length is `length` (Vol 4, Part E, 5.4).
    private static func isPacket(_ packet: ArraySlice<UInt8>, length: Int, _ type: H4PacketType) -> Bool? {
        guard let header = HCIPacketHeader(type), length >= header.size else { return false }
        return header.packetLength(packet.span.rawBytes, at: 0).map { $0 == length }
    }

    /// Whether `length` bytes that begin with `bytes` can be a text with one zero, at its end.
    private static func isText(_ bytes: ArraySlice<UInt8>, length: Int) -> Bool {
        guard length > 0, length <= textLimit else { return false }
        return zip(bytes.indices, bytes).allSatisfy { index, byte in
            if index - bytes.startIndex == length - 1 { return byte == 0 }
            // Line breaks, tabulators, and what colours a terminal.
            return byte >= 0x20 || (0x07...0x0D).contains(byte) || byte == 0x1B
        }
    }
}

extension PacketBatch {
    /// Appends a frame as the record that the kernel's monitor would have delivered.
    package mutating func append(_ frame: MonitorFrame, number: Int, time: Timestamp, comment: String? = nil) {
        let isText = frame.opcode == .systemNote || frame.opcode == .userLogging
        var packet = CapturedPacket(
            number: number, time: time, encapsulation: .monitor,
            direction: frame.opcode.row?.direction ?? .unknown,
            adapter: isText ? MonitorRecord.noAdapter : 0, recordType: frame.opcode.rawValue,
            originalLength: frame.body.count, start: bytes.count, count: frame.body.count,
            comment: comment == nil ? -1 : Int32(clamping: comments.count))
        packet.drops = UInt16(clamping: frame.drops)
        bytes += frame.body
        packets.append(packet)
        if let comment { comments.append([comment]) }
    }
}
