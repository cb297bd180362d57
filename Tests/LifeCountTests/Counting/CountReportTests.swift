import Bytes
import PluginKit
import Profile
import Testing

@testable import LifeCount

/// Zones with their clock changes in 2026, from the IANA database.
private enum Zones {
    /// 2026-03-29T01:00Z forward, 2026-10-25T01:00Z back.
    static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [.init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600)])
    /// 2026-03-08T07:00Z forward, 2026-11-01T06:00Z back.
    static let newYork = TimeZoneTable(
        name: "America/New_York", initialOffset: -18_000,
        transitions: [.init(time: 1_772_953_200, offset: -14_400), .init(time: 1_793_512_800, offset: -18_000)])
}

private func seconds(_ text: String) -> Int64 { (Timestamp(rfc3339: text)?.nanoseconds ?? 0) / 1_000_000_000 }

private func entry(
    _ time: String, _ delta: Int64, number: Int64 = 0, device: Int64 = 1, boot: Int64 = 1, session: Int64 = 1,
    received: String? = nil, source: EventSource = .hardware, hasClock: Bool = true, location: Int64 = 7,
    isReplayed: Bool? = nil
) -> CountEntry {
    CountEntry(
        location: location, device: device, time: seconds(time) * 1000, isDeviceTime: hasClock,
        received: seconds(received ?? time) * 1000, delta: delta, source: source, sequenceNumber: number, boot: boot,
        gatewaySession: session, isReplayed: isReplayed)
}

struct OperationalDayTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var zone: TimeZoneTable
        var hour: Int64 = 12
        var now: String
        var start: String
        var hours: Int
        var testDescription: String { "\(zone.name) \(hour) \(now)" }
    }

    @Test(arguments: [
        Case(zone: .utc, now: "2026-03-02T18:00:00Z", start: "2026-03-02T12:00:00Z", hours: 24),
        Case(zone: .utc, now: "2026-03-02T11:59:59Z", start: "2026-03-01T12:00:00Z", hours: 24),
        Case(zone: .utc, now: "2026-03-02T12:00:00Z", start: "2026-03-02T12:00:00Z", hours: 24),
        // The clock changes within the day.
        Case(zone: Zones.paris, now: "2026-03-29T09:00:00Z", start: "2026-03-28T11:00:00Z", hours: 23),
        Case(zone: Zones.paris, now: "2026-03-29T10:00:00Z", start: "2026-03-29T10:00:00Z", hours: 24),
        Case(zone: Zones.paris, now: "2026-10-25T10:59:59Z", start: "2026-10-24T10:00:00Z", hours: 25),
        Case(zone: Zones.newYork, now: "2026-03-08T15:00:00Z", start: "2026-03-07T17:00:00Z", hours: 23),
        Case(zone: Zones.newYork, now: "2026-11-01T16:30:00Z", start: "2026-10-31T16:00:00Z", hours: 25),
        // A leap day.
        Case(zone: .utc, now: "2028-02-29T13:00:00Z", start: "2028-02-29T12:00:00Z", hours: 24),
        // 02:00 does not exist on this day, which begins at 03:00, 01:00Z.
        Case(zone: Zones.paris, hour: 2, now: "2026-03-29T01:00:00Z", start: "2026-03-29T01:00:00Z", hours: 23),
        Case(zone: Zones.paris, hour: 2, now: "2026-03-29T00:59:59Z", start: "2026-03-28T01:00:00Z", hours: 24),
    ])
    func beginsAtTheBoundaryHour(one: Case) {
        let rules = CountingRules(zone: one.zone, boundaryHour: one.hour)
        let date = rules.date(of: seconds(one.now))
        #expect(rules.start(of: date) == seconds(one.start))
        let next = rules.start(of: CivilDate(daysSince1970: date.daysSince1970 + 1))
        #expect(next - rules.start(of: date) == Int64(one.hours) * 3600)
    }

    @Test func rangesAreCutAtBoundaries() {
        let rules = CountingRules(zone: Zones.paris)
        let now = seconds("2026-03-30T13:30:00Z")
        #expect(CountRange.today.buckets(at: now, rules).map(\.label) == ["12:00", "13:00", "14:00", "15:00"])
        let week = CountRange.week.buckets(at: now, rules)
        #expect(week.map(\.label).first == "2026-03-24" && week.map(\.label).last == "2026-03-30")
        #expect(zip(week, week.dropFirst()).allSatisfy { $0.end == $1.start })
        let year = CountRange.year.buckets(at: now, rules)
        #expect(year.map(\.label).first == "2025-04" && year.map(\.label).last == "2026-03")
        #expect(
            CountRange.month.formerBuckets(at: now, rules).last?.end
                == CountRange.month.buckets(at: now, rules).first?.start)
        #expect(CountRange.year.formerBuckets(at: now, rules).last?.end == year.first?.start)
        #expect(CountRange.today.formerBuckets(at: seconds("2026-03-29T11:00:00Z"), rules).count == 23)
    }
}

