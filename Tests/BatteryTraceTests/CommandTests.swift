import Bluetooth
import Bytes
import PluginKit
import Profile
import Testing

@testable import BatteryTrace

/// The plugin's commands: output and store changes.
@Suite struct CommandTests {
    private func run(
        _ name: String, _ values: [String: CommandInput.Value] = [:], rows: [String: [Record]] = [:],
        settings: String? = nil
    ) throws(CommandError) -> CommandOutput {
        let command = BatteryTrace.commands[0].commands.first { $0.name == name }
        guard let command else {
            Issue.record("there is no command \(name)")
            return CommandOutput()
        }
        var input = CommandInput(values: values, now: noon)
        input.rows = rows
        for name in command.settingsFiles {
            input.settings[name] = KeptFile(path: "/settings/\(name)", bytes: settings.map { Array($0.utf8) })
        }
        return try command.run(input)
    }

    private func error(
        _ name: String, _ values: [String: CommandInput.Value] = [:], rows: [String: [Record]] = [:],
        settings: String? = nil
    ) -> CommandError? {
        do throws(CommandError) {
            _ = try run(name, values, rows: rows, settings: settings)
            return nil
        } catch {
            return error
        }
    }

    private func file(_ csv: String) -> CommandInput.Value {
        .content(InputContent(name: "charge.csv", content: .bytes(Array(csv.utf8))))
    }

    private let worked = "time,level\n1772366400,0.50\n1772366580,0.51\n"

