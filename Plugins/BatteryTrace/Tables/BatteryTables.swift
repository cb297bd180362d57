import Bytes
import PluginKit
import Profile

/// The tables of batteries. Times are nanoseconds since 1970.
///
/// Snapshots, and the sessions and samples of files, belong to no device of the store; those of `battery monitor` do.
enum BatteryTables {
    static let snapshots = "battery_snapshots"
    static let sessions = "battery_sessions"
    static let samples = "battery_samples"
    static let all = [snapshots, sessions, samples]

    static let tables = StoredTables(
        all, tasks: [:], isContinuous: true,
        times: [
            snapshots: ["date_ns": .nanoseconds],
            sessions: ["start_ns": .nanoseconds, "end_ns": .nanoseconds],
            samples: ["time_ns": .nanoseconds, "session_start_ns": .nanoseconds],
        ],
        revisions: [sessions: "end_ns"],
        migrations: [
            .init(
                "batterytrace-1",
                sql: """
                    CREATE TABLE battery_snapshots (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        date_ns INTEGER NOT NULL,
                        cycles INTEGER CHECK (cycles BETWEEN 0 AND 10000),
                        health REAL CHECK (health > 0 AND health <= 1),
                        first_use TEXT,
                        mfg_date TEXT
                    ) STRICT;
                    CREATE TABLE battery_sessions (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        start_ns INTEGER NOT NULL,
                        end_ns INTEGER,
                        avg_w REAL,
                        peak_w REAL,
                        delta_pct REAL NOT NULL,
                        duration_s REAL NOT NULL,
                        eta_s REAL,
                        model TEXT NOT NULL,
                        charger TEXT NOT NULL,
                        notes TEXT NOT NULL,
                        inferred_charger TEXT NOT NULL,
                        UNIQUE (peer_id, start_ns)
                    ) STRICT;
                    CREATE TABLE battery_samples (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        time_ns INTEGER NOT NULL,
                        level REAL NOT NULL CHECK (level BETWEEN 0 AND 1),
                        state TEXT NOT NULL CHECK (state IN ('unplugged', 'charging', 'full', 'unknown')),
                        current_ma REAL,
                        power_w REAL,
                        smoothed_w REAL,
                        eta_s REAL,
                        UNIQUE (peer_id, time_ns)
                    ) STRICT;
                    CREATE INDEX battery_samples_by_time ON battery_samples (time_ns);
                    """),
            // A sample of a file that falls into two sessions keeps no session start, and belongs to both.
            .init(
                "batterytrace-2",
                sql: """
                    ALTER TABLE battery_samples ADD COLUMN session_start_ns INTEGER;
                    UPDATE battery_samples SET session_start_ns = (
                        SELECT CASE count(*) WHEN 1 THEN min(start_ns) END FROM battery_sessions
                        WHERE battery_sessions.peer_id IS NULL AND battery_samples.time_ns BETWEEN start_ns
                            AND coalesce(end_ns, start_ns + CAST(round(duration_s * 1e9) AS INTEGER)))
                    WHERE peer_id IS NULL;
                    """),
            // A new battery may have more than its nominal capacity.
            .init(
                "batterytrace-3",
                sql: """
                    CREATE TABLE battery_snapshots_3 (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        date_ns INTEGER NOT NULL,
                        cycles INTEGER CHECK (cycles BETWEEN 0 AND 10000),
                        health REAL CHECK (health > 0 AND health <= 1.1),
                        first_use TEXT,
                        mfg_date TEXT
                    ) STRICT;
                    INSERT INTO battery_snapshots_3
                        SELECT id, peer_id, date_ns, cycles, health, first_use, mfg_date FROM battery_snapshots;
                    DROP TABLE battery_snapshots;
                    ALTER TABLE battery_snapshots_3 RENAME TO battery_snapshots;
                    """),
        ])

