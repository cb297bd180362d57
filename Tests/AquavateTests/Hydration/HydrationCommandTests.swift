import Bytes
import PluginKit
import Profile
import Testing

@testable import Aquavate

/// `hydration` and `activity` on rows of the store.
struct HydrationCommandTests {
    private let rows: [String: [Record]] = [
        PuckTables.bottles: [
            [
                "id": .integer(1), "goal_ml": .integer(1000), "battery_percent": .integer(12),
                "is_battery_low": .integer(1), "last_sync": .integer(1_772_463_600), "level_ml": .integer(412),
                "level_time": .integer(1_772_463_500),
                "last_activity_sync": .integer(1_772_463_600), "device": .text("a"), "device_name": .text("Kitchen"),
            ]
        ],
        PuckTables.goals: [goal(1_772_434_000, 1000, "a")],
        PuckTables.drinks: [
            drink(1, 1_772_434_800, 400, "a"), drink(2, 1_772_449_200, 700, "a"), drink(3, 1_772_449_200, 90, "b"),
        ],
        PuckTables.wakeEvents: [
            [
                "timestamp": .integer(1_772_434_790), "duration_s": .integer(65), "wake_reason": .integer(7),
                "sleep_type": .integer(1), "drink_taken": .integer(1), "device": .text("a"),
            ]
        ],
        PuckTables.backpackSessions: [
            [
                "start_timestamp": .integer(1_772_440_000), "duration_s": .integer(7500),
                "timer_wake_count": .integer(2), "exit_reason": .integer(2), "device": .text("a"),
            ]
        ],
        "sessions": [session(1_772_434_780, 1_772_463_600, "a")],
        "connections": [
            [
                "started_at": .integer(1_772_434_800_000_000_000), "ended_at": .integer(1_772_434_802_500_000_000),
                "device": .text("a"),
            ]
        ],
    ]

    private static func drink(_ id: Int64, _ time: Int64, _ amount: Int64, _ device: String) -> Record {
        [
            "id": .integer(id), "record_id": .integer(id), "timestamp": .integer(time), "amount_ml": .integer(amount),
            "level_ml": .integer(0), "is_deleted": .integer(0), "device": .text(device),
        ]
    }

    private static func goal(_ time: Int64, _ goal: Int64, _ device: String) -> Record {
        ["timestamp": .integer(time), "goal_ml": .integer(goal), "device": .text(device)]
    }

    private static func session(_ start: Int64, _ end: Int64, _ device: String?) -> Record {
        [
            "plugin": .text("aquavate"), "started_at": .integer(start * 1_000_000_000),
            "ended_at": .integer(end * 1_000_000_000), "device": device.map { .text($0) } ?? .absent,
        ]
    }

    private func run(
        _ group: Int, _ name: String, _ values: [String: CommandInput.Value], rows: [String: [Record]]? = nil,
        goals: [Record]? = nil, sessions: [Record] = []
    ) throws(CommandError) -> CommandOutput {
        var input = CommandInput(values: values, now: Timestamp(seconds: 1_772_463_800, nanoseconds: 0))
        input.rows = rows ?? self.rows
        if let goals { input.rows[PuckTables.goals] = goals }
        input.rows["sessions", default: []] += sessions
        guard let command = HydrationCommands.groups[group].commands.first(where: { $0.name == name }) else {
            throw .usage("there is no \(name)")
        }
        return try command.run(input)
    }

    private func json(_ output: CommandOutput) throws -> JSONValue { try JSONValue(reading: Array(output.text.utf8)) }

    @Test func aReportIsOneObject() throws {
        let report = try json(run(0, "report", ["json": .flag, "device": .text("A")]))
        #expect(report["goal_ml"]?.number == 1000)
        #expect(report["days"]?.elements.map { $0["total_ml"]?.number } == [1100])
        #expect(report["days"]?.elements.map { $0["drinks"]?.number } == [2])
        #expect(report["pace"]?["urgency"]?.string == "on track")
        #expect(report["drinks"]?.elements.map { $0["amount_ml"]?.number } == [400, 700])
        #expect(report["levels"]?.elements.map { $0["level_ml"]?.number } == [412])
        #expect(try run(0, "report", [:]).text.contains("\nIn the bottle: 412 ml, 5 min ago\n"))
        #expect(try run(0, "report", ["now": .text("2026-03-01T12:00:00Z")]).text.contains("412 ml") == false)
        let kinds = report["reminders"]?.elements.map { $0["kind"]?.string }
        #expect(kinds == ["goal_reached", "low_battery"])
    }

