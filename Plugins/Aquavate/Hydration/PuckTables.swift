import Bytes
import PluginKit
import Profile

/// The tables of the pucks' data (plan 040 and "Data Model" of the requirements): times are seconds since 1970.
///
/// Timestamps of drinks, wake events and backpack sessions identify the rows and are as the puck sent them, in its epoch.
/// `utc_offset_s` is the number of seconds by which that epoch is ahead of UTC. A drink gets the offset that its
/// bottle has when it is added, or the first that is learned later. Its `time_zone` is the user's when it was added.
enum PuckTables {
    static let bottles = "aquavate_bottles"
    static let goals = "aquavate_goals"
    static let drinks = "aquavate_drinks"
    static let wakeEvents = "aquavate_wake_events"
    static let backpackSessions = "aquavate_backpack_sessions"
    static let reminders = "aquavate_reminders"

    static let tables = StoredTables(
        [bottles, goals, drinks, wakeEvents, backpackSessions, reminders],
        tasks: [Dialect.shipped.rawValue: ["sync", "fetch_activity"], Dialect.prd.rawValue: ["sync"]],
        gatewayTasks: [
            Dialect.shipped.rawValue: [AppTask.keepSynced.rawValue],
            Dialect.prd.rawValue: [AppTask.keepSynced.rawValue],
        ],
        wakeUp: PuckStimulus.motion.rawValue, isPersonal: true, reminders: { HydrationReminders() },
        zoneColumns: [drinks: "time_zone"],
        times: [
            bottles: ["last_sync": .seconds, "last_activity_sync": .seconds, "level_time": .seconds],
            goals: ["timestamp": .seconds], reminders: ["timestamp": .seconds],
            drinks: ["timestamp": .deviceSeconds, "received_at": .seconds],
            wakeEvents: ["timestamp": .deviceSeconds], backpackSessions: ["start_timestamp": .deviceSeconds],
        ],
        revisions: [bottles: "last_sync"], marks: ["is_deleted", "health_uuid", "is_removed_from_health"],
        migrations: [
            .init(
                "aquavate-1",
                sql: """
                    CREATE TABLE aquavate_bottles (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL UNIQUE REFERENCES peers(id) ON DELETE CASCADE,
                        serial_number TEXT,
                        capacity_ml INTEGER,
                        goal_ml INTEGER,
                        battery_percent INTEGER,
                        is_battery_low INTEGER CHECK (is_battery_low IN (0, 1)),
                        last_sync INTEGER,
                        last_activity_sync INTEGER
                    ) STRICT;
                    CREATE TABLE aquavate_drinks (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL REFERENCES peers(id) ON DELETE CASCADE,
                        record_id INTEGER NOT NULL,
                        timestamp INTEGER NOT NULL,
                        amount_ml INTEGER NOT NULL,
                        level_ml INTEGER NOT NULL,
                        type INTEGER NOT NULL,
                        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
                        health_uuid TEXT,
                        is_removed_from_health INTEGER NOT NULL DEFAULT 0 CHECK (is_removed_from_health IN (0, 1)),
                        UNIQUE (peer_id, record_id, timestamp)
                    ) STRICT;
                    CREATE INDEX aquavate_drinks_by_time ON aquavate_drinks (timestamp);
                    CREATE TABLE aquavate_wake_events (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL REFERENCES peers(id) ON DELETE CASCADE,
                        timestamp INTEGER NOT NULL,
                        duration_s INTEGER NOT NULL,
                        wake_reason INTEGER NOT NULL,
                        sleep_type INTEGER NOT NULL,
                        drink_taken INTEGER NOT NULL CHECK (drink_taken IN (0, 1)),
                        UNIQUE (peer_id, timestamp)
                    ) STRICT;
                    CREATE TABLE aquavate_backpack_sessions (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL REFERENCES peers(id) ON DELETE CASCADE,
                        start_timestamp INTEGER NOT NULL,
                        duration_s INTEGER NOT NULL,
                        timer_wake_count INTEGER NOT NULL,
                        exit_reason INTEGER NOT NULL,
                        UNIQUE (peer_id, start_timestamp)
                    ) STRICT;
                    """),
            .init(
                "aquavate-2",
                sql: """
                    ALTER TABLE aquavate_bottles ADD COLUMN tare_g INTEGER;
                    ALTER TABLE aquavate_bottles ADD COLUMN level_ml INTEGER;
                    ALTER TABLE aquavate_bottles ADD COLUMN level_time INTEGER;
                    """),
            // A commit that changes the goal of its bottle dates it. The time of a goal of an older store is not known.
            .init(
                "aquavate-3",
                sql: """
                    CREATE TABLE aquavate_goals (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL REFERENCES peers(id) ON DELETE CASCADE,
                        timestamp INTEGER NOT NULL,
                        goal_ml INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO aquavate_goals (peer_id, timestamp, goal_ml)
                        SELECT peer_id, 0, goal_ml FROM aquavate_bottles WHERE goal_ml IS NOT NULL ORDER BY id;
                    CREATE TRIGGER aquavate_goal AFTER INSERT ON journal BEGIN
                        INSERT INTO aquavate_goals (peer_id, timestamp, goal_ml)
                        SELECT bottle.peer_id, new.committed_at / 1000000000, bottle.goal_ml
                        FROM sessions JOIN aquavate_bottles bottle ON bottle.peer_id = sessions.peer_id
                        WHERE sessions.id = new.session_id AND bottle.goal_ml IS NOT NULL AND bottle.goal_ml IS NOT (
                            SELECT goal_ml FROM aquavate_goals WHERE peer_id = bottle.peer_id ORDER BY id DESC LIMIT 1);
                    END;
                    """),
            .init(
                "aquavate-4",
                sql: """
                    ALTER TABLE aquavate_bottles ADD COLUMN utc_offset_s INTEGER;
                    ALTER TABLE aquavate_drinks ADD COLUMN utc_offset_s INTEGER;
                    ALTER TABLE aquavate_drinks ADD COLUMN received_at INTEGER;
                    CREATE TRIGGER aquavate_offset_of_drink AFTER INSERT ON aquavate_drinks BEGIN
                        UPDATE aquavate_drinks
                        SET utc_offset_s = (SELECT utc_offset_s FROM aquavate_bottles WHERE peer_id = new.peer_id)
                        WHERE id = new.id;
                    END;
                    CREATE TRIGGER aquavate_offset_learned AFTER UPDATE OF utc_offset_s ON aquavate_bottles BEGIN
                        UPDATE aquavate_drinks SET utc_offset_s = new.utc_offset_s
                        WHERE peer_id = new.peer_id AND utc_offset_s IS NULL;
                    END;
                    """),
            // The zone in which a drink of an older store was drunk is not known.
            .init("aquavate-5", sql: "ALTER TABLE aquavate_drinks ADD COLUMN time_zone TEXT;"),
            // Reminders that a gateway has given; they belong to the user, not to a bottle.
            .init(
                "aquavate-7",
                sql: """
                    CREATE TABLE aquavate_reminders (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        timestamp INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        subject TEXT NOT NULL,
                        UNIQUE (kind, subject)
                    ) STRICT;
                    """),
        ])