struct CountReportTests {
    private static let rules = CountingRules(capacity: 10, zone: .utc)

    private func report(
        _ entries: [CountEntry], _ range: CountRange = .today, now: String = "2026-03-02T14:00:00Z",
        _ rules: CountingRules = Self.rules, location: Int64? = nil, compares: Bool = false, lastSeen: String? = nil
    ) -> CountReport {
        var report = CountReport(
            range, now: seconds(now), rules, location: location, compares: compares,
            silence: lastSeen.map { seconds(now) - seconds($0) })
        // Sorted as by the query.
        let ordered = entries.sorted {
            ($0.time, $0.received, $0.sequenceNumber) < ($1.time, $1.received, $1.sequenceNumber)
        }
        for entry in ordered { report.take(entry) }
        report.finish()
        return report
    }

    @Test func countsWhoCameAndWent() {
        let report = report([
            entry("2026-03-02T12:10:00Z", 1), entry("2026-03-02T12:20:00Z", 1), entry("2026-03-02T13:00:00Z", 1),
            entry("2026-03-02T13:30:00Z", -1), entry("2026-03-02T11:59:59Z", 1), entry("2026-03-02T14:00:01Z", 1),
        ])
        #expect(report.totals.entered == 3 && report.totals.left == 1 && report.totals.net == 2)
        #expect(report.totals.count == 2)
        #expect(report.totals.buckets.map(\.entered) == [2, 1, 0])
        #expect(report.totals.peak?.peak == 3 && report.totals.peak?.range.label == "13:00")
        #expect(report.totals.peakFlow?.entered == 2 && report.totals.peakFlow?.range.label == "12:00")
    }

    /// 600 s with one, 2400 s with two, 1800 s with three and 1801 s with two, of 7201 s.
    @Test func averagesOverTime() {
        let report = report([
            entry("2026-03-02T12:10:00Z", 1), entry("2026-03-02T12:20:00Z", 1), entry("2026-03-02T13:00:00Z", 1),
            entry("2026-03-02T13:30:00Z", -1),
        ])
        let sum: Double = [600.0, 4800, 5400, 3602].reduce(0, +)
        #expect(abs(report.totals.average - sum / 7201) < 1e-9)
    }

    /// A person who leaves one location is not subtracted from another.
    @Test func locationsAreCountedApart() {
        let entries = [
            entry("2026-03-02T12:01:00Z", -1, location: 1), entry("2026-03-02T12:02:00Z", 1, location: 2),
            entry("2026-03-02T12:03:00Z", 1, location: 2), entry("2026-03-02T12:04:00Z", -1, location: 1),
        ]
        let report = report(entries)
        #expect(report.totals.count == 2)
        #expect(report.totals.clamped == 2)
        #expect(report.totals.peak?.peak == 2)
    }

