package import Bytes

/// One record of the kernel's monitor channel: opcode, adapter and length in 16 bits each, little-endian, then the body
/// (`include/net/bluetooth/hci_mon.h` of the kernel).
package struct MonitorRecord: Hashable, Sendable {
    static let headerSize = 6
    /// The adapter of records that belong to no adapter (HCI_DEV_NONE).
    package static let noAdapter: UInt16 = 0xFFFF

    package let opcode: MonitorOpcode
    /// Adapter index: 0 for hci0.
    package let adapter: UInt16
    /// Length of the body as stated in the header, in bytes.
    package let length: Int
    /// The body; shorter than `length` if it was truncated.
    package let body: ArraySlice<UInt8>

    /// Nil if the bytes are shorter than a header.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerSize else { return nil }
        func word(_ offset: Int) -> UInt16 {
            UInt16(bytes[bytes.startIndex + offset]) | UInt16(bytes[bytes.startIndex + offset + 1]) << 8
        }
        opcode = MonitorOpcode(rawValue: word(0))
        adapter = word(2)
        length = Int(word(4))
        body = bytes.dropFirst(Self.headerSize).prefix(length)
    }
}

// MARK: - Live packet batches

extension PacketBatch {
    package mutating func append(_ record: MonitorRecord, number: Int, time: Timestamp) {
        var packet = CapturedPacket(
            number: number, time: time, encapsulation: .monitor, direction: record.opcode.row?.direction ?? .unknown,
            adapter: record.adapter, recordType: record.opcode.rawValue, originalLength: record.length,
            start: bytes.count, count: record.body.count)
        packet.originalLength = max(packet.originalLength, packet.count)
        bytes += record.body
        packets.append(packet)
    }

    /// Appends an HCI packet in H4 framing, as a transport carries it, with an optional comment.
    package mutating func append(
        h4 packet: [UInt8], direction: Direction, number: Int, time: Timestamp, comment: String? = nil
    ) {
        packets.append(
            CapturedPacket(
                number: number, time: time, encapsulation: .h4, direction: direction, originalLength: packet.count,
                start: bytes.count, count: packet.count, comment: comment == nil ? -1 : Int32(clamping: comments.count))
        )
        bytes += packet
        if let comment { comments.append([comment]) }
    }

    /// Appends a packet of the given encapsulation, as delivered by libpcap.
    package mutating func append(
        _ packet: ArraySlice<UInt8>, originalLength: Int, encapsulation: Encapsulation, number: Int, time: Timestamp
    ) {
        var captured = CapturedPacket(
            number: number, time: time, encapsulation: encapsulation, originalLength: max(originalLength, packet.count),
            start: bytes.count, count: packet.count)
        if encapsulation == .h4WithDirection, let last = packet.prefix(4).last, packet.count >= 4 {
            captured.direction = last & 1 == 0 ? .sent : .received
        }
        bytes += packet
        packets.append(captured)
    }
}
