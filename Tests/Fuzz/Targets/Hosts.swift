import Bluetooth
import Bytes
import Host

extension FuzzTarget {
    /// A host in either role, whose controller and peer send arbitrary packets from the input.
    static let host = FuzzTarget("host") { _ in
        FuzzedHost.seeds
    } fault: { bytes in
        var fuzzed = FuzzedHost(isCentral: (bytes.first ?? 0) & 1 == 0)
        return fuzzed.run(Array(bytes.dropFirst()))
    }
}

/// A connected host, and a script encoded as bytes: a kind, a length, that many bytes, and so on.
private struct FuzzedHost {
    private static let handle: ConnectionHandle = 0x0040
    private static let peer = DeviceAddress(Address(value: 0xC000_0000_0001), .random)

    private var host: Host
    private var now = Timestamp(nanoseconds: 0)
    /// Whether the controller responds to commands.
    private var answers = true
    /// Packets from the controller that the host has not processed yet.
    private var queue: [[UInt8]] = []
    private let isCentral: Bool

    init(isCentral: Bool) {
        self.isCentral = isCentral
        host = Host(database: Self.database, random: .seeded(1))
        request(.start)
        connect()
    }

    /// The fault found after all steps of a script; nil if there is none.
    mutating func run(_ script: [UInt8]) -> String? {
        var rest = script[...]
        while let kind = rest.popFirst(), let length = rest.popFirst() {
            let bytes = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(bytes.count)
            step(kind, bytes)
            if host.queuedPackets(of: Self.handle) > 20_000 { return "packets pile up" }
        }
        now = now + .seconds(100)
        for _ in 0..<1000 {
            guard let deadline = host.deadline, deadline <= now else { return nil }
            take(host.handle(.time, at: now))
        }
        return "the deadline stays in the past"
    }

    private mutating func step(_ kind: UInt8, _ bytes: [UInt8]) {
        switch kind % 12 {
        case 0: receive([4] + bytes)
        case 1: receive([4, 0x3E, UInt8(truncatingIfNeeded: bytes.count)] + bytes)
        case 2: receive(bytes)
        case 3: receiveFrame(bytes, on: .smp)
        case 4: receiveFrame(bytes, on: .leSignaling)
        case 5: receiveData(bytes, .firstFlushable)
        case 6: receiveData(bytes, .continuing)
        case 7:
            now = now + .seconds(Int(bytes.first ?? 1))
            take(host.handle(.time, at: now))
        case 8: answers.toggle()
        case 9: act(bytes.first ?? 0, Array(bytes.dropFirst()))
        default: receiveFrame(bytes, on: .att)
        }
    }

    /// Performs a request of the host's owner.
    private mutating func act(_ number: UInt8, _ bytes: [UInt8]) {
        let requests: [Host.Request] = [
            .client(Self.handle, .discover, id: 1), .client(Self.handle, .read(3), id: 2),
            .client(Self.handle, .write(3, bytes), id: 3), .client(Self.handle, .raw(bytes), id: 4),
            .client(Self.handle, .subscribe(3, .notifications), id: 5), .notify(0x12, bytes),
            .secure(Self.handle), .pair(Self.handle), .answerPairing(Self.handle, .passkey(UInt32(bytes.count))),
            .answerPairing(Self.handle, .same), .answer(UInt64(bytes.count), .value(bytes)),
            .answer(UInt64(bytes.count), .accepted), .disconnect(Self.handle, .remoteUserTerminatedConnection),
            .advertise(Host.AdvertisingSettings(data: bytes)), .scan(Host.ScanSettings()), .stopScanning,
            .connect(Host.ConnectSettings(Self.peer)), .cancelConnecting, .deleteBond(Self.peer), .start,
        ]
        request(requests[Int(number) % requests.count])
        if host.connections.isEmpty { connect() }
    }

    private mutating func request(_ request: Host.Request) {
        take(host.handle(.request(request), at: now))
    }

    private mutating func receive(_ packet: [UInt8]) {
        queue.append(packet)
        // Each packet triggers only a few others; the limit exposes an endless exchange.
        for _ in 0..<10_000 where !queue.isEmpty { take(host.handle(.packet(queue.removeFirst()), at: now)) }
    }

    private mutating func receiveFrame(_ payload: [UInt8], on channel: L2CAP.ChannelID) {
        receiveData(L2CAP.frame(payload, on: channel), .firstFlushable)
    }