    @Test func beginsEachDayWithNobodyAndNeverFallsBelow() {
        let entries = [
            entry("2026-03-01T13:00:00Z", 1), entry("2026-03-01T13:01:00Z", 1), entry("2026-03-02T12:30:00Z", -1),
            entry("2026-03-02T12:40:00Z", 1),
        ]
        let report = report(entries, .week)
        #expect(report.totals.count == 1)
        #expect(report.totals.clamped == 1)
        #expect(report.totals.buckets.suffix(2).map(\.peak) == [2, 1])
    }

    /// The largest count of an hour without events is the count at its start.
    @Test func theCountIsCarriedIntoTheNextHour() {
        let entries = [
            entry("2026-03-02T12:10:00Z", 1), entry("2026-03-02T12:20:00Z", 1), entry("2026-03-02T14:00:00Z", -1),
        ]
        #expect(report(entries, now: "2026-03-02T16:30:00Z").totals.buckets.map(\.peak) == [2, 2, 2, 1, 1])
        #expect(report(entries, now: "2026-03-02T16:30:00Z").totals.peak?.range.label == "12:00")
    }

    @Test func aDayWithoutEntriesHasNoPeak() {
        let entries = [entry("2026-02-28T13:00:00Z", 1), entry("2026-03-02T13:00:00Z", -1)]
        #expect(report(entries, .week).totals.buckets.suffix(3).map(\.peak) == [1, 0, 0])
    }

    @Test(arguments: [(7, "ok"), (8, "warning"), (9, "warning"), (10, "full"), (12, "full")])
    func saysHowFullItIs(count: Int, status: String) {
        let entries = (0..<count).map { _ in entry("2026-03-02T12:10:00Z", 1) }
        #expect(report(entries).totals.status?.rawValue == status)
        #expect(report(entries).totals.overcrowded == max(0, count - 9))
    }

    /// Whole per cent, rounded down; a capacity of any size has a status.
    @Test(
        arguments: [
            (0, 1, "ok"), (5, 7, "ok"), (6, 7, "warning"), (7, 7, "full"), (79, 99, "ok"), (80, 99, "warning"),
            (Int64.max / 5 * 4, .max, "ok"), (.max - 1, .max, "warning"), (.max, .max, "full"),
        ] as [(Int64, Int64, String)])
    func statusIsThatOfThePercentage(count: Int64, capacity: Int64, status: String) {
        #expect(OccupancyStatus(count, of: capacity)?.rawValue == status)
    }

    @Test func comparesWithThePeriodBefore() throws {
        let report = report(
            [
                entry("2026-03-01T12:10:00Z", 1), entry("2026-03-02T11:00:00Z", 1), entry("2026-03-02T12:10:00Z", 1),
                entry("2026-02-28T12:10:00Z", 1),
            ], compares: true)
        #expect(report.totals.entered == 1)
        #expect(try #require(report.former).entered == 2)
    }

    @Test func findsWhatIsWrongWithTheData() {
        let report = report(
            [
                entry("2026-03-02T12:10:00Z", 1, number: 4_294_967_295), entry("2026-03-02T12:11:00Z", 1, number: 0),
                // 1 and 2 are missing.
                entry("2026-03-02T12:12:00Z", 1, number: 3),
                // Another boot, two minutes late
                entry("2026-03-02T12:13:00Z", 1, number: 0, boot: 2, received: "2026-03-02T12:15:01Z"),
                entry("2026-03-02T12:16:00Z", 1, number: 1, boot: 2, hasClock: false),
                entry("2026-03-02T12:17:00Z", 1, source: .manual),
                // Another gateway, while the first continues
                entry("2026-03-02T12:14:00Z", 1, number: 9, device: 2, session: 2),
                entry("2026-03-02T12:17:30Z", 1, number: 10, device: 2, session: 2),
            ], lastSeen: "2026-03-02T13:58:00Z")
        #expect(report.quality.missing == 2)
        #expect(report.quality.resets == 1)
        #expect(report.quality.late == 1)
        #expect(report.quality.clockless == 1)
        #expect(report.quality.manual == 1)
        #expect(report.quality.hasConflict)
        #expect(report.isStale)
        #expect(report.remarks.count == 7)
    }

