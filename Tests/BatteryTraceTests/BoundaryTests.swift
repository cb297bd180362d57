import Bytes
import PluginKit
import Profile
import TestKit
import Testing

@testable import BatteryTrace

/// Reports at boundaries: midnight, clock changes, a clock that is set back, empty and full batteries, a year.
struct BoundaryTests {
    /// 2026-03-29T01:00Z forward, 2026-10-25T01:00Z back.
    private static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [.init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600)])

    private func plot(
        _ what: String, _ format: String, _ snapshots: [BatterySnapshot] = [], _ sessions: [ChargeSession] = [],
        _ samples: [ChargeSample] = [], zone: TimeZoneTable = paris
    ) throws -> CommandOutput {
        func numbered(_ rows: [Record]) -> [Record] {
            rows.enumerated().map { index, row in
                var row = row
                row.fields.append((name: "id", value: .integer(Int64(index + 1))))
                return row
            }
        }
        let command = try #require(BatteryTrace.commands[0].commands.first { $0.name == "plot" })
        let values: [String: CommandInput.Value] = [
            "what": .text(what), "to": .text(format), "time-zone": .zone(zone),
        ]
        var input = CommandInput(values: values, now: noon)
        input.rows = [
            BatteryTables.snapshots: numbered(snapshots.map(\.row)),
            BatteryTables.sessions: numbered(sessions.map(\.row)), BatteryTables.samples: numbered(samples.map(\.row)),
        ]
        return try command.run(input)
    }

    private func instant(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private func snapshot(_ time: Timestamp, _ health: Double? = 0.9, _ cycles: Int? = 10) -> BatterySnapshot {
        BatterySnapshot(id: 0, date: time, battery: BatteryHealth(cycles: cycles, health: health))
    }

    /// The columns `date` and `zone` of a table of snapshots.
    private func dates(_ csv: String) -> [String] {
        csv.split(separator: "\r\n").dropFirst().map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return "\(fields[1]) \(fields[5])"
        }
    }

    /// Whether a picture or a page has a number that is none.
    private func hasNoNumber(_ text: String) -> Bool {
        ["nan", "inf", "NaN", "Infinity"].contains { text.contains("\($0),") || text.contains("\"\($0)") }
    }

    @Test(
        arguments: [
            // Midnight.
            (
                ["2026-03-01T22:59:59.999Z", "2026-03-01T23:00:00Z"],
                ["2026-03-01T23:59:59.999 UTC+01:00", "2026-03-02T00:00:00.000 UTC+01:00"]
            ),
            // 02:00 to 03:00 does not exist.
            (
                ["2026-03-29T00:59:59.999Z", "2026-03-29T01:00:00Z"],
                ["2026-03-29T01:59:59.999 UTC+01:00", "2026-03-29T03:00:00.000 UTC+02:00"]
            ),
            // 02:30 comes twice.
            (
                ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
                ["2026-10-25T02:30:00.000 UTC+02:00", "2026-10-25T02:30:00.000 UTC+01:00"]
            ),
            // A leap day.
            (
                ["2028-02-28T23:00:00Z", "2028-02-29T23:00:00Z"],
                ["2028-02-29T00:00:00.000 UTC+01:00", "2028-03-01T00:00:00.000 UTC+01:00"]
            ),
        ])
    func snapshotsHaveTheTimeOfTheirPlace(times: [String], expected: [String]) throws {
        let snapshots = try times.map { snapshot(try instant($0)) }
        #expect(try dates(plot("health", "csv", snapshots).text) == expected)
        let page = try plot("health", "html", snapshots).text
        for date in expected { #expect(page.contains(">\(date.prefix(10))</td>"), "\(date)") }
    }

    /// A charge during the hour that comes twice lasts an hour.
    @Test func aSessionOverAClockChangeLastsAsLongAsItDid() throws {
        let (start, end) = (try instant("2026-10-25T00:30:00Z"), try instant("2026-10-25T01:30:00Z"))
        let session = ChargeSession(id: 1, start: start, end: end, risenPercent: 20, duration: 3600)
        let samples = [
            ChargeSample(time: start, level: 0.3, state: .charging),
            ChargeSample(time: end, level: 0.5, state: .charging),
        ]
        let page = try plot("session", "html", [], [session], samples).text
        #expect(page.contains("<td>2026-10-25T02:30:00+02:00</td>"))
        #expect(page.contains("<td>2026-10-25T02:30:00+01:00</td>"))
        #expect(page.contains("<td>1 h 0 min 0 s</td>"))
        let csv = try plot("session", "csv", [], [session], samples).text
        #expect(csv.contains("2026-10-25T02:30:00.000,0.3,") && csv.contains("UTC+02:00"))
        #expect(csv.contains("2026-10-25T02:30:00.000,0.5,") && csv.contains("UTC+01:00"))
    }

    /// Snapshots of a clock that was set back are drawn in order of their dates.
    @Test func aClockThatIsSetBack() throws {
        let snapshots = [snapshot(time(7200), 0.91), snapshot(time(0), 0.93), snapshot(time(3600), 0.92)]
        #expect(
            try dates(plot("health", "csv", snapshots, zone: .utc).text)
                == ["2026-03-01T12:00:00.000 UTC", "2026-03-01T13:00:00.000 UTC", "2026-03-01T14:00:00.000 UTC"])
        var log = SnapshotLog([snapshot(time(0))])
        let battery = BatteryHealth(cycles: 10, health: 0.9)
        #expect(log.ingest(battery, at: time(-60)) == .repeated(log.snapshots[0]))
        _ = log.ingest(battery, at: time(-61))
        #expect(log.snapshots.map(\.date) == [time(0), time(-61)])
        // A sample that is not later than the one before is left out.
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        let samples = [sample(60, 0.5), sample(30, 0.6), sample(60, 0.6), sample(120, 0.51)]
        #expect(samples.compactMap { estimator.record($0) }.map(\.time) == [time(60), time(120)])
    }

    @Test func anEmptyAndAFullBattery() throws {
        let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0)
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        let charge = WatchedCharge(curve: curve, interval: 60).samples(until: 0.99)
        let last = try #require(charge.last)
        let full = BatterySample(time: last.time.advanced(nanoseconds: 60_000_000_000), level: 1, state: .full)
        let samples = (charge + [full]).compactMap { estimator.record($0) }
        #expect(samples.first?.level == 0 && samples.last?.level == 1)
        let session = try #require(estimator.allSessions.first)
        #expect(session.risenPercent > 90 && session.risenPercent <= 100)
        for format in ["svg", "html", "csv"] {
            let output = try plot("session", format, [], estimator.allSessions, samples)
            #expect(output.outcome == .done)
            #expect(!hasNoNumber(output.text))
        }
        // A level that does not change, at either end.
        for level in [0.0, 1.0] {
            var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
            let still = (0..<20).compactMap { estimator.record(sample(Double($0) * 60, level, .charging)) }
            #expect(still.count == 20 && still.allSatisfy { $0.estimate == nil })
            let page = try plot("session", "html", [], estimator.allSessions, still).text
            #expect(!hasNoNumber(page))
        }
    }

    /// The least and the most health that a phone reports, and one snapshot of each.
    @Test(arguments: [0.01, 0.8, 1, 1.1]) func healthAtItsLimits(health: Double) throws {
        for what in ["health", "degradation"] {
            let svg = try plot(what, "svg", [snapshot(noon, health, 0)]).text
            #expect(svg.contains("<circle") && !hasNoNumber(svg))
        }
        let csv = try plot("health", "csv", [snapshot(noon, health, 0)], zone: .utc).text
        #expect(csv.contains("2026-03-01T12:00:00.000,0,\((health * 100).text(decimals: 2)),"))
    }

    @Test func aSessionWithoutSamplesSaysSo() throws {
        let session = ChargeSession(id: 1, start: noon, end: noon, risenPercent: 0, duration: 0)
        let output = try plot("session", "svg", [], [session])
        #expect(output.outcome == .inconclusive)
        #expect(output.notes == ["no sample of this session is kept"])
    }

    /// A snapshot each day at noon of UTC, over both clock changes.
    @Test func aYear() throws {
        let snapshots = (0..<365).map { day in
            snapshot(time(Double(day) * 86_400), 1 - Double(day) / 3650, day / 2)
        }
        let found = try dates(plot("health", "csv", snapshots).text)
        #expect(found.count == 365)
        #expect(found.count { $0.hasSuffix("T14:00:00.000 UTC+02:00") } == 210)
        #expect(found.count { $0.hasSuffix("T13:00:00.000 UTC+01:00") } == 155)
        for what in ["health", "cycles", "degradation"] {
            let svg = try plot(what, "svg", snapshots).text
            #expect(!hasNoNumber(svg) && svg.contains("</svg>"))
        }
        let page = try plot("health", "html", snapshots).text
        #expect(page.contains(">2026-03-29</td>") && page.contains(">2026-10-25</td>"))
        #expect(page.contains(">2027-02-28</td>"))
    }
}