    private mutating func receiveData(_ bytes: [UInt8], _ boundary: HCI.PacketBoundary) {
        let header = HCI.ACLHeader(handle: Self.handle, boundary: boundary, length: UInt16(bytes.count))
        receive([2] + header.encoded + bytes)
    }

    private mutating func connect() {
        let event = HCI.LEConnectionComplete(
            handle: Self.handle, role: isCentral ? .central : .peripheral, peerType: .randomDevice,
            peer: Self.peer.address, interval: 24, latency: 0, supervisionTimeout: 500)
        receive([4] + HCI.encode(event))
    }

    /// Acts as a controller that completes commands and sends data at once.
    private mutating func take(_ actions: [Host.Action]) {
        for case .send(let packet) in actions where answers {
            if packet[0] == 2 {
                queue.append(
                    [4] + HCI.encode(HCI.NumberOfCompletedPackets(entries: [.init(handle: Self.handle, count: 1)])))
                continue
            }
            let opcode = HCI.Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
            let parameters: [UInt8] =
                opcode == .leReadBufferSize ? [0, 27, 0, 4] : [UInt8](repeating: 0, count: 65)
            queue.append([4] + HCI.encode(HCI.CommandComplete(opcode: opcode, returnParameters: parameters)))
        }
        while !queue.isEmpty, answers {
            let packet = queue.removeFirst()
            take(host.handle(.packet(packet), at: now))
        }
    }

    private static let database =
        (try? AttributeDatabase([
            .genericAccess(name: "Fuzzed"), .genericAttribute,
            .init(
                0x180F, handle: 0x10,
                [
                    .init(0x2A19, [.read, .notify, .indicate], value: [100]),
                    .init(0xFF01, [.read, .write, .writeWithoutResponse], kind: .asked),
                    .init(0xFF02, [.read, .write], value: [UInt8](repeating: 7, count: 60)),
                ]),
        ])) ?? AttributeDatabase()

    /// Initial scripts: an exchange of attributes, a pairing, fragments, events.
    static let seeds: [[UInt8]] = {
        func script(_ role: UInt8, _ steps: [(UInt8, [UInt8])]) -> [UInt8] {
            [role] + steps.flatMap { [$0.0, UInt8($0.1.count)] + $0.1 }
        }
        return [
            script(
                1,
                [
                    (10, [0x02, 0x40, 0x00]), (10, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]), (10, [0x0A, 0x12, 0]),
                    (10, [0x12, 0x13, 0, 3, 0]), (9, [5, 1, 2, 3]), (10, [0x0A, 0x15, 0]), (9, [10, 1]),
                    (10, [0x16, 0x17, 0, 0, 0, 1, 2]), (10, [0x18, 1]), (10, [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B]),
                ]),
            script(
                1,
                [
                    (3, [1, 3, 0, 9, 16, 3, 3]), (3, [12] + [UInt8](repeating: 1, count: 64)), (9, [6]),
                    (3, [1, 3, 0, 1, 16, 3, 3]), (3, [3] + [UInt8](repeating: 0, count: 16)), (7, [31]),
                ]),
            script(
                0,
                [
                    (9, [0]), (10, [0x01, 0x08, 1, 0, 0x0A]), (10, [0x11, 6, 1, 0, 5, 0, 0, 0x18]),
                    (10, [0x1B, 3, 0, 1]), (10, [0x1D, 3, 0, 1]), (9, [7]), (3, [2, 3, 0, 9, 16, 0, 0]),
                    (4, [0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 0xF4, 1]), (8, []), (9, [14]), (7, [3]), (8, []),
                ]),
            script(
                0,
                [
                    (5, [3, 0, 4]), (6, [0, 0x0A, 3, 0]), (0, [0x13, 5, 1, 0x40, 0, 9, 0]),
                    (0, [0x05, 4, 0, 0x40, 0, 8]),
                    (1, [2, 1, 0, 1, 1, 0, 0, 0, 0, 0xC0, 3, 2, 1, 6, 0xC4]),
                    (1, [5, 0x40, 0] + [UInt8](repeating: 0, count: 10)),
                    (0, [0x08, 4, 0, 0x40, 0, 1]), (9, [19]),
                ]),
        ]
    }()
}
