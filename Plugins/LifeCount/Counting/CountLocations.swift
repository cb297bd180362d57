import Bytes
import PluginKit
import Profile

/// Locations as set by an administrator (`Location` of the requirements), and their closed operational days.
enum CountLocations {
    static let locations = "lifecount_locations"
    static let snapshots = "lifecount_snapshots"

    static let migration = StoredTables.Migration(
        "lifecount-3",
        sql: """
            CREATE TABLE lifecount_locations (
                id INTEGER PRIMARY KEY,
                peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                location_id INTEGER NOT NULL UNIQUE,
                name TEXT,
                max_capacity INTEGER CHECK (max_capacity > 0),
                time_zone TEXT,
                boundary_hour INTEGER CHECK (boundary_hour BETWEEN 0 AND 23)
            ) STRICT;
            CREATE TABLE lifecount_snapshots (
                id INTEGER PRIMARY KEY,
                peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                location_id INTEGER NOT NULL,
                day_start_ms INTEGER NOT NULL,
                taken_ms INTEGER NOT NULL,
                entered INTEGER NOT NULL,
                left_count INTEGER NOT NULL,
                inside INTEGER NOT NULL,
                peak INTEGER NOT NULL,
                user_id TEXT
            ) STRICT;
            """)

    private static let people = CommandParameter.option(
        "capacity", .number(1...1_000_000), placeholder: "people", help: "People that there is room for.")
    private static let hour = CommandParameter.option(
        "boundary-hour", .number(0...23), placeholder: "hour", help: "The hour at which a day begins; 12 unless set.")
    private static let zone = CommandParameter.option(
        "time-zone", .timeZone, placeholder: "zone", help: "The zone of its clock, like Europe/Paris.")
    private static let name = CommandParameter.option("name", placeholder: "text", help: "What the location is called.")

    static let command = PluginCommand(
        name: "locations",
        abstract: "List the locations, or set a location's name, capacity, zone and boundary hour.",
        discussion: """
            What is set is what reports, “status” and “end-day” of this location assume unless they are told otherwise. Entries \
            are not changed.
            """,
        examples: [
            "locations",
            "locations --location 7 --name Museum --capacity 80 --time-zone Europe/Paris --boundary-hour 6",
        ],
        parameters: [CountCommands.place, name, people, zone, hour], tables: [locations]
    ) { input throws(CommandError) in
        var columns = Record()
        if let text = input.text(name) {
            guard text.utf8.count <= 200 else { throw .usage("--name: expected a text of up to 200 bytes") }
            columns.fields.append((name: "name", value: .text(text)))
        }
        if let number = input.number(people) {
            columns.fields.append((name: "max_capacity", value: .integer(Int64(number))))
        }
        if input.isSet(zone) {
            columns.fields.append((name: "time_zone", value: .text(input.zone(zone).name)))
        }
        if let number = input.number(hour) {
            columns.fields.append((name: "boundary_hour", value: .integer(Int64(number))))
        }
        let known = input.rows[locations] ?? []
        guard let location = input.number(CountCommands.place).map({ Int64($0) }) else {
            guard columns.fields.isEmpty else { throw .usage("say of which location: --location ID") }
            return CommandOutput(list(known), outcome: known.isEmpty ? .inconclusive : .done)
        }
        let row = known.first { $0.integer("location_id") == location }
        guard !columns.fields.isEmpty else {
            return CommandOutput(list(row.map { [$0] } ?? []), outcome: row == nil ? .inconclusive : .done)
        }
        var output = CommandOutput("Location \(location) is set.\n")
        if let id = row?.integer("id") {
            output.storeChanges = [.update(id, columns, in: locations)]
        } else {
            columns.fields.append((name: "location_id", value: .integer(location)))
            output.storeChanges = [.add([columns], to: locations)]
        }
        return output
    }

    private static func list(_ rows: [Record]) -> String {
        if rows.isEmpty { return "No location is set.\n" }
        return rows.map { row in
            let facts = [
                row.integer("max_capacity").map { "room for \($0)" }, row.text("time_zone"),
                row.integer("boundary_hour").map { "days begin at \($0):00" },
            ].compactMap(\.self)
            return "\(title(row))  \(facts.joined(separator: ", "))\n"
        }.joined()
    }

    private static func title(_ row: Record) -> String {
        "\(row.integer("location_id") ?? 0)" + (row.text("name").map { "  \($0.legible())" } ?? "")
    }