    /// A lower number without a boot is a reset, not a gap of missing events.
    @Test func anUnconfirmedResetIsNoGap() {
        let numbers: [Int64] = [1000, 1001, 1003, 5, 6]
        let report = report(
            numbers.enumerated().map { entry("2026-03-02T12:1\($0):00Z", 1, number: $1) }, location: 7)
        #expect(report.quality.resets == 1)
        #expect(report.quality.missing == 1)
    }

    /// A replayed event arrives later, without the counter's time or with an earlier one.
    @Test func aReplayIsNoReset() {
        let report = report([
            entry("2026-03-02T12:10:00Z", 1, number: 1), entry("2026-03-02T12:12:00Z", 1, number: 3),
            entry("2026-03-02T12:11:00Z", 1, number: 2, received: "2026-03-02T12:13:00Z"),
            entry("2026-03-02T12:20:00Z", 1, number: 5, hasClock: false),
            entry("2026-03-02T12:21:00Z", 1, number: 4, hasClock: false),
            // The clock was set back between these two events.
            entry("2026-03-02T12:30:05Z", 1, number: 6, received: "2026-03-02T12:30:00Z"),
            entry("2026-03-02T12:30:02Z", 1, number: 7, received: "2026-03-02T12:30:02Z"),
        ])
        #expect(report.quality.resets == 0)
        #expect(report.quality.missing == 0)
    }

    /// Without the counter's time, the replay flag distinguishes a reset from a replay.
    @Test func aResetWithoutAClockIsNoGap() {
        let numbers: [Int64] = [0, 1, 2, 3, 4, 100, 2]
        func quality(_ isReplayed: Bool?) -> CountQuality {
            report(
                numbers.enumerated().map { index, number in
                    entry(
                        "2026-03-02T12:1\(index):00Z", 1, number: number, hasClock: index < 4,
                        isReplayed: index < 6 ? false : isReplayed)
                }
            ).quality
        }
        #expect(quality(false).resets == 1 && quality(false).missing == 95)
        #expect(quality(true).resets == 0)
        // Stores of earlier versions lack the flag.
        #expect(quality(nil).resets == 0)
    }

    private func missing(
        _ entries: [CountEntry], _ range: CountRange = .today, now: String = "2026-03-02T12:10:00Z", location: Int64 = 7
    ) -> [Int] {
        let quality = report(entries, range, now: now, location: location).quality
        return [quality.missing, quality.missingOverBoundary]
    }

    /// Numbers missing between two operational days are in the reports of both.
    @Test func aGapOverTheBoundaryHourIsInBothDays() {
        let entries = [
            entry("2026-03-02T11:58:00Z", 1, number: 0), entry("2026-03-02T11:58:10Z", 1, number: 1),
            entry("2026-03-02T12:01:00Z", 1, number: 10), entry("2026-03-02T12:01:10Z", 1, number: 11),
        ]
        #expect(missing(entries, now: "2026-03-02T11:59:59Z") == [0, 8])
        #expect(missing(entries) == [0, 8])
        #expect(missing(entries, .week) == [8, 0])
        #expect(report(entries).remarks == ["events missing over the boundary hour (in the reports of both days): 8"])
        let moved = entries.prefix(2) + [entry("2026-03-02T12:01:00Z", 1, number: 10, location: 8)]
        #expect([7, 8, 9].map { missing(Array(moved), location: $0) } == [[0, 8], [0, 8], [0, 0]])
    }

