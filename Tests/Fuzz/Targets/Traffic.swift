import Bytes
import Captures

/// A sequence of packets without a file format, so that mutations reach the protocols. Each packet has a flags byte (1
/// received, 2 second adapter, 4 truncated, 8 begins a batch; the next three bits are an index into `Clock`), a length
/// byte, and its bytes.
enum Traffic {
    /// Capture time of a packet, relative to the previous one.
    enum Clock: UInt8, CaseIterable {
        case soon, halfAMinuteLater, aDayLater, aMinuteEarlier, latest, earliest, epoch, now

        func time(after last: Timestamp) -> Timestamp {
            switch self {
            case .soon: last + .microseconds(1250)
            case .halfAMinuteLater: last + .seconds(31)
            case .aDayLater: last + .seconds(86_400)
            case .aMinuteEarlier: last + .seconds(-60)
            case .latest: Timestamp(nanoseconds: .max)
            case .earliest: Timestamp(nanoseconds: .min)
            case .epoch: Timestamp(nanoseconds: 0)
            case .now: Timestamp(seconds: 1_772_366_400, nanoseconds: 0)
            }
        }
    }

    /// A packet of an input.
    struct Packet {
        var isReceived = false
        var clock = Clock.soon
        var bytes: [UInt8]

        /// Its encoding in an input.
        var input: [UInt8] {
            [(isReceived ? 1 : 0) | clock.rawValue << 4, UInt8(truncatingIfNeeded: bytes.count)] + bytes
        }
    }

    static func batches(_ input: [UInt8], _ encapsulation: Encapsulation) -> [PacketBatch] {
        var batches = [PacketBatch()]
        var position = 0
        var number = 0
        var time = Timestamp(nanoseconds: 0)
        while position + 2 <= input.count {
            let flags = input[position]
            let count = min(Int(input[position + 1]), input.count - position - 2)
            let bytes = input[(position + 2)..<(position + 2 + count)]
            position += 2 + count
            number += 1
            time = (Clock(rawValue: flags >> 4 & 7) ?? .soon).time(after: time)
            if flags & 8 != 0, batches.last?.packets.isEmpty == false { batches.append(PacketBatch()) }
            let last = batches.count - 1
            batches[last].packets.append(
                CapturedPacket(
                    number: number, time: time, encapsulation: encapsulation,
                    direction: flags & 1 == 0 ? .sent : .received, adapter: UInt16(flags >> 1 & 1),
                    originalLength: count + (flags & 4 == 0 ? 0 : 1),
                    start: batches[last].bytes.count, count: count))
            batches[last].bytes += bytes
        }
        return batches
    }

    /// The first packets of a capture; none if it contains packets of another encapsulation.
    static func packets(of capture: [UInt8], _ encapsulation: Encapsulation) -> [Packet] {
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return [] }
        var packets: [Packet] = []
        var size = 0
        while size < 8192, let batch = try? reader.next() {
            for packet in batch.packets where size < 8192 {
                guard let bytes = contents(of: packet, in: batch, encapsulation) else { continue }
                packets.append(Packet(isReceived: packet.direction == .received, bytes: bytes))
                size += bytes.count + 2
            }
        }
        return packets
    }

    private static func contents(
        of packet: CapturedPacket, in batch: PacketBatch, _ encapsulation: Encapsulation
    ) -> [UInt8]? {
        let bytes = Array(batch.bytes(of: packet))
        guard bytes.count <= 255 else { return nil }
        return switch (packet.encapsulation, encapsulation) {
        case (.h4, .h4), (.linkLayerWithHeader, .linkLayerWithHeader): bytes
        case (.h4WithDirection, .h4): Array(bytes.dropFirst(4))
        default: nil
        }
    }
}
