import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

/// Tests of every limit and time-out of the host, at the last value and just beyond it.
private let instantBefore = Duration.nanoseconds(-1)

/// Vol 4, Part E, 7.8.12: the ranges, and a supervision time-out longer than (1 + latency) × interval × 2.
@Test(
    arguments: [
        (6, 6, 0, 10, true), (5, 6, 0, 10, false), (3200, 3200, 0, 3200, true), (3200, 3201, 0, 3200, false),
        (8, 7, 0, 10, false), (6, 6, 499, 3200, true), (6, 6, 500, 3200, false), (6, 6, 0, 9, false),
        (6, 6, 0, 3200, true), (6, 6, 0, 3201, false), (40, 40, 0, 10, false), (39, 39, 0, 10, true),
        (40, 40, 1, 20, false), (40, 40, 1, 21, true),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
func connectionTimingHasItsRanges(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, isValid: Bool) {
    let timing = HCI.ConnectionTiming(
        intervalMin: minimum, intervalMax: maximum, maxLatency: latency, supervisionTimeout: timeout)
    #expect(timing.isValid == isValid)
}

/// The MTU of the LE signaling channel is 23 (Vol 3, Part A, 4).
@Test func signalingCommandsMayFillTheMTU() {
    var channel = SignalingChannel(role: .central)
    let longest = channel.handle(hex("77 05 1300") + [UInt8](repeating: 0, count: 19))
    #expect(longest == [.send(hex("01 05 0200 0000"))])
    let tooLong = channel.handle(hex("77 05 1400") + [UInt8](repeating: 0, count: 20))
    #expect(tooLong == [.send(hex("01 05 0400 0100 1700"))])
}

@Test func signalingWaitsForItsWholeTimeOut() throws {
    var channel = SignalingChannel(role: .peripheral)
    let timing = HCI.ConnectionTiming(intervalMin: 24, intervalMax: 40, supervisionTimeout: 500)
    let start = Timestamp(nanoseconds: 0)
    _ = channel.requestUpdate(timing, at: start)
    let deadline = try #require(channel.deadline)
    #expect(deadline == start + .seconds(30))
    let early = channel.tick(at: deadline + instantBefore)
    #expect(early.isEmpty)
    let due = channel.tick(at: deadline)
    #expect(due == [.answered(nil)])
}

@Test func commandIsGivenUpWhenItsTimeIsOver() throws {
    var bare = BareHost()
    bare.controller.silent = [0x1405]
    bare.take(bare.host.handle(.request(.command(hex("0514 02 4000"))), at: bare.now))
    let deadline = try #require(bare.host.deadline)
    bare.take(bare.host.handle(.time, at: deadline + instantBefore))
    #expect(!bare.events.contains(.commandAnswered(HCI.Opcode(rawValue: 0x1405), [])))
    bare.take(bare.host.handle(.time, at: deadline))
    #expect(bare.events.last == .commandAnswered(HCI.Opcode(rawValue: 0x1405), []))
}

@Test func connectingIsCancelledWhenItsTimeIsOver() throws {
    var bare = BareHost()
    let peer = DeviceAddress(Address(value: 0xC0FF_EE00_0001), .random)
    var settings = Host.ConnectSettings(peer)
    settings.timeout = .seconds(7)
    bare.take(bare.host.handle(.request(.connect(settings)), at: bare.now))
    // The controller has accepted the command, and finds no device.
    bare.receive(hex("04 0f 04 00 01 0d20"))
    #expect(bare.host.deadline == bare.now + .seconds(7))
    bare.take(bare.host.handle(.time, at: bare.now + .seconds(7) + instantBefore))
    #expect(!bare.controller.opcodes.contains(0x200E))
    bare.take(bare.host.handle(.time, at: bare.now + .seconds(7)))
    #expect(bare.controller.opcodes.last == 0x200E)
}

/// A request without a response for 30 s ends the bearer (Vol 3, Part F, 3.3.3).
@Test func clientWaitsForItsWholeTimeOut() throws {
    var bare = BareHost()
    bare.connect(0x40)
    bare.take(bare.host.handle(.request(.client(0x40, .read(0x12), id: 1)), at: bare.now))
    let deadline = bare.now + .seconds(30)
    #expect(bare.host.deadline == deadline)
    bare.take(bare.host.handle(.time, at: deadline + instantBefore))
    #expect(bare.events.last != .client(0x40, .finished(id: 1, .failure(.timedOut))))
    bare.take(bare.host.handle(.time, at: deadline))
    #expect(bare.events.contains(.client(0x40, .finished(id: 1, .failure(.timedOut)))))
}

@Test func indicationWaitsForItsWholeTimeOut() throws {
    var bare = BareHost()
    bare.connect(0x40)
    bare.receive(hex("02 4020 0900 0500 0400 1233000200"))
    bare.take(bare.host.handle(.request(.notify(0x32, [1])), at: bare.now))
    let deadline = bare.now + .seconds(30)
    bare.take(bare.host.handle(.time, at: deadline + instantBefore))
    #expect(!bare.events.contains { if case .server(.indicationTimedOut) = $0 { true } else { false } })
    bare.take(bare.host.handle(.time, at: deadline))
    #expect(bare.events.contains { if case .server(.indicationTimedOut) = $0 { true } else { false } })
}

/// The first procedure runs, 4096 wait, and the next one is refused.
@Test func proceduresWaitUpToTheClientsLimit() {
    var bare = BareHost()
    bare.connect(0x40)
    for id in 1...4097 as ClosedRange<UInt64> {
        bare.take(bare.host.handle(.request(.client(0x40, .read(0x12), id: id)), at: bare.now))
    }
    #expect(!bare.events.contains { if case .client(_, .finished(_, .failure(.busy))) = $0 { true } else { false } })
    bare.take(bare.host.handle(.request(.client(0x40, .read(0x12), id: 5000)), at: bare.now))
    #expect(bare.events.last == .client(0x40, .finished(id: 5000, .failure(.busy))))
}

@Test func advertisingDataMayFillALegacyPDU() {
    var bare = BareHost()
    let full = [UInt8](repeating: 0, count: 31)
    bare.take(bare.host.handle(.request(.advertise(.init(data: full, scanResponse: full))), at: bare.now))
    #expect(bare.controller.opcodes.last == 0x200A)
    bare.take(bare.host.handle(.request(.advertise(.init(data: full + [0]))), at: bare.now))
    #expect(bare.events.last == .refused(.dataTooLong(maximum: 31)))
    bare.take(bare.host.handle(.request(.advertise(.init(data: [], scanResponse: full + [0]))), at: bare.now))
    #expect(bare.events.last == .refused(.dataTooLong(maximum: 31)))
}

/// A private address changes when its lifetime expires (Vol 3, Part C, 10.7.1).
@Test func privateAddressLivesForItsLifetime() throws {
    var configuration = Host.Configuration()
    configuration.addressing = .resolvablePrivate(nil)
    configuration.privateAddressLifetime = .seconds(60)
    var bare = BareHost(Host(configuration, database: .example, random: .seeded(4)))
    let first = bare.controller.randomAddress
    #expect(bare.host.deadline == bare.now + .seconds(60))
    bare.take(bare.host.handle(.time, at: bare.now + .seconds(60) + instantBefore))
    #expect(bare.controller.randomAddress == first)
    bare.take(bare.host.handle(.time, at: bare.now + .seconds(60)))
    #expect(bare.controller.randomAddress != first)
}