    @Test func theWorkedValueIsPrinted() throws {
        let output = try run("estimate", ["file": file(worked), "capacity": .number(3274)])
        #expect(output.outcome == .done)
        #expect(
            output.text == """
                Battery: 3274 mAh (as given), 3.82 V; window 90 s

                2 samples from 2026-03-01T12:00:00Z to 2026-03-01T12:03:00Z, 50 % to 51 %
                  Session 1 from 2026-03-01T12:00:00Z and goes on: 1 % in 3 min 0 s
                    average power     2.501 W, 654.8 mA (estimated)
                    peak power        2.501 W (estimated)
                    charger           slow (inferred)
                    time to full      2 h 27 min 0 s (estimated)

                """)
        let json = try run("estimate", ["file": file(worked), "capacity": .number(3274), "json": .flag])
        #expect(json.text.contains("\"estimated\": true") && json.text.contains("\"avg_w\": 2.501"))
    }

    @Test func theModelTellsTheCapacityAndTheUsersFileWins() throws {
        let model: [String: CommandInput.Value] = ["file": file(worked), "model": .text("iPhone 15 Pro")]
        #expect(try run("estimate", model).text.contains("3274 mAh (iPhone 15 Pro; "))
        let mine = #"{"iPhone16,1": {"name": "iPhone 15 Pro", "capacity_mAh": 3000, "source": "worn"}}"#
        #expect(try run("estimate", model, settings: mine).text.contains("3000 mAh (iPhone 15 Pro; worn)"))
        #expect(try run("models", settings: mine).text.contains("3000 mAh  worn"))
        #expect(
            error("estimate", ["file": file(worked), "model": .text("iPhone 15 Por")])
                == .usage(
                    "--model \"iPhone 15 Por\" is not in the catalogue (did you mean iPhone 15 Pro, iPhone 11 Pro, iPhone 12 Pro?); "
                        + "say --capacity, or add the model to /settings/batteries.json"))
        #expect(
            error("estimate", model, settings: "{")
                == .unreadable("/settings/batteries.json: line 1, column 2: expected a member's name in quotes"))
    }

    @Test func whatCannotBeEstimatedIsSaid() throws {
        guard case .usage = error("estimate", ["file": file(worked)]) else {
            Issue.record("no capacity was asked for")
            return
        }
        #expect(
            error("estimate", ["file": file("a,b\n"), "capacity": .number(1000)])
                == .unreadable("charge.csv: line 1: \"a\" is no time; write 2026-03-01T12:00:00Z or Unix seconds"))
        let flat = try run("estimate", ["file": file("0,0.5\n60,0.5\n120,-1\n"), "capacity": .number(1000)])
        #expect(flat.outcome == .inconclusive)
        #expect(flat.text.contains("no charging was seen"))
        #expect(
            flat.notes == ["left out: line 3: level -1 is not from 0 to 1, which a phone's simulator reports"])
        let none = CommandInput.Value.content(InputContent(name: "a.btsnoop", content: .values([])))
        let nothing = try run("estimate", ["file": none, "capacity": .number(1000)])
        #expect(nothing.outcome == .inconclusive)
        #expect(nothing.text.contains("No Battery Level was seen."))
    }

    @Test func peersAreEstimatedByThemselves() throws {
        let values = (0..<8).map { index in
            ObservedValue(
                time: time(120 * Double(index / 2)), frame: index + 1,
                peer: .init(index: index % 2, title: index % 2 == 0 ? "Phone" : "Puck"), type: 0x2A19, handle: 8,
                operation: .notify, value: [UInt8(50 + index / 2 * (index % 2 == 0 ? 1 : 2))])
        }
        let input = CommandInput.Value.content(InputContent(name: "a.btsnoop", content: .values(values)))
        let text = try run("estimate", ["file": input, "capacity": .number(1000)]).text
        // 1 % in 120 s of 1000 mAh is 300 mA, 1.146 W; the puck charges twice as fast.
        #expect(text.contains("Phone: 4 samples") && text.contains("1.146 W, 300 mA"))
        #expect(text.contains("Puck: 4 samples") && text.contains("2.292 W, 600 mA"))
    }

    @Test func aKnownPowerTellsTheCapacity() throws {
        let rows = (0...30).map { "\(60 * $0),\(Double(40 + $0) / 100)\n" }.joined()
        let values: [String: CommandInput.Value] = ["file": file(rows), "capacity": .number(3274)]
        // 30 % in 30 min with 10 W: 10 W / 3.82 V / 2 / 0.3.
        let text = try run("estimate", values.merging(["calibrate": .number(10)]) { $1 }).text
        #expect(text.contains("capacity          4363 mAh (estimated)"))
        let short = try run("estimate", ["file": file(worked), "capacity": .number(1), "calibrate": .number(1)]).text
        #expect(short.contains("no capacity can be told: the level rose by 1 %; 20 % are needed"))
    }

    /// 20 % in 20 min are just enough, counting the sample at which the charge ends.
    @Test func aChargeThatHasEndedTellsTheCapacity() throws {
        let rows = (0...20).map { "\(60 * $0),\(Double(40 + $0) / 100),charging\n" }.joined()
        let values: [String: CommandInput.Value] = [
            "file": file(rows + "1210,0.60,unplugged\n"), "capacity": .number(3274), "calibrate": .number(10),
        ]
        #expect(try run("estimate", values).text.contains("capacity          4363 mAh (estimated)"))
    }

    // MARK: - Stored sessions

    private let unplugged = "0,0.50,charging\n180,0.51,charging\n190,0.51,unplugged\n"

    /// Rows as the store returns them, with their row numbers.
    private func numbered(_ rows: [Record]) -> [Record] {
        rows.enumerated().map { index, row in
            var row = row
            row.fields.append((name: "id", value: .integer(Int64(index + 1))))
            return row
        }
    }

    private func added(_ output: CommandOutput, to table: String) -> [Record] {
        output.storeChanges.flatMap { change -> [Record] in
            if case .add(let rows, table) = change { rows } else { [] }
        }
    }

    @Test func sessionsAreKeptOnceWithTheirSamples() throws {
        let values: [String: CommandInput.Value] = [
            "file": file(unplugged), "capacity": .number(3274), "save": .flag, "charger": .text("20W PD"),
        ]
        let output = try run("estimate", values)
        let sessions = numbered(added(output, to: BatteryTables.sessions))
        let samples = numbered(added(output, to: BatteryTables.samples))
        #expect(output.notes == ["1 session kept"])
        let rows = [BatteryTables.sessions: sessions, BatteryTables.samples: samples]
        #expect(
            try run("export", ["sessions": .flag], rows: rows).text == """
                id,start,end,avg_w,peak_w,delta_pct,duration_s,eta_s,model,charger,notes,inferred_charger,zone,device\r
                1,1970-01-01T00:00:00.000,1970-01-01T00:03:00.000,2.501,2.501,1,180,,,20W PD,,slow,UTC,\r

                """)
        #expect(
            try run("export", ["samples": .flag], rows: rows).text == """
                time,level,state,current_ma,power_w,smoothed_w,eta_s,zone,device\r
                1970-01-01T00:00:00.000,0.5,charging,,,,,UTC,\r
                1970-01-01T00:03:00.000,0.51,charging,654.8,2.501,2.501,8820,UTC,\r

                """)
        let again = try run("estimate", values, rows: rows)
        #expect(again.storeChanges.isEmpty)
        #expect(again.notes == ["the session of 1970-01-01T00:00:00Z is kept already", "0 sessions kept"])
    }

    /// An open session is stored, and the next table continues it.
    @Test func aSessionThatLastsIsKept() throws {
        let values: [String: CommandInput.Value] = ["file": file(worked), "capacity": .number(3274), "save": .flag]
        let first = try run("estimate", values)
        let sessions = numbered(added(first, to: BatteryTables.sessions))
        #expect(sessions.map { $0["end_ns"] } == [.absent])
        let more = worked + "1772366760,0.52\n1772366800,0.51\n"
        let second = try run(
            "estimate", values.merging(["file": file(more)]) { $1 }, rows: [BatteryTables.sessions: sessions])
        guard case .update(1, let row, BatteryTables.sessions)? = second.storeChanges.first else {
            Issue.record("the session was not continued: \(second.storeChanges)")
            return
        }
        #expect(row.integer("end_ns") == 1_772_366_760_000_000_000)
        #expect(added(second, to: BatteryTables.samples).map { $0.real("level") } == [0.52])
    }

    /// Labels set by `battery label` stay unless the user overrides them.
    @Test func aSessionThatGoesOnKeepsItsLabels() throws {
        var kept = ChargeSession(id: 0, start: noon, risenPercent: 1, duration: 180)
        (kept.model, kept.charger, kept.notes) = ("iPhone16,1", "MagSafe 15W", "in its case")
        let values: [String: CommandInput.Value] = [
            "file": file(worked + "1772366760,0.52\n"), "capacity": .number(3274), "save": .flag,
            "notes": .text("cold"),
        ]
        let output = try run("estimate", values, rows: [BatteryTables.sessions: numbered([kept.row])])
        guard case .update(1, let row, BatteryTables.sessions)? = output.storeChanges.first else {
            Issue.record("the session was not continued: \(output.storeChanges)")
            return
        }
        #expect(["model", "charger", "notes"].map { row.text($0) } == ["iPhone16,1", "MagSafe 15W", "cold"])
    }

    /// As a binary fraction, 512.002 s is a little less than 512,002,000,000 ns.
    @Test func theLastSampleIsKeptOnce() throws {
        let part = "0,0.50\n360,0.51\n512.002,0.52\n"
        let values: [String: CommandInput.Value] = ["file": file(part), "capacity": .number(3274), "save": .flag]
        let first = try run("estimate", values)
        let rows = [
            BatteryTables.sessions: numbered(added(first, to: BatteryTables.sessions)),
            BatteryTables.samples: numbered(added(first, to: BatteryTables.samples)),
        ]
        let plot = try run("plot", ["what": .text("session"), "to": .text("csv")], rows: rows).text
        #expect(plot.contains("\r\n1970-01-01T00:08:32.002,0.52,"))
        let whole = values.merging(["file": file(part + "700,0.53\n")]) { $1 }
        let second = try run("estimate", whole, rows: rows)
        #expect(added(second, to: BatteryTables.samples).map { $0.real("level") } == [0.53])
    }

    /// Two phones of one capture charge at the same time.
    @Test func aPlotHasTheSamplesOfItsSession() throws {
        let values = (0..<8).map { index in
            ObservedValue(
                time: time(60 * Double(index)), frame: index + 1,
                peer: .init(index: index % 2, title: index % 2 == 0 ? "Phone" : "Tablet"), type: 0x2A19, handle: 8,
                operation: .notify, value: [UInt8(index % 2 == 0 ? 70 : 30) + UInt8(index / 2)])
        }
        let capture = CommandInput.Value.content(InputContent(name: "a.btsnoop", content: .values(values)))
        let output = try run("estimate", ["file": capture, "capacity": .number(3274), "save": .flag])
        let rows = [
            BatteryTables.sessions: numbered(added(output, to: BatteryTables.sessions)),
            BatteryTables.samples: numbered(added(output, to: BatteryTables.samples)),
        ]
        for (session, levels) in [(1.0, ["0.7", "0.71", "0.72", "0.73"]), (2, ["0.3", "0.31", "0.32", "0.33"])] {
            let plot: [String: CommandInput.Value] = [
                "what": .text("session"), "session": .number(session), "to": .text("csv"),
            ]
            let lines = try run("plot", plot, rows: rows).text.split(separator: "\r\n").dropFirst()
            #expect(lines.map { String($0.split(separator: ",")[1]) } == levels)
        }
    }

    @Test func eachSampleIsPrintedWithItsEstimate() throws {
        let csv = try run("estimate", ["file": file(worked), "capacity": .number(3274), "csv": .flag]).text
        #expect(
            csv.split(separator: "\r\n").last == "2026-03-01T12:03:00.000,0.51,charging,654.8,2.501,2.501,8820,UTC,")
    }

    @Test func voltageAndSmoothingAreTheUsers() throws {
        let values: [String: CommandInput.Value] = ["file": file(worked), "capacity": .number(3274)]
        // 654.8 mA at 7.4 V.
        #expect(try run("estimate", values.merging(["voltage": .number(7.4)]) { $1 }).text.contains("4.846 W"))
        let mine = #"{"Puck": {"capacity_mAh": 3274, "voltage_V": 3.7}}"#
        let puck = try run("estimate", ["file": file(worked), "model": .text("Puck")], settings: mine).text
        #expect(puck.contains("3.7 V") && puck.contains("2.423 W"))
        let steps = "0,0.50\n100,0.51\n200,0.53\n300,0.56\n"
        let peaks = try [1.0, 3].map { samples in
            try run(
                "estimate",
                ["file": file(steps), "capacity": .number(1000), "smoothing": .number(samples), "json": .flag]
            ).text
        }
        // The first step is left out: 720 and 1080 mA. N = 1 does not average; N = 3 weighs each half.
        #expect(peaks[0].contains("\"peak_w\": 4.126") && peaks[1].contains("\"peak_w\": 3.438"))
    }

    private let url = "batterytrace://ingest?cycles=123&health=0.94"
    private var kept: [String: [Record]] {
        let snapshot = BatterySnapshot(id: 1, date: time(-30), battery: BatteryHealth(cycles: 123, health: 0.94))
        return [BatteryTables.snapshots: numbered([snapshot.row])]
    }

    @Test func aSnapshotIsKept() throws {
        let output = try run("ingest", ["url": .text(url)])
        #expect(
            added(output, to: BatteryTables.snapshots) == [
                [
                    "date_ns": .integer(noon.nanoseconds), "cycles": .integer(123), "health": .real(0.94),
                    "first_use": .absent, "mfg_date": .absent,
                ]
            ])
        #expect(output.text == "Kept as snapshot 1.\n  123 cycles, health 94 %\n")
        let repeated = try run("ingest", ["url": .text(url)], rows: kept)
        #expect(repeated.storeChanges.isEmpty)
        #expect(repeated.text.hasPrefix("Known already as snapshot 1"))
        let table = "id,date,cycles,health,first_use,mfg_date,zone\r\n1,2026-03-01T11:59:30.000,123,0.94,,,UTC\r\n"
        #expect(try run("export", ["snapshots": .flag], rows: kept).text == table)
    }

    @Test func aNewBatteryHasMoreThanItsNominalCapacity() throws {
        let full = BatterySnapshot(id: 1, date: time(-86_400), battery: BatteryHealth(cycles: 1, health: 1))
        let output = try run(
            "ingest", ["url": .text("batterytrace://ingest?cycles=2&health=1.01")],
            rows: [BatteryTables.snapshots: numbered([full.row])])
        #expect(output.text == "Kept as snapshot 2.\n  2 cycles, health 101 %\n" && output.notes.isEmpty)
        let rows = [BatteryTables.snapshots: numbered(added(output, to: BatteryTables.snapshots))]
        let plot: [String: CommandInput.Value] = ["what": .text("degradation"), "to": .text("csv")]
        #expect(try run("plot", plot, rows: rows).text.hasSuffix("\r\nmeasured,2026-03-01T12:00:00.000,2,101,,UTC\r\n"))
    }

    @Test func aDryRunKeepsNothing() throws {
        let output = try run(
            "ingest", ["url": .text("batterytrace://ingest?cycles=100&first_use=&mfg="), "dry-run": .flag],
            rows: kept)
        #expect(output.storeChanges.isEmpty)
        #expect(output.text == "Valid; it would be snapshot 2. Nothing is kept (dry run).\n  100 cycles\n")
        #expect(output.notes == ["warning: BT-006: expected 123 cycles or more, as in snapshot 1; found 100"])
        let json = try run("ingest", ["url": .text(url), "dry-run": .flag, "json": .flag]).text
        #expect(json.contains("\"stored\": false") && json.contains("\"cycles\": 123"))
    }

    @Test func theShortcutsCallAndItsAnswer() throws {
        let call =
            "shortcuts://x-callback-url/run-shortcut?name=Battery%20Cycles&x-success=batterytrace://ingest-ready\n"
        #expect(try run("shortcut").text == call)
        #expect(try run("shortcut", ["name": .text("Other")]).text.contains("name=Other&"))
        let output = try run("ingest", ["url": .text("batterytrace://ingest-ready")])
        #expect(output.outcome == .done && output.storeChanges.isEmpty)
        #expect(output.text.hasPrefix("The Shortcut has run."))
    }

    @Test func aWrongURLChangesNothing() throws {
        let output = try run("ingest", ["url": .text("batterytrace://ingest?cycles=x&health=0")])
        #expect(output.outcome == .findings)
        #expect(output.storeChanges.isEmpty)
        #expect(
            output.text == """
                Refused, nothing is kept (BT-005):
                  cycles: expected an integer from 0 to 10000; found "x"
                  health: expected a decimal above 0 to 1.1, or a percentage up to 110, below 10 with its sign: \
                0.94, 94% or 94; found "0"

                """)
    }

    @Test func aTableFillsInThePast() throws {
        let table = "Date,Health,Cycles,Site\n2026-02-01,95%,90,x\n2026-01-01,96,80,\n2026-03-01T11:59:30Z,0.94,123,\n"
        let values: [String: CommandInput.Value] = ["file": file(table)]
        let output = try run("import", values, rows: kept)
        #expect(output.text == "2 snapshots kept, 1 kept already\n")
        #expect(output.notes == ["columns passed over: \"Site\""])
        #expect(added(output, to: BatteryTables.snapshots).map { $0.real("health") } == [0.96, 0.95])
        let german = "Date;Cycles;Health\n2026-02-01;90;0,95\n2026-01-01;80;\"96,5%\"\n"
        let others = try run("import", ["file": file(german)])
        #expect(added(others, to: BatteryTables.snapshots).map { $0.real("health") } == [0.965, 0.95])
        #expect(
            error("import", ["file": file("date,cycles\n2026-02-01,9x\n")])
                == .unreadable("charge.csv: line 2: cycles: expected an integer from 0 to 10000; found \"9x\""))
    }

    @Test func aSessionIsLabelledLater() throws {
        let rows = [
            BatteryTables.sessions: numbered([ChargeSession(id: 0, start: noon, risenPercent: 1, duration: 9).row])
        ]
        let output = try run("label", ["session": .number(1), "charger": .text("MagSafe 15W")], rows: rows)
        #expect(output.storeChanges == [.update(1, ["charger": .text("MagSafe 15W")], in: BatteryTables.sessions)])
        #expect(
            error("label", ["session": .number(2), "notes": .text("x")], rows: rows) == .usage("there is no session 2"))
        #expect(error("label", ["session": .number(1)], rows: rows) == .usage("say --charger or --notes"))
    }

    @Test func deletingAsksAndSaysWhat() throws {
        #expect(try run("delete") == CommandOutput("Nothing is kept, so nothing is deleted.\n"))
        let asking = try run("delete", rows: kept)
        #expect(asking.storeChanges == BatteryTables.all.map { .clear($0) })
        #expect(
            asking
                == CommandOutput(
                    "Deleted 1 snapshot.\n", storeChanges: asking.storeChanges, question: "Delete 1 snapshot?"))
        let reported = try run("delete", ["yes": .flag], rows: kept)
        #expect(reported == CommandOutput("Deleted 1 snapshot.\n", storeChanges: asking.storeChanges))
    }

    @Test func exportWantsOneTable() {
        let usage = CommandError.usage("say one of --snapshots, --sessions and --samples")
        #expect(error("export") == usage)
        #expect(error("export", ["snapshots": .flag, "sessions": .flag]) == usage)
    }
}
