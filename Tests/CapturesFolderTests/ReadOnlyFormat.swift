import Bytes
import Captures
import PDUTestKit

/// A format that gattbench does not write, and files in it that are made of the packets of a capture.
enum ReadOnlyFormat: CaseIterable {
    case threeWire, smartRF

    /// The case whose packets are taken.
    var example: String {
        switch self {
        case .threeWire: "format-btsnoop-1002"
        case .smartRF: "format-pcap-251"
        }
    }

    func file(_ batch: PacketBatch) -> [UInt8] {
        switch self {
        case .threeWire: Self.threeWire(batch)
        case .smartRF: Self.smartRF(batch)
        }
    }

    /// btsnoop 1004: packets of the three-wire UART in SLIP frames, each followed by its acknowledgement, every fifth one
    /// sent twice (Vol 4, Part D, 3, 4 and 6).
    private static func threeWire(_ batch: PacketBatch) -> [UInt8] {
        var sequences: [Direction: UInt8] = [:]
        var records: [[UInt8]] = []
        for packet in batch.packets {
            let h4 = Array(batch.bytes(of: packet))
            let sequence = sequences[packet.direction, default: 0]
            sequences[packet.direction] = (sequence + 1) & 7
            let isReceived = packet.direction == .received
            let time = packet.time.nanoseconds / 1000
            let record = CaptureBuilder.btsnoopRecord(
                frame(sequence | 0x80, h4[0], Array(h4.dropFirst())), flags: isReceived ? 1 : 0, time: time)
            records.append(record)
            if packet.number.isMultiple(of: 5) { records.append(record) }
            let acknowledgement = frame(((sequence + 1) & 7) << 3, 0, [])
            records.append(
                CaptureBuilder.btsnoopRecord(acknowledgement, flags: isReceived ? 0 : 1, time: time))
        }
        return CaptureBuilder.btsnoop(1004, records)
    }

    private static func frame(_ first: UInt8, _ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let second = type | UInt8(payload.count & 0x0F) << 4
        let third = UInt8(payload.count >> 4)
        let header: [UInt8] = [first, second, third, ~(first &+ second &+ third)]
        var frame: [UInt8] = [0xC0]
        for byte in header + payload {
            switch byte {
            case 0xC0: frame += [0xDB, 0xDC]
            case 0xDB: frame += [0xDB, 0xDD]
            default: frame.append(byte)
            }
        }
        return frame + [0xC0]
    }

    /// A file of SmartRF Packet Sniffer. The channel is always the same, as nothing else is known.
    private static func smartRF(_ batch: PacketBatch) -> [UInt8] {
        guard let start = batch.packets.first?.time else { return [] }
        return batch.packets.enumerated().flatMap { index, packet in
            // Units of 31.25 ns; the timer counts to 5000.
            let units = UInt64(packet.time.nanoseconds(since: start) + 1_000_000) * 4 / 125
            return CaptureBuilder.smartRFRecord(
                UInt32(index + 1), Array(batch.bytes(of: packet)), time: (units / 5000) << 16 | units % 5000)
        }
    }
}
