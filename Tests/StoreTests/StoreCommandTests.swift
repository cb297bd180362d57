import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// The store commands on the command line.
@Suite(.enabled(if: BuiltPrograms.areThere, "gattbench is not built"))
struct StoreCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func run(_ command: String, path: String = BuiltPrograms.folder) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ["PATH": "\(path):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
    }

    /// Reading a store with a mistyped name does not create it.
    @Test(arguments: [
        "hydration report", "activity", "lifecount status", "lifecount report", "battery plot health", "store info",
    ])
    func whoOnlyReadsMakesNoStore(_ command: String) throws {
        let result = try run("gattbench \(command) --store typo.sqlite")
        #expect(result.output.contains("typo.sqlite: there is no store yet"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("typo.sqlite")))
        #expect(try run("gattbench lifecount add +1 --store new.sqlite").status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("new.sqlite")))
    }

    /// Commands that only read leave the file and its folder as they are.
    @Test(arguments: [
        "hydration report", "activity", "lifecount status", "lifecount report", "battery plot health",
        "battery export --samples", "store info", "store export --to ndjson",
        "battery estimate charge.csv --capacity 3274",
    ])
    func whoOnlyReadsChangesNothing(_ command: String) throws {
        try folder.file("charge.csv", "time,level\n0,0.5\n180,0.51\n".utf8)
        try #require(try run("mkdir kept && \(Self.day) --store kept/s.sqlite").status == 0)
        try #require(try run("gattbench lifecount add +1 --store kept/s.sqlite").status == 0)
        // Names, sizes, and times of change.
        let list = "stat -c '%n %s %y' kept/* && cksum kept/*"
        let before = try run(list).output
        #expect(before.contains("kept/s.sqlite ") && !before.contains("-wal"))
        let result = try run("gattbench \(command) --store kept/s.sqlite")
        #expect(![2, 3].contains(result.status), "\(result.output)")
        #expect(try run(list).output == before)
    }

    /// Six programs create the store and add entries concurrently: each entry gets a unique sequence number.
    @Test func commandsThatAddAtTheSameTimeLoseNothing() throws {
        let add = "gattbench lifecount add +1 --now 2026-03-02T12:00:00Z"
        let added = try run("seq 6 | xargs -P 6 -I '{}' \(add)").output
        #expect(added == String(repeating: "1 entry added\n", count: 6))
        let report = try run("gattbench lifecount report --now 2026-03-02T12:30:00Z --json").output
        #expect(report.contains("\"in\": 6,"), "\(report)")
    }

    private static let day = "gattbench sync aquavate --transport radio: --scenario normal-day --record day.btsnoop"

    /// Reads exported tables: with pandas if installed, otherwise with plain Python.
    private static let reader = """
        import csv, json, sys
        try:
            import pandas
            frame = pandas.read_csv("tables/aquavate_drinks.csv")
            lines = pandas.read_json("all.ndjson", lines=True)
            print(len(frame), int(frame.amount_ml.sum()), int((lines.table == "aquavate_drinks").sum()))
        except ImportError:
            rows = list(csv.DictReader(open("tables/aquavate_drinks.csv", newline="")))
            lines = [json.loads(line) for line in open("all.ndjson")]
            print(len(rows), sum(int(row["amount_ml"]) for row in rows),
                  sum(line["table"] == "aquavate_drinks" for line in lines))
        """

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "there is no Python"))
    func everyExportIsReadByOthers() throws {
        #expect(try run(Self.day).status == 0)
        try run("gattbench store export --to csv -o tables; gattbench store export --to ndjson -o all.ndjson")
        try folder.file("read.py", Self.reader.utf8)
        #expect(try run("python3 read.py").output == "7 890 7\n")
        let tables = try FileManager.default.contentsOfDirectory(atPath: folder.path("tables"))
        let expected =
            ["peers", "sessions", "connections", "journal", "gatt_tables"]
            + BuiltInPlugins.all.flatMap { $0.tables?.names ?? [] }
        #expect(tables.sorted() == expected.map { "\($0).csv" }.sorted())
        let sizes = try run(
            "for f in tables/*.csv; do python3 -c \"import csv; list(csv.reader(open('$f')))\" || echo bad; done")
        #expect(sizes.output == "")
    }

    /// Without pandas, the test is skipped with a hint instead of passing.
    @Test(.enabled(if: hasPandas, "pandas is not installed; Python's csv and json read the exports"))
    func pandasReadsTimesAsNumbers() throws {
        try run(Self.day + "; gattbench store export --to ndjson --table journal -o j.ndjson")
        let types = try run(
            "python3 -c \"import pandas; print(pandas.read_json('j.ndjson', lines=True).committed_at.dtype)\"")
        #expect(types.output == "int64\n")
    }

    /// What an export has lost nothing of is a store again.
    @Test func anExportIsAStoreAgain() throws {
        try #require(try run("\(Self.day) --store a.sqlite").status == 0)
        let export = "gattbench store export --to ndjson --store"
        try run("\(export) a.sqlite >all.ndjson; gattbench store export --to csv --store a.sqlite -o tables")
        #expect(try run("gattbench store import all.ndjson --store b.sqlite").output == "b.sqlite: 31 new rows\n")
        #expect(try run("\(export) b.sqlite | cmp - all.ndjson").output == "")
        #expect(try run("gattbench store import tables --store c.sqlite").output == "c.sqlite: 31 new rows\n")
        let compare = "gattbench store export --to csv --store c.sqlite -o again && diff -r tables again"
        #expect(try run(compare).output == "")
        let merge = "gattbench store merge a.sqlite b.sqlite -o d.sqlite"
        #expect(
            try run(merge).output == "d.sqlite: all of a.sqlite; of b.sqlite 0 new rows, 31 there already\n")
        #expect(try run("\(export) d.sqlite | cmp - all.ndjson").output == "")
        let same = try run("gattbench store merge a.sqlite b.sqlite -o a.sqlite")
        #expect(same.status != 0 && same.output.contains("a.sqlite is the file that is read"), "\(same.output)")
    }

    private static let hasPandas: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import pandas"]
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test func theAnalyzerSaysWhatItLacks() throws {
        try FileManager.default.copyItem(atPath: "\(BuiltPrograms.folder)/gattbench", toPath: folder.path("gattbench"))
        let (status, output) = try run("./gattbench web --no-open", path: "/usr/bin")
        #expect(status == 3)
        #expect(output.contains("not in the analyzer: install the full program, or build gattbench-full beside"))
    }

    @Test func exportedTextsAreNoFormulasIfThatIsAsked() throws {
        try run("gattbench sync aquavate --transport radio: --store s.sqlite >/dev/null")
        let rename = """
            import sqlite3; c = sqlite3.connect('s.sqlite'); c.execute('UPDATE peers SET name = ?', ('=1+2',)); c.commit()
            """
        #expect(try run("python3 -c \"\(rename)\"").output == "")
        let export = "gattbench store export --to csv --table peers --store s.sqlite"
        #expect(try run(export).output.contains(",=1+2,"))
        #expect(try run("\(export) --apostrophe").output.contains(",'=1+2,"))
        #expect(try run("gattbench store export --to ndjson --apostrophe --store s.sqlite").status == 2)
    }

    /// SQLite treats some names specially, not as files.
    @Test func aStoreOfAnyNameIsAFile() throws {
        #expect(try run("gattbench lifecount add +1 --store :memory:").status == 0)
        let (status, output) = try run("gattbench store export --store :memory: --table lifecount_entries --to csv")
        #expect(status == 0)
        #expect(output.split(whereSeparator: \.isNewline).count == 2, "\(output)")
    }

    @Test func severalProgramsMakeAndUseOneStore() throws {
        let sync = "gattbench sync aquavate --transport radio: --store shared.sqlite --address 24:0a:c4:00:00:0{}"
        let command = "seq 4 | xargs -P 4 -I {} sh -c '\(sync) >/dev/null || echo failed'"
        #expect(try run(command).output == "")
        #expect(try run("gattbench store export --to csv --table peers --store shared.sqlite | wc -l").output == "5\n")
    }

    /// A report reads the entries that the adding commands have stored.
    @Test func whatIsSimulatedIsReported() throws {
        let end = "--now 2026-03-02T12:00:00Z --store counts.sqlite"
        #expect(try run("gattbench lifecount simulate --location 7 --rate 20 \(end)").output.hasSuffix(" inside\n"))
        #expect(try run("gattbench lifecount add +2 --location 7 \(end)").output == "2 entries added\n")
        try run("gattbench lifecount add +1 --location 8 \(end)")
        let report = "gattbench lifecount report --time-zone UTC --boundary-hour 8 --json --location 7 \(end)"
        let output = try run(report).output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let rows =
            "gattbench store export --to csv --table lifecount_entries --store counts.sqlite | grep -c '^[0-9]*,7,'"
        let totals = try #require(object["totals"] as? [String: Any])
        let passed = try #require(totals["in"] as? Int) + (try #require(totals["out"] as? Int))
        #expect(try run(rows).output == "\(passed)\n")
        #expect((object["quality"] as? [String: Any])?["manual"] as? Int == 2)
        #expect((object["quality"] as? [String: Any])?["simulated"] as? Int == passed - 2)
    }

    /// The gateway's events and the report name the same gap and the same reset.
    @Test func aResetWithoutAClockIsReportedAsByTheGateway() throws {
        let scenario = """
            scenario: A counter that loses its clock and its number
            plugin: lifecount
            start: 2026-03-02T13:00:00Z
            steps:
              - {do: {client: connect}, expect: client ready}
              - do: [click_in, click_in, click_in, click_in, lose_clock, click_in, {time_passes: 10 s}]
              - do: [{next_number: 100}, click_in, {time_passes: 10 s}]
              - do: [{next_number: 2}, click_in, {time_passes: 10 s}]
            """
        try folder.file("door.yaml", scenario.utf8)
        let gateway = "gattbench gateway lifecount --transport radio: --scenario door.yaml --store counts.sqlite"
        let events = try run(gateway).output
        #expect(events.contains(#"events_missing  {"count":95,"from":5}"#), "\(events)")
        #expect(events.contains(#"sequence_reset  {"confirmed":false}"#), "\(events)")
        let report = "gattbench lifecount report --time-zone UTC --now 2026-03-02T14:00:00Z --store counts.sqlite"
        let quality = try run(report).output
        #expect(quality.contains("events missing (gaps in the sequence numbers): 95\n"), "\(quality)")
        #expect(quality.contains("sequence resets (a counter has started anew): 1\n"), "\(quality)")
    }

    /// The scenario connects; the counter keeps the location set by the task, even after its heartbeats.
    @Test func aGatewaysTaskIsDoneInAScenario() throws {
        let gateway = "gattbench gateway lifecount --transport radio: --scenario busy-hour --store counts.sqlite"
        #expect(try run("\(gateway) --task set_location=7").status == 0)
        let counters = "gattbench store export --to ndjson --table lifecount_counters --store counts.sqlite"
        #expect(try run(counters).output.contains(#""location_id":7,"#))
    }

    /// Each counter gets its own location; others keep theirs.
    @Test func countersHaveLocationsOfTheirOwn() throws {
        let gateway = "gattbench gateway lifecount --transport radio: --scenario busy-hour --store counts.sqlite"
        let output = try run("\(gateway) --devices 3 --location 02:42:00:00:00:01=1 --location 02:42:00:00:02:01=2")
        #expect(output.status == 0, "\(output.output)")
        let counters = "gattbench store export --to csv --table lifecount_counters --store counts.sqlite"
        let rows = try run(counters).output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        let column = try #require(rows.first?.firstIndex(of: "location_id"))
        #expect(rows.dropFirst().map { $0[column] }.sorted() == ["0", "1", "2"])
        // Location 0 has the events of the third counter alone.
        let report = try run("gattbench lifecount status --now 2026-03-02T12:00:00Z --store counts.sqlite").output
        #expect(
            report.matches(of: #/Location \d/#).map { String($0.output) } == ["Location 0", "Location 1", "Location 2"])
    }

    @Test(arguments: [
        ("lifecount", "02:42:00:00:00:01", "expected an address and a location from 1 to 65535"),
        ("lifecount", "02:42:00:00:00:01=0", "expected an address and a location from 1 to 65535"),
        ("lifecount", "door=7", "--location door: expected an address"),
        (
            "lifecount", "02:42:00:00:00:01=7 --location 02:42:00:00:00:01=8",
            "there are two locations for 02:42:00:00:00:01"
        ),
    ])
    func whatIsNoLocationIsRefused(plugin: String, location: String, message: String) throws {
        let gateway = "gattbench gateway \(plugin) --transport radio: --duration 1s --store counts.sqlite"
        let output = try run("\(gateway) --location \(location)")
        #expect(output.status == 2 && output.output.contains(message), "\(output.output)")
    }

    @Test func coloursAreForTerminals() throws {
        let options = "--store c.sqlite --now 2026-03-02T13:00:00Z"
        try run("gattbench lifecount locations --location 0 --capacity 1 --store c.sqlite")
        try run("gattbench lifecount add +1 \(options)")
        let status = "gattbench lifecount status --time-zone UTC \(options)"
        #expect(try run(status).output.hasPrefix("Location 0: 1 inside of 1, 100 %, 0 free: full\n"))
        #expect(try run("\(status) --color always").output.contains("free: \u{1B}[31mfull\u{1B}[0m\n"))
        #expect(try !run("NO_COLOR=1 \(status)").output.contains("\u{1B}"))
        // Names are escaped, colored or not.
        try run("gattbench lifecount locations --location 0 --name \"$(printf 'A\\033[2J')\" --store c.sqlite")
        for color in ["always", "never"] {
            let output = try run("\(status) --color \(color)").output
            #expect(output.contains("A\\u{1B}[2J") && !output.contains("\u{1B}[2J"), "\(output)")
        }
    }

    @Test func whoStopsReadingIsNoFault() throws {
        try run(Self.day)
        let command = "bash -c 'gattbench store export --to ndjson | true; echo ${PIPESTATUS[0]}'"
        #expect(try run(command).output == "0\n")
    }

    @Test func deletingAsksOrIsRefused() throws {
        try run(Self.day)
        let refused = try run("gattbench store delete --all")
        #expect(refused.status == 2)
        #expect(refused.output.contains("Delete 1 device (Aquavate-A3F2)"))
        #expect(try run("gattbench store delete --device nobody --yes").status == 3)
        #expect(try run("gattbench store delete").status == 2)
        #expect(try run("gattbench store delete --all --yes").output == "gattbench: 1 device deleted\n")
        #expect(try run("grep -c A3F2 .local/share/gattbench/store.sqlite").output == "0\n")
    }

    @Test(arguments: [
        ("sync standard --transport radio:", 2, "standard has no tables"),
        ("gateway batterytrace --transport radio: --duration 1min", 2, "a command of its own"),
        ("battery monitor --capacity 3000", 2, "--transport SPEC"),
        ("battery monitor --transport radio:", 2, "capacity is needed"),
        ("battery monitor --transport radio: --capacity 3000", 2, "--duration or --scenario"),
        ("battery monitor --transport tcp-client:_:1 --capacity 3000", 2, "--address or --name"),
        ("battery plot wear", 2, "expected one of health, cycles, degradation, session"),
        ("battery plot health -o health.svg", 4, "no snapshot with health is kept yet"),
        ("battery plot session --session 7", 2, "there is no session 7"),
        ("sync lifecount --transport radio:", 2, "gattbench gateway lifecount"),
        ("gateway aquavate --transport radio:", 2, "--duration or --scenario"),
        ("gateway lifecount --transport radio:", 2, "--duration or --scenario"),
        ("sync aquavate --transport radio: --task tar", 2, "did you mean tare?"),
        ("sync aquavate --transport tcp-client:_:1 --scenario normal-day", 2, "about the twin on radio:"),
        ("sync aquavate --transport radio: --store nowhere/x", 3, "name a file that is yours with --store"),
        ("store info --store ''", 3, "\"\": there is no store yet"),
        ("store info --store /proc/version", 3, "/proc/version: "), ("store info --store /dev/null", 3, "not a store"),
        ("store export --to csv", 2, "CSV is one table a file"),
        ("store export --to ndjson --time-zone UTC", 2, "--time-zone goes with --to csv"),
        ("store export --to csv --table peers --time-zone Mars", 2, "there is no such zone"),
        ("store import missing.ndjson", 3, "missing.ndjson: there is no such file"),
        ("store merge missing.sqlite other.sqlite -o both.sqlite", 3, "missing.sqlite: there is no store yet"),
        ("store export --to csv --table drinks", 2, "there is no table drinks; tables are peers"),
        ("store export --to csv --table aquavate_drink", 2, "no table aquavate_drink; did you mean aquavate_drinks?"),
        ("activity", 4, "No bottle was synced yet"), ("activity foo", 2, "Unexpected argument 'foo'"),
        ("hydration report --time-zone Nowhere", 2, "there is no such zone"),
        ("hydration report --json --csv", 2, "say one of --json, --csv and --html"),
        ("hydration report --capture missing", 3, "missing"), ("hydration export --to fhir", 2, "expected healthkit"),
    ])
    func whatIsWrongIsSaid(command: String, status: Int32, text: String) throws {
        #expect(try run("gattbench lifecount add +1").status == 0)
        let result = try run("gattbench \(command)")
        #expect(result.status == status)
        #expect(result.output.contains(text), "\(result.output)")
    }
}
