import Bluetooth
import Bytes
import Captures
import Radio
import Transports

/// Input of broken or hostile hosts to virtual controllers: a sequence of commands and data, each with a byte that
/// selects one of three controllers (3: time passes), a length byte, and its bytes.
extension FuzzTarget {
    static let radio = FuzzTarget("radio", seeds: RadioTraffic.seeds) { input in
        var radio = Radio(seed: 1, pace: input.count.isMultiple(of: 2) ? .air : .immediate)
        for index in 0..<3 { radio.add(ControllerConfiguration(address: RadioTraffic.address(index))) }
        var check = RadioTraffic.Check()
        for (target, bytes) in RadioTraffic.records(input) {
            if target < 3 {
                check.take(radio.send(bytes, to: target))
            } else {
                let limit = radio.now.advanced(nanoseconds: Int64(bytes.count) * RadioTraffic.tick)
                while check.fault == nil, let output = radio.step(notAfter: limit) {
                    check.steps += 1
                    check.take(output)
                }
                check.take(radio.advance(to: limit))
            }
            if let fault = check.fault { return fault }
            if radio.now.nanoseconds > RadioTraffic.longest { break }
        }
        return nil
    }

    /// A stream of HCI packets: split anywhere, it gives the same packets, and only garbage is lost.
    static let h4 = FuzzTarget("h4") { captures in
        captures.map { Traffic.packets(of: $0, .h4).flatMap(\.input) }.filter { !$0.isEmpty }
    } fault: { input in
        var whole = H4Framer()
        let elements = whole.take(input)
        var parts = H4Framer()
        let middle = input.count / 2
        let split = parts.take(Array(input[..<middle])) + parts.take(Array(input[middle...]))
        if H4Stream.packets(elements) != H4Stream.packets(split) { return "what comes in two pieces is cut otherwise" }
        let count = elements.reduce(whole.pending) { $0 + H4Stream.count($1) }
        return count == input.count ? nil : "\(input.count) bytes went in, \(count) are accounted for"
    }

    /// A SPEC of the command line: the text of a parsed SPEC parses to the same SPEC.
    static let transportSpec = FuzzTarget("transport-spec") { _ in
        [
            "tcp-client:localhost:6402", "tcp-server:_:0", "tap(a.pcapng,fault(drop=5%,stall=2s+500ms,radio:))",
            "serial:/dev/ttyS0,115200", "fault(delay=20ms,only=sent,seed=7,unix:/tmp/a)", "hci-socket:0", "pty:",
        ].map { Array($0.utf8) }
    } fault: { input in
        let text = String(decoding: input, as: UTF8.self)
        do throws(SpecError) {
            let spec = try TransportSpec(text)
            guard let again = try? TransportSpec("\(spec)") else { return "“\(spec)” is not understood again" }
            return "\(again)" == "\(spec)" ? nil : "“\(spec)” became “\(again)”"
        } catch {
            return error.position <= text.count ? nil : "the caret stands beyond the text"
        }
    }
}

/// Helpers of `h4`.
private enum H4Stream {
    static func packets(_ elements: [H4Framer.Element]) -> [[UInt8]] {
        elements.compactMap { element in
            if case .packet(let packet) = element { packet } else { nil }
        }
    }

    static func count(_ element: H4Framer.Element) -> Int {
        switch element {
        case .packet(let packet): packet.count
        case .garbage(let garbage): garbage.count
        }
    }
}

/// Helpers of `radio`.
enum RadioTraffic {
    /// The time that one byte of passing time represents: 20 ms.
    static let tick: Int64 = 20_000_000
    /// The longest time that an input may pass: 60 s.
    static let longest: Int64 = 60_000_000_000

    /// Checks the invariants of all output.
    struct Check {
        var fault: String?
        var steps = 0
        private var last = Timestamp(nanoseconds: 0)

        mutating func take(_ outputs: [Radio.Output]) {
            for output in outputs {
                if output.time < last { fault = "time goes back in what comes out" }
                last = output.time
                var framer = H4Framer()
                if framer.take(output.packet) != [.packet(output.packet)] {
                    fault = "what comes out is no packet: \(output.packet)"
                }
            }
            if steps > 2_000_000 { fault = "a minute has more than two million events" }
        }
    }

    static func address(_ index: Int) -> Address { Address(value: 0x0242_0000_0001 + UInt64(index)) }

