import Testing

@testable import Aquavate

/// The rule that chooses the time of a record (docs/hydration.md, "Which time counts").
struct RecordTimeTests {
    /// 2026-03-02T11:00:00Z.
    private static let time: Int64 = 1_772_449_200
    private static let day: Int64 = 1_577_836_800

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var timestamp: Int64
        var offset: Int64 = 0
        var received: Int64?
        var seconds: Int64
        var arrival: RecordTime.Arrival?
    }

    private static let cases = [
        Case(testDescription: "a set clock", timestamp: time, received: time + 600, seconds: time),
        Case(testDescription: "no known arrival", timestamp: time, seconds: time),
        Case(
            testDescription: "nine hours ahead of UTC", timestamp: time + 32_400, offset: 32_400, received: time + 600,
            seconds: time),
        Case(
            testDescription: "five hours behind UTC", timestamp: time - 18_000, offset: -18_000, received: time + 600,
            seconds: time),
        Case(testDescription: "an hour slow", timestamp: time - 3600, received: time, seconds: time - 3600),
        Case(testDescription: "set back by a day", timestamp: time - 86_400, received: time, seconds: time - 86_400),
        Case(testDescription: "never set", timestamp: 0, received: time, seconds: time, arrival: .unsetClock),
        Case(testDescription: "since a boot", timestamp: 5000, received: time, seconds: time, arrival: .unsetClock),
        Case(
            testDescription: "2019-12-31T23:59:59Z", timestamp: day - 1, received: time, seconds: time,
            arrival: .unsetClock),
        Case(testDescription: "2020-01-01", timestamp: day, received: time, seconds: day),
        Case(testDescription: "never set, no known arrival", timestamp: 0, seconds: 0),
        Case(testDescription: "the second of the arrival", timestamp: time, received: time, seconds: time),
        Case(testDescription: "a second fast", timestamp: time + 1, received: time, seconds: time),
        Case(testDescription: "120 s fast", timestamp: time + 120, received: time, seconds: time),
        Case(
            testDescription: "121 s fast", timestamp: time + 121, received: time, seconds: time, arrival: .fastClock),
        Case(
            testDescription: "an offset that is not known", timestamp: time + 3600, received: time, seconds: time,
            arrival: .fastClock),
        Case(
            testDescription: "an offset of a clock that is fast", timestamp: time + 32_521, offset: 32_400,
            received: time, seconds: time, arrival: .fastClock),
    ]

    @Test(arguments: cases)
    func oneRuleChoosesTheTime(one: Case) {
        let chosen = RecordTime(timestamp: one.timestamp, offset: one.offset, received: one.received)
        #expect(chosen.seconds == one.seconds)
        #expect(chosen.arrival == one.arrival)
    }
}
