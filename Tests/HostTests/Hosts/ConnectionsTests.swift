import Bluetooth
import BluetoothCrypto
import Bytes
import Host
import PDUTestKit
import Testing

/// A host whose controller is the test, which exchanges packets one by one.
struct BareHost {
    var host: Host
    var controller = ScriptedController()
    var now = Timestamp(nanoseconds: 0)
    /// ACL packets that the host has sent.
    var sent: [[UInt8]] = []
    var events: [Host.Event] = []

    init(_ host: Host = Host(database: .example, random: .seeded(4))) {
        self.host = host
        take(self.host.handle(.request(.start), at: now))
    }

    mutating func take(_ actions: [Host.Action]) {
        for action in actions {
            switch action {
            case .event(let event): events.append(event)
            case .send(let packet) where packet[0] == 2: sent.append(packet)
            case .send(let packet):
                for answer in controller.answer(packet) ?? [] { take(host.handle(.packet(answer), at: now)) }
            }
        }
    }

    mutating func receive(_ packet: [UInt8]) {
        take(host.handle(.packet(packet), at: now))
    }

    mutating func connect(_ handle: ConnectionHandle, role: HCI.Role = .peripheral) {
        receive(
            [4]
                + HCI.encode(
                    HCI.LEConnectionComplete(
                        handle: handle, role: role, peerType: .publicDevice,
                        peer: Address(value: UInt64(handle.rawValue)), interval: 24, latency: 0,
                        supervisionTimeout: 500)))
    }

    mutating func completed(_ handle: ConnectionHandle, _ count: UInt16) {
        receive([4] + HCI.encode(HCI.NumberOfCompletedPackets(entries: [.init(handle: handle, count: count)])))
    }
}

@Test func connectionsAreKeptApart() {
    var bare = BareHost()
    bare.connect(0x40)
    bare.connect(0x41)
    bare.connect(0x42, role: .central)
    #expect(bare.host.connections == [0x40, 0x41, 0x42])
    // The central has requested the MTU exchange; the two clients subscribe and read, with interleaved fragments.
    #expect(bare.sent == [hex("02 4200 0700 0300 0400 020502")])
    bare.sent = []
    bare.receive(hex("02 4020 0600 0500 0400 1213"))
    bare.receive(hex("02 4120 0700 0300 0400 0a0300"))
    bare.receive(hex("02 4010 0300 000100"))
    #expect(bare.sent == [hex("02 4100 0900 0500 0400 0b54657374"), hex("02 4000 0500 0100 0400 13")])
    #expect(bare.host.server.subscription(of: 0x40, to: 0x12) == .notifications)
    #expect(bare.host.server.subscription(of: 0x41, to: 0x12) == [])
    bare.sent = []
    bare.completed(0x42, 1)
    bare.completed(0x41, 1)
    bare.completed(0x40, 1)
    bare.take(bare.host.handle(.request(.notify(0x12, [9])), at: bare.now))
    #expect(bare.sent == [hex("02 4000 0800 0400 0400 1b120009")])
    // One connection ends; the others continue.
    bare.receive(hex("04 05 04 00 4000 13"))
    #expect(bare.events.last == .disconnected(0x40, .remoteUserTerminatedConnection))
    #expect(bare.host.connections == [0x41, 0x42])
    // The handle is reused for a new client without subscriptions.
    bare.connect(0x40)
    #expect(bare.host.server.subscription(of: 0x40, to: 0x12) == [])
}

@Test func controllerThatTakesNoCommandsIsAskedAgain() {
    var bare = BareHost()
    bare.controller.silent = [0x1405, 0x1403]
    bare.take(bare.host.handle(.request(.command(hex("0514 02 4000"))), at: bare.now))
    // The controller responds, but accepts no further command; the host sends none until it does, or until the response
    // times out.
    bare.receive(hex("04 0e 07 00 0514 00 4000 c0"))
    #expect(bare.events.last == .commandAnswered(HCI.Opcode(rawValue: 0x1405), hex("00 4000 c0")))
    bare.take(bare.host.handle(.request(.command(hex("0314 02 4000"))), at: bare.now))
    #expect(bare.controller.opcodes.last == 0x1405)
    bare.receive(hex("04 0f 04 00 01 0000"))
    #expect(bare.controller.opcodes.last == 0x1403)
    bare.receive(hex("04 0e 07 00 0314 00 4000 ff"))
    bare.take(bare.host.handle(.request(.command(hex("0314 02 4000"))), at: bare.now))
    #expect(bare.controller.opcodes.suffix(2) == [0x1405, 0x1403])
    bare.now = bare.now + .seconds(3)
    bare.take(bare.host.handle(.time, at: bare.now))
    #expect(bare.controller.opcodes.suffix(2) == [0x1403, 0x1403])
}

/// Malformed data on an open connection and on one that does not exist.
@Test func brokenDataIsPassedOver() {
    var bare = BareHost()
    bare.connect(0x40)
    for packet in [
        "02", "02 40", "02 4020 0000", "02 4020 0100 07", "02 4010 0400 01020304", "02 4020 0700 0300 0400 0a03",
        "02 4120 0700 0300 0400 0a0300", "02 4020 0700 0300 9900 0a0300", "04", "04 05", "04 05 04 00 4100 13",
        "04 3e 00", "04 3e 01 01", "04 13 05 02 4000 0100", "07 01", "",
    ] {
        bare.receive(hex(packet))
    }
    #expect(bare.sent == [])
    #expect(bare.host.connections == [0x40])
    bare.receive(hex("02 4020 0700 0300 0400 0a0300"))
    #expect(bare.sent == [hex("02 4000 0900 0500 0400 0b54657374")])
}

@Test func bondsAreFoundByEveryAddressOfThePeer() {
    let identity = DeviceAddress(Address(value: 0x0011_2233_4455), .public)
    let paired = DeviceAddress(Address(value: 0xC011_2233_4455), .random)
    let key = SecretKey(0xEC02_34A3_57C8_AD05_3410_10A6_0A39_7D9B)
    let bond = Bond(
        peer: identity, pairedAddress: paired, peerIdentityKey: key, isAuthenticated: false, isSecureConnections: true)
    var store = BondStore([bond])
    #expect(store[identity] == bond)
    #expect(store.bond(at: identity) == bond)
    #expect(store.bond(at: paired) == bond)
    // The address of Vol 3, Part H, D.7.
    #expect(store.bond(at: DeviceAddress(Address(value: 0x7081_940D_FBAA), .random)) == bond)
    #expect(store.bond(at: DeviceAddress(Address(value: 0x7081_940D_FBAB), .random)) == nil)
    #expect(store.bond(at: DeviceAddress(Address(value: 0x0011_2233_4456), .public)) == nil)
    store[identity] = nil
    #expect(store.all == [])
}
