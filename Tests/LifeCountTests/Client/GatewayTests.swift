import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import LifeCount

/// The gateway with the counter: both have the same counts in the end.
struct GatewayTests {
    @Test func itPreparesInTheOrderOfTheDescription() throws {
        var pipe = try GatewayPipe()
        pipe.keepsSights = true
        pipe.want("connect")
        pipe.wait(5)
        let seen = pipe.sights.compactMap { sight in
            switch sight.sight {
            case .read(let name, _): "read \(name)"
            case .subscribed(let name): "subscribe \(name)"
            case .written(let name, let bytes, _): "write \(name) \(bytes[0])"
            case .connected, .disconnected, .notified: nil
            }
        }
        #expect(
            seen == [
                "read counter_info", "read counter_status", "subscribe counter_status", "subscribe control_point",
                "write control_point 1", "subscribe count_event",
            ])
        #expect(pipe.reported("ready").count == 1)
    }

    @Test("it tells the states of the product document, scanning among them")
    func states() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(5)
        pipe.want("disconnect")
        pipe.wait(5)
        let states = pipe.reported("state").compactMap { $0.facts.first?.value }
        #expect(states == ["scanning", "connecting", "connected", "idle"].map { .text($0) })
    }

    @Test func theClockIsSetToItsOwn() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(10)
        pipe.click()
        pipe.wait(1)
        let note = try #require(pipe.reported("event_stored").first)
        #expect(note.flag("device_time") == true)
        // Minus the latency of SET_TIME.
        #expect(note.facts.contains { $0.name == "time" && $0.value == .text("2026-03-01T12:00:09.990Z") })
    }

    @Test func withoutTheCountersClockTheArrivalCounts() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(10)
        pipe.happen("lose_clock")
        pipe.click()
        pipe.wait(1)
        let note = try #require(pipe.reported("event_stored").first)
        #expect(note.flag("device_time") == false)
        #expect(note.facts.contains { $0.name == "time" && $0.value == .text("2026-03-01T12:00:10.010Z") })
    }

    @Test func whatIsStoredIsAcknowledged() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(20)
        pipe.wait(5)
        #expect(pipe.stored == Array(0..<20))
        #expect(pipe.counter.buffer.count == 0)
    }

    @Test func whatHappenedMeanwhileIsStoredOnce() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(5)
        pipe.wait(1)
        pipe.isInReach = false
        pipe.drop()
        pipe.click(100)
        pipe.wait(60)
        pipe.isInReach = true
        pipe.meet()
        pipe.wait(200)
        #expect(pipe.stored == Array(0..<105))
        #expect(pipe.counter.buffer.count == 0)
        #expect(pipe.reported("events_lost").isEmpty)
    }

    /// Reports need to know which events are replays.
    @Test func anEntryHasTheReplayFlagOfItsEvent() throws {
        var pipe = try GatewayPipe()
        pipe.keepsSights = true
        pipe.want("connect")
        pipe.wait(1)
        pipe.click()
        pipe.wait(1)
        pipe.drop()
        pipe.click()
        pipe.wait(60)
        let flags = pipe.commits.flatMap { change -> [Value?] in
            if case .add(let rows, CounterTables.entries) = change { rows.map { $0["is_replayed"] } } else { [] }
        }
        #expect(flags == [.boolean(false), .boolean(true)])
    }

    /// Notifications lost with the link are replayed, because Counter Status shows that they are missing.
    @Test func whatTheLinkTookIsAskedFor() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(3)
        pipe.wait(1)
        pipe.click(4)
        pipe.drop()
        pipe.click(2)
        pipe.wait(60)
        #expect(pipe.stored.sorted() == Array(0..<9))
        #expect(pipe.counter.buffer.count == 0)
        #expect(pipe.counterNotes.contains { $0.name == "replayed" && $0.number("events") == 6 })
    }

    @Test func aLinkLostAmidAReplayLosesNothing() throws {
        var pipe = try GatewayPipe()
        pipe.click(300)
        pipe.drops = [0.5, 1, 0.05, 2, 3]
        pipe.want("connect")
        pipe.wait(120)
        #expect(pipe.attempts.count == 6)
        #expect(pipe.stored.sorted() == Array(0..<300))
        #expect(pipe.counter.buffer.count == 0)
    }

    @Test func ofMoreThanAreKeptTheRestIsStored() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(10)
        pipe.wait(1)
        pipe.isInReach = false
        pipe.drop()
        pipe.click(513)
        pipe.isInReach = true
        pipe.wait(60)
        #expect(pipe.stored == Array(0..<10) + Array(11..<523))
        #expect(pipe.reported("events_lost").map { $0.number("count") } == [1])
        #expect(pipe.counter.buffer.count == 0)
        #expect(!pipe.counter.buffer.hasOverflowed)
    }

    /// More events were dropped after the status was read: the requested number is gone.
    @Test func whatGoesMeanwhileIsGivenUp() throws {
        var pipe = try GatewayPipe()
        pipe.click(512)
        pipe.want("connect")
        pipe.wait(0.2)
        pipe.click(40)
        pipe.wait(60)
        #expect(pipe.stored.sorted() == Array(40..<552))
        #expect(pipe.counter.buffer.count == 0)
    }

    @Test func theWrapIsInOrder() throws {
        var pipe = try GatewayPipe()
        pipe.happen("next_number", 4_294_967_290)
        pipe.want("connect")
        pipe.wait(2)
        pipe.click(2)
        pipe.wait(2)
        pipe.click(2)
        pipe.drop()
        pipe.click(5)
        pipe.wait(60)
        #expect(pipe.stored.sorted() == [0, 1, 2] + (4_294_967_290...4_294_967_295))
        #expect(pipe.counter.buffer.count == 0)
    }

    @Test func afterARebootItBeginsANewBook() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(7)
        pipe.wait(1)
        pipe.happen("reboot")
        pipe.click(3)
        pipe.wait(30)
        pipe.click(10)
        pipe.wait(30)
        #expect(pipe.stored == Array(0..<7) + Array(0..<13))
        #expect(pipe.reported("sequence_reset").map { $0.flag("confirmed") } == [true])
        #expect(pipe.counter.buffer.count == 0)
    }

    /// The only event of a boot has the same number and, without a clock, the same content as that of the previous
    /// boot.
    @Test func aBootWithTheSameEventIsToldApart() throws {
        var pipe = try GatewayPipe()
        pipe.click()
        pipe.want("connect")
        pipe.wait(2)
        pipe.happen("reboot")
        pipe.click()
        pipe.wait(30)
        #expect(pipe.stored == [0, 0])
    }

    @Test func aJumpOfTheNumbersDoesNotHoldUpTheRest() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.click(5)
        pipe.happen("next_number", 1000)
        pipe.click(5)
        pipe.wait(120)
        pipe.happen("next_number", 20)
        pipe.click(2)
        pipe.wait(120)
        #expect(pipe.stored == Array(0..<5) + Array(1000..<1005) + [20, 21])
        #expect(pipe.reported("sequence_reset").map { $0.flag("confirmed") } == [false])
        #expect(pipe.counter.buffer.count == 0)
    }

    // MARK: - Back-off

    @Test func itComesBackMoreAndMoreSlowly() throws {
        var pipe = try GatewayPipe()
        pipe.drops = Array(repeating: 1, count: 9)
        pipe.want("connect")
        pipe.wait(400)
        // From the loss of a connection, which lasts 1.1 s including its set-up, to the next attempt.
        let waits = zip(pipe.attempts.dropFirst(), pipe.attempts).map { next, attempt in
            (next - attempt) / .seconds(1) - 1.1
        }
        #expect(waits.count == 9)
        for (wait, planned) in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Double]) {
            let range = planned * 0.8 - 0.001...planned * 1.2 + 0.001
            #expect(range.contains(wait))
        }
        #expect(Set(waits.map { Int($0 * 1000) }).count == 9)
    }

    @Test func aConnectionThatHeldMakesTheWaitShortAgain() throws {
        var pipe = try GatewayPipe()
        pipe.drops = [1, 1, 1, 61, 1]
        pipe.want("connect")
        pipe.wait(90)
        let waits = pipe.reported("retry").compactMap { note in
            if case .real(let seconds)? = note.facts.first?.value { seconds } else { nil }
        }
        #expect(waits.count == 5)
        #expect((3.2...4.8).contains(waits[2]))
        #expect((0.8...1.2).contains(waits[3]))
        #expect((1.6...2.4).contains(waits[4]))
    }

    @Test func whoDisconnectsStaysAway() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(5)
        pipe.want("disconnect")
        pipe.wait(600)
        #expect(pipe.attempts.count == 1)
        pipe.want("connect")
        pipe.wait(5)
        #expect(pipe.reported("ready").count == 2)
    }

    // MARK: - User tasks

    @Test func theUserSetsALocationAndLetsItBlink() throws {
        var pipe = try GatewayPipe()
        pipe.want("connect")
        pipe.wait(1)
        pipe.want("set_location", 300)
        pipe.want("identify")
        pipe.wait(1)
        #expect(pipe.counter.memory.locationID == 300)
        #expect(pipe.counterNotes.filter { $0.name == "identified" }.count == 1)
    }

    /// Events from before the counter had its location are stored with it; the location is written once.
    @Test func eventsFromBeforeTheLocationAreStoredWithIt() throws {
        var pipe = try GatewayPipe(storage: nil)
        pipe.keepsSights = true
        pipe.click(2)
        pipe.want("set_location", 5)
        pipe.want("connect")
        pipe.wait(5)
        pipe.click()
        pipe.wait(1)
        pipe.want("set_location", 5)
        pipe.wait(1)
        let locations = pipe.commits.flatMap { change -> [Int64?] in
            guard case .add(let rows, CounterTables.entries) = change else { return [] }
            return rows.map { $0.integer("location_id") }
        }
        #expect(locations == [5, 5, 5])
        let told = pipe.sights.count { sight in
            if case .written("control_point", let bytes, _) = sight.sight { bytes.first == 3 } else { false }
        }
        #expect(told == 1)
    }

    /// Tasks requested before there is a connection, as with `--task`; more than 16 pending tasks are dropped.
    @Test func aWishWaitsForAConnection() throws {
        var pipe = try GatewayPipe()
        pipe.want("set_location", 300)
        for _ in 0..<100 { pipe.want("identify") }
        pipe.want("connect")
        pipe.wait(5)
        #expect(pipe.counter.memory.locationID == 300)
        #expect(pipe.counterNotes.count { $0.name == "identified" } == 15)
    }
}
