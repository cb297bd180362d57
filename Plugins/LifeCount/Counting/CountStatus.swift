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
            A location is live while a gateway receives from one of its counters and has heard it within 90 s. “watch -n 2 \
            gattbench lifecount status” keeps it on the screen.
            """,
        examples: ["status", "status --location 7 --capacity 80 --json"],
        parameters: [
            CountCommands.location, CountCommands.capacity, CountCommands.hour, CountCommands.zone, CountCommands.now,
            CountCommands.json,
        ], tables: [CountLocations.locations, CounterTables.counters, CounterTables.states]
    ) { input throws(CommandError) in
        let now = try CountCommands.present(input)
        let shown = try CountLocations.known(input).map { [$0] } ?? CountLocations.all(in: input)
        let totals = try CountCommands.today(at: shown, input)
        let locations = shown.compactMap { number in totals[number].map { Location(number, $0, at: now, input) } }
        if locations.isEmpty { return CommandOutput("No event was received yet.\n", outcome: .inconclusive) }
        let json = JSONValue.members([
            "now": .string("\(Timestamp(seconds: now, nanoseconds: 0))"), "locations": .array(locations.map(\.json)),
        ])
        return CommandOutput(
            input.isSet(CountCommands.json) ? json.text : locations.map(\.text).joined(separator: "\n"))
    }

    private struct Location {
        let number: Int64
        let title: String
        let totals: CountTotals
        /// Seconds since the last event.
        let eventAge: Int64?
        let counters: [Counter]

        init(_ number: Int64, _ totals: CountTotals, at now: Int64, _ input: CommandInput) {
            self.number = number
            self.totals = totals
            title = CountLocations.title(of: number, input)
            let state = input.rows[CounterTables.states]?.first { $0.integer("location_id") == number }
            eventAge = state?.integer("last_event_ms").map { max(0, now - $0 / 1000) }
            counters = (input.rows[CounterTables.counters] ?? [])
                .filter { $0.integer("location_id") == number }.map { Counter($0, at: now) }
        }

        /// In the words of the requirements; the store does not show whether a gateway is scanning.
        var connection: String { counters.contains(where: \.isActive) ? "connected" : "offline" }

        var text: String {
            let line = "\(title.legible()): \(totals.occupancy)"
            let age = eventAge.map { "last event \($0) s ago" } ?? "no event yet"
            let lines = [line, "  \(connection == "connected" ? "Live" : connection), \(age)"]
            return (lines + counters.map { "  \($0.text)" }).joined(separator: "\n") + "\n"
        }

        var json: JSONValue {
            .members([
                "location": .integer(Int(number)), "title": .string(title),
                "count": .integer(Int(totals.count)),
                "capacity": totals.rules.capacity.map { .integer(Int($0)) },
                "status": totals.status.map { .string($0.rawValue) }, "connection": .string(connection),
                "last_event_age_s": eventAge.map { .integer(Int($0)) }, "devices": .array(counters.map(\.json)),
            ])
        }
    }

    private struct Counter {
        let device: Int64
        let name: String?
        /// Whether a gateway receives from it. Silence counts too: a killed gateway has not recorded its end.
        let isActive: Bool
        /// Seconds since it was seen, and since its last event.
        let silence: Int64
        let eventAge: Int64?

        init(_ row: Record, at now: Int64) {
            device = row.integer("device_id") ?? 0
            name = row.text("device_name")
            silence = max(0, now - (row.integer("last_seen_ms") ?? 0) / 1000)
            isActive = row.integer("is_active") == 1 && silence <= CountReport.patience
            eventAge = row.integer("last_event_ms").map { max(0, now - $0 / 1000) }
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
