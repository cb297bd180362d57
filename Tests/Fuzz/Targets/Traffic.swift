import Bytes
import Captures

/// Packets in a row without a file format around them, so that mutations reach the protocols: each has a byte of flags
/// (1 received, 2 second adapter, 4 cut short, 8 begins a batch), a byte of length, and its bytes.
enum Traffic {
    static func batches(_ input: [UInt8], _ encapsulation: Encapsulation) -> [PacketBatch] {
        var batches = [PacketBatch()]
        var position = 0
        var number = 0
        while position + 2 <= input.count {
            let flags = input[position]
            let count = min(Int(input[position + 1]), input.count - position - 2)
            let bytes = input[(position + 2)..<(position + 2 + count)]
            position += 2 + count
            number += 1
            if flags & 8 != 0, batches.last?.packets.isEmpty == false { batches.append(PacketBatch()) }
            let last = batches.count - 1
            batches[last].packets.append(
                CapturedPacket(
                    number: number, time: Timestamp(nanoseconds: Int64(number) * 1_250_000),
                    encapsulation: encapsulation, direction: flags & 1 == 0 ? .sent : .received,
                    adapter: UInt16(flags >> 1 & 1), originalLength: count + (flags & 4 == 0 ? 0 : 1),
                    start: batches[last].bytes.count, count: count))
            batches[last].bytes += bytes
        }
        return batches
    }

    /// The first packets of a capture in this form; nil where it holds packets of another kind.
    static func bytes(of capture: [UInt8], _ encapsulation: Encapsulation) -> [UInt8]? {
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return nil }
        var input: [UInt8] = []
        while input.count < 8192, let batch = try? reader.next() {
            for packet in batch.packets where input.count < 8192 {
                guard let bytes = contents(of: packet, in: batch, encapsulation) else { continue }
                input.append(packet.direction == .received ? 1 : 0)
                input.append(UInt8(truncatingIfNeeded: bytes.count))
                input += bytes
            }
        }
        return input.isEmpty ? nil : input
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
