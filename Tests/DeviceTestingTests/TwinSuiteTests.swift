import Conformance
import DeviceTesting
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Runs a plugin's cases against its twin.
struct TwinRun {
    var options: PeripheralTestOptions
    let library: PluginLibrary

    init(_ plugin: String, dialect: String? = nil, quirks: QuirkSelection = QuirkSelection(.fixed)) throws {
        library = try PluginLibrary.load([plugin], environment: [:])
        options = PeripheralTestOptions(plugin: try #require(library[plugin]?.plugin), transport: .radio)
        options.dialect = dialect
        options.quirks = quirks
    }

    /// The twin of a profile given as text, whose ID is `sensor`.
    init(profile text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("sensor/profile.yaml", text.utf8)
        self = try TwinRun(path, id: "sensor")
    }

    private init(_ path: String, id: String) throws {
        library = try PluginLibrary.load([path], environment: [:])
        options = PeripheralTestOptions(plugin: try #require(library[id]?.plugin), transport: .radio)
    }

    func job(isInterrupted: @escaping () -> Bool = { false }) throws -> PeripheralTestJob {
        try PeripheralTestJob(options, library, isInterrupted: isInterrupted)
    }

    /// The results of all cases, and the report.
    func run() throws -> (cases: [CaseResult], report: CheckReport, coverage: Coverage) {
        var cases: [CaseResult] = []
        let (report, coverage) = try job().run(hands: NoUpperTester("a test")) { cases.append($0) }
        return (cases, report, coverage)
    }
}

/// Each twin passes its plugin's cases, except for the misbehaviour enabled in it.
@Suite struct TwinSuiteTests {
    @Test(
        arguments: [
            ("aquavate", "shipped"), ("aquavate", "prd"), ("lifecount", nil), ("batterytrace", nil),
        ] as [(String, String?)])
    func twinWithoutQuirksPasses(_ plugin: String, _ dialect: String?) throws {
        let (cases, report, _) = try TwinRun(plugin, dialect: dialect).run()
        let failed = cases.filter { $0.verdict == .fail }
        #expect(failed.isEmpty, "\(failed.map { "\($0.id): \($0.brokenRules) \($0.findings.first?.contrast ?? "")" })")
        #expect(report.outcome(isStrict: false) == .obeyed)
        #expect(cases.count { $0.verdict == .pass } > 20)
    }

    /// Readings that stray by 50 g are not within 15 ml of a scale.
    @Test func aPuckThatWeighsBadlyFails() throws {
        let text = """
            scenario: A puck that weighs badly
            plugin: aquavate
            start: 2026-03-02T09:00:00Z
            steps:
              - do: {set_noise: 50 g}
            """
        let folder = try TemporaryFolder()
        var run = try TwinRun("aquavate", dialect: "shipped")
        run.options.selection.ids = ["accuracy.scale[*"]
        run.options.scenario = try ScenarioLibrary(run.library).scenario(
            try folder.file("noise.yaml", text.utf8), of: run.options.plugin)
        #expect(try run.run().cases.contains { $0.verdict == .fail })
    }

    /// A scenario runs alongside the cases: its steps take effect one after the other, and its expectations of an
    /// absent client fail no case.
    @Test func aScenarioHappensMeanwhile() throws {
        let text = """
            scenario: Half of the battery
            plugin: aquavate
            start: 2026-03-02T09:00:00Z
            steps:
              - {expect: client ready, within: 100 ms}
              - do: {battery: 42 %}
            """
        let folder = try TemporaryFolder()
        var run = try TwinRun("aquavate", dialect: "shipped")
        run.options.selection.ids = ["read.battery_level"]
        run.options.record = folder.path("low.btsnoop")
        run.options.scenario = try ScenarioLibrary(run.library).scenario(
            try folder.file("low.yaml", text.utf8), of: run.options.plugin)
        #expect(try run.run().cases.map(\.verdict) == [.pass])
        let bytes = try folder.bytes("low.btsnoop")
        // A Read Response with 42 %.
        let response: [UInt8] = [0x02, 0x00, 0x04, 0x00, 0x0B, 42]
        #expect(bytes.indices.contains { bytes[$0...].starts(with: response) })
    }

    /// A puck that was in use before the test: with unfetched drinks, one of them deleted, and activity. Cases compare
    /// with the values they find at the start.
    @Test func aTwinWithAHistoryPasses() throws {
        let text = """
            scenario: A puck in use
            plugin: aquavate
            start: 2026-03-02T09:00:00Z
            steps:
              - do: [{history: 24}, {activity: 37}]
            """
        let folder = try TemporaryFolder()
        var run = try TwinRun("aquavate", dialect: "shipped")
        run.options.selection.ids = [
            "sync.*", "sync[records=17,*", "drink*", "activity.*", "command.*", "config.*", "settings*", "calibration*",
            "quirk.*",
        ]
        run.options.scenario = try ScenarioLibrary(run.library).scenario(
            try folder.file("used.yaml", text.utf8), of: run.options.plugin)
        let cases = try run.run().cases
        // Cases about a quirk, and one that names a missing precondition.
        let skipped = ["command.delete_unknown", "quirk.stale_delete_total"]
        let failed = cases.filter { $0.verdict != .pass && !$0.id.hasPrefix("sync.chunk_size") }
        #expect(
            failed.map(\.id) == skipped,
            "\(failed.map { "\($0.id) \($0.verdict): \($0.brokenRules) \($0.findings.first?.contrast ?? "")" })")
    }

    /// The documents promise an accuracy of 5 ml for a calibrated puck, and of 20 % for one with the default scale factor,
    /// which is 16 % off.
    @Test(arguments: [
        ("shipped", "{set_noise: 1.5 g}", "drink[*"), ("prd", "factory_reset", "prd.drink[*"),
        ("shipped", "{set_noise: 1.5 g}", "accuracy.scale[*tolerance=15]"),
        ("prd", "{set_noise: 1.5 g}", "prd.accuracy.*"),
    ])
    func aPuckWithinTheTolerancePasses(dialect: String, change: String, cases: String) throws {
        let text = """
            scenario: A puck that is not exact
            plugin: aquavate
            start: 2026-03-02T09:00:00Z
            steps:
              - do: \(change)
            """
        let folder = try TemporaryFolder()
        var run = try TwinRun("aquavate", dialect: dialect)
        run.options.selection.ids = [cases]
        run.options.scenario = try ScenarioLibrary(run.library).scenario(
            try folder.file("noise.yaml", text.utf8), of: run.options.plugin)
        for seed: UInt64 in 1...3 {
            run.options.run.seed = seed
            let failed = try run.run().cases.filter { $0.verdict != .pass }
            #expect(failed.isEmpty, "\(failed.map { "\($0.id): \($0.findings.first?.contrast ?? "")" })")
        }
    }

    /// The cases that a puck with all quirks fails, with the quirk that each names.
    private static let quirks = [
        "quirk.any_write_is_activity": "Q-20", "quirk.clear_restarts_ids": "Q-11",
        "quirk.deleted_are_counted": "Q-02", "quirk.hidden_completion": "Q-16", "quirk.late_readings": "Q-18",
        "quirk.overlong_chunk": "Q-01", "quirk.query_aborts": "Q-23", "quirk.silent_timer_wake": "Q-08",
        "quirk.sleepless_after_calibration": "Q-22", "quirk.stale_delete_total": "Q-21",
        "quirk.strings_with_nul": "Q-05", "quirk.zeroes_after_boot": "Q-03",
    ]

    @Test func twinWithQuirksFailsExactlyTheirCases() throws {
        let (cases, report, _) = try TwinRun("aquavate", quirks: QuirkSelection(.exact)).run()
        let failed = cases.filter { $0.verdict == .fail }
        #expect(Dictionary(uniqueKeysWithValues: failed.map { ($0.id, $0.quirk ?? "") }) == Self.quirks)
        // Each failing rule names the quirk too.
        let rules = Set(failed.flatMap(\.brokenRules))
        for rule in report.rules where rules.contains(rule.id) { #expect(rule.quirk != nil, "\(rule.id)") }
    }

    @Test func requestsInRandomOrderPass() throws {
        for seed: UInt64 in 1...6 {
            for plugin in ["aquavate", "lifecount"] {
                var run = try TwinRun(plugin, quirks: QuirkSelection(seed.isMultiple(of: 2) ? .exact : .fixed))
                run.options.selection.ids = ["random"]
                run.options.run.seed = seed
                let result = try #require(try run.run().cases.first)
                #expect(result.verdict == .pass, "\(plugin), seed \(seed): \(result.steps ?? []) \(result.brokenRules)")
            }
        }
    }

    @Test func casesDecideRulesThatTrafficCannot() throws {
        var run = try TwinRun("aquavate", quirks: QuirkSelection(.exact))
        run.options.selection.ids = ["power.*", "calibration.awake", "drink*"]
        let report = try run.run().report
        for id in ["AQ-012", "AQ-015", "AQ-105", "AQ-106", "AQ-107", "AQ-108"] {
            let place = try #require(report.rules.firstIndex { $0.id == id }, "\(id)")
            let result = try #require(report.results.first { $0.rule == place })
            #expect(result.verdict == .pass, "\(id): \(result.verdict.name)")
        }
    }

    @Test func coverageNamesWhatWasTriedAndWhatCame() throws {
        var run = try TwinRun("lifecount")
        run.options.selection.tags = ["read", "write"]
        let coverage = try run.run().coverage
        let rows = coverage.csv.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(
            rows.first == [
                "characteristic", "field", "input", "tried", "value", "accepted", "refused", "no response", "lost",
                "errors",
            ])
        let row = { (name: String, field: String, input: String) in
            rows.first { $0.prefix(3) == [name, field, input] } ?? []
        }
        #expect(row("control_point", "", "read refused").dropFirst(3) == ["2", "0", "0", "2", "0", "0", "0x02:2"])
        let reads = row("counter_info", "", "read")
        #expect(reads[3] == reads[4] && reads[6] == "0")
        let lengths = row("control_point", "", "wrong length")
        #expect(Int(lengths[6]) ?? 0 > 0 && lengths[9].contains("0x0d"), "\(lengths)")
        // Each input has one outcome, except for commands, which have none.
        for row in rows.dropFirst() where row[2] != "write command" {
            #expect(row[4...8].compactMap { Int($0) }.reduce(0, +) == Int(row[3]), "\(row)")
        }
        #expect(rows.contains { $0[0] == "control_point" && $0[2] == "field values" && !$0[1].isEmpty })
        #expect(coverage.text.split(separator: "\n").count == rows.count)
    }

    @Test func aRunRepeats() throws {
        var run = try TwinRun("aquavate")
        run.options.selection.ids = ["sync.interrupted[*", "random"]
        let (one, other) = (try run.run().report, try run.run().report)
        #expect(one.frames == other.frames)
        #expect(one.times == other.times)
    }

    /// Failures are replayed unchanged: from their capture, and all those of a report.
    @Test func failuresAreReplayed() throws {
        let folder = try TemporaryFolder()
        var run = try TwinRun("aquavate", dialect: "shipped", quirks: QuirkSelection(.exact))
        run.options.selection.ids = ["quirk.query_aborts", "quirk.zeroes_after_boot", "read.battery_level"]
        run.options.run.seed = 7
        run.options.run.command = "gattbench test peripheral aquavate --transport radio: --dialect shipped"
        run.options.failures = folder.path("failures")
        let report = try run.run().report
        #expect(report.cases.map(\.verdict) == [.pass, .fail, .fail])
        let capture = try ReplayedCases.read(folder.path("failures/quirk.query_aborts.pcapng"))
        let first = try #require(report.cases.first { $0.id == "quirk.query_aborts" })
        var expected = ReplayedCases()
        (expected.ids, expected.seed, expected.dialect) = (["quirk.query_aborts"], 7, "shipped")
        expected.failures = ["quirk.query_aborts": EarlierFailure(first)]
        #expect(capture == expected)
        let file = folder.path("report.json")
        try TextFile.write(JSONReport(report).text(), to: file)
        let replayed = try ReplayedCases.read(file)
        #expect(replayed.ids == report.cases.filter { $0.verdict == .fail }.map(\.id))
        #expect(replayed.failures["quirk.query_aborts"] == EarlierFailure(first))
        // A replay gives the same frames; without the quirk, it passes.
        var again = try TwinRun("aquavate", dialect: capture.dialect, quirks: QuirkSelection(.exact))
        again.options.selection.ids = capture.ids
        again.options.run.seed = capture.seed
        again.options.run.earlier = capture.failures
        let repeated = try #require(try again.run().cases.first)
        #expect(repeated.findings.map(\.contrast) == first.findings.map(\.contrast))
        #expect(CaseLine.text(of: repeated).hasPrefix("STILL FAILING  quirk.query_aborts"))
        again.options.quirks = QuirkSelection(.fixed)
        let mended = try #require(try again.run().cases.first)
        #expect(CaseLine.text(of: mended).hasPrefix("FIXED  quirk.query_aborts"))
    }

    /// A case that fails for another reason no longer has the earlier fault. A case that passes without exercising the
    /// rule that it broke has fixed nothing.
    @Test func replaysCompareTheFailure() throws {
        var run = try TwinRun("aquavate", quirks: QuirkSelection(.exact))
        run.options.selection.ids = ["quirk.query_aborts"]
        run.options.run.earlier = ["quirk.query_aborts": EarlierFailure(expected: ["line 1: another value"])]
        let other = try #require(try run.run().cases.first)
        #expect(CaseLine.text(of: other).hasPrefix("FAILS OTHERWISE  quirk.query_aborts"))
        run.options.quirks = QuirkSelection(.fixed)
        // Current State was exercised, since everything is read at the end; calibration was not.
        for (rule, comparison) in [("AQ-031", CaseResult.Comparison.fixed), ("AQ-091", nil)] {
            run.options.run.earlier = ["quirk.query_aborts": EarlierFailure(rules: [rule])]
            let result = try #require(try run.run().cases.first)
            #expect(result.comparison == comparison, "\(rule): \(result.verdict.reason ?? "")")
            #expect(comparison != nil || result.verdict == .inconclusive("\(rule) did not come up this time"))
        }
    }

    @Test func ctrlCLeavesWhatWasDone() throws {
        let run = try TwinRun("lifecount")
        var cases = 0
        let (report, _) = try run.job { cases >= 3 }.run(hands: NoUpperTester("a test")) { _ in cases += 1 }
        #expect(cases == 3)
        #expect(report.cases.count == 3)
    }

    /// The first characteristic and subscriptions need an encrypted connection. Fields have their maximum width, and
    /// two have ranges outside their type.
    private static let sensor = """
        profile:
          {id: sensor, title: Sensor, version: 1.0.0, format: 1, licence: Apache-2.0, sources: [a test]}
        match: [{name: '^Sensor$', weight: 60}]
        types:
          level: {fields: [{name: level, type: u8}]}
          signed: {fields: [{name: number, type: i64}]}
          negative: {fields: [{name: number, type: u64, range: [-5, -1]}]}
          huge: {fields: [{name: number, type: u64, range: [1e25, 1e30]}]}
        gatt:
          - service: 7C6D0000-5B1E-4F0A-9A37-2F5D8E610C44
            name: sensor
            characteristics:
              - {uuid: 7C6D0001-5B1E-4F0A-9A37-2F5D8E610C44, name: level, properties: [read, notify], value: level,
                 length: 1, security: encrypted}
              - {uuid: 7C6D0002-5B1E-4F0A-9A37-2F5D8E610C44, name: alarm, properties: [read, indicate], value: level,
                 length: 1}
              - {uuid: 7C6D0003-5B1E-4F0A-9A37-2F5D8E610C44, name: signed, properties: [write], value: signed, length: 8}
              - {uuid: 7C6D0004-5B1E-4F0A-9A37-2F5D8E610C44, name: negative, properties: [write], value: negative,
                 length: 8}
              - {uuid: 7C6D0005-5B1E-4F0A-9A37-2F5D8E610C44, name: huge, properties: [write], value: huge, length: 8}
        emulate:
          name: Sensor
          values:
            - {characteristic: level, bytes: 07}
            - {characteristic: alarm, bytes: 00}
        vectors:
          - {id: V-SIGNED, type: signed, hex: 01 00 00 00 00 00 00 00, value: {number: 1}}
          - {id: V-NEGATIVE, type: negative, hex: 01 00 00 00 00 00 00 00, value: {number: 1}}
          - {id: V-HUGE, type: huge, hex: 01 00 00 00 00 00 00 00, value: {number: 1}}
        """

    @Test func theEndsOf64BitsAndRangesBeyondThemAreTried() throws {
        var run = try TwinRun(profile: Self.sensor)
        run.options.selection.ids = ["value.*"]
        let (cases, _, coverage) = try run.run()
        #expect(cases.map(\.id) == ["value.signed.signed", "value.negative.negative", "value.huge.huge"])
        #expect(cases.allSatisfy { $0.verdict == .pass })
        // The vector, and the lowest i64 number, -1, 0 and the highest.
        #expect(coverage.csv.contains("signed,number,field values,4,"), "\(coverage.csv)")
    }

    /// A bonded client's subscriptions outlive the connection, and each connection is encrypted (Vol 3, Part G,
    /// 3.3.3.3).
    @Test func aTwinThatBondsPasses() throws {
        for seed: UInt64 in 1...4 {
            var run = try TwinRun(profile: Self.sensor)
            run.options.selection.ids = seed == 1 ? ["cccd.*", "link.*", "random"] : ["random"]
            run.options.run.seed = seed
            for result in try run.run().cases {
                #expect(result.verdict == .pass, "\(result.id), seed \(seed): \(result.findings.map(\.contrast))")
            }
        }
    }

    @Test func unknownRuleIsRefused() throws {
        var run = try TwinRun("lifecount")
        run.options.run.rules = ["LC-VALEU"]
        #expect {
            try run.job()
        } throws: { error in
            "\(error)".hasPrefix("--rule LC-VALEU: there is no such rule")
        }
        run.options.run.rules = ["LC-001", "CORE-ATT-19"]
        _ = try run.job()
    }

    @Test func unknownCaseIsNamedWithTheNearest() throws {
        var run = try TwinRun("lifecount")
        run.options.selection.ids = ["read.counter_inf"]
        #expect(throws: TwinFault("--case read.counter_inf: there is no such case; did you mean read.counter_info?")) {
            try run.job()
        }
    }
}
