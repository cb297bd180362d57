import Bytes
import PluginKit
import Profile

/// `gattbench lifecount status`: the number of people inside now, and whether it is live ("Today live", 8A of the
/// requirements).
enum CountStatus {
    static let command = PluginCommand(
        name: "status",
        abstract: "Show how many people are inside now, and when each counter was heard.",
        discussion: """
            A location is live while a gateway receives from one of its counters and has heard it within 90 s, and searching while \
            a gateway runs that looks for one. “watch -n 2 --color gattbench lifecount status --color always” keeps it on the screen.
            """,
        examples: ["status", "status --location 7 --capacity 80 --json"],
        parameters: [
            CountCommands.location, CountCommands.capacity, CountCommands.hour, CountCommands.zone, CountCommands.now,
            CountCommands.json,
        ], tables: [CountLocations.locations, CounterTables.counters, CounterTables.states, "sessions"]
    ) { input throws(CommandError) in
        let now = try CountCommands.presentMilliseconds(input)
        let shown = try CountLocations.known(input).map { [$0] } ?? CountLocations.all(in: input)
        let totals = try CountCommands.today(at: shown, input)
        let locations = shown.compactMap { number in totals[number].map { Location(number, $0, at: now, input) } }
        if locations.isEmpty {
            let isSearching = CountConnection(of: nil, at: now, input) == .scanning
            return CommandOutput(
                "No event was received yet\(isSearching ? "; a gateway is searching" : "").\n", outcome: .inconclusive)
        }
        let json = JSONValue.members([
            "now": .string("\(Timestamp(seconds: seconds(ofMilliseconds: now), nanoseconds: 0))"),
            "locations": .array(locations.map(\.json)),
        ])
        if input.isSet(CountCommands.json) { return CommandOutput(json.text) }
        return CommandOutput(
            locations.map { $0.text(isColored: input.wantsColor) }.joined(separator: "\n"), isPainted: input.wantsColor)
    }

    private struct Location {
        let number: Int64
        let title: String
        let totals: CountTotals
        /// Seconds since the last event.
        let eventAge: Int64?
        let counters: [Counter]
        let connection: CountConnection

        /// `now` is in milliseconds since 1970.
        init(_ number: Int64, _ totals: CountTotals, at now: Int64, _ input: CommandInput) {
            self.number = number
            self.totals = totals
            title = CountLocations.title(of: number, input)
            let state = input.rows[CounterTables.states]?.first { $0.integer("location_id") == number }
            eventAge = state?.integer("last_event_ms").map { age(ofMilliseconds: $0, at: now) }
            let gateways = RunningGateways(input)
            counters = (input.rows[CounterTables.counters] ?? [])
                .filter { $0.integer("location_id") == number }.map { Counter($0, gateways, at: now) }
            connection = CountConnection(of: number, at: now, input)
        }

        func text(isColored: Bool) -> String {
            let line = "\(title.legible()): \(totals.occupancy(isColored: isColored))"
            let age = eventAge.map { "last event \($0) s ago" } ?? "no event yet"
            let lines = [line, "  \(connection.color.painted(connection.title, if: isColored)), \(age)"]
            return (lines + counters.map { "  \($0.text)" }).joined(separator: "\n") + "\n"
        }

        var json: JSONValue {
            .members([
                "location": .integer(Int(number)), "title": .string(title),
                "count": .integer(Int(totals.count)),
                "capacity": totals.rules.capacity.map { .integer(Int($0)) },
                "status": totals.status.map { .string($0.rawValue) }, "connection": .string(connection.rawValue),
                "last_event_age_s": eventAge.map { .integer(Int($0)) }, "devices": .array(counters.map(\.json)),
            ])
        }
    }

    private struct Counter {
        let device: Int64
        let name: String?
        /// Whether a gateway receives from it.
        let isActive: Bool
        /// Seconds since it was seen, and since its last event.
        let silence: Int64
        let eventAge: Int64?

        init(_ row: Record, _ gateways: RunningGateways, at now: Int64) {
            device = row.integer("device_id") ?? 0
            name = row.text("device_name")
            silence = age(ofMilliseconds: row.integer("last_seen_ms") ?? 0, at: now)
            isActive = gateways.receive(from: row, at: now)
            eventAge = row.integer("last_event_ms").map { age(ofMilliseconds: $0, at: now) }
        }

        var text: String {
            "counter \(name?.legible() ?? "\(device)"): " + (isActive ? "received from" : "no gateway")
                + ", heard \(silence) s ago"
                + (eventAge.map { ", last event \($0) s ago" } ?? "")
        }

        var json: JSONValue {
            .members([
                "device": .integer(Int(device)), "name": name.map { .string($0) }, "is_active": .boolean(isActive),
                "last_heartbeat_age_s": .integer(Int(silence)), "last_event_age_s": eventAge.map { .integer(Int($0)) },
            ])
        }
    }
}
