import Bytes
import PluginKit
import Testing

@testable import Aquavate

/// The pace model and its reminders over days ("Hydration Reminders" of the requirements).
struct PaceModelTests {
    private static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [
            .init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600),
        ])
    private let model = PaceModel(goal: 3000)

    @Test(
        arguments: [
            (0, 0), (7, 0), (8, 200), (14.5, 1500), (22, 3000), (24, 3000),
        ] as [(Double, Double)])
    func theGoalIsDueEvenlyInTheActiveHours(hour: Double, due: Double) {
        #expect(model.due(atSecond: Int64(hour * 3600)) == due)
    }

    @Test(
        arguments: [
            (-1, .onTrack), (0, .onTrack), (0.1, .attention), (599.9, .attention), (600, .overdue),
        ] as [(Double, PaceModel.Urgency)])
    func theUrgencyFollowsFromTheDeficit(deficit: Double, urgency: PaceModel.Urgency) {
        #expect(model.urgency(of: deficit) == urgency)
    }

    @Test(
        arguments: [(124.9, nil), (125, 150), (150, 150), (174.9, 150), (175, 200), (612, 600)] as [(Double, Int64?)])
    func deficitsAreRoundedTo50AndSuppressedBelow150(deficit: Double, reported: Int64?) {
        #expect(PaceModel.reported(deficit) == reported)
    }

    /// Replays a day with drinks at hours of local time.
    private func replay(
        _ text: String, in zone: TimeZoneTable = .utc, drinks: [(hour: Double, amount: Int64)], until hour: Double = 24,
        goals: GoalHistory = GoalHistory(given: 3000)
    ) throws -> [String] {
        let date = try #require(CivilDate(text))
        let midnight = date.daysSince1970 * 86_400
        let all = drinks.enumerated().map { index, drink in
            Drink(
                device: "a", recordID: Int64(index), time: zone.time(ofLocal: midnight + Int64(drink.hour * 3600)),
                amount: drink.amount, level: 0)
        }
        let now = zone.time(ofLocal: midnight + Int64(hour * 3600) - 1)
        let day = try #require(DaySummary.days(1, of: all, goals: goals, until: now, in: zone).first)
        return PaceModel.reminders(of: day, drinks: all, goals: goals, until: now, in: zone).map {
            "\(zone.clock($0.time)) \($0.kind.rawValue) \($0.deficit ?? 0)"
        }
    }

    @Test func whoDrinksNothingIsRemindedTwice() throws {
        #expect(try replay("2026-03-02", drinks: []) == ["07:38 attention 150", "10:00 overdue 600"])
        #expect(try replay("2026-03-02", drinks: [], until: 9) == ["07:38 attention 150"])
        #expect(try replay("2026-03-02", drinks: [], until: 7) == [])
    }

    @Test func remindersComeOnlyWhileTheUrgencyRises() throws {
        // Overdue at 10:00. A drink lowers the urgency to attention, which was already notified; the next overdue is
        // notified again.
        #expect(
            try replay("2026-03-02", drinks: [(10.5, 300)], until: 12)
                == ["07:38 attention 150", "10:00 overdue 600", "11:30 overdue 600"])
        #expect(
            try replay("2026-03-02", drinks: [(8, 300)], until: 9.9)
                == ["07:38 attention 150", "08:00 back_on_track 0", "09:08 attention 150"])
    }

    @Test func theGoalIsCelebratedOnce() throws {
        #expect(
            try replay("2026-03-02", drinks: [(6, 2900), (6.5, 100), (12, 500)]) == ["06:30 goal_reached 0"])
        // In the evening, outside the active hours, only the reached goal is notified.
        #expect(try replay("2026-03-02", drinks: [(6.9, 2900), (23, 100)]).last == "23:00 goal_reached 0")
    }

    /// A goal of 1000 ml that is reached at 6 am and raised at noon.
    @Test func aReminderIsThatOfTheGoalAtItsTime() throws {
        let noon = try #require(CivilDate("2026-03-02")).daysSince1970 * 86_400 + 12 * 3600
        let goals = GoalHistory([.init(time: noon - 86_400, goal: 1000), .init(time: noon, goal: 3000)])
        #expect(
            try replay("2026-03-02", drinks: [(6, 1000)], goals: goals)
                == ["06:00 goal_reached 0", "12:38 attention 150", "15:00 overdue 600"])
    }

    @Test func noDayHasMoreThanTwelve() throws {
        // Just enough to be on track, then behind again, repeatedly.
        let jumps = (0..<14).map { hour -> (hour: Double, amount: Int64) in (8 + Double(hour), 200) }
        let capped = try replay("2026-03-02", drinks: jumps).filter { $0.contains("attention") }
        #expect(capped.count == PaceModel.mostReminders)
    }

    /// On the days of clock changes, 7 am and 10 pm are local time.
    @Test(arguments: ["2026-03-28", "2026-03-29", "2026-10-25"])
    func changesOfTheClockMoveNothing(day: String) throws {
        #expect(try replay(day, in: Self.paris, drinks: []) == ["07:38 attention 150", "10:00 overdue 600"])
    }

    @Test func textsAreThoseOfTheDocument() throws {
        let date = try #require(CivilDate("2026-03-02"))
        let midnight = date.daysSince1970 * 86_400
        let drinks = [Drink(device: "a", recordID: 1, time: midnight + 11 * 3600, amount: 3000, level: 0)]
        let now = midnight + 86_399
        let goals = GoalHistory(given: 3000)
        let day = try #require(DaySummary.days(1, of: drinks, goals: goals, until: now, in: .utc).first)
        #expect(
            PaceModel.reminders(of: day, drinks: drinks, goals: goals, until: now, in: .utc).map(\.text) == [
                "Time to hydrate! You're 150ml behind pace.", "You're falling behind! Drink 600ml to catch up.",
                "Goal Reached! 💧",
            ])
    }

    @Test func aDayWithoutConnectionIsTold() {
        let hour: Int64 = 3600
        let silences = { PaceModel.silences($0, from: 0, until: $1).map(\.time) }
        #expect(silences([0, 20 * hour], 40 * hour) == [])
        #expect(silences([20 * hour, 0], 44 * hour) == [44 * hour])
        #expect(silences([0, 30 * hour], 40 * hour) == [24 * hour])
        #expect(silences([], 40 * hour) == [])
    }
}
