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

    /// A firmware's monitor protocol: the split into reads changes nothing, memory is bounded, all bytes are accounted for.
    static let monitorStream = FuzzTarget("monitor-stream") { captures in
        captures.compactMap { MonitorTraffic.stream(of: $0) }
    } fault: { input in
        var whole = MonitorFramer()
        let elements = whole.take(input) + whole.finish()
        var parts = MonitorFramer()
        var split: [MonitorFramer.Element] = []
        for byte in input.prefix(input.count / 2) { split += parts.take([byte]) }
        split += parts.take(Array(input.dropFirst(input.count / 2)))
        if parts.pending > 70_000 + input.count { return "\(parts.pending) bytes are held" }
        split += parts.finish()
        if elements != split { return "what comes byte by byte is framed otherwise" }

        var (batch, clock, skipped, overlaps) = (PacketBatch(), MonitorClock(), 0, false)
        for element in elements {
            switch element {
            case .garbage(let garbage): skipped += garbage.count
            case .frame(let frame, let isOverlap):
                overlaps = overlaps || isOverlap
                let number = batch.packets.count + 1
                let arrival = Timestamp(nanoseconds: Int64(number) * 1_000_000)
                batch.append(
                    frame, number: number, time: frame.ticks.map { clock.time(of: $0, at: arrival) } ?? arrival)
            }
        }
        // A header has 6 bytes at least; frames that overlap share bytes.
        if !overlaps, batch.bytes.count + 6 * batch.packets.count + skipped > input.count {
            return "\(input.count) bytes went in, more came out"
        }
        return Decoding.fault([batch])
    }
}

/// Captures in the format of the monitor channel.
private enum MonitorTraffic {
    /// Datagrams, each preceded by a length byte.
    static func bytes(of capture: [UInt8]) -> [UInt8]? {
        records(of: capture) { opcode, body in
            [UInt8(body.count + 6), UInt8(opcode.rawValue), 0, 0, 0, UInt8(body.count), 0] + body
        }
    }

    /// Frames of the monitor protocol, with a time.
    static func stream(of capture: [UInt8]) -> [UInt8]? {
        records(of: capture) { opcode, body in
            [UInt8(body.count + 9), 0, UInt8(opcode.rawValue), 0, 0, 5, 8, 0, 1, 0, 0] + body
        }
    }

    /// The first HCI packets of a capture, each as `write` forms it; nil if there are none.
    private static func records(
        of capture: [UInt8], _ write: (MonitorOpcode, ArraySlice<UInt8>) -> [UInt8]
    ) -> [UInt8]? {
        guard let source = try? ByteSource(bytes: capture, name: "seed"),
            let reader = try? CaptureReader(source: source),
            let batch = try? reader.next()
        else { return nil }
        var output: [UInt8] = []
        for packet in batch.packets {
            guard let view = batch.hciView(of: packet), view.type != nil, view.count < 247,
                let row = MonitorOpcode.table.first(where: {
                    $0.packetType == view.type && $0.direction == view.direction
                })
            else { continue }
            output += write(row.opcode, batch.bytes[view.range])
        }
        return output.isEmpty ? nil : output
    }
}
