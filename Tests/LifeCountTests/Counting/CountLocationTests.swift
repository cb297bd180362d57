import Bytes
import PluginKit
import Profile
import Testing

@testable import LifeCount

/// Settings of locations, their live state, and snapshots of their days.
struct CountLocationTests {
    private static let noon: Int64 = 1_772_452_800

    /// Runs a command at 2026-03-02T12:30:00Z, with entries of +1 or -1 at the given minutes after noon.
    private func run(
        _ name: String, _ values: [String: CommandInput.Value] = [:], rows: [String: [Record]] = [:],
        entries: [(minute: Int64, delta: Int64)] = []
    ) throws -> CommandOutput {
        let command = try #require(CountCommands.group.commands.first { $0.name == name })
        return try command.run(input(values, rows: rows, entries: entries))
    }

    private func input(
        _ values: [String: CommandInput.Value] = [:], rows: [String: [Record]], entries: [(minute: Int64, delta: Int64)]
    ) -> CommandInput {
        var input = CommandInput(values: values, now: Timestamp(seconds: Self.noon + 1800, nanoseconds: 0))
        input.rows = rows
        let columns = entries.enumerated().map { index, entry -> [Int64] in
            let time = (Self.noon + entry.minute * 60) * 1000
            return [7, 9, time, 1, time, entry.delta, 0, Int64(index), 1, 1, 0]
        }
        input.forEachRow = { query, body throws(CommandError) in
            guard query.sql.contains("lifecount_located") else { return body([0]) }
            // The entries of a period, or the last one before it.
            guard query.sql.contains("timestamp_ms >= ?") else { return }
            for row in columns where row[2] >= query.arguments[0] { body(row) }
        }
        input.findZone = { $0 == "UTC" ? .utc : nil }
        return input
    }

