import Bytes
import Captures

extension FuzzTarget {
    /// Datagrams of the kernel's monitor channel, each preceded by a length byte.
    static let monitor = FuzzTarget("monitor") { captures in
        captures.compactMap { MonitorTraffic.bytes(of: $0) }
    } fault: { input in
        var batch = PacketBatch()
        var rest = input[...]
        while let length = rest.popFirst() {
            let datagram = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            guard let record = MonitorRecord(datagram) else { continue }
            let number = batch.packets.count + 1
            batch.append(record, number: number, time: Timestamp(nanoseconds: Int64(number) * 1_000_000))
        }
        let count = batch.packets.reduce(0) { $0 + $1.count }
        return count == batch.bytes.count
            ? Decoding.fault([batch]) : "packets hold \(count) of \(batch.bytes.count) bytes"
    }
}

/// Captures in the format of the monitor channel.
private enum MonitorTraffic {
    static func bytes(of capture: [UInt8]) -> [UInt8]? {
        guard let source = try? ByteSource(bytes: capture, name: "seed"),
            let reader = try? CaptureReader(source: source),
            let batch = try? reader.next()
        else { return nil }
        var output: [UInt8] = []
        for packet in batch.packets {
            guard let view = batch.hciView(of: packet), view.type != nil, view.count < 250,
                let row = MonitorOpcode.table.first(where: {
                    $0.packetType == view.type && $0.direction == view.direction
                })
            else { continue }
            output += [UInt8(view.count + 6), UInt8(row.opcode.rawValue), 0, 0, 0, UInt8(view.count), 0]
            output += batch.bytes[view.range]
        }
        return output.isEmpty ? nil : output
    }
}
