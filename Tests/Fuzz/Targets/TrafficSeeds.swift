import Bluetooth
import Captures
import Glibc

/// Initial inputs made from captures: each unchanged, and with one typical capture fault.
extension Traffic {
    /// The captures as inputs, each followed by a copy with one change.
    static func seeds(_ captures: [[UInt8]], _ encapsulation: Encapsulation) -> [[UInt8]] {
        let all = captures.map { packets(of: $0, encapsulation) }.filter { !$0.isEmpty }
        return all.map(input)
            + all.enumerated().map { place, packets in
                let other = all[(place + 1) % all.count]
                return input(changes[place % changes.count](packets, other))
            }
    }

    private static func input(_ packets: [Packet]) -> [UInt8] { packets.flatMap(\.input) }

    private typealias Change = @Sendable (_ packets: [Packet], _ other: [Packet]) -> [Packet]

    private static let changes: [Change] = [
        // Spliced: another device continues the first one's connection.
        { Array($0.prefix($0.count / 2)) + $1.suffix($1.count / 2) },
        // The times are at both ends of their range.
        { packets, _ in timed(packets, [.earliest, .latest, .soon]) },
        // Values are longer or shorter.
        { packets, _ in packets.enumerated().map { resized($0.element, by: $0.offset % 2 == 0 ? 3 : -1) } },
        // The same discovery again, with characteristics at other handles.
        { packets, _ in packets + packets.map(moved) },
        // Two devices alternate.
        { packets, other in zip(packets, other).flatMap { [$0, $1] } },
        // Every timer has expired or fires early.
        { packets, _ in timed(packets, [.soon, .halfAMinuteLater, .soon, .aDayLater, .aMinuteEarlier]) },
        { packets, _ in timed(packets, [.latest]) },
        { packets, _ in timed(packets, [.now, .soon, .soon, .soon, .earliest]) },
    ]

    private static func timed(_ packets: [Packet], _ clocks: [Clock]) -> [Packet] {
        packets.enumerated().map { place, packet in
            var packet = packet
            packet.clock = clocks[place % clocks.count]
            return packet
        }
    }

    /// Offset of a complete ATT PDU in an ACL packet; nil in other packets.
    private static func pdu(of packet: Packet) -> Int? {
        let bytes = packet.bytes
        guard bytes.count > 9, bytes[0] == 2, bytes[7] == L2CAP.ChannelID.att.rawValue, bytes[8] == 0,
            Int(bytes[5]) == bytes.count - 9, bytes[6] == 0
        else { return nil }
        return 9
    }

    /// A packet whose value is longer or shorter by this many bytes.
    private static func resized(_ packet: Packet, by count: Int) -> Packet {
        guard let start = pdu(of: packet), packet.bytes.count < 200 else { return packet }
        let head: Int
        switch ATT.Opcode(rawValue: packet.bytes[start]) {
        case .readResponse: head = 1
        case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication: head = 3
        default: return packet
        }
        guard packet.bytes.count + count >= start + head else { return packet }
        var packet = packet
        if count < 0 { packet.bytes.removeLast(-count) }
        if count > 0 { packet.bytes += [UInt8](repeating: 0xFF, count: count) }
        packet.bytes[3] = UInt8(packet.bytes.count - 5)
        packet.bytes[5] = UInt8(packet.bytes.count - 9)
        return packet
    }

    /// A Read By Type Response with the handles of its characteristics raised by one.
    private static func moved(_ packet: Packet) -> Packet {
        guard let start = pdu(of: packet), ATT.Opcode(rawValue: packet.bytes[start]) == .readByTypeResponse,
            packet.bytes.count > start + 1
        else { return packet }
        var packet = packet
        let length = Int(packet.bytes[start + 1])
        guard length >= 7 else { return packet }
        for entry in stride(from: start + 2, to: packet.bytes.count - length + 1, by: length) {
            packet.bytes[entry] &+= 1
            packet.bytes[entry + 3] &+= 1
        }
        return packet
    }
}

/// HCI packets as a btsnoop file, which is removed with this value.
@safe final class TrafficFile {
    private let file: UnsafeMutablePointer<FILE>
    var path: String { "/proc/self/fd/\(unsafe fileno(file))" }

    init?(_ batches: [PacketBatch]) {
        guard let target = CaptureTarget(.btsnoop, linkType: .h4), let file = unsafe tmpfile() else { return nil }
        unsafe self.file = file
        do {
            let writer = try CaptureWriter(path: path, target: target)
            for batch in batches { for packet in batch.packets { try writer.write(packet, of: batch) } }
            try writer.flush()
        } catch {
            return nil
        }
    }

    deinit { unsafe fclose(file) }

    /// The content of such a file.
    static func bytes(of batches: [PacketBatch]) -> [UInt8]? {
        guard let written = TrafficFile(batches) else { return nil }
        return written.bytes
    }

    private var bytes: [UInt8] {
        unsafe fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: max(0, unsafe ftell(file)))
        unsafe rewind(file)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
