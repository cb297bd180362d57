import Bytes
import PluginKit
import Profile
import Testing

@testable import BatteryTrace

/// `battery plot`: without points, with one point, with gaps, and with several batteries.
struct PlotTests {
    private func run(
        _ what: String, _ format: String, _ snapshots: [BatterySnapshot] = [], sessions: [ChargeSession] = [],
        samples: [ChargeSample] = []
    ) throws -> CommandOutput {
        func numbered(_ rows: [Record]) -> [Record] {
            rows.enumerated().map { index, row in
                var row = row
                row.fields.append((name: "id", value: .integer(Int64(index + 1))))
                return row
            }
        }
        let command = try #require(BatteryTrace.commands[0].commands.first { $0.name == "plot" })
        var input = CommandInput(values: ["what": .text(what), "to": .text(format)], now: noon)
        input.rows = [
            BatteryTables.snapshots: numbered(snapshots.map(\.row)),
            BatteryTables.sessions: numbered(sessions.map(\.row)), BatteryTables.samples: numbered(samples.map(\.row)),
        ]
        return try command.run(input)
    }

    private func snapshot(_ day: Double, _ health: Double?, _ cycles: Int? = nil, first: String? = nil)
        -> BatterySnapshot
    {
        BatterySnapshot(
            id: 0, date: time(day * 86_400),
            battery: BatteryHealth(cycles: cycles, health: health, firstUse: first.flatMap { CivilDate($0) }))
    }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part) - 1 }

    @Test(arguments: ["health", "cycles", "degradation", "session"], ["svg", "html", "csv"])
    func withoutAPointItSaysSo(what: String, format: String) throws {
        let output = try run(what, format)
        #expect(output.outcome == .inconclusive)
        #expect(output.notes.count == 1 && output.notes[0].contains("kept yet: see 'gattbench battery"))
        if format == "svg" { #expect(output.text.contains(">no data</text>")) }
        if format == "csv" { #expect(count("\r\n", in: output.text) == 1) }
    }

    @Test(arguments: ["health", "cycles", "degradation"])
    func aSinglePointIsAMark(what: String) throws {
        let output = try run(what, "svg", [snapshot(0, 0.94, 120)])
        #expect(output.outcome == .done)
        #expect(count("<circle", in: output.text) >= 1 && count("<path", in: output.text) == 0)
        #expect(!output.text.contains("nan") && !output.text.contains("inf"))
        #expect(
            try run(what, "csv", [snapshot(0, 0.94, 120)]).text
                .hasSuffix("measured,2026-03-01T12:00:00.000,120,94,,UTC\r\n"))
    }

    @Test func longTimesWithoutASnapshotAreGaps() throws {
        let days = [0.0, 30, 60, 90, 200, 230]
        let snapshots = days.map { snapshot($0, 0.99 - $0 / 10_000) }
        // The measured line in two parts, plus the trend.
        #expect(count("<path", in: try run("health", "svg", snapshots).text) == 3)
        #expect(count("<path", in: try run("health", "svg", Array(snapshots.prefix(4))).text) == 2)
    }

    @Test func eachBatteryHasItsLine() throws {
        let snapshots = (0..<4).flatMap { month in
            [
                snapshot(Double(month) * 30, 0.99, 10 * month, first: "2025-01-01"),
                snapshot(Double(month) * 30 + 1, 0.80, 500 + 10 * month, first: "2022-01-01"),
            ]
        }
        let svg = try run("degradation", "svg", snapshots).text
        #expect(svg.contains(">first used 2025-01-01</text>") && svg.contains(">first used 2022-01-01</text>"))
        #expect(count("class=\"line trend", in: svg) == 2)
        let csv = try run("degradation", "csv", snapshots).text
        #expect(csv.contains("first used 2022-01-01,2026-03-02T12:00:00.000,500,80,80,UTC\r\n"))
    }

    @Test func aSessionHasItsPowerAndLevel() throws {
        let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.3)
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        let all = WatchedCharge(curve: curve, interval: 60).samples(until: 0.9).compactMap { estimator.record($0) }
        // Ten minutes in the middle are missing.
        let samples = all.filter { !(600...1100).contains($0.time.seconds(since: noon)) }
        let svg = try run("session", "svg", sessions: estimator.allSessions, samples: samples).text
        #expect(svg.contains(">power in W</text>") && svg.contains(">level in %</text>"))
        #expect(svg.contains(">average "))
        #expect(count("class=\"line s1\"", in: svg) == 2 && count("class=\"line s0\"", in: svg) == 2)
        let html = try run("session", "html", sessions: estimator.allSessions, samples: samples).text
        #expect(html.contains("Estimates only: iOS does not expose live watts/amps."))
        #expect(html.contains("<td>lasts</td>") && count("<svg", in: html) == 3)
        #expect(
            try run("session", "csv", sessions: estimator.allSessions, samples: samples).text
                == String(decoding: ChargeSample.table(samples, in: .utc), as: UTF8.self))
    }
}

extension String {
    fileprivate func components(separatedBy part: String) -> Int {
        var (count, rest) = (1, self[...])
        while let found = rest.firstRange(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
