import Bytes
import PluginKit
import Profile
import Testing

@testable import Aquavate

/// Boundary values of `hydration report`, `hydration export` and `activity`. Expected values were computed by hand.
struct ReportBoundaryTests {
    private static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [.init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600)])
    private static let tokyo = TimeZoneTable(name: "Asia/Tokyo", initialOffset: 32_400)
    /// In March 2026, before the change of the 8th.
    private static let losAngeles = TimeZoneTable(name: "America/Los_Angeles", initialOffset: -28_800)

    private static func time(_ text: String) throws -> Int64 {
        try #require(Timestamp(rfc3339: text)).nanoseconds / 1_000_000_000
    }

    /// A row of a drink that a bottle dated with a time in UTC and an offset, and that arrived an hour later.
    private static func drink(
        _ time: String, _ amount: Int64, zone: String? = nil, offset: Int64 = 0, id: Int64 = 1
    ) throws -> Record {
        let seconds = try Self.time(time)
        return row(seconds + offset, received: seconds + 3600, amount, zone: zone, offset: offset, id: id)
    }

    private static func row(
        _ timestamp: Int64, received: Int64, _ amount: Int64, zone: String? = nil, offset: Int64 = 0, id: Int64 = 1
    ) -> Record {
        [
            "id": .integer(id), "record_id": .integer(id), "timestamp": .integer(timestamp),
            "amount_ml": .integer(amount), "level_ml": .integer(0), "is_deleted": .integer(0), "device": .text("a"),
            "utc_offset_s": .integer(offset), "received_at": .integer(received),
            "time_zone": zone.map { .text($0) } ?? .absent,
        ]
    }

    private func run(
        _ drinks: [Record], command name: String = "report", local: TimeZoneTable = .utc, now: String,
        _ values: [String: CommandInput.Value] = [:], rows: [String: [Record]] = [:]
    ) throws -> CommandOutput {
        var input = CommandInput(
            values: values, now: Timestamp(seconds: try Self.time(now), nanoseconds: 0))
        input.rows = rows
        input.rows[PuckTables.drinks] = drinks
        input.localZone = local
        input.findZone = { name in [Self.paris, Self.tokyo, Self.losAngeles].first { $0.name == name } }
        let commands = HydrationCommands.groups.flatMap(\.commands)
        return try #require(commands.first { $0.name == name }).run(input)
    }

    private func days(
        _ drinks: [Record], local: TimeZoneTable = .utc, now: String, _ values: [String: CommandInput.Value]
    ) throws -> [JSONValue] {
        var values = values
        values["json"] = .flag
        let text = try run(drinks, local: local, now: now, values).text
        return try #require(JSONValue(reading: Array(text.utf8))["days"]).elements
    }

    // MARK: - Days

    /// In Paris, drunk where the machine of the report is not.
    @Test(arguments: [
        ("2026-03-01T22:59:59Z", "2026-03-01"), ("2026-03-01T23:00:00Z", "2026-03-02"),
        ("2026-03-02T11:00:00Z", "2026-03-02"), ("2026-03-28T22:59:59Z", "2026-03-28"),
        ("2026-03-28T23:00:00Z", "2026-03-29"), ("2026-03-29T21:59:59Z", "2026-03-29"),
        ("2026-03-29T22:00:00Z", "2026-03-30"), ("2026-10-24T21:59:59Z", "2026-10-24"),
        ("2026-10-24T22:00:00Z", "2026-10-25"), ("2026-10-25T22:59:59Z", "2026-10-25"),
        ("2026-10-25T23:00:00Z", "2026-10-26"),
    ])
    func aDrinkCountsOnTheDayOfItsZone(time: String, date: String) throws {
        let drinks = [try Self.drink(time, 100, zone: "Europe/Paris")]
        let number = try #require(CivilDate(date)).daysSince1970
        for (age, total) in [(-1, 0), (0, 100), (1, 0)] as [(Int64, Double)] {
            let day = CivilDate(daysSince1970: number + age)
            let found = try days(drinks, now: "2026-12-01T12:00:00Z", ["date": .text("\(day)")])
            #expect(found.map { $0["total_ml"]?.number } == [total], "\(day)")
        }
    }

    /// A flight from Tokyo to Los Angeles on 2 March, which lasts 41 hours.
    private static func flight() throws -> [Record] {
        [
            try drink("2026-03-01T14:59:59Z", 30, zone: "Asia/Tokyo", id: 1),
            try drink("2026-03-01T15:00:00Z", 100, zone: "Asia/Tokyo", id: 2),
            try drink("2026-03-02T01:00:00Z", 200, zone: "Asia/Tokyo", id: 3),
            try drink("2026-03-02T18:00:00Z", 300, zone: "America/Los_Angeles", id: 4),
            try drink("2026-03-03T07:59:59Z", 50, zone: "America/Los_Angeles", id: 5),
            try drink("2026-03-03T08:00:00Z", 400, zone: "America/Los_Angeles", id: 6),
        ]
    }

    @Test func aDayMayHaveTwoZones() throws {
        let period: [String: CommandInput.Value] = ["from": .text("2026-03-01"), "to": .text("2026-03-03")]
        let days = try days(Self.flight(), local: Self.losAngeles, now: "2026-03-04T20:00:00Z", period)
        #expect(days.map { $0["total_ml"]?.number } == [30, 650, 400])
        #expect(days.map { $0["bottle_day"]?["total_ml"]?.number } == [130, 500, 450])
        #expect(
            days.map { $0["time_zones"]?.elements.compactMap(\.string) }
                == [["Asia/Tokyo"], ["Asia/Tokyo", "America/Los_Angeles"], ["Asia/Tokyo", "America/Los_Angeles"]])
        #expect(days[1]["start"]?.string == "2026-03-02T00:00:00+09:00")
        #expect(days[1]["end"]?.string == "2026-03-03T00:00:00-08:00")
        let text = try run(Self.flight(), local: Self.losAngeles, now: "2026-03-04T20:00:00Z", period).text
        #expect(text.contains("  the bottle's day (from 2026-03-02T09:00:00+09:00): 500 ml\n"))
        let zones = "Asia/Tokyo, from 2026-03-02T10:00:00-08:00 America/Los_Angeles"
        #expect(text.hasSuffix("\n\nDays are those of the zones where it was drunk: \(zones)\n"))
    }

    @Test func aGivenZoneIsThatOfAllDays() throws {
        let values: [String: CommandInput.Value] = [
            "from": .text("2026-03-01"), "to": .text("2026-03-03"), "time-zone": .zone(.utc),
        ]
        let days = try days(Self.flight(), local: Self.losAngeles, now: "2026-03-04T20:00:00Z", values)
        #expect(days.map { $0["total_ml"]?.number } == [130, 500, 450])
        #expect(days.map { $0["bottle_day"]?["total_ml"]?.number } == [130, 500, 450])
        let text = try run(Self.flight(), local: Self.losAngeles, now: "2026-03-04T20:00:00Z", values).text
        #expect(!text.contains("the bottle's day") && !text.contains("Days are"))
    }

    /// A puck whose epoch is nine hours ahead, and a user in UTC.
    @Test func theBottlesDayIsShownWhereItDiffers() throws {
        let sips: [(String, Int64)] = [
            ("2026-03-02T07:00:00Z", 100), ("2026-03-02T14:59:59Z", 60), ("2026-03-02T15:00:00Z", 50),
        ]
        let drinks = try sips.enumerated().map { try Self.drink($1.0, $1.1, offset: 32_400, id: Int64($0)) }
        let now = "2026-03-02T20:00:00Z"
        let line = "the bottle's day (from 2026-03-01T15:00:00Z): 160 ml"
        #expect(
            try run(drinks, now: now).text.contains(
                "\n2026-03-02    210 ml     8 %    3 drinks  0 refills  #\n  \(line)\n"))
        let day = try #require(days(drinks, now: now, [:]).first)
        #expect(day["bottle_day"]?["total_ml"]?.number == 160)
        #expect(day["bottle_day"]?["start"]?.string == "2026-03-01T15:00:00Z")
        let csv = try run(drinks, now: now, ["csv": .flag]).text
        #expect(csv.hasSuffix(",210,2500,3,0,false,160,0,UTC\r\n"))
        #expect(
            try run(drinks, now: now, ["html": .text("x.html")]).text.contains("2026-03-02: \(line).".escapedForXML))
        #expect(try !run(Array(drinks.dropLast()), now: now).text.contains("the bottle's day"))
    }

    /// In Tokyo, the bottle's day in UTC ends nine hours after the user's.
    @Test(
        arguments: [
            ["date": .text("2026-03-02")], ["from": .text("2026-03-02"), "to": .text("2026-03-02")],
            ["from": .text("2026-03-02"), "to": .text("2026-03-03")],
        ] as [[String: CommandInput.Value]])
    func theBottlesDayIsWholeOnADayOfThePast(period: [String: CommandInput.Value]) throws {
        let drinks = [
            try Self.drink("2026-03-02T14:59:59Z", 100, id: 1), try Self.drink("2026-03-02T16:45:37Z", 40, id: 2),
        ]
        let day = try #require(days(drinks, local: Self.tokyo, now: "2026-03-05T09:00:00Z", period).first)
        #expect(day["total_ml"]?.number == 100 && day["drinks"]?.number == 1)
        #expect(day["bottle_day"]?["total_ml"]?.number == 140)
        #expect(day["bottle_day"]?["start"]?.string == "2026-03-02T09:00:00+09:00")
    }

    // MARK: - Amounts and clocks

    @Test func amountsCountAsTheyWereSent() throws {
        let drinks = [
            try Self.drink("2026-03-02T00:00:00Z", 29, id: 1), try Self.drink("2026-03-02T12:00:00Z", 30, id: 2),
        ]
        #expect(try days(drinks, now: "2026-03-02T20:00:00Z", [:]).map { $0["total_ml"]?.number } == [59])
        let export = try run(drinks, command: "export", now: "2026-03-02T20:00:00Z", ["to": .text("healthkit")])
        #expect(export.notes == ["2 to save, 0 to delete"])
    }

    /// 50 ml that arrived at 11:00:00 on 2 March.
    @Test(
        arguments: [
            ("a clock that was not set", 0, 50, "11:00", true), ("a clock from a boot", 120, 50, "11:00", true),
            ("a fast clock", 1_772_449_321, 50, "11:00", true),
            ("an inaccurate clock", 1_772_449_320, 50, "11:00", false),
            ("a slow clock", 1_772_445_600, 50, "10:00", false), ("a clock set back", 1_772_362_800, 0, "", false),
        ] as [(String, Int64, Int64, String, Bool)])
    func aClockChoosesTheTime(name: String, timestamp: Int64, total: Int64, clock: String, isMarked: Bool) throws {
        let drinks = [Self.row(timestamp, received: 1_772_449_200, 50)]
        let text = try run(drinks, now: "2026-03-02T20:00:00Z").text
        #expect(text.contains("\n2026-03-02     \(total == 0 ? " 0" : "50") ml"), "\(name)")
        let line = "  \(clock)  50 ml, 0 ml left" + (isMarked ? ", arrived" : "") + "\n"
        #expect(text.contains(line) == (total > 0), "\(name)")
        #expect(text.contains("1 drink counts at its arrival") == isMarked, "\(name)")
        let export = try run(drinks, command: "export", now: "2026-03-02T20:00:00Z", ["to": .text("healthkit")])
        #expect(export.text.contains(#""TimeOfArrival":true"#) == isMarked, "\(name)")
        #expect(export.notes == ["1 to save, 0 to delete" + (isMarked ? "; 1 at the time of arrival" : "")])
        if total > 0 { #expect(export.text.contains(#""start":"2026-03-02T\#(clock):00Z""#), "\(name)") }
    }

    /// Wake events that a sync at 15:00 fetched.
    @Test(
        arguments: [
            ("a set clock", 1_772_434_790, 0, "  2026-03-02 06:59  motion, 35 s\n"),
            ("ahead of UTC", 1_772_434_790, 3600, "  2026-03-02 05:59  motion, 35 s\n"),
            ("midnight", 1_772_409_600, 0, "  2026-03-02 00:00  motion, 35 s\n"),
            ("not set", 20, 0, "  2026-03-02 15:00  arrived, motion, 35 s\n"),
            ("fast", 1_772_463_800, 0, "  2026-03-02 15:00  arrived, motion, 35 s\n"),
        ] as [(String, Int64, Int64, String)])
    func aWakeEventFollowsTheSameRule(name: String, timestamp: Int64, offset: Int64, line: String) throws {
        let rows: [String: [Record]] = [
            PuckTables.bottles: [
                [
                    "device": .text("a"), "last_activity_sync": .integer(1_772_463_600),
                    "utc_offset_s": .integer(offset),
                ]
            ],
            PuckTables.wakeEvents: [
                [
                    "device": .text("a"), "timestamp": .integer(timestamp), "duration_s": .integer(35),
                    "wake_reason": .integer(0), "sleep_type": .integer(0), "drink_taken": .integer(0),
                ]
            ],
        ]
        let text = try run([], command: "activity", now: "2026-03-02T20:00:00Z", rows: rows).text
        #expect(text.contains("\nWake events: 1\n\(line)"), "\(name): \(text)")
    }

    /// Drinks of a clock that was not set, which arrived at 12:00, 13:00 and 15:00, and a goal of 1000 ml: due are 333,
    /// 400 and 533 ml then.
    @Test func remindersFollowTheTimesOfArrival() throws {
        let arrivals: [(Int64, Int64)] = [(12, 300), (13, 200), (15, 500)]
        let drinks = arrivals.map { hour, amount in
            Self.row(0, received: 1_772_409_600 + hour * 3600, amount, id: hour)
        }
        let bottle: Record = [
            "device": .text("a"), "last_sync": .integer(1_772_463_600), "battery_percent": .integer(12),
            "is_battery_low": .integer(1),
        ]
        let output = try run(
            drinks, now: "2026-03-02T20:00:00Z", ["json": .flag, "goal": .number(1000)],
            rows: [PuckTables.bottles: [bottle]])
        let report = try JSONValue(reading: Array(output.text.utf8))
        #expect(
            Self.reminders(of: report) == [
                "08:53 attention", "10:00 overdue", "13:00 back_on_track", "15:00 goal_reached", "15:00 low_battery",
            ])
        #expect(report["drinks_arrived"]?.number == 3)
    }

    /// Time of day and kind of each reminder.
    private static func reminders(of report: JSONValue) -> [String] {
        (report["reminders"]?.elements ?? []).map { reminder in
            let clock = (reminder["time"]?.string ?? "").dropFirst(11).prefix(5)
            return "\(clock) \(reminder["kind"]?.string ?? "")"
        }
    }

    // MARK: - Much and nothing

    @Test func anEmptyStoreHasAReport() throws {
        let output = try run([], now: "2026-03-02T20:00:00Z", ["json": .flag, "week": .flag])
        #expect(output.outcome == .inconclusive)
        let report = try JSONValue(reading: Array(output.text.utf8))
        #expect(report["days"]?.elements.map { $0["total_ml"]?.number } == Array(repeating: 0, count: 7))
        #expect(report["reminders"]?.elements == [] && report["goal_ml"]?.number == 2500)
        #expect(try run([], command: "export", now: "2026-03-02T20:00:00Z", ["to": .text("healthkit")]).text == "")
        #expect(try run([], command: "activity", now: "2026-03-02T20:00:00Z").outcome == .inconclusive)
    }

    /// A year in Paris with eight drinks of 100 ml a day, from 8:00 to 22:00 local time.
    @Test func aYearHasItsDays() throws {
        let first = try #require(CivilDate("2026-01-01")).daysSince1970
        let drinks = (0..<365 * 8).map { number -> Record in
            let local = (first + Int64(number / 8)) * 86_400 + Int64(8 + number % 8 * 2) * 3600
            let time = Self.paris.time(ofLocal: local)
            return Self.row(time, received: time, 100, zone: "Europe/Paris", id: Int64(number + 1))
        }
        let days = try days(
            drinks, now: "2027-01-01T12:00:00Z", ["from": .text("2026-01-01"), "to": .text("2026-12-31")])
        #expect(days.map { $0["total_ml"]?.number } == Array(repeating: 800, count: 365))
        let hours = try days.map { day in
            let start = try Self.time(#require(day["start"]?.string))
            return try (Self.time(#require(day["end"]?.string)) - start) / 3600
        }
        #expect(hours.filter { $0 == 24 }.count == 363)
        #expect(hours[87] == 23, "29 March")
        #expect(hours[297] == 25, "25 October")
    }

    // MARK: - Days of the past

    /// 1100 ml on 2 March; the goal is 1000 ml until 09:00 on 3 March, then 3000 ml.
    private static let goals: [Record] = [
        ["timestamp": .integer(1_772_434_000), "goal_ml": .integer(1000), "device": .text("a")],
        ["timestamp": .integer(1_772_528_400), "goal_ml": .integer(3000), "device": .text("a")],
    ]

    @Test(
        arguments: [
            (
                "2026-03-02", 1000, "2026-03-02T23:59:59Z",
                ["11:00 goal_reached"]
            ),
            (
                "2026-03-03", 3000, "2026-03-03T23:59:59Z",
                ["08:53 attention", "10:00 overdue", "15:00 not_connected"]
            ),
        ] as [(String, Double, String, [String])])
    func aPastDayIsReportedAsAtItsEnd(date: String, goal: Double, end: String, reminders: [String]) throws {
        let drinks = [
            try Self.drink("2026-03-02T07:00:00Z", 400, id: 1), try Self.drink("2026-03-02T11:00:00Z", 700, id: 2),
        ]
        let session: Record = [
            "plugin": .text("aquavate"), "device": .text("a"), "ended_at": .integer(1_772_463_600_000_000_000),
        ]
        let output = try run(
            drinks, now: "2026-03-09T12:00:00Z", ["date": .text(date), "json": .flag],
            rows: [PuckTables.goals: Self.goals, "sessions": [session]])
        let report = try JSONValue(reading: Array(output.text.utf8))
        #expect(report["now"]?.string == end)
        #expect(report["days"]?.elements.map { $0["goal_ml"]?.number } == [goal])
        #expect(Self.reminders(of: report) == reminders)
    }

    @Test(arguments: [
        (["date": "2026-3-2"], "--date 2026-3-2: expected a date like 2026-03-02"),
        (["date": "2026-02-29"], "--date 2026-02-29: expected a date like 2026-03-02"),
        (["date": "2026-03-03"], "--date 2026-03-03: after the day of --now, 2026-03-02"),
        (["to": "2026-03-01"], "--to ends a period: say its first day with --from"),
        (["from": "2026-03-02", "to": "2026-03-01"], "--from 2026-03-02: after the last day, 2026-03-01"),
        (["from": "2026-03-01", "to": "2026-03-03"], "--to 2026-03-03: after the day of --now, 2026-03-02"),
        (["from": "2026-03-01", "date": "2026-03-01"], "say one of --day, --week, --date and --from"),
        (
            ["from": "1970-01-01"],
            "--from 1970-01-01: a report has at most 3653 days; name a later day, or an earlier --to"
        ),
    ])
    func aPeriodThatIsNoneIsRefused(values: [String: String], message: String) {
        #expect(throws: CommandError.usage(message)) {
            try run([], now: "2026-03-02T20:00:00Z", values.mapValues { .text($0) })
        }
    }
}
