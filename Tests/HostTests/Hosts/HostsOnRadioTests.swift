import Bluetooth
import Bytes
import Host
import PDUTestKit
import Radio
import Testing

/// Hosts on the virtual radio, in its time: 0 is the central, 1 the peripheral.
struct RadioScene {
    var radio: Radio
    var hosts: [Host]
    var events: [[Host.Event]] = [[], []]
    /// Packets from and to each host.
    private(set) var sent: [[[UInt8]]] = [[], []]
    private(set) var received: [[[UInt8]]] = [[], []]

    init(
        _ pace: Radio.Pace, areOld: Bool = false, addressing: Host.Configuration.Addressing = .random(nil),
        pairing: [PairingSettings] = [PairingSettings(), PairingSettings()]
    ) {
        radio = Radio(seed: 5, pace: pace)
        var configuration = Host.Configuration()
        configuration.addressing = addressing
        let configurations = pairing.map { settings in
            var own = configuration
            own.pairing = settings
            return own
        }
        hosts = [
            Host(configurations[0], random: .seeded(1)),
            Host(configurations[1], database: .example, random: .seeded(2)),
        ]
        for number in 1...2 as ClosedRange<UInt64> {
            let address = Address(value: 0x0242_0000_0000 + number)
            radio.add(areOld ? .old(address: address) : ControllerConfiguration(address: address))
        }
        for index in 0...1 { request(index, .start) }
    }

    mutating func request(_ index: Int, _ request: Host.Request) {
        perform(index, hosts[index].handle(.request(request), at: radio.now))
    }

    private mutating func perform(_ index: Int, _ actions: [Host.Action]) {
        for action in actions {
            switch action {
            case .event(let event): events[index].append(event)
            case .send(let packet):
                sent[index].append(packet)
                deliver(radio.send(packet, to: index))
            }
        }
    }

    private mutating func deliver(_ output: [Radio.Output]) {
        for packet in output {
            received[packet.controller].append(packet.packet)
            perform(packet.controller, hosts[packet.controller].handle(.packet(packet.packet), at: radio.now))
        }
    }

    /// Advances the time until a host reports an awaited event, which is returned, or for the given seconds.
    @discardableResult
    mutating func wait(
        _ index: Int, seconds: Double = 20, for isAwaited: (Host.Event) -> Bool = { _ in false }
    ) -> Host.Event? {
        let end = radio.now + .seconds(seconds)
        while true {
            if let found = events[index].firstIndex(where: isAwaited) {
                let event = events[index][found]
                events[index].removeSubrange(...found)
                return event
            }
            let deadlines = hosts.indices.compactMap { host in hosts[host].deadline.map { ($0, host) } }
            if let (deadline, host) = deadlines.min(by: { $0.0 < $1.0 }), deadline <= end,
                deadline <= radio.nextEvent ?? end
            {
                deliver(radio.advance(to: max(deadline, radio.now)))
                perform(host, hosts[host].handle(.time, at: radio.now))
            } else if let output = radio.step(notAfter: end) {
                deliver(output)
            } else {
                deliver(radio.advance(to: end))
                return nil
            }
        }
    }

    /// Finds the peripheral by its name and connects to it.
    mutating func connect() -> ConnectionHandle? {
        var scan = Host.ScanSettings()
        scan.namePrefix = "Twin"
        request(0, .scan(scan))
        guard case .advertisement(let heard) = wait(0, for: { if case .advertisement = $0 { true } else { false } })
        else { return nil }
        request(0, .stopScanning)
        request(0, .connect(Host.ConnectSettings(heard.address)))
        guard case .connected(let handle, _) = wait(0, for: { if case .connected = $0 { true } else { false } })
        else { return nil }
        return handle
    }

    /// Runs a procedure to completion.
    mutating func client(
        _ handle: ConnectionHandle, _ operation: AttributeClient.Operation
    ) -> Result<AttributeClient.Outcome, AttributeClient.Failure>? {
        request(0, .client(handle, operation, id: 1))
        let event = wait(0) { if case .client(handle, .finished(id: 1, _)) = $0 { true } else { false } }
        if case .client(_, .finished(_, let result)) = event { return result }
        return nil
    }
}

