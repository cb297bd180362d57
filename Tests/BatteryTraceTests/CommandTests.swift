import ATT
import BatteryTrace
import BluetoothTypes
import Bytes
import PluginKit
import Profile
import Testing

/// The plugin's commands: what they print, and which files they would change.
@Suite struct CommandTests {
    private func run(
        _ name: String, _ values: [String: CommandInput.Value] = [:], stored: [String: String?] = [:],
        settings: String? = nil
    ) throws(CommandError) -> CommandOutput {
        let command = BatteryTrace.commands?.commands.first { $0.name == name }
        guard let command else {
            Issue.record("there is no command \(name)")
            return CommandOutput()
        }
        var input = CommandInput(values: values, now: noon)
        for name in command.storedFiles {
            let bytes = (stored[name] ?? nil).map { Array($0.utf8) }
            input.stored[name] = KeptFile(path: "/data/\(name)", bytes: bytes)
        }
        for name in command.settingsFiles {
            input.settings[name] = KeptFile(path: "/settings/\(name)", bytes: settings.map { Array($0.utf8) })
        }
        return try command.run(input)
    }

    private func error(
        _ name: String, _ values: [String: CommandInput.Value] = [:], stored: [String: String?] = [:],
        settings: String? = nil
    ) -> CommandError? {
        do throws(CommandError) {
            _ = try run(name, values, stored: stored, settings: settings)
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
                    "--model \"iPhone 15 Por\" is not in the catalogue (did you mean iPhone 15 Pro, iPhone 14 Pro, iPhone 15 Plus?); "
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

    /// 20 % in 20 min are just enough, with the sample at which the charge ends.
    @Test func aChargeThatHasEndedTellsTheCapacity() throws {
        let rows = (0...20).map { "\(60 * $0),\(Double(40 + $0) / 100),charging\n" }.joined()
        let values: [String: CommandInput.Value] = [
            "file": file(rows + "1210,0.60,unplugged\n"), "capacity": .number(3274), "calibrate": .number(10),
        ]
        #expect(try run("estimate", values).text.contains("capacity          4363 mAh (estimated)"))
    }

    // MARK: - What is kept

    private let unplugged = "0,0.50,charging\n180,0.51,charging\n190,0.51,unplugged\n"

    @Test func sessionsAreKeptOnce() throws {
        let values: [String: CommandInput.Value] = [
            "file": file(unplugged), "capacity": .number(3274), "save": .flag, "charger": .text("20W PD"),
        ]
        let output = try run("estimate", values)
        let row = "1,1970-01-01T00:00:00Z,1970-01-01T00:03:00Z,2.501,2.501,1,180,,,20W PD,\r\n"
        let header = String(decoding: ChargeSession.header, as: UTF8.self)
        #expect(output.changes == ["sessions.csv": .append(Array(row.utf8), orNew: ChargeSession.header)])
        #expect(output.notes == ["1 session kept in /data/sessions.csv"])
        let again = try run("estimate", values, stored: ["sessions.csv": header + row])
        #expect(again.changes.isEmpty)
        #expect(try run("export", ["sessions": .flag], stored: ["sessions.csv": header + row]).text == header + row)
    }

    private let url = "batterytrace://ingest?cycles=123&health=0.94"
    private let kept = "id,date,cycles,health,first_use,mfg_date\r\n1,2026-03-01T11:59:30Z,123,0.94,,\r\n"

    @Test func aSnapshotIsKept() throws {
        let output = try run("ingest", ["url": .text(url)])
        let row = Array("1,2026-03-01T12:00:00Z,123,0.94,,\r\n".utf8)
        #expect(output.changes == ["snapshots.csv": .append(row, orNew: BatterySnapshot.header)])
        #expect(output.text == "Kept as snapshot 1 in /data/snapshots.csv.\n  123 cycles, health 94 %\n")
        let repeated = try run("ingest", ["url": .text(url)], stored: ["snapshots.csv": kept])
        #expect(repeated.changes.isEmpty)
        #expect(repeated.text.hasPrefix("Known already as snapshot 1"))
    }

    @Test func aDryRunKeepsNothing() throws {
        let output = try run(
            "ingest", ["url": .text("batterytrace://ingest?cycles=100&first_use=&mfg="), "dry-run": .flag],
            stored: ["snapshots.csv": kept])
        #expect(output.changes.isEmpty)
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
        #expect(output.outcome == .done && output.changes.isEmpty)
        #expect(output.text.hasPrefix("The Shortcut has run."))
    }

    /// A table whose last line somebody left open is continued on a line of its own.
    @Test func aSnapshotFollowsAnOpenLine() throws {
        let output = try run(
            "ingest", ["url": .text("batterytrace://ingest?cycles=100")],
            stored: ["snapshots.csv": String(kept.trimmingSuffix { $0.isNewline })])
        let row = Array("\r\n2,2026-03-01T12:00:00Z,100,,,\r\n".utf8)
        #expect(output.changes == ["snapshots.csv": .append(row, orNew: BatterySnapshot.header)])
        #expect(output.notes == ["warning: BT-006: expected 123 cycles or more, as in snapshot 1; found 100"])
    }

    @Test func aWrongURLChangesNothing() throws {
        let output = try run("ingest", ["url": .text("batterytrace://ingest?cycles=x&health=0")])
        #expect(output.outcome == .findings)
        #expect(output.changes.isEmpty)
        #expect(
            output.text == """
                Refused, nothing is kept (BT-005):
                  cycles: expected an integer from 0 to 10000; found "x"
                  health: expected a decimal above 0 to 1, or a percentage above 0 to 100: 0.94, 94% or 94; found "0"

                """)
        #expect(
            error("ingest", ["url": .text(url)], stored: ["snapshots.csv": "id\n"])
                == .unreadable(
                    "/data/snapshots.csv: line 1: the columns are id,date,cycles,health,first_use,mfg_date"))
    }

    @Test func deletingAsksAndSaysWhat() throws {
        #expect(try run("delete") == CommandOutput("Nothing is kept, so nothing is deleted.\n"))
        let asking = try run("delete", stored: ["snapshots.csv": kept])
        #expect(asking.question == "Delete /data/snapshots.csv (1 row)?")
        #expect(asking.changes == ["snapshots.csv": .remove])
        let told = try run("delete", ["yes": .flag], stored: ["snapshots.csv": kept, "sessions.csv": "\"damaged"])
        #expect(told.question == nil)
        #expect(told.changes == ["snapshots.csv": .remove, "sessions.csv": .remove])
        #expect(told.text.contains("/data/sessions.csv (damaged: line 1"))
    }

    @Test func exportWantsOneTable() {
        #expect(error("export") == .usage("say --snapshots or --sessions"))
        #expect(error("export", ["snapshots": .flag, "sessions": .flag]) == .usage("say --snapshots or --sessions"))
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, matches(self[index(before: end)]) { end = index(before: end) }
        return self[startIndex..<end]
    }
}
