import Bytes
import PluginKit
import Profile

/// The activity of bottles as last fetched (plan 040): the `activity` command.
struct ActivityView {
    var bottles: [Record]
    var wakeEvents: [Record]
    var sessions: [Record]
    /// Connection times by device, in seconds since 1970; nil to leave the energy out.
    var connections: [String: [(start: Double, end: Double)]]?
    /// Seconds since 1970.
    var now: Int64
    var zone: TimeZoneTable

    private static let wakeReasons = ["motion", "timer", "power_on", "other"]
    private static let sleepTypes = ["normal", "extended"]
    private static let exitReasons = ["motion_detected", "still_active", "power_cycle"]

    private static func name(_ names: [String], _ code: Int64?) -> String {
        guard let code else { return "?" }
        return names.indices.contains(Int(code)) ? names[Int(code)] : "\(code)"
    }

    /// Human-readable text, newest first.
    var text: String {
        if bottles.isEmpty { return "No bottle was synced yet: see 'gattbench sync --help'.\n" }
        var lines: [String] = []
        for bottle in bottles {
            if !lines.isEmpty { lines.append("") }
            let device = bottle.text("device") ?? "?"
            lines.append("\(bottle.text("device_name")?.legible() ?? device)  \(device)")
            lines.append(
                bottle.integer("last_activity_sync").map { "Last synced \(Self.age(now - $0))" } ?? "Never synced")
            let events = rows(wakeEvents, of: device)
            lines += ["", "Wake events: \(events.count)"]
            lines += events.reversed().map { event in
                line("timestamp", of: event, bottle) + Self.name(Self.wakeReasons, event.integer("wake_reason"))
                    + ", \(Self.span(event.integer("duration_s") ?? 0))"
                    + (event.integer("drink_taken") == 1 ? ", a drink" : "")
                    + (event.integer("sleep_type") == 1 ? ", then backpack mode" : "")
            }
            let backpack = rows(sessions, of: device)
            lines += ["", "Backpack sessions: \(backpack.count)"]
            lines += backpack.reversed().map { session in
                line("start_timestamp", of: session, bottle) + "\(Self.span(session.integer("duration_s") ?? 0)), "
                    + "\(session.integer("timer_wake_count") ?? 0) timer wakes, ended by "
                    + Self.name(Self.exitReasons, session.integer("exit_reason"))
            }
            if let energy = energy(of: bottle) { lines += ["", String(energy.text.dropLast())] }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A JSON array with an object for each bottle.
    var json: String {
        let devices = bottles.map { bottle in
            let device = bottle.text("device") ?? "?"
            return JSONValue.members([
                "device": .string(device), "name": bottle.text("device_name").map { .string($0) },
                "last_activity_sync": bottle.integer("last_activity_sync").map { .string(zone.text($0)) },
                "last_synced": bottle.integer("last_activity_sync").map { .string(Self.age(now - $0)) },
                "wake_events": .array(
                    rows(wakeEvents, of: device).map { event in
                        .members([
                            "timestamp": json(Self.recordTime("timestamp", of: event, bottle)),
                            "arrived": arrival(Self.recordTime("timestamp", of: event, bottle)),
                            "duration_s": event.integer("duration_s").map { .integer(Int($0)) },
                            "wake_reason": .string(Self.name(Self.wakeReasons, event.integer("wake_reason"))),
                            "sleep_type": .string(Self.name(Self.sleepTypes, event.integer("sleep_type"))),
                            "drink_taken": .boolean(event.integer("drink_taken") == 1),
                        ])
                    }),
                "backpack_sessions": .array(
                    rows(sessions, of: device).map { session in
                        .members([
                            "start": json(Self.recordTime("start_timestamp", of: session, bottle)),
                            "arrived": arrival(Self.recordTime("start_timestamp", of: session, bottle)),
                            "duration_s": session.integer("duration_s").map { .integer(Int($0)) },
                            "timer_wake_count": session.integer("timer_wake_count").map { .integer(Int($0)) },
                            "exit_reason": .string(Self.name(Self.exitReasons, session.integer("exit_reason"))),
                        ])
                    }),
                "energy": energy(of: bottle)?.json,
            ])
        }
        return JSONValue.array(devices).text
    }

    /// Energy used from the first wake event to the end of the last one.
    private func energy(of bottle: Record) -> EnergyUse? {
        guard let connections else { return nil }
        let device = bottle.text("device") ?? "?"
        let wakes = rows(wakeEvents, of: device).map { event in
            PowerUse.Wake(
                start: Self.time("timestamp", of: event, bottle) ?? 0, seconds: event.integer("duration_s") ?? 0,
                isByTimer: Self.name(Self.wakeReasons, event.integer("wake_reason")) == "timer",
                hasDrink: event.integer("drink_taken") == 1)
        }
        return PowerUse(wakes, connections: connections[device] ?? []).energy
    }

    /// The time at which an entry counts: its arrival is the sync that fetched it.
    private static func recordTime(_ column: String, of entry: Record, _ bottle: Record) -> RecordTime? {
        entry.integer(column).map {
            RecordTime(
                timestamp: $0, offset: bottle.integer("utc_offset_s") ?? 0,
                received: bottle.integer("last_activity_sync"))
        }
    }

    /// The beginning of an entry's line: day and time.
    private func line(_ column: String, of entry: Record, _ bottle: Record) -> String {
        guard let time = Self.recordTime(column, of: entry, bottle), time.seconds > 0 else {
            return "  without a time  "
        }
        return "  \(zone.day(of: time.seconds)) \(zone.clock(time.seconds))  "
            + (time.arrival == nil ? "" : "arrived, ")
    }

    private func json(_ time: RecordTime?) -> JSONValue? {
        guard let time, time.seconds > 0 else { return nil }
        return .string(zone.text(time.seconds))
    }

    private func arrival(_ time: RecordTime?) -> JSONValue? {
        guard let arrival = time?.arrival else { return nil }
        return .string(arrival.rawValue)
    }

    /// A time of an entry in UTC as the bottle's clock had it: its epoch may be ahead (Q-07). Differences of such
    /// times are right even if the clock was not set.
    private static func time(_ column: String, of entry: Record, _ bottle: Record) -> Int64? {
        entry.integer(column).map { $0 - (bottle.integer("utc_offset_s") ?? 0) }
    }

    private func rows(_ rows: [Record], of device: String) -> [Record] { rows.filter { $0.text("device") == device } }

    /// `3 min ago`; `in the future` for a time to come, which appears after a clock was set back.
    static func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<0: "in the future (check the clock)"
        case ..<60: "just now"
        case ..<3600: "\(seconds / 60) min ago"
        case ..<86_400: "\(seconds / 3600) h ago"
        default: seconds < 2 * 86_400 ? "1 day ago" : "\(seconds / 86_400) days ago"
        }
    }

    /// `1 h 5 min`.
    static func span(_ seconds: Int64) -> String {
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s") }
        return "\(seconds / 3600) h" + (seconds / 60 % 60 == 0 ? "" : " \(seconds / 60 % 60) min")
    }
}
