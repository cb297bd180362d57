import Bytes
import Conformance
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// The past drinks that the stimulus `history` stores in a puck.
struct PastDrinksTests {
    /// Each level follows from the previous one; without refill records, it may have risen in between.
    @Test(arguments: [false, true], [1, 2, 20, 600])
    func everyDrinkHadItsWater(recordsRefills: Bool, count: Int) {
        for seed in 1...40 as ClosedRange<UInt64> {
            var chance = Chance(seed: seed)
            for (level, full) in [(830, 830), (412, 830), (0, 830), (963, 963)] {
                let events = PastDrinks(recordsRefills: recordsRefills, full: full)
                    .events(count, endingAt: level, after: nil, &chance)
                #expect(events.count == count)
                #expect(events.allSatisfy { (0...full).contains($0.level) && $0.level + $0.amount <= full })
                #expect(events.allSatisfy { $0.amount >= 30 || recordsRefills && $0.amount <= -100 })
                #expect(events.allSatisfy { $0.level + $0.amount >= 0 })
                for (before, after) in zip(events, events.dropFirst()) {
                    let risen = after.level + after.amount - before.level
                    #expect(risen == 0 || !recordsRefills && risen >= 100)
                }
                if recordsRefills { #expect(events.last?.level == level) }
            }
        }
    }

    /// The first drink follows an existing record: a drink, or a refill after the bottle was shaken empty.
    @Test(arguments: [(830, 1), (412, 1), (400, 1), (830, 30), (100, 30)])
    func thePastGoesOnFromTheLastRecord(former: Int, count: Int) throws {
        var chance = Chance(seed: 1)
        let events = PastDrinks(recordsRefills: true, full: 830).events(count, endingAt: 412, after: former, &chance)
        let first = try #require(events.first)
        #expect(first.level + first.amount <= former)
        #expect(abs(first.amount) >= 30)
        #expect(events.last?.level == 412)
    }

    /// AQ-506 passes for the generated records and for those that follow.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theRulesFindNothingWrongWithIt(seed: UInt64) throws {
        let twin = try PuckTwin<PRDFirmware>(
            TwinSettings(seed: seed, storage: PuckMemory(.prd).json), .prd)
        let bench = TwinFixture(twin)
        bench.happen("history", 40)
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("connect")
        app.wait(10)
        bench.happen("sip", 60)
        app.wait(15)
        app.task("sync")
        app.wait(60)
        let checked = CheckedCapture(PuckSession(app.exchanges, .prd).recording, plugins: aquavate)
        #expect(checked.accused == [], "\(checked.text(of: checked.accused))")
        #expect(checked.verdicts("AQ-506") == [.pass])
    }

    /// The day's total counts the drinks at once, so that a deletion lowers it.
    @Test func theTotalCountsThem() throws {
        let puck = try PuckFixture()
        puck.wait(10)
        puck.happen("history", 5)
        puck.connect()
        puck.wait(10)
        let drinks = try #require(puck.memory).drinks
        let today = drinks.total(since: Int(PuckFixture.noon.nanoseconds / 1_000_000_000) / 86_400 * 86_400)
        #expect(today >= 150)
        #expect(puck.states.last?.state.dailyTotal == today)
        puck.command([0x12] + little(UInt32(drinks.nextId - 1)))
        puck.wait(10)
        #expect(puck.states.last?.state.dailyTotal == today - (drinks.drinks.last?.amount ?? 0))
    }

    /// IDs rise with times, even after earlier records.
    @Test func timesDoNotFall() throws {
        let puck = try PuckFixture()
        puck.wait(10)
        puck.happen("history", 20)
        puck.happen("history", 3)
        let times = try #require(puck.memory).drinks.drinks.map(\.timestamp)
        #expect(times.count == 23)
        #expect(times == times.sorted())
    }
}