    /// 1190 ml on 2 March, with a goal of 1000 ml; on 3 March the goal becomes 3000 ml.
    @Test func aPastDayKeepsItsGoal() throws {
        let goals = [Self.goal(1_772_434_000, 1000, "a"), Self.goal(1_772_528_400, 3000, "b")]
        func report(_ now: String) throws -> JSONValue {
            try json(run(0, "report", ["json": .flag, "week": .flag, "now": .text(now)], goals: goals))
        }
        let before = try report("2026-03-02T20:00:00Z")
        let after = try report("2026-03-03T20:00:00Z")
        #expect(before["goal_ml"]?.number == 1000 && after["goal_ml"]?.number == 3000)
        #expect(after["days"]?.elements.suffix(2).map { $0["goal_ml"]?.number } == [1000, 3000])
        #expect(after["days"]?.elements.suffix(2).map { $0["goal_reached"] } == [.boolean(true), .boolean(false)])
        // The reminders of a day do not change later.
        func reminders(_ report: JSONValue) -> [JSONValue]? {
            report["reminders"]?.elements.filter { $0["time"]?.string?.hasPrefix("2026-03-02") == true }
        }
        #expect(reminders(before)?.contains { $0["kind"]?.string == "goal_reached" } == true)
        #expect(reminders(before) == reminders(after))
        let given = try json(run(0, "report", ["json": .flag, "goal": .number(500)], goals: goals))
        #expect(given["goal_ml"]?.number == 500 && given["goal_source"]?.string == "as given")
    }

    @Test func aWeekHasSevenDaysInEveryFormat() throws {
        let days = try json(run(0, "report", ["json": .flag, "week": .flag]))["days"]?.elements
        #expect(days?.map { $0["total_ml"]?.number } == [0, 0, 0, 0, 0, 0, 1190])
        let csv = try run(0, "report", ["csv": .flag, "week": .flag]).text
        #expect(csv.split(separator: "\r\n").count == 8)
        let page = try run(0, "report", ["html": .text("x.html"), "week": .flag]).text
        #expect(page.split(separator: "<rect").count == 8)
        #expect(!page.contains("src=") && !page.contains("href="), "the page needs nothing else")
    }

    @Test func aDayWithoutDrinksIsInconclusive() throws {
        let output = try run(0, "report", ["now": .text("2026-03-05T12:00:00Z")])
        #expect(output.outcome == .inconclusive)
        // The bottle was not connected for 24 h two days ago; that reminder belongs to another day.
        #expect(!output.text.contains("24 h"))
        let next = try run(0, "report", ["now": .text("2026-03-03T23:00:00Z")])
        #expect(next.text.contains("15:00  Your bottle was not connected for 24 h"))
    }

    @Test func aSyncThatFoundNoBottleIsNoConnection() throws {
        let failed = Self.session(1_772_532_000, 1_772_532_030, nil)
        let report = try run(0, "report", ["now": .text("2026-03-03T23:00:00Z")], sessions: [failed])
        #expect(report.text.contains("15:00  Your bottle was not connected for 24 h"))
    }