/// Flags and the name "Twin".
let advertised = Host.AdvertisingSettings(data: hex("02 01 06 05 09 5477696e"))

/// All interactions of two devices, with old and new controllers, at air pace and immediately.
@Test(
    arguments: [Radio.Pace.air, .immediate],
    [Host.Configuration.Addressing.public, .random(nil), .resolvablePrivate(nil)])
func hostsMeetOnTheRadio(pace: Radio.Pace, addressing: Host.Configuration.Addressing) throws {
    for areOld in [false, true] {
        var scene = RadioScene(pace, areOld: areOld, addressing: addressing)
        scene.request(1, .advertise(advertised))
        let first = scene.connect()
        let handle = try #require(first)
        guard case .success(.table(let table)) = scene.client(handle, .discover) else {
            Issue.record("nothing was discovered")
            return
        }
        #expect(table.characteristics.count == 15)
        let value = (0..<200).map { UInt8($0) }
        let written = scene.client(handle, .write(0x23, value))
        #expect(written == .success(.written))
        let read = scene.client(handle, .read(0x23))
        #expect(read == .success(.value(value)))
        scene.request(0, .secure(handle))
        let paired = scene.wait(0) { if case .paired = $0 { true } else { false } }
        #expect(paired != nil)
        let secret = scene.client(handle, .read(0x2A))
        #expect(secret == .success(.value([4])))
        let subscribed = scene.client(handle, .subscribe(0x12, .notifications))
        #expect(subscribed == .success(.written))
        for number in 0..<200 { scene.request(1, .notify(0x12, [UInt8(number)])) }
        scene.wait(0, seconds: 10)
        let reported = scene.events[0].compactMap { event -> [UInt8]? in
            if case .client(_, .notified(0x12, let value)) = event { value } else { nil }
        }
        #expect(reported == (0..<200).map { [UInt8($0)] })
        // Again, with the bond.
        scene.request(0, .disconnect(handle, .remoteUserTerminatedConnection))
        let parted = scene.wait(0) { if case .disconnected = $0 { true } else { false } }
        #expect(parted != nil)
        let second = scene.connect()
        let again = try #require(second)
        scene.request(0, .secure(again))
        let secured = scene.wait(0) { if case .securityChanged = $0 { true } else { false } }
        guard case .securityChanged(_, let security) = secured else {
            Issue.record("not encrypted again")
            return
        }
        #expect(security.level == .encrypted)
        let secretAgain = scene.client(again, .read(0x2A))
        #expect(secretAgain == .success(.value([4])))
    }
}

@Test func hostsPartWhenTheyAreOutOfRangeAndMeetAgain() throws {
    var scene = RadioScene(.air)
    scene.request(1, .advertise(advertised))
    let first = scene.connect()
    let handle = try #require(first)
    // Without a packet in each direction, the connection would fail to be established instead.
    guard case .success(.table) = scene.client(handle, .discover) else {
        Issue.record("nothing was discovered")
        return
    }
    scene.radio.setPath(0, 1, .outOfRange)
    let lostByCentral = scene.wait(0) { $0 == .disconnected(handle, .connectionTimeout) }
    #expect(lostByCentral != nil)
    let lostByPeripheral = scene.wait(1) { if case .disconnected(_, .connectionTimeout) = $0 { true } else { false } }
    #expect(lostByPeripheral != nil)
    scene.radio.setPath(0, 1, Path())
    let again = scene.connect()
    #expect(again != nil)
}

@Test func lossDelaysButHarmsNothing() throws {
    var scene = RadioScene(.air)
    scene.radio.setPath(0, 1, Path(loss: 0.2))
    scene.request(1, .advertise(advertised))
    let first = scene.connect()
    let handle = try #require(first)
    let value = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
    let written = scene.client(handle, .write(0x23, value))
    #expect(written == .success(.written))
    let read = scene.client(handle, .read(0x23))
    #expect(read == .success(.value(value)))
}