    static func records(_ input: [UInt8]) -> [(target: Int, bytes: [UInt8])] {
        var records: [(Int, [UInt8])] = []
        var position = 0
        while position + 2 <= input.count {
            let count = min(Int(input[position + 1]), input.count - position - 2)
            records.append((Int(input[position] & 3), Array(input[(position + 2)..<(position + 2 + count)])))
            position += 2 + count
        }
        return records
    }

    /// Sessions of two hosts, and the packets that hosts sent in captures.
    static func seeds(_ captures: [[UInt8]]) -> [[UInt8]] {
        [session(extended: false), session(extended: true)]
            + captures.map { capture in
                Traffic.packets(of: capture, .h4).filter { !$0.isReceived }.flatMap { packet in
                    [0, UInt8(packet.bytes.count)] + packet.bytes + [3, 1, 0]
                }
            }
    }

    /// Two hosts that scan, connect, exchange data, encrypt and disconnect.
    private static func session(extended: Bool) -> [UInt8] {
        let masks: [[UInt8]] = [
            [1, 1, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8), [1, 1, 0x20, 8] + [UInt8](repeating: 0xFF, count: 8),
        ]
        let advertiser: [[UInt8]] =
            extended
            ? [
                [1, 0x36, 0x20, 25, 0, 1, 0, 0x20, 0, 0, 0x20, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 1, 0, 1, 5, 1],
                [1, 0x37, 0x20, 7, 0, 3, 1, 3, 2, 1, 6], [1, 0x39, 0x20, 6, 1, 1, 0, 0, 0, 0],
            ]
            : [
                [1, 6, 0x20, 15, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0],
                [1, 8, 0x20, 32, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28), [1, 0x0A, 0x20, 1, 1],
            ]
        let initiator: [[UInt8]] =
            extended
            ? [
                [
                    1, 0x43, 0x20, 26, 0, 0, 0, 2, 0, 0, 0, 0x42, 2, 1, 0x10, 0, 0x10, 0, 24, 0, 40, 0, 0, 0, 100, 0, 0,
                    0, 0, 0,
                ]
            ]
            : [
                [
                    1, 0x0D, 0x20, 25, 0x10, 0, 0x10, 0, 0, 0, 2, 0, 0, 0, 0x42, 2, 0, 24, 0, 40, 0, 0, 0, 100, 0, 0, 0,
                    0,
                    0,
                ]
            ]
        let connected: [(Int, [UInt8])] = [
            (0, [2, 0x40, 0, 3, 0, 1, 2, 3]), (1, [2, 0x40, 0, 2, 0, 4, 5]), (0, [1, 0x16, 0x20, 2, 0x40, 0]),
            (1, [1, 0x1D, 4, 2, 0x40, 0]), (0, [1, 0x22, 0x20, 6, 0x40, 0, 0xFB, 0, 0x48, 8]),
            (0, [1, 0x32, 0x20, 7, 0x40, 0, 0, 2, 2, 0, 0]),
            (1, [1, 0x13, 0x20, 14, 0x40, 0, 8, 0, 16, 0, 1, 0, 100, 0, 0, 0, 0, 0]),
            (0, [1, 0x19, 0x20, 28, 0x40, 0] + [UInt8](repeating: 7, count: 26)),
        ]
        let after: [(Int, [UInt8])] = [
            (1, [1, 0x1A, 0x20, 18, 0x40, 0] + [UInt8](repeating: 7, count: 16)),
            (0, [1, 0x20, 0x20, 14, 0x40, 0, 8, 0, 16, 0, 1, 0, 100, 0, 0, 0, 0, 0]),
            (1, [1, 6, 4, 3, 0x40, 0, 0x13]),
        ]
        var result: [UInt8] = []
        func add(_ target: Int, _ bytes: [UInt8]) { result += [UInt8(target), UInt8(bytes.count)] + bytes }
        func pass(_ ticks: Int) { add(3, [UInt8](repeating: 0, count: ticks)) }
        for packet in masks {
            add(0, packet)
            add(1, packet)
        }
        for packet in advertiser { add(1, packet) }
        for packet in initiator { add(0, packet) }
        pass(10)
        for (target, packet) in connected { add(target, packet) }
        pass(20)
        for (target, packet) in after { add(target, packet) }
        pass(30)
        return result
    }
}
