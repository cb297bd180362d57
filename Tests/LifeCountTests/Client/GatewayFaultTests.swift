import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import LifeCount

/// The gateway with a misbehaving counter. The bytes are those of the profile's description.
struct GatewayFaultTests {
    private var gateway: CounterGateway
    private var now = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)

    private static let info = hex("01010201c3a50f1e0700030000000002")
    private static let status = hex("100e00002a00000057010000")

    init() throws {
        gateway = try CounterGateway(TwinSettings())
        _ = gateway.handle(.task(Stimulus("connect")), at: now)
    }

    private mutating func give(_ inputs: ClientInput...) -> [ClientAction] {
        inputs.reduce(into: []) { $0 = gateway.handle($1, at: now) }
    }

    /// Prepares the connection for events; returns the resulting actions.
    @discardableResult
    private mutating func begin(status: [UInt8] = Self.status) -> [ClientAction] {
        give(
            .connected(capacity: 20), .read("counter_info", .success(Self.info)), .committed(.success(0)),
            .read("counter_status", .success(status)), .written("counter_status", nil),
            .written("control_point", nil), .written("control_point", nil), .notified("control_point", hex("800100")),
            .written("count_event", nil))
    }

    @Test func twoRunsOfOneSeedAreTwoSessions() throws {
        let settings = TwinSettings(seed: 7)
        // The counters of a run share its session.
        #expect(try CounterGateway(settings).session == CounterGateway(settings).session)
        let other = try CounterGateway(TwinSettings(seed: 7))
        #expect(try other.session != CounterGateway(settings).session)
        #expect((1..<1 << 53).contains(other.session))
    }

    @Test mutating func itIsReadyWhenAllIsAnswered() {
        begin()
        #expect(gateway.phase == .connected)
    }

    /// An answer to the first request, and the reported reason.
    @Test(arguments: [
        (ClientInput.read("counter_info", .failure(.absent)), "counter_info cannot be read: absent"),
        (.read("counter_info", .failure(.refused(5))), "counter_info cannot be read: refused(5)"),
        (.read("counter_info", .success([1, 1])), "Counter Info cannot be read"),
    ])
    mutating func whatIsNoCounterIsLeft(_ answer: ClientInput, _ reason: String) {
        let actions = give(.connected(capacity: 20), answer)
        #expect(actions == [.event(TwinNote("failed", ["reason": .text(reason)])), .disconnect])
        #expect(gateway.deadline == nil)
        // Late inputs do not change that.
        #expect(give(.read("counter_status", .success(Self.status)), .notified("count_event", [])) == [])
        _ = give(.disconnected)
        #expect(gateway.deadline != nil)
    }

    @Test mutating func aSubscriptionThatIsRefusedEndsTheConnection() {
        let actions = give(
            .connected(capacity: 20), .read("counter_info", .success(Self.info)),
            .read("counter_status", .success(Self.status)), .written("counter_status", .refused(0xFD)))
        #expect(actions.last == .disconnect)
    }

    @Test mutating func aControlPointThatIsSilentEndsTheConnection() throws {
        begin()
        #expect(give(.task(Stimulus("identify"))) == [.write("control_point", [4])])
        now = try #require(gateway.deadline)
        #expect(now == Timestamp(seconds: 1_772_366_405, nanoseconds: 0))
        #expect(give(.time).last == .disconnect)
    }

    @Test mutating func anotherOpcodeIsNoAnswer() {
        begin()
        _ = give(.task(Stimulus("identify")))
        #expect(give(.notified("control_point", hex("800500")), .notified("control_point", [])) == [])
        #expect(gateway.outstanding != nil)
    }

    @Test mutating func aRequestThatFailedIsTold() {
        begin()
        let actions = give(.task(Stimulus("identify")), .notified("control_point", hex("800402")))
        #expect(actions == [.event(TwinNote("request_failed", ["opcode": .number(4), "status": .number(2)]))])
        #expect(gateway.outstanding == nil)
    }

    /// When the counter's attributes have changed, the connection begins anew, and with it an unanswered request.
    @Test mutating func aRequestOutlivesAChangeOfTheAttributes() {
        begin()
        let request = ClientAction.write("control_point", [4])
        #expect(give(.task(Stimulus("identify"))) == [request])
        #expect(begin().last == request)
        #expect(gateway.phase == .connected)
    }

    @Test mutating func aSilentCounterIsStaleAfterNinetySeconds() throws {
        begin()
        now = try #require(gateway.deadline)
        #expect(now == Timestamp(seconds: 1_772_366_490, nanoseconds: 0))
        #expect(give(.time) == [.event(TwinNote("stale_device", ["device_id": .number(0x1E0F_A5C3)]))])
        #expect(gateway.deadline == nil)
        _ = give(.notified("counter_status", Self.status))
        #expect(gateway.deadline == now + .seconds(90))
    }

    /// A number that the counter claims to keep and does not replay does not stop the gateway from acknowledging
    /// others.
    @Test mutating func whatIsNotReplayedIsGivenUp() {
        // The counter claims to keep 41 and 42.
        let status = hex("100e00002a00000057010200")
        #expect(begin(status: status).last == .write("control_point", hex("0229000000")))
        let refused = give(.notified("control_point", hex("800203")))
        #expect(refused.contains(.event(TwinNote("events_lost", ["count": .number(1)]))))
        #expect(refused.last == .read("counter_status"))
        #expect(give(.read("counter_status", .success(status))) == [.write("control_point", hex("022a000000"))])
        _ = give(.notified("control_point", hex("800200")))
        _ = give(.notified("count_event", hex("31012a0000003e2aa469f401c3a50f1e0700")))
        #expect(give(.committed(.success(1))).last == .write("control_point", hex("052a000000")))
    }

    @Test mutating func bytesThatAreNoEventAreNotStored() {
        begin()
        #expect(give(.notified("count_event", hex("11012a0000003e2aa469f401c3a50f1e07"))) == [])
        #expect(give(.notified("counter_status", [1])) == [])
    }

    /// LC-003: such an event cannot be stored. The gateway acknowledges it, or the counter would send it for ever.
    @Test(arguments: ["02", "00", "80"])
    mutating func whatIsNoStepOfOnePersonIsRefusedAndAcknowledged(_ delta: String) {
        begin()
        let actions = give(.notified("count_event", hex("11 \(delta) 2B000000 3E2AA469 F401 C3A50F1E 0700")))
        #expect(
            actions == [
                .event(TwinNote("event_refused", ["sequence_number": .number(43)])),
                .write("control_point", hex("05 2B000000")),
            ])
        let next = give(
            .notified("control_point", hex("80 05 00")),
            .notified("count_event", hex("11 01 2C000000 3F2AA469 F401 C3A50F1E 0700")))
        #expect(next.count { if case .commit = $0 { true } else { false } } == 1)
        #expect(give(.committed(.success(1))).last == .write("control_point", hex("05 2C000000")))
    }

    /// The counter's location in the committed changes.
    private func location(_ actions: [ClientAction]) -> Int64? {
        for case .commit(let changes) in actions {
            for case .set(let row, CounterTables.counters) in changes { return row.integer("location_id") }
        }
        return nil
    }

    /// Counter Info was read before the move, and a replayed event carries its original location.
    @Test mutating func aCounterStaysWhereItWasMoved() {
        begin()
        _ = give(.task(Stimulus("set_location", 9)), .notified("control_point", hex("80 03 00")))
        #expect(location(give(.notified("counter_status", Self.status))) == 9)
        #expect(location(give(.notified("count_event", hex("31 01 2A000000 3E2AA469 F401 C3A50F1E 0700")))) == 9)
    }

    @Test mutating func aCounterThatRefusesItsLocationStays() {
        begin()
        _ = give(.task(Stimulus("set_location", 9)), .notified("control_point", hex("80 03 02")))
        #expect(location(give(.notified("counter_status", Self.status))) == 7)
    }
}

/// Events that the store cannot commit remain in the counter.
struct GatewayStoreTests {
    @Test func acknowledgesNothingThatIsNotOnDisk() throws {
        var pipe = try GatewayPipe()
        pipe.storeFault = StoreFault("the disk is full", isDiskFull: true)
        pipe.want("connect")
        pipe.wait(5)
        pipe.click(3)
        pipe.wait(60)
        #expect(pipe.stored.isEmpty)
        #expect(pipe.counter.buffer.count == 3)
        #expect(pipe.reported("failed").contains { $0.facts.contains { $0.value == .text("the disk is full") } })
        pipe.storeFault = nil
        pipe.wait(120)
        #expect(pipe.stored == pipe.counted)
        #expect(pipe.counter.buffer.count == 0)
    }
}