    private static let museum: Record = [
        "id": .integer(3), "location_id": .integer(7), "name": .text("Museum"), "max_capacity": .integer(5),
        "time_zone": .text("UTC"), "boundary_hour": .integer(12),
    ]
    private static let entries: [(minute: Int64, delta: Int64)] = [
        (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (20, -1),
    ]

    @Test func aLocationIsAddedThenChanged() throws {
        let new = try run("locations", ["location": .number(7), "name": .text("Museum"), "capacity": .number(5)])
        #expect(
            new.storeChanges == [
                .add(
                    [["name": .text("Museum"), "max_capacity": .integer(5), "location_id": .integer(7)]],
                    to: CountLocations.locations)
            ])
        let changed = try run(
            "locations", ["location": .number(7), "boundary-hour": .number(6), "time-zone": .zone(.utc)],
            rows: [CountLocations.locations: [Self.museum]])
        #expect(
            changed.storeChanges == [
                .update(
                    3, ["time_zone": .text("UTC"), "boundary_hour": .integer(6)], in: CountLocations.locations)
            ])
        #expect(throws: CommandError.usage("say of which location: --location ID")) {
            try run("locations", ["name": .text("Museum")])
        }
    }

    @Test func locationsAreListed() throws {
        let output = try run("locations", rows: [CountLocations.locations: [Self.museum]])
        #expect(output.text == "7  Museum  room for 5, UTC, days begin at 12:00\n")
        #expect(output.storeChanges.isEmpty)
        #expect(try run("locations").outcome == .inconclusive)
    }

    /// A location's settings apply unless the command line overrides them.
    @Test func aReportAssumesWhatIsSet() throws {
        let rows = [CountLocations.locations: [Self.museum]]
        let report = try run("report", ["location": .number(7)], rows: rows, entries: Self.entries)
        #expect(report.text.contains("4 inside of 5, 80 %, 1 free: warning"))
        let other = try run(
            "report", ["location": .number(7), "capacity": .number(4)], rows: rows, entries: Self.entries)
        #expect(other.text.contains("4 inside of 4, 100 %, 0 free: full"))
        var moved = Self.museum
        moved.fields[4].value = .text("Mars/Olympus")
        #expect(throws: CommandError.self) {
            try run("report", ["location": .number(7)], rows: [CountLocations.locations: [moved]])
        }
    }

    /// The only location need not be named.
    @Test func aReportOfOneLocationIsThatLocations() throws {
        let rows = [
            CountLocations.locations: [Self.museum], CounterTables.states: [["location_id": .integer(7)]],
        ]
        #expect(
            try run("report", rows: rows, entries: Self.entries).text.contains("4 inside of 5, 80 %, 1 free: warning"))
        #expect(
            try run("report", ["html": .text("page.html")], rows: rows, entries: Self.entries).text
                .contains("4 inside of 5"))
        let two = [
            CountLocations.locations: [Self.museum],
            CounterTables.states: [["location_id": .integer(7)], ["location_id": .integer(8)]],
        ]
        #expect(try run("report", rows: two, entries: Self.entries).text.contains("\n4 inside\n"))
    }

    /// The capacity set for a location applies; elsewhere that of the command line.
    @Test(arguments: [(7, 4, "warning"), (7, 5, "full"), (8, 5, "ok"), (8, 90, "full")])
    func aPublishedStateHasTheStatusOfItsLocation(location: Int64, count: Int64, status: String) throws {
        let batch = PublishedBatch(
            rows: [["id": .integer(1), "location_id": .integer(location), "device_id": .integer(9)]],
            states: [
                CounterTables.states: [["location_id": .integer(location), "current_count": .integer(count)]],
                CountLocations.locations: [Self.museum],
            ], settings: [CounterPublication.capacity: 90])
        let documents = CounterPublication.publication.documents(batch)
        let state = try #require(documents.first { $0.path == "counterStates/\(location)" })
        #expect(state.fields["status"] == .text(status))
        #expect(CounterPublication.publication.stateTables.contains(CountLocations.locations))
    }

    /// Both begin with nobody at the boundary hour and never fall below.
    @Test func thePublishedCountIsThatOfStatus() throws {
        let rows = [CountLocations.locations: [Self.museum], CounterTables.states: [["location_id": .integer(7)]]]
        let entries: [(minute: Int64, delta: Int64)] = [
            (-3, 1), (-2, 1), (-1, 1), (1, 1), (2, -1), (3, -1), (4, 1), (5, 1),
        ]
        let states = try CounterPublication.publication.states(input(rows: rows, entries: entries))
        #expect(states[CounterTables.states]?.map { $0.integer("current_count") } == [2])
        let batch = PublishedBatch(rows: [], states: states)
        let document = CounterPublication.documents(batch).first { $0.path == "counterStates/7" }
        #expect(document?.fields["currentCount"] == .integer(2))
        #expect(try run("status", rows: rows, entries: entries).text.contains(": 2 inside of 5,"))
    }

    private static func counter(active: Bool, silence: Int64) -> Record {
        [
            "id": .integer(1), "device_id": .integer(9), "location_id": .integer(7),
            "is_active": .integer(active ? 1 : 0), "last_seen_ms": .integer((noon + 1800 - silence) * 1000),
            "last_event_ms": .integer((noon + 1200) * 1000), "device_name": .text("LifeCount-0009"),
        ]
    }

    @Test(arguments: [
        (true, 2, "Live, last event 600 s ago", "received from, heard 2 s ago"),
        (true, 91, "offline, last event 600 s ago", "no gateway, heard 91 s ago"),
        (false, 2, "offline, last event 600 s ago", "no gateway, heard 2 s ago"),
    ])
    func whatIsLiveIsShown(isActive: Bool, silence: Int64, line: String, counter: String) throws {
        let output = try run(
            "status",
            rows: [
                CountLocations.locations: [Self.museum],
                CounterTables.counters: [Self.counter(active: isActive, silence: silence)],
                CounterTables.states: [
                    ["location_id": .integer(7), "last_event_ms": .integer((Self.noon + 1200) * 1000)]
                ],
            ], entries: Self.entries)
        #expect(
            output.text == """
                Museum (location 7): 4 inside of 5, 80 %, 1 free: warning
                  \(line)
                  counter LifeCount-0009: \(counter), last event 600 s ago

                """)
        let none = try run("status")
        #expect(none.outcome == .inconclusive)
    }

    private static let address = "c0:00:00:00:00:09"

    /// A gateway that runs is searching while it receives from no counter; one that was killed is gone at once.
    @Test(
        arguments: [
            (false, 1, true, "searching", "no gateway"), (false, 1, false, "searching", "no gateway"),
            (false, 0, true, "offline", "no gateway"), (false, nil, true, "offline", "no gateway"),
            (true, 1, true, "Live", "received from"), (true, 0, true, "offline", "no gateway"),
        ] as [(Bool, Int64?, Bool, String, String)])
    func aGatewayThatLooksForACounterIsSearching(
        isActive: Bool, isRunning: Int64?, hasDevice: Bool, pill: String, gateway: String
    ) throws {
        var counter = Self.counter(active: isActive, silence: 2)
        counter.fields.append((name: "device", value: .text(Self.address)))
        var session: Record = ["plugin": .text("lifecount"), "device": hasDevice ? .text(Self.address) : .absent]
        if let isRunning { session.fields.append((name: "is_running", value: .integer(isRunning))) }
        let rows = [
            CountLocations.locations: [Self.museum], CounterTables.counters: [counter],
            CounterTables.states: [["location_id": .integer(7)]], "sessions": [session],
        ]
        let status = try run("status", rows: rows, entries: Self.entries).text
        #expect(status.contains("\n  \(pill), ") && status.contains(": \(gateway), heard"), "\(status)")
        let json = try run("status", ["json": .flag], rows: rows, entries: Self.entries).text
        let word = ["searching": "scanning", "Live": "connected"][pill] ?? pill
        #expect(json.contains(#""connection": "\#(word)""#), "\(json)")
        let report = try run("report", ["json": .flag], rows: rows, entries: Self.entries).text
        #expect(report.contains(#""connection": "\#(word)""#), "\(report)")
    }

    @Test func aFirstSearchIsShown() throws {
        let session: Record = ["plugin": .text("lifecount"), "is_running": .integer(1)]
        #expect(
            try run("status", rows: ["sessions": [session]]).text
                == "No event was received yet; a gateway is searching.\n")
        let other: Record = ["plugin": .text("aquavate"), "is_running": .integer(1)]
        #expect(try run("status", rows: ["sessions": [other]]).text == "No event was received yet.\n")
    }

    /// On a terminal, and in the page; the word is there, too.
    @Test(arguments: [(3, "ok", "good", 32), (4, "warning", "warning", 33), (5, "full", "critical", 31)])
    func aStatusHasAColour(count: Int, word: String, severity: String, code: Int) throws {
        let rows = [CountLocations.locations: [Self.museum], CounterTables.states: [["location_id": .integer(7)]]]
        let entries = Array(Self.entries.prefix(count))
        var input = input(rows: rows, entries: entries)
        for name in ["status", "report"] {
            let command = try #require(CountCommands.group.commands.first { $0.name == name })
            input.wantsColor = true
            #expect(try command.run(input).text.contains("free: \u{1B}[\(code)m\(word)\u{1B}[0m\n"))
            input.wantsColor = false
            #expect(try !command.run(input).text.contains("\u{1B}"))
        }
        let page = try run("report", ["html": .text("page.html")], rows: rows, entries: entries).text
        #expect(page.contains(#"<p class="\#(severity)">\#(count) inside of 5"#) && page.contains(": \(word)</p>"))
        #expect(page.contains("p.\(severity) { border-color: var(--\(severity)) }"))
    }

    /// Counter names come from counters, location names from any program that writes the store.
    @Test func namesControlNoTerminal() throws {
        var counter = Self.counter(active: true, silence: 2)
        counter.fields[6].value = .text("x\u{1B}[2J\ncounter y\u{202E}")
        var museum = Self.museum
        museum.fields[2].value = .text("\u{9B}31m\nMuseum")
        let output = try run(
            "status", rows: [CountLocations.locations: [museum], CounterTables.counters: [counter]],
            entries: Self.entries)
        #expect(
            output.text == #"""
                \u{9B}31m\nMuseum (location 7): 4 inside of 5, 80 %, 1 free: warning
                  Live, no event yet
                  counter x\u{1B}[2J\ncounter y\u{202E}: received from, heard 2 s ago, last event 600 s ago

                """#)
        let list = try run("locations", rows: [CountLocations.locations: [museum]])
        #expect(list.text == #"7  \u{9B}31m\nMuseum  room for 5, UTC, days begin at 12:00"# + "\n")
    }

    /// A snapshot removes nothing.
    @Test func theEndOfADayIsASnapshot() throws {
        let output = try run(
            "end-day", ["location": .number(7), "reason": .text("storm")],
            rows: [CountLocations.locations: [Self.museum]], entries: Self.entries)
        #expect(
            output.text == "Museum (location 7), day of 2026-03-02T12:00:00Z: 5 in, 1 out, 4 inside, peak 5\n")
        #expect(
            output.storeChanges == [
                .add(
                    [
                        [
                            "location_id": .integer(7), "day_start_ms": .integer(Self.noon * 1000),
                            "taken_ms": .integer((Self.noon + 1800) * 1000), "entered": .integer(5),
                            "left_count": .integer(1), "inside": .integer(4), "peak": .integer(5),
                            "user_id": .text("storm"),
                        ]
                    ], to: CountLocations.snapshots)
            ])
        #expect(throws: CommandError.usage("say of which location: --location ID")) { try run("end-day") }
    }
}