    /// Adds a session, or replaces its earlier measurements; labels stay as the user has changed them since.
    static func keep(_ session: ChargeSession) -> [StoreChange] {
        [
            .add([session.row], to: sessions),
            .mark(session.measuredRow, in: sessions, where: ["start_ns": .integer(session.start.nanoseconds)]),
        ]
    }
}

// MARK: - Rows

extension BatterySnapshot {
    var row: Record {
        [
            "date_ns": .integer(date.nanoseconds), "cycles": battery.cycles.map { .integer(Int64($0)) } ?? .absent,
            "health": battery.health.map { .real($0) } ?? .absent,
            "first_use": battery.firstUse.map { .text("\($0)") } ?? .absent,
            "mfg_date": battery.mfgDate.map { .text("\($0)") } ?? .absent,
        ]
    }

    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let id = row.integer("id"), let date = row.integer("date_ns") else { return nil }
        self.init(
            id: Int(id), date: Timestamp(nanoseconds: date),
            battery: BatteryHealth(
                cycles: row.integer("cycles").map { Int($0) }, health: row.real("health"),
                firstUse: row.text("first_use").flatMap { CivilDate($0) },
                mfgDate: row.text("mfg_date").flatMap { CivilDate($0) }))
    }
}

extension ChargeSession {
    var row: Record {
        var row = measuredRow
        row.fields += [("model", .text(model)), ("charger", .text(charger)), ("notes", .text(notes))]
        return row
    }

    /// Without the user's labels.
    fileprivate var measuredRow: Record {
        func real(_ value: Double?) -> Value { value.map { .real($0) } ?? .absent }
        return [
            "start_ns": .integer(start.nanoseconds), "end_ns": end.map { .integer($0.nanoseconds) } ?? .absent,
            "avg_w": real(averageWatts), "peak_w": real(peakWatts), "delta_pct": .real(risenPercent),
            "duration_s": .real(duration), "eta_s": real(secondsToFull), "inferred_charger": .text(inferredCharger),
        ]
    }

    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let id = row.integer("id"), let start = row.integer("start_ns"), let risen = row.real("delta_pct"),
            let duration = row.real("duration_s")
        else { return nil }
        self.init(
            id: Int(id), start: Timestamp(nanoseconds: start),
            end: row.integer("end_ns").map { Timestamp(nanoseconds: $0) }, averageWatts: row.real("avg_w"),
            peakWatts: row.real("peak_w"), risenPercent: risen, duration: duration, model: row.text("model") ?? "",
            charger: row.text("charger") ?? "", notes: row.text("notes") ?? "", secondsToFull: row.real("eta_s"))
        inferredCharger = row.text("inferred_charger") ?? ""
        device = row.text("device")
    }
}

extension ChargeSample {
    var row: Record {
        func real(_ value: Double?) -> Value { value.map { .real($0) } ?? .absent }
        return [
            "time_ns": .integer(time.nanoseconds), "level": .real(level), "state": .text(state.rawValue),
            "current_ma": real(estimate?.milliamperes), "power_w": real(estimate?.watts),
            "smoothed_w": real(estimate?.smoothedWatts), "eta_s": real(estimate?.secondsToFull),
            "session_start_ns": session.map { .integer($0.nanoseconds) } ?? .absent,
        ]
    }

    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let nanoseconds = row.integer("time_ns"), let level = row.real("level"),
            let state = row.text("state").flatMap(BatteryState.init)
        else { return nil }
        let time = Timestamp(nanoseconds: nanoseconds)
        self.init(time: time, level: level, state: state)
        device = row.text("device")
        session = row.integer("session_start_ns").map { Timestamp(nanoseconds: $0) }
        guard let current = row.real("current_ma"), let watts = row.real("power_w"),
            let smoothed = row.real("smoothed_w"), let eta = row.real("eta_s")
        else { return }
        estimate = ChargeEstimate(
            time: time, milliamperes: current, watts: watts, smoothedWatts: smoothed, secondsToFull: eta)
    }
}
