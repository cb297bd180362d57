import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Sleep, wake-ups and timers (sections 2.4, 8.1 and 10.1 to 10.3).
struct TimerTests {
    /// Seconds until the puck sleeps.
    private func untilSleep(_ puck: PuckFixture, limit: Double = 1000) -> Double {
        let start = puck.bench.seconds
        _ = puck.bench.wait(upTo: limit) { _ in !puck.isAwake }
        return puck.bench.seconds - start
    }

    @Test("it advertises 1.5 s after power comes, in the bytes of section 13")
    func advertising() throws {
        let puck = try PuckFixture()
        puck.wait(1.4)
        #expect(!puck.isAdvertising)
        puck.wait(0.2)
        let advertising = try #require(puck.bench.advertising)
        #expect(
            advertising.data
                == hex("020106 03030F18 1107000000000000002D6574 61766B61756F 051206000600"))
        #expect(advertising.scanResponse == hex("0E09 41717561766174652D41334632"))
        #expect(advertising.interval == .seconds(1))
    }

    @Test("it advertises again after a disconnect, and no more in sleep")
    func advertisesAgain() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        #expect(!puck.isAdvertising)
        puck.bench.disconnect()
        #expect(puck.isAdvertising)
        #expect(puck.sleepNormally())
        #expect(!puck.isAdvertising)
    }

    @Test("on a table it sleeps 30 s after the last change of gesture")
    func table() throws {
        let puck = try PuckFixture()
        puck.wait(6)
        puck.happen("lift")
        puck.wait(2)
        puck.happen("place_bottle")
        let seconds = untilSleep(puck)
        // Two seconds until the accelerometer's window is quiet, two more until the bottle counts as still.
        #expect((32...35.5).contains(seconds), "\(seconds)")
        #expect(puck.sleep == "normal")
    }

    @Test("with a drink that no client has it stays awake for 240 s, and sleeps after 30 s when it is fetched")
    func drink() throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.happen("sip", 50)
        puck.wait(3.2)
        let seconds = untilSleep(puck)
        #expect((238...248).contains(seconds), "\(seconds)")

        puck.wakeUp()
        puck.happen("place_bottle")
        puck.wait(10)
        puck.happen("sip", 50)
        puck.wait(20)
        puck.connect()
        puck.start(2, chunkSize: 17)
        puck.acknowledge()
        let rest = untilSleep(puck)
        #expect((29...32).contains(rest), "\(rest)")
    }

    @Test("drinks from before do not keep it awake")
    func oldDrinks() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [40, 50]))
        puck.wait(2)
        #expect(untilSleep(puck) < 40)
    }

    @Test("on its side or in a bag it goes into backpack mode after 180 s", arguments: ["lay_down", "carry", "tilt"])
    func backpack(_ stimulus: String) throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.happen(stimulus)
        let seconds = untilSleep(puck)
        #expect((178...183).contains(seconds), "\(seconds)")
        #expect(puck.sleep == "backpack")
        puck.happen("motion")
        puck.wait(3)
        #expect(puck.sleep == "backpack")
        puck.happen("double_tap")
        puck.wait(3)
        #expect(puck.isAwake)
        #expect(puck.isAdvertising)
    }

    @Test("connected and idle it falls silent after 30 s")
    func idleConnection() throws {
        let puck = try PuckFixture()
        puck.wait(10)
        puck.connect()
        puck.command("02 000000")
        let seconds = untilSleep(puck)
        #expect((29...32).contains(seconds), "\(seconds)")
        #expect(puck.bench.log.contains { $0.action == .fallSilent })
    }

    @Test(
        "what counts as data activity",
        arguments: [
            ("command", "FF", true), ("command", "", true), ("command", "10 41407F69", false),
            ("sync_control", "00", true), ("device_settings", "01", true), ("bottle_config", "00", false),
        ])
    func activity(_ write: (characteristic: String, bytes: String, counts: Bool)) throws {
        let puck = try PuckFixture()
        puck.wait(6)
        puck.connect(setsTime: false)
        puck.wait(14)
        puck.bench.write(write.characteristic, hex(write.bytes))
        let seconds = untilSleep(puck)
        #expect(write.counts == (seconds > 25), "\(seconds)")
    }

    @Test("a double tap sends it into backpack mode, if it has stood still before")
    func doubleTap() throws {
        let puck = try PuckFixture()
        puck.happen("lift")
        puck.wait(3)
        puck.happen("double_tap")
        puck.wait(1)
        #expect(puck.isAwake)
        puck.happen("place_bottle")
        puck.wait(6)
        puck.happen("double_tap")
        puck.wait(1)
        #expect(puck.sleep == "backpack")
    }

    @Test("two hours later it looks whether all is well, and sleeps again")
    func healthCheck() throws {
        let puck = try PuckFixture()
        #expect(puck.sleepNormally())
        let start = puck.bench.seconds
        #expect(puck.bench.wait(upTo: 8000) { _ in puck.isAwake })
        #expect((7199...7203).contains(puck.bench.seconds - start))
        #expect(untilSleep(puck) < 40)
        let events = try #require(puck.twin?.board.activity.events)
        #expect(events.map(\.reason) == [.powerOn, .timer])
    }

    @Test("a minute after midnight it wakes up for the new day, without an event")
    func rollover() throws {
        // 22:30.
        let puck = try PuckFixture(at: Timestamp(seconds: 1_769_947_200 + 37_800, nanoseconds: 0))
        #expect(puck.sleepNormally())
        #expect(puck.bench.wait(upTo: 7200) { !$0.notes("day_begins").isEmpty })
        // 00:01, plus the boot.
        #expect((5460...5463).contains(puck.bench.seconds))
        #expect(puck.sleep == "normal")
        #expect(puck.twin?.board.activity.events.count == 1)
        #expect(puck.twin?.board.activity.timerWakes == 1)
    }

    @Test("a bag is a session of the log, with the timer's wakes in it")
    func session() throws {
        let puck = try PuckFixture()
        puck.happen("carry")
        puck.wait(3 * 3600)
        #expect(puck.twin?.board.activity.openSince != nil)
        #expect(puck.twin?.board.activity.timerWakes == 1)
        puck.happen("double_tap")
        puck.wait(2)
        let session = try #require(puck.twin?.board.activity.sessions.first)
        #expect(session.timerWakes == 1)
        #expect((10_600...10_700).contains(session.duration))
        #expect(puck.twin?.board.activity.events.map(\.isExtended) == [true, true])
    }

    @Test("evaluations are five seconds apart")
    func evaluations() throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.connect()
        let battery = puck.bench.reported("battery_level").count
        for percent in [70.0, 60, 50] {
            puck.happen("battery", percent)
            puck.wait(5)
        }
        let times = puck.bench.reported("battery_level").dropFirst(battery).map(\.seconds)
        #expect(times.count == 3)
        for (one, next) in zip(times, times.dropFirst()) { #expect((4.9...5.3).contains(next - one)) }
    }

    @Test("a week of drinking takes virtual time, and comes out the same each time")
    func week() throws {
        func week(_ seed: UInt64) throws -> [TwinNote] {
            let puck = try PuckFixture(seed: seed, noise: 0.05)
            for hour in 0..<(7 * 24) {
                if (8...20).contains((hour + 12) % 24) {
                    puck.happen(hour % 5 == 4 ? "refill" : "sip")
                }
                puck.wait(3600)
            }
            return puck.bench.notes
        }
        let one = try week(3)
        #expect(one.count { $0.name == "drink_stored" } > 60)
        #expect(try week(3) == one)
    }
}