    /// Records the time of a complete sync, and the puck's offset from UTC if it is known.
    static func synced(at now: Timestamp, offset: Int?) -> StoreChange {
        var bottle: Record = ["last_sync": .integer(Int64(now.wholeSeconds))]
        if let offset { bottle.fields.append(("utc_offset_s", .integer(Int64(offset)))) }
        return .set(bottle, in: bottles)
    }

    /// Replaces all activity that was fetched before.
    static func activity(
        _ events: [DeviceProfile.WakeEvent], _ sessions: [DeviceProfile.BackpackSession], at now: Timestamp
    ) -> [StoreChange] {
        [
            .clear(wakeEvents), .add(events.map(\.row), to: wakeEvents), .clear(backpackSessions),
            .add(sessions.map(\.row), to: backpackSessions),
            .set(["last_activity_sync": .integer(Int64(now.wholeSeconds))], in: bottles),
        ]
    }

    /// Marks a puck's drink as deleted by the app.
    static func deletion(of id: Int) -> StoreChange {
        .mark(["is_deleted": .integer(1)], in: drinks, where: ["record_id": .integer(Int64(id))])
    }

    /// Marks a puck's drinks of a day and later as deleted by the app; `time` is any time of the day, in seconds of the
    /// puck's epoch.
    static func deletion(ofDayAt time: Int) -> StoreChange {
        .markAll(["is_deleted": .integer(1)], in: drinks, from: ["timestamp": .integer(Int64(dayStart(at: time)))])
    }

    /// Start of the day of a time, in seconds of the puck's epoch (section 7.4).
    static func dayStart(at time: Int) -> Int { time - time % 86_400 }
}

extension DrinkRecord {
    func row(received: Timestamp) -> Record {
        drinkRow(recordId, timestamp, amount: amount, level: levelAfter, type: type.rawValue, received)
    }
}

extension PRDRecord {
    func row(received: Timestamp) -> Record {
        drinkRow(recordId, timestamp, amount: amount, level: bottleLevel, type: type.rawValue, received)
    }
}

private func drinkRow(
    _ id: Int, _ timestamp: Int, amount: Int, level: Int, type: Int, _ received: Timestamp
) -> Record {
    [
        "record_id": .integer(Int64(id)), "timestamp": .integer(Int64(timestamp)), "amount_ml": .integer(Int64(amount)),
        "level_ml": .integer(Int64(level)), "type": .integer(Int64(type)),
        "received_at": .integer(Int64(received.wholeSeconds)),
    ]
}

extension DeviceProfile.WakeEvent {
    fileprivate var row: Record {
        [
            "timestamp": .integer(Int64(timestamp)), "duration_s": .integer(Int64(duration)),
            "wake_reason": .integer(Int64(wakeReason.rawValue)),
            "sleep_type": .integer(Int64(sleep.sleepType.rawValue)), "drink_taken": .boolean(sleep.drinkTaken),
        ]
    }
}

extension DeviceProfile.BackpackSession {
    fileprivate var row: Record {
        [
            "start_timestamp": .integer(Int64(start)), "duration_s": .integer(Int64(duration)),
            "timer_wake_count": .integer(Int64(timerWakes)), "exit_reason": .integer(Int64(exitReason.rawValue)),
        ]
    }
}