    @Test func whatComesAfterTheBoundaryHourIsNoGap() {
        let before = entry("2026-03-02T11:58:00Z", 1, number: 10)
        #expect(missing([before, entry("2026-03-02T12:01:00Z", 1, number: 11)]) == [0, 0])
        // A reset and a boot.
        #expect(missing([before, entry("2026-03-02T12:01:00Z", 1, number: 2)]) == [0, 0])
        #expect(missing([before, entry("2026-03-02T12:01:00Z", 1, number: 20, boot: 2)]) == [0, 0])
        // A gap between the present and the rest of the day.
        let later = entry("2026-03-02T12:30:00Z", 1, number: 20)
        #expect(missing([entry("2026-03-02T12:01:00Z", 1, number: 11), later]) == [0, 0])
    }

    private func resets(_ entries: [CountEntry], now: String) -> Int {
        report(entries, now: now, location: 7).quality.resets
    }

    /// A reset between two operational days, by a boot or without one, is in the day that begins with it.
    @Test func aResetOverTheBoundaryHourIsInTheDayAfterIt() {
        let before = [
            entry("2026-03-02T11:58:00Z", 1, number: 10), entry("2026-03-02T11:59:00Z", 1, number: 11),
        ]
        for (boot, number) in [(2, 0), (1, 3), (1, 11)] as [(Int64, Int64)] {
            let entries = before + [entry("2026-03-02T12:01:00Z", 1, number: number, boot: boot)]
            #expect(resets(entries, now: "2026-03-02T11:59:59Z") == 0)
            #expect(resets(entries, now: "2026-03-02T12:10:00Z") == 1)
        }
        let next = before + [entry("2026-03-02T12:01:00Z", 1, number: 12)]
        #expect(resets(next, now: "2026-03-02T12:10:00Z") == 0)
        // One more in the day.
        let twice =
            before + [
                entry("2026-03-02T12:01:00Z", 1, boot: 2), entry("2026-03-02T12:02:00Z", 1, boot: 3),
            ]
        #expect(resets(twice, now: "2026-03-02T12:10:00Z") == 2)
    }

    /// A counter's numbering continues when it is moved.
    @Test func eventsAtAnotherLocationAreNotMissing() {
        let places: [(number: Int64, location: Int64)] = [
            (0, 7), (1, 8), (2, 8), (3, 8), (4, 7), (6, 7), (7, 8), (10, 8),
        ]
        let entries = places.enumerated().map { index, place in
            entry("2026-03-02T12:1\(index):00Z", 1, number: place.number, location: place.location)
        }
        let numbers = [Int64?.none, 7, 8].map { location in
            let report = report(entries, location: location)
            return [report.entries, Int(report.totals.entered), report.quality.missing, report.quality.resets]
        }
        #expect(numbers == [[8, 8, 3, 0], [3, 3, 1, 0], [5, 5, 2, 0]])
    }

    @Test func gatewaysOneAfterTheOtherAreNoConflict() {
        let report = report([
            entry("2026-03-02T12:10:00Z", 1, number: 1), entry("2026-03-02T12:11:00Z", 1, number: 2),
            entry("2026-03-02T12:12:00Z", 1, number: 3, session: 2),
        ])
        #expect(!report.quality.hasConflict && report.quality.missing == 0)
        #expect(report.remarks.isEmpty)
    }

    @Test func formatsAgree() {
        let report = report([entry("2026-03-02T12:10:00Z", 1)], compares: true)
        #expect(report.text.contains("1 inside of 10, 10 %, 9 free: ok"))
        let rows = report.csv.split(whereSeparator: \.isNewline)
        #expect(rows.first == "bucket,start,end,in,out,peak")
        #expect(rows.dropFirst().first == "12:00,2026-03-02T12:00:00Z,2026-03-02T13:00:00Z,1,0,1")
        #expect(report.json.contains(#""boundary_hour": 12"#) && report.json.contains(#""status": "ok""#))
        #expect(report.html.contains("<svg") && report.html.hasSuffix("</html>\n"))
    }

    @Test func anEmptyReportIsSensible() {
        let report = report([], .year)
        #expect(report.totals.buckets.count == 12 && report.totals.count == 0)
        #expect(report.html.contains("<svg"))
        #expect(report.text.contains("2026-03"))
    }
}
