import Bytes
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Unit tests of the puck's parts.
struct PartTests {
    private static let start = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)

    // MARK: Drinks

    @Test(
        "what a change of the level means, in ml",
        arguments: [
            (29.9, DrinkDetector.Finding.nothing), (30.0, .drink(amount: 30, level: 470)),
            (14.9, .rebase), (15.1, .nothing), (-14.9, .rebase), (-99.9, .nothing),
            (-100.0, .refill(amount: 100, level: 600)),
        ])
    func drinks(_ case: (change: Double, finding: DrinkDetector.Finding)) {
        let scale = CellScale(scale: 400, empty: 100_000, full: 432_000)
        let before = 100_000 + 500 * 400
        let now = before - Int((`case`.change * 400).rounded())
        let finding = DrinkDetector.judge(now, from: before, .shipped, level: scale.level)
        switch (finding, `case`.finding) {
        case (.drink(let amount, let level), .drink(let expected, let rest)):
            #expect(Int(amount) == Int(expected) && Int(level) == Int(rest))
        case (.refill(let amount, let level), .refill(let expected, let rest)):
            #expect(Int(amount) == Int(expected) && Int(level) == Int(rest))
        default: #expect(finding == `case`.finding)
        }
        #expect(DrinkDetector.judge(now, from: 0, .shipped, level: scale.level) == .rebase)
    }

    @Test func theRingKeepsTheLast600() {
        var store = DrinkStore()
        for amount in 1...650 { store.store(timestamp: amount, amount: amount, level: 0) }
        #expect(store.drinks.map(\.id) == Array(51...650))
        #expect(store.unsyncedCount == 600)
        #expect(store.pending(limit: 3).map(\.id) == [51, 52, 53])
        store.markSynced(oldest: 2)
        #expect(store.pending(limit: 1).map(\.id) == [53])
        let found = [store.delete(53), store.delete(1)]
        #expect(found == [true, false])
        #expect(store.pendingCount == 597)
        #expect(store.total(since: 649) == 649 + 650)
        #expect(store.isSound)
    }

    @Test func aTransferGoesByAcknowledgements() {
        var sync = DrinkSync()
        let early = sync.acknowledge()
        #expect(early == nil)
        let drinks = (1...5).map { StoredDrink(id: $0, timestamp: 0, amount: 40, level: 0) }
        let first = sync.start(drinks, chunkSize: 2)
        #expect(first?.totalChunks == 3)
        var ids: [[Int]] = []
        while case .chunk(let chunk)? = sync.acknowledge() { ids.append(chunk.records.map(\.recordId)) }
        #expect(ids == [[3, 4], [5]])
        #expect(sync.status == .idle)
        #expect([0, 1, 20, 21, 65_535].map(DrinkSync.chunkSize) == [20, 1, 20, 20, 20])
    }

    // MARK: Activity

    @Test func chunksOfActivityAreThoseOfTheirIndex() {
        var log = ActivityLog()
        #expect(log.motionChunk(0)?.totalChunks == 1)
        #expect(log.motionChunk(1) == nil)
        for time in 0..<123 {
            log.append(.init(timestamp: time, duration: 70_000, reason: .motion, isExtended: false, hasDrink: true))
        }
        #expect(log.summary(isTimeValid: true).motionCount == 100)
        #expect(log.motionChunk(0)?.events.map(\.timestamp) == Array(23...32))
        #expect(log.motionChunk(9)?.eventCount == 10)
        #expect(log.motionChunk(10) == nil)
        #expect(log.motionChunk(0)?.events[0].duration == 70_000 - 65_536)
        for time in 0..<22 {
            log.open(at: time)
            log.countTimerWake()
            log.close(at: time + 9)
        }
        #expect(log.summary(isTimeValid: true).backpackCount == 20)
        #expect(log.backpackChunk(3)?.sessions.map(\.start) == Array(17...21))
        #expect(log.backpackChunk(4) == nil)
    }

    // MARK: Sensors

    @Test func aClockThatRunsFastGainsTime() {
        var clock = SystemClock(shows: 1000, drift: 100, at: Self.start)
        #expect(clock.seconds(at: Self.start + .seconds(100_000)) == 101_010)
        clock.setDrift(0, at: Self.start + .seconds(100_000))
        #expect(clock.seconds(at: Self.start + .seconds(100_100)) == 101_110)
        clock.set(5, at: Self.start)
        #expect(clock.seconds(at: Self.start + .seconds(2)) == 7)
    }

    @Test func theBatteryShowsWholePercents() {
        for percent in 0...100 {
            var battery = Battery()
            battery.set(percent: Double(percent))
            #expect(battery.percent == percent)
        }
        var battery = Battery(charge: 50)
        battery.pass(3600, isAwake: true)
        #expect(battery.percent == 42)
        battery.charge(to: 60)
        battery.pass(3600, isAwake: false)
        #expect(battery.percent == 60)
        #expect(battery.target == nil)
        battery.pass(1_000_000_000, isAwake: true)
        #expect(battery.percent == 0)
    }

    @Test func noiseComesFromItsSeedAndStaysWithinItsBounds() {
        func readings(_ seed: UInt64) -> [Int] {
            var chance = Chance(seed: seed)
            var cell = LoadCell()
            cell.noise = 20
            return (0..<500).map { _ in cell.reading(water: 500, pose: .standing, &chance) }
        }
        let one = readings(1)
        #expect(one == readings(1))
        #expect(one != readings(2))
        let mean = Double(one.reduce(0, +)) / 500
        #expect(abs(mean - (118_146 + 500 * 435.96)) < 5)
        let deviation = (one.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / 500).squareRoot()
        #expect((16...24).contains(deviation))
    }

    @Test("numbers that are none become the greatest")
    func conversions() {
        #expect(Int32(clampingReal: .nan) == .max)
        #expect(Int16(clampingReal: -1e9) == .min)
        #expect(Int16(clampingReal: 99.99) == 99)
        #expect(Int64(clampingReal: .infinity) == .max)
    }

    // MARK: Gestures

    /// The detector's gesture the given number of seconds into a pose that follows another.
    private func gesture(_ pose: Pose, after: Double, from before: Pose = .held) -> Gesture {
        var detector = GestureDetector()
        var surroundings = Surroundings(seed: 7)
        var time = Self.start
        var gesture = Gesture.none
        for (pose, seconds) in [(before, 3.0), (pose, after)] {
            surroundings.plan([(0, .pose(pose))], at: time)
            while surroundings.deadline != nil { _ = surroundings.proceed() }
            for _ in 0..<Int(seconds * 5) {
                let level = pose.loadsCell ? 500.0 : -271
                gesture = detector.pass(surroundings.feel(), level: level, heedsLevel: true, at: time)
                time = time + .milliseconds(200)
            }
        }
        return gesture
    }

    @Test func posesBecomeGestures() {
        #expect(gesture(.standing, after: 1.2) == .upright)
        #expect(gesture(.standing, after: 4.6) == .uprightStable)
        #expect(gesture(.lying, after: 1) == .sidewaysTilt)
        #expect(gesture(.tilted, after: 1) == .sidewaysTilt)
        #expect(gesture(.held, after: 4) == .none)
        #expect(gesture(.inverted, after: 4, from: .standing) == .none)
        #expect(gesture(.inverted, after: 5.5, from: .standing) == .invertedHold)
        #expect(gesture(.shakenInverted, after: 2.5, from: .standing) == .shakeWhileInverted)
    }

    // MARK: Memory

    @Test func memoryComesBackFromItsJSON() throws {
        var memory = PuckFixture.memory(drinks: [40, 150])
        memory.calibration?.scale = .nan
        memory.shakeToEmpty = true
        memory.required.goal = 1800
        let again = try PuckMemory(memory.json)
        #expect(again == memory)
    }

    @Test(
        "what no puck has stored is refused",
        arguments: [
            "", "[]", "{}", "\u{7B}\"drinks\":1}",
        ])
    func wrongMemory(_ text: String) {
        #expect(throws: TwinFault.self) { try PuckMemory(Array(text.utf8)) }
    }

    @Test(
        "a memory with numbers out of range is refused",
        arguments: [
            ("\"write_index\":0", "\"write_index\":600"), ("\"goal\":2500", "\"goal\":99999"),
            ("\"time_zone\":0", "\"time_zone\":99"), ("\"next_id\":1", "\"next_id\":0"),
        ])
    func memoryOutOfRange(_ change: (from: String, to: String)) throws {
        let text = String(decoding: PuckMemory().json, as: UTF8.self)
        try #require(text.contains(change.from))
        let changed = text.split(separator: change.from, omittingEmptySubsequences: false).joined(separator: change.to)
        #expect(throws: TwinFault.self) { try PuckMemory(Array(changed.utf8)) }
    }

    @Test func aRestartIsAPowerCycle() throws {
        let first = try PuckFixture()
        first.wait(10)
        first.happen("sip", 100)
        first.wait(15)
        let again = try PuckFixture(memory: first.memory)
        again.wait(12)
        again.connect()
        #expect(again.syncStatus()?.count == 1)
        #expect(again.bench.notes("drink_stored").isEmpty)
        #expect(again.memory?.surroundings.water.rounded() == 730)
    }
}
