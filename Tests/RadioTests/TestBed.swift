import Bluetooth
import Bytes
import PDUTestKit
import Radio
import Testing

/// Controllers on a radio, with the packets to their hosts.
struct TestBed {
    var radio: Radio
    /// Packets from each controller to its host that the test has not taken yet.
    private var inbox: [[[UInt8]]] = []
    /// All output of the radio, in order.
    private(set) var output: [Radio.Output] = []

    init(_ configurations: [ControllerConfiguration], seed: UInt64 = 1, pace: Radio.Pace = .air, path: Path = Path()) {
        radio = Radio(seed: seed, pace: pace, path: path)
        for configuration in configurations {
            radio.add(configuration)
            inbox.append([])
        }
    }

    /// A number of the newest controllers, with all events enabled.
    init(_ count: Int = 2, seed: UInt64 = 1, pace: Radio.Pace = .air, path: Path = Path()) {
        self.init(
            (0..<count).map { ControllerConfiguration(address: Self.address($0)) }, seed: seed, pace: pace, path: path)
        for index in 0..<count { wantAllEvents(index) }
    }

    static func address(_ index: Int) -> Address { Address(value: 0x02_42_00_00_00_01 + UInt64(index)) }

    mutating func wantAllEvents(_ index: Int) {
        send(index, HCI.SetEventMask(mask: .max))
        send(index, HCI.LESetEventMask(mask: .max))
        _ = take(index)
    }

    // MARK: - Time

    /// Advances the time.
    mutating func pass(_ milliseconds: Int64) {
        collect(radio.advance(to: radio.now.advanced(nanoseconds: milliseconds * 1_000_000)))
    }

    private mutating func collect(_ outputs: [Radio.Output]) {
        output += outputs
        for output in outputs { inbox[output.controller].append(output.packet) }
    }

    // MARK: - To the controllers

    mutating func send(_ index: Int, raw packet: [UInt8]) {
        collect(radio.send(packet, to: index))
    }

    mutating func send(_ index: Int, _ command: some HCI.Command) {
        send(index, raw: [1] + HCI.encode(command))
    }

    /// Sends a command by the field names of its table row, without the layer's prefix.
    mutating func send(_ index: Int, _ opcode: UInt16, _ values: [String: HCI.Value] = [:]) {
        let named = Dictionary(uniqueKeysWithValues: values.map { ("bthci_cmd." + $0.key, $0.value) })
        guard let command = try? HCI.encode(command: HCI.Opcode(rawValue: opcode), named) else {
            Issue.record("no command \(String(opcode, radix: 16)) of \(values)")
            return
        }
        send(index, raw: [1] + command)
    }

    /// Sends a command by its bytes.
    mutating func send(_ index: Int, _ text: String) {
        send(index, raw: hex(text))
    }

    mutating func sendData(_ index: Int, _ handle: ConnectionHandle, _ bytes: [UInt8], continuing: Bool = false) {
        let header = HCI.ACLHeader(
            handle: handle, boundary: continuing ? .continuing : .firstNonFlushable, length: UInt16(bytes.count))
        send(index, raw: [2] + header.encoded + bytes)
    }

    // MARK: - From the controllers

    /// A controller's packets to its host since the last call.
    mutating func take(_ index: Int) -> [[UInt8]] {
        defer { inbox[index] = [] }
        return inbox[index]
    }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// The same, as hexadecimal text.
    mutating func takeText(_ index: Int) -> [String] { take(index).map { TestBed.text($0) } }

    /// The status of the last command response.
    mutating func status(_ index: Int) -> HCI.ErrorCode? {
        for packet in take(index).reversed() where packet[0] == 4 {
            if packet[1] == 0x0E { return HCI.ErrorCode(rawValue: packet[6]) }
            if packet[1] == 0x0F { return HCI.ErrorCode(rawValue: packet[3]) }
        }
        return nil
    }

    /// The return parameters of the last Command Complete.
    mutating func returned(_ index: Int) -> [UInt8]? {
        take(index).last { $0[0] == 4 && $0[1] == 0x0E }.map { Array($0[6...]) }
    }

    /// The events of one type.
    static func events<Event: HCI.Event>(_ type: Event.Type, in packets: [[UInt8]]) -> [Event] {
        packets.filter { $0[0] == 4 && $0[1] == type.code.rawValue }.compactMap {
            try? Event(decoding: Array($0[3...]))
        }
    }

    static func events<Event: HCI.LEEvent>(_ type: Event.Type, in packets: [[UInt8]]) -> [Event] {
        packets.filter { $0[0] == 4 && $0[1] == 0x3E && $0[3] == type.subevent.rawValue }
            .compactMap { try? Event(decoding: Array($0[4...])) }
    }

    static func data(in packets: [[UInt8]]) -> [(boundary: UInt8, bytes: [UInt8])] {
        packets.filter { $0[0] == 2 }.map { ($0[2] >> 4 & 3, Array($0[5...])) }
    }

    // MARK: - Common steps

    /// Controller 1 advertises with its public address.
    mutating func advertise(
        _ index: Int = 1, interval: UInt16 = 0x20, type: UInt8 = 0, data: [UInt8] = [2, 1, 6], filterPolicy: UInt8 = 0
    ) {
        send(
            index,
            HCI.LESetAdvertisingParameters(
                intervalMin: interval, intervalMax: interval, type: type, ownType: .publicDevice,
                filterPolicy: filterPolicy))
        send(index, HCI.LESetAdvertisingData(data: data))
        send(index, HCI.LESetScanResponseData(data: [3, 9, 0x41, 0x42]))
        send(index, HCI.LESetAdvertisingEnable(enable: true))
    }

    static let timing = HCI.ConnectionTiming(intervalMin: 24, intervalMax: 40, supervisionTimeout: 100)

    mutating func connect(_ index: Int = 0, to peer: Int = 1, timing: HCI.ConnectionTiming = TestBed.timing) {
        send(
            index,
            HCI.LECreateConnection(
                scanInterval: 0x10, scanWindow: 0x10, peerType: .publicDevice, peer: Self.address(peer),
                ownType: .publicDevice, timing: timing))
    }

    /// Connects controller 0 as central to controller 1, and returns their handles.
    mutating func connected(timing: HCI.ConnectionTiming = TestBed.timing) throws -> (
        ConnectionHandle, ConnectionHandle
    ) {
        advertise()
        connect(timing: timing)
        pass(100)
        let handles = try [0, 1].map { index in
            try #require(Self.events(HCI.LEEnhancedConnectionComplete.self, in: take(index)).first).handle
        }
        return (handles[0], handles[1])
    }
}
