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
                let time = Self.time("timestamp", of: event, bottle) ?? 0
                return
                    "  \(zone.day(of: time)) \(zone.clock(time))  \(Self.name(Self.wakeReasons, event.integer("wake_reason")))"
                    + ", \(Self.span(event.integer("duration_s") ?? 0))"
                    + (event.integer("drink_taken") == 1 ? ", a drink" : "")
                    + (event.integer("sleep_type") == 1 ? ", then backpack mode" : "")
            }
            let backpack = rows(sessions, of: device)
            lines += ["", "Backpack sessions: \(backpack.count)"]
            lines += backpack.reversed().map { session in
                let time = Self.time("start_timestamp", of: session, bottle) ?? 0
                return "  \(zone.day(of: time)) \(zone.clock(time))  \(Self.span(session.integer("duration_s") ?? 0)), "
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
                            "timestamp": Self.time("timestamp", of: event, bottle).map { .string(zone.text($0)) },
                            "duration_s": event.integer("duration_s").map { .integer(Int($0)) },
                            "wake_reason": .string(Self.name(Self.wakeReasons, event.integer("wake_reason"))),
                            "sleep_type": .string(Self.name(Self.sleepTypes, event.integer("sleep_type"))),
                            "drink_taken": .boolean(event.integer("drink_taken") == 1),
                        ])
                    }),
                "backpack_sessions": .array(
                    rows(sessions, of: device).map { session in
                        .members([
                            "start": Self.time("start_timestamp", of: session, bottle).map { .string(zone.text($0)) },
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

    /// A time of an entry in UTC: the bottle's epoch may be ahead of it (Q-07).
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
