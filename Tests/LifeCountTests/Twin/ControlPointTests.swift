import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import LifeCount

/// The counter's Control Point and replay buffer.
struct ControlPointTests {
    // MARK: - Requests

    /// Every opcode with the correct length, one too short and one too long, unknown opcodes, and values out of range.
    @Test(arguments: [
        ("01 3e2aa469 f401", "800100"), ("01 3e2aa469 f4", "800102"), ("01", "800102"),
        ("01 3e2aa469 f40100", "800102"), ("01 3e2aa469 e803", "800102"),
        ("02 00000000", "800200"), ("02 000000", "800202"), ("02 0000000000", "800202"), ("02", "800202"),
        ("02 07000000", "800203"),
        ("03 0900", "800300"), ("03 09", "800302"), ("03 090000", "800302"),
        ("04", "800400"), ("04 00", "800402"),
        ("05 00000000", "800500"), ("05 0000", "800502"), ("05 0000000000", "800502"), ("05 01000000", "800502"),
        ("00", "800001"), ("06", "800601"), ("7f 01", "807f01"), ("ff 010203040506", "80ff01"),
    ])
    func everyRequestIsAnswered(_ request: String, _ response: String) throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.click()
        let outcome = bench.request(request)
        #expect(outcome.answer == .accepted)
        #expect(outcome.indication == hex(response))
    }

    @Test func withoutIndicationsARequestIsRefused() throws {
        var bench = try CounterFixture()
        bench.connect()
        bench.subscribe("count_event", "counter_status")
        let outcome = bench.request("04")
        #expect(outcome.answer == .refused(0xFD))
        #expect(outcome.indication == nil)
        bench.subscribe("control_point")
        #expect(bench.request("04").answer == .accepted)
        bench.disconnect()
        bench.connect()
        #expect(bench.request("04").answer == .refused(0xFD))
    }

    @Test func anEmptyRequestHasNoOpcodeToAnswer() throws {
        var bench = try CounterFixture()
        bench.begin()
        #expect(bench.request("").answer == .refused(0x0D))
    }

    @Test func aLocationHoldsFromNowOn() throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.click()
        _ = bench.request("03 0900")
        bench.click()
        let actions = bench.take()
        #expect(actions.notified("count_event").map { $0[16] } == [7, 9])
        #expect(actions.value("counter_info") == hex("01010201c3a50f1e0900030000000002"))
        #expect(actions.contains(.store))
    }

    @Test func itBlinks() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("04")
        #expect(bench.take().notes("identified").count == 1)
    }

    // MARK: - Replay

    @Test func whatHappenedMeanwhileComesOnSubscription() throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.click()
        bench.disconnect()
        bench.click(2)
        bench.connect()
        _ = bench.take()
        bench.subscribe("count_event")
        bench.click()
        #expect(
            bench.take().events == [
                EventSeen(number: 1, isReplayed: true), EventSeen(number: 2, isReplayed: true), EventSeen(number: 3),
            ])
        #expect(bench.status().map { Array($0.suffix(2)) } == [4, 0])
    }

    @Test func theFirstEventSinceABootSaysSoInReplaysToo() throws {
        var bench = try CounterFixture()
        bench.click()
        bench.begin()
        #expect(bench.take().events == [EventSeen(number: 0, isReplayed: true, isFirst: true)])
    }

    @Test func aReplayHasTheContentOfBefore() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("01 3e2aa469 f401")
        bench.click()
        bench.wait(10)
        _ = bench.request("03 0900")
        let first = try #require(bench.take().notified("count_event").first)
        _ = bench.request("02 00000000")
        #expect(bench.take().notified("count_event") == [[first[0] | 0x20] + first.dropFirst()])
    }

    @Test func whatWasAcknowledgedIsNotReplayed() throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.click(6)
        _ = bench.request("05 02000000")
        _ = bench.take()
        #expect(bench.request("02 02000000").indication == hex("800203"))
        #expect(bench.take().events == [])
        #expect(bench.request("02 04000000").indication == hex("800200"))
        #expect(bench.take().events.map(\.number) == [4, 5])
        // The same acknowledgement again, and an older one: both are already done.
        #expect(bench.request("05 02000000").indication == hex("800500"))
        #expect(bench.request("05 00000000").indication == hex("800500"))
        #expect(bench.status().map { Array($0.suffix(2)) } == [3, 0])
    }

    /// The buffer keeps 512 events.
    @Test func ofMoreThanAreKeptTheOldestGo() throws {
        var bench = try CounterFixture()
        bench.click(512)
        #expect(bench.status().map { Array($0.suffix(3)) } == hex("00 0002"))
        bench.click()
        #expect(bench.status().map { Array($0.suffix(3)) } == hex("02 0002"))
        let dropped = bench.take().notes("event_dropped").map { $0.number("sequence_number") }
        #expect(dropped == [0])
        bench.begin()
        #expect(bench.take().events == (1...512).map { EventSeen(number: $0, isReplayed: true) })
        #expect(bench.request("02 00000000").indication == hex("800203"))
        #expect(bench.request("02 01000000").indication == hex("800200"))
        #expect(bench.take().events.count == 512)
        #expect(bench.request("05 00020000").indication == hex("800500"))
        #expect(bench.status().map { Array($0.suffix(3)) } == hex("00 0000"))
    }
}