    /// Counting rules of a location: from the command line, else as set for the location, else with days from noon in
    /// the user's zone.
    static func rules(of location: Int64?, _ input: CommandInput) throws(CommandError) -> CountingRules {
        let row = input.rows[locations]?.first { location != nil && $0.integer("location_id") == location }
        var zone = input.zone(CountCommands.zone)
        if !input.isSet(CountCommands.zone), let name = row?.text("time_zone") {
            guard let found = input.findZone?(name) else {
                throw .unreadable(
                    "location \(location ?? 0): there is no zone \(name) on this machine; use --time-zone")
            }
            zone = found
        }
        return CountingRules(
            capacity: input.number(CountCommands.capacity).map { Int64($0) } ?? row?.integer("max_capacity"),
            zone: zone,
            boundaryHour: input.number(CountCommands.hour).map { Int64($0) } ?? row?.integer("boundary_hour") ?? 12)
    }

    /// The location of a store that has entries of only one; otherwise nil.
    static func only(in input: CommandInput) -> Int64? {
        let states = input.rows[CounterTables.states] ?? []
        return states.count == 1 ? states[0].integer("location_id") : nil
    }

    /// Numbers of the locations that are set, that have a counter, or at which was counted.
    static func all(in input: CommandInput) -> [Int64] {
        let numbers = [locations, CounterTables.states, CounterTables.counters].flatMap { table in
            (input.rows[table] ?? []).compactMap { $0.integer("location_id") }
        }
        return Set(numbers).sorted()
    }

    /// The location that the user names, which must be known; nil if the user names none.
    static func known(_ input: CommandInput) throws(CommandError) -> Int64? {
        guard let location = input.number(CountCommands.location).map({ Int64($0) }) else { return nil }
        let all = all(in: input)
        guard all.contains(location) else {
            let known = all.isEmpty ? "none is known yet" : "known are \(all.map { "\($0)" }.joined(separator: ", "))"
            throw .usage(
                "--location \(location): nothing was counted there, and it is not set; \(known) (“lifecount locations "
                    + "--location \(location) --name NAME” sets it)")
        }
        return location
    }

    /// The name of a location with its number.
    static func title(of location: Int64, _ input: CommandInput) -> String {
        let row = input.rows[locations]?.first { $0.integer("location_id") == location }
        return row?.text("name").map { "\($0) (location \(location))" } ?? "Location \(location)"
    }
}

// MARK: - The end of a day

extension CountLocations {
    private static let reason = CommandParameter.option("reason", placeholder: "text", help: "Who closes it and why.")

    static let endDay = PluginCommand(
        name: "end-day",
        abstract: "Keep a snapshot of the operational day so far, as its end.",
        discussion: """
            A snapshot has what came, what went, who is inside, and the largest count. Nothing is removed, and the count goes on: \
            it begins with zero at the boundary hour.
            """,
        examples: ["end-day --location 7 --reason \"closed early\""],
        parameters: [
            CountCommands.place, reason, CountCommands.zone, CountCommands.hour, CountCommands.now,
        ], tables: [locations, CounterTables.counters, CounterTables.states]
    ) { input throws(CommandError) in
        guard let location = try known(input) else { throw .usage("say of which location: --location ID") }
        let rules = try rules(of: location, input)
        let report = try CountCommands.report(.today, rules, of: location, compares: false, input)
        let totals = report.totals
        let start = totals.buckets.first?.range.start ?? report.now
        var row: Record = [
            "location_id": .integer(location), "day_start_ms": .integer(start * 1000),
            "taken_ms": .integer(report.now * 1000), "entered": .integer(totals.entered),
            "left_count": .integer(totals.left), "inside": .integer(totals.count),
            "peak": .integer(totals.peak?.peak ?? 0),
        ]
        if let text = input.text(reason) {
            guard text.utf8.count <= 1000 else { throw .usage("--reason: expected a text of up to 1000 bytes") }
            row.fields.append((name: "user_id", value: .text(text)))
        }
        var output = CommandOutput(
            "\(title(of: location, input).legible()), day of \(rules.zone.text(start)): \(totals.entered) in, \(totals.left) out, "
                + "\(totals.count) inside, peak \(totals.peak?.peak ?? 0)\n")
        output.storeChanges = [.add([row], to: snapshots)]
        return output
    }
}
