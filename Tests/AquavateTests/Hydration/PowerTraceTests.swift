import Bytes
import PluginKit
import Testing

@testable import Aquavate

/// Traces of an ammeter ("Firmware Testing", 6): deep sleep draws less than 200 µA.
struct PowerTraceTests {
    /// A sample each 10 ms of steps of constant current, in mA, and a last one at the end.
    private static func samples(_ steps: [(seconds: Int, milliamperes: Double)]) -> [(time: Double, current: Double)] {
        var samples: [(time: Double, current: Double)] = []
        for step in steps {
            for _ in 0..<step.seconds * 100 { samples.append((Double(samples.count) / 100, step.milliamperes)) }
        }
        samples.append((Double(samples.count) / 100, steps.last?.milliamperes ?? 0))
        return samples
    }

    private static func trace(_ steps: [(seconds: Int, milliamperes: Double)]) -> PowerTrace {
        var trace = PowerTrace()
        for (time, current) in samples(steps) { trace.add(time: time, milliamperes: current) }
        trace.finish()
        return trace
    }

    private static func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-6 }

    /// 10 s of 0.1 mA, 2 s of 50 mA, 5 s of 0.15 mA: 1 + 100 + 0.75 mA · s. A phase lacks the tenths beside the wake.
    @Test func chargeAndPhasesAreThoseOfTheSamples() throws {
        let trace = Self.trace([(10, 0.1), (2, 50), (5, 0.15)])
        #expect(trace.samples == 1701 && trace.peak == 50)
        #expect(Self.isNear(trace.all.seconds, 17) && Self.isNear(trace.all.amount, 101.75))
        #expect(trace.phases == 2)
        #expect(Self.isNear(trace.sleep.seconds, 9.9 + 4.9))
        #expect(Self.isNear(trace.sleep.amount, 0.99 + 0.735))
        #expect(Self.isNear(trace.rest.amount, 101.75 - 1.725))
        let worst = try #require(trace.worst)
        #expect(Self.isNear(worst.charge.mean, 0.15) && Self.isNear(worst.start, 12))
        #expect(trace.isBelowLimit == true)
    }

    @Test(
        arguments: [
            ("of the model", [(5, 0.1)], true), ("just below", [(5, 0.1999)], true),
            ("just above", [(5, 0.2001)], false),
            ("an LED that nobody has cut off", [(5, 2.1)], false),
            ("one phase of two", [(5, 0.1), (1, 50), (5, 0.3)], false),
            ("awake", [(5, 20)], nil), ("less than a second of sleep", [(1, 50), (1, 0.1), (1, 50)], nil),
            ("a second and its edges", [(1, 50), (2, 0.1), (1, 50)], true),
        ] as [(String, [(Int, Double)], Bool?)])
    func eachPhaseIsComparedWithTheLimit(name: String, steps: [(Int, Double)], isBelow: Bool?) {
        #expect(Self.trace(steps.map { (seconds: $0.0, milliamperes: $0.1) }).isBelowLimit == isBelow, "\(name)")
    }

    /// A regulator that draws 10 mA for a hundredth of the time.
    @Test func burstsAreAveraged() throws {
        var trace = PowerTrace()
        for index in 0...10_000 { trace.add(time: Double(index) / 1000, milliamperes: index % 100 == 50 ? 10 : 0) }
        trace.finish()
        #expect(trace.phases == 1 && trace.isBelowLimit == true)
        #expect(Self.isNear(trace.sleep.mean, 0.1))
    }

    // MARK: - Files

    private func run(
        _ text: String, _ values: [String: CommandInput.Value] = [:], chunk: Int = 7
    ) throws(CommandError) -> CommandOutput {
        var input = CommandInput(
            values: values.merging(["energy": .flag, "trace": .text("a.csv")]) { one, _ in one },
            now: Timestamp(seconds: 1_772_463_800, nanoseconds: 0))
        input.files["trace"] = fileChunks(of: Array(text.utf8), size: chunk)
        guard let command = HydrationCommands.groups[1].commands.first else { throw .usage("there is no activity") }
        return try command.run(input)
    }

    /// A file's header lines and its form of 10 s with 100 µA.
    struct Units: CustomTestStringConvertible {
        var testDescription: String
        var header: String
        var unitsPerSecond = 1.0
        var current: String
        var separator = ","

        var text: String {
            let lines = (0...100).map {
                "\(Double($0) / 10 * unitsPerSecond)\(separator)\(current)\(separator)00000000"
            }
            return ([header] + lines).joined(separator: "\n")
        }

        static let all = [
            Self(
                testDescription: "Power Profiler Kit", header: "Timestamp(ms),Current(uA),D0-D7", unitsPerSecond: 1000,
                current: "100.0"),
            Self(testDescription: "Joulescope", header: "#time (s),current (A),voltage (V)", current: "1e-4"),
            Self(testDescription: "without units", header: "time,current", current: "0.0001"),
            Self(
                testDescription: "underscores", header: "time_us,current_ma", unitsPerSecond: 1_000_000, current: "0.1"),
            Self(
                testDescription: "a micro sign", header: "Time [s]\tMain current [\u{B5}A]", current: "100",
                separator: "\t"),
            Self(testDescription: "quoted", header: "\"Time (s)\",\"Current (nA)\"", current: "\"100000\""),
            Self(
                testDescription: "decimal commas", header: "Zeit;x\nTime (s);Current (mA)", current: "0,1",
                separator: ";"),
        ]
    }

    @Test(arguments: Units.all) func unitsAreThoseOfTheHeader(_ units: Units) throws {
        let name = units.testDescription
        for text in [units.text, units.text.replacing("\n", with: "\r\n")] {
            let output = try run(text, ["json": .flag])
            let report = try JSONValue(reading: Array(output.text.utf8))
            #expect(report["all"]?["mean_mA"]?.number == 0.1 && report["all"]?["seconds"]?.number == 10, "\(name)")
            #expect(report["below_limit"] == .boolean(true) && output.outcome == .done && output.notes == [], "\(name)")
        }
    }

    @Test func theTextHasTheModelBesideIt() throws {
        let lines = Self.samples([(10, 0.1), (2, 50), (5, 0.25)]).map { "\($0.time),\($0.current)" }
        let output = try run((["time (s),current (mA)"] + lines).joined(separator: "\n"), chunk: 4096)
        #expect(output.outcome == .findings)
        #expect(
            output.text == """
                             measured        model    time     charge
                deep sleep   0.150 mA     0.100 mA  14.8 s  0.001 mAh
                rest        45.470 mA  20 to 80 mA   2.2 s  0.028 mAh
                all          6.015 mA               17.0 s  0.028 mAh
                1701 samples, at most 50.0 mA
                500 mAh last 3 days, 1000 mAh last 7 days

                Deep sleep: 2 phases, at most 0.250 mA, from 12.0 s on: not below the limit of 0.2 mA

                """)
    }

    @Test func badLinesAreSkippedByNumber() throws {
        let good = (0...40).map { "\(Double($0) / 10),0.1" }
        let lines = ["time (s),current (mA)"] + good[..<20] + ["2.0", "", "x,0.1", "1.9,0.1", "2.0,nan"] + good[20...]
        let output = try run(lines.joined(separator: "\n"))
        #expect(
            output.notes == [
                "a.csv: line 22 was skipped: 1 fields instead of 2",
                "a.csv: line 24 was skipped: the time 'x' is no number",
                "a.csv: line 25 was skipped: the time '1.9' is not after that of the line before",
                "a.csv: line 26 was skipped: the current 'nan' is no number",
            ])
        #expect(output.outcome == .done)
        let many = ["time,current", "0,0"] + Array(repeating: "x", count: 12) + ["1,0"]
        let notes = try run(many.joined(separator: "\n")).notes
        #expect(notes.count == 11 && notes.last == "a.csv: 2 more lines were skipped")
    }

    @Test(arguments: [
        ("", "a.csv: no header: expected a header like Timestamp(ms),Current(uA)"),
        ("time,current\n1,2", "a.csv: expected two lines of time and current at least, found 1"),
        (
            "0.0,0.1\n0.1,0.1",
            "a.csv: line 1: no column of times and none of currents: expected a header like Timestamp(ms),Current(uA)"
        ),
        ("time (h),current\n", "a.csv: line 1: the unit of 'time h' is not known: expected s, ms, us or ns"),
        ("time,current (W)\n", "a.csv: line 1: the unit of 'current w' is not known: expected A, mA, uA or nA"),
    ])
    func whatIsNoTraceIsRefused(text: String, message: String) {
        #expect(throws: CommandError.unreadable(message)) { try run(text) }
    }

    @Test func aTraceGoesWithTheEnergy() {
        #expect(throws: CommandError.usage("--trace goes with --energy")) {
            var input = CommandInput(
                values: ["trace": .text("a.csv")], now: Timestamp(seconds: 1_772_463_800, nanoseconds: 0))
            input.files["trace"] = fileChunks(of: [])
            return try HydrationCommands.groups[1].commands[0].run(input)
        }
    }
}