    @Test func whatIsNotAskedForWellIsRefused() {
        #expect(throws: CommandError.usage("say one of --day, --week, --date and --from")) {
            try run(0, "report", ["day": .flag, "week": .flag])
        }
        #expect(throws: CommandError.self) { try run(0, "report", ["now": .text("soon")]) }
        #expect(throws: CommandError.self) { try run(0, "export", [:]) }
        let content = InputContent(name: "a.txt", content: .bytes([1]))
        #expect(throws: CommandError.unreadable("a.txt: not a capture")) {
            try run(0, "report", ["capture": .content(content)])
        }
    }

    @Test func activityIsThatOfTheLastSync() throws {
        let output = try run(1, "activity", [:])
        #expect(
            output.text == """
                Kitchen  a
                Last synced 3 min ago

                Wake events: 1
                  2026-03-02 06:59  7, 1 min 5 s, a drink, then backpack mode

                Backpack sessions: 1
                  2026-03-02 08:26  2 h 5 min, 2 timer wakes, ended by power_cycle

                """)
        let bottle = try #require(try json(run(1, "activity", ["json": .flag])).elements.first)
        #expect(bottle["last_synced"]?.string == "3 min ago")
        #expect(bottle["backpack_sessions"]?.elements.first?["exit_reason"]?.string == "power_cycle")
    }

    /// A session continues without a connection.
    @Test func theEnergyIsThatOfConnections() throws {
        let bottle = try #require(try json(run(1, "activity", ["json": .flag, "energy": .flag])).elements.first)
        let states = bottle["energy"]?["states"]?.elements ?? []
        #expect(states.map { $0["seconds"]?.number } == [0, 1.5, 1, 61.5, 2.5])
    }

    // MARK: - The bottle's clock

    /// Timestamps of a bottle with an offset are ahead of UTC (Q-07). They identify the samples of HealthKit.
    @Test func drinksOfABottleWithAnOffsetAreReportedInUTC() throws {
        let sips: [(hour: Int64, amount: Int64)] = [(7, 100), (13, 60), (16, 50), (22, 40)]
        let drinks = sips.map { hour, amount -> Record in
            var drink = Self.drink(hour, 1_772_409_600 + hour * 3600 + 32_400, amount, "a")
            drink.fields.append(("utc_offset_s", .integer(32_400)))
            drink.fields.append(("received_at", .integer(1_772_409_600 + 23 * 3600)))
            return drink
        }
        let rows = [PuckTables.drinks: drinks]
        let tokyo = TimeZoneTable(name: "Asia/Tokyo", initialOffset: 32_400)
        let report = try run(
            0, "report",
            ["csv": .flag, "week": .flag, "time-zone": .zone(tokyo), "now": .text("2026-03-03T00:00:00Z")], rows: rows)
        let totals = report.text.split(separator: "\r\n").suffix(2).map { String($0.split(separator: ",")[3]) }
        #expect(totals == ["160", "90"])
        let export = try run(0, "export", ["to": .text("healthkit")], rows: rows).text
        #expect(export.contains(#""start":"2026-03-02T07:00:00Z","end":"2026-03-02T07:00:00Z","value":100"#))
        let sent = Drink(device: "a", recordID: 7, time: 1_772_409_600 + 7 * 3600 + 32_400, amount: 100, level: 0)
        #expect(export.contains(HealthExport.identifier(of: sent)))
    }

    /// A drink counts from its transfer on at the latest.
    @Test func aDrinkOfAFastClockCountsAtItsTransfer() throws {
        var drink = Self.drink(1, 1_772_465_500, 50, "a")
        drink.fields.append(("received_at", .integer(1_772_463_740)))
        let rows = [PuckTables.drinks: [drink]]
        let report = try json(run(0, "report", ["json": .flag], rows: rows))
        #expect(report["days"]?.elements.map { $0["total_ml"]?.number } == [50])
        #expect(report["drinks"]?.elements.map { $0["time"]?.string } == ["2026-03-02T15:02:20Z"])
        #expect(report["drinks"]?.elements.map { $0["arrived"]?.string } == ["fast_clock"])
        #expect(report["drinks_arrived"]?.number == 1)
        let remark = "1 drink counts at its arrival: the bottle had a fast clock"
        let text = try run(0, "report", [:], rows: rows).text
        #expect(text.contains("  15:02  50 ml, 0 ml left, arrived\n") && text.contains("\n\n\(remark)\n"))
        #expect(try run(0, "report", ["html": .text("x.html")], rows: rows).text.contains(remark))
        let export = try run(0, "export", ["to": .text("healthkit")], rows: rows).text
        #expect(export.contains(#""start":"2026-03-02T15:02:20Z""#))
        let before = try run(0, "report", ["json": .flag, "now": .text("2026-03-02T15:02:00Z")], rows: rows)
        #expect(try before.outcome == .inconclusive && json(before)["drinks_arrived"]?.number == 0)
    }

    /// A clock that is ahead by seconds is no remark.
    @Test func aClockMayBeInaccurate() throws {
        var drink = Self.drink(1, 1_772_463_760, 50, "a")
        drink.fields.append(("received_at", .integer(1_772_463_740)))
        let text = try run(0, "report", [:], rows: [PuckTables.drinks: [drink]]).text
        #expect(text.contains("  15:02  50 ml") && !text.contains("arriv"))
    }

    @Test func activityOfABottleWithAnOffsetIsShownInUTC() throws {
        var rows = self.rows
        rows[PuckTables.bottles]?[0].fields.append(("utc_offset_s", .integer(3600)))
        let text = try run(1, "activity", [:], rows: rows).text
        #expect(text.contains("  2026-03-02 05:59  7, ") && text.contains("  2026-03-02 07:26  2 h 5 min"))
        let bottle = try #require(try json(run(1, "activity", ["json": .flag], rows: rows)).elements.first)
        #expect(bottle["wake_events"]?.elements.first?["timestamp"]?.string == "2026-03-02T05:59:50Z")
        #expect(bottle["backpack_sessions"]?.elements.first?["start"]?.string == "2026-03-02T07:26:40Z")
    }

    @Test(
        arguments: [
            (-1, "in the future (check the clock)"), (0, "just now"), (59, "just now"), (60, "1 min ago"),
            (3599, "59 min ago"),
            (3600, "1 h ago"), (86_399, "23 h ago"), (86_400, "1 day ago"), (200_000, "2 days ago"),
        ] as [(Int64, String)])
    func agesAreInWords(seconds: Int64, text: String) {
        #expect(ActivityView.age(seconds) == text)
    }
}
