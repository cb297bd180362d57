import PluginKit
import Profile

/// The entries with the locations at which they count (“derived from device to location”).
///
/// An event without a location (0) happened before its counter had one: it counts at the counter's home, its first
/// location. Entries are not changed; the view `lifecount_located` applies the rule.
enum LocatedEntries {
    static let view = "lifecount_located"

    /// Homes, the view, and `lifecount_repeated`: an event without the counter's time that is no replay, with a number that
    /// the boot has had before, follows a reset. Minus its arrival takes the place of the time, so that it is stored.
    static let migration = StoredTables.Migration(
        "lifecount-5",
        sql: """
            ALTER TABLE lifecount_counters ADD COLUMN home_id INTEGER CHECK (home_id > 0);
            UPDATE lifecount_counters SET home_id = coalesce((
                SELECT location_id FROM lifecount_entries
                WHERE source = 'hardware' AND device_id = lifecount_counters.device_id AND location_id <> 0
                ORDER BY id LIMIT 1), nullif(location_id, 0));
            CREATE VIEW lifecount_located AS SELECT
                id, CASE WHEN location_id <> 0 OR source <> 'hardware' THEN location_id ELSE coalesce((
                    SELECT c.home_id FROM lifecount_counters c
                    WHERE c.device_id = e.device_id AND c.home_id IS NOT NULL LIMIT 1), 0) END AS location_id,
                device_id, timestamp_ms, is_device_time, received_ms, delta, source, sequence_number, boot_count,
                gateway_session, is_replayed
                FROM lifecount_entries e;
            DROP TRIGGER lifecount_state;
            CREATE TRIGGER lifecount_state AFTER INSERT ON lifecount_entries BEGIN
                INSERT INTO lifecount_states (location_id, last_updated_ms, last_event_ms)
                SELECT location_id, received_ms, timestamp_ms FROM lifecount_located WHERE id = new.id
                ON CONFLICT (location_id) DO UPDATE SET
                    last_updated_ms = excluded.last_updated_ms,
                    last_event_ms = max(coalesce(last_event_ms, 0), excluded.last_event_ms);
            END;
            \(homeTrigger("lifecount_home", "INSERT"))
            \(homeTrigger("lifecount_new_home", "UPDATE OF location_id"))
            CREATE TRIGGER lifecount_repeated BEFORE INSERT ON lifecount_entries
            WHEN new.is_replayed = 0 AND new.is_device_time = 0 AND EXISTS (
                SELECT 1 FROM lifecount_entries
                WHERE source = new.source AND device_id = new.device_id AND boot_count = new.boot_count
                    AND sequence_number = new.sequence_number AND device_time_ms = new.device_time_ms)
            BEGIN
                INSERT OR IGNORE INTO lifecount_entries (peer_id, location_id, device_id, user_id, timestamp_ms,
                    is_device_time, received_ms, delta, source, sequence_number, boot_count, device_time_ms,
                    gateway_session, is_replayed)
                VALUES (new.peer_id, new.location_id, new.device_id, new.user_id, new.timestamp_ms,
                    new.is_device_time, new.received_ms, new.delta, new.source, new.sequence_number, new.boot_count,
                    -new.received_ms, new.gateway_session, new.is_replayed);
                SELECT RAISE(IGNORE);
            END;
            DELETE FROM lifecount_states;
            INSERT INTO lifecount_states (location_id, last_updated_ms, last_event_ms)
            SELECT location_id, max(received_ms), max(timestamp_ms) FROM lifecount_located GROUP BY location_id;
            """)

    /// Sets the home of a counter with its first location, and moves the time of its last earlier event there.
    private static func homeTrigger(_ name: String, _ event: String) -> String {
        let earlier = "lifecount_entries WHERE source = 'hardware' AND device_id = new.device_id AND location_id = 0"
        return """
            CREATE TRIGGER \(name) AFTER \(event) ON lifecount_counters
            WHEN new.home_id IS NULL AND new.location_id <> 0 BEGIN
                UPDATE lifecount_counters SET home_id = new.location_id WHERE id = new.id;
                INSERT INTO lifecount_states (location_id, last_updated_ms, last_event_ms)
                SELECT new.location_id, updated, event FROM (
                    SELECT max(received_ms) AS updated, max(timestamp_ms) AS event FROM \(earlier)
                ) WHERE updated IS NOT NULL
                ON CONFLICT (location_id) DO UPDATE SET
                    last_updated_ms = max(last_updated_ms, excluded.last_updated_ms),
                    last_event_ms = max(coalesce(last_event_ms, 0), excluded.last_event_ms);
                UPDATE lifecount_states SET last_event_ms = (
                    SELECT max(timestamp_ms) FROM lifecount_located WHERE location_id = 0)
                WHERE location_id = 0 AND EXISTS (SELECT 1 FROM \(earlier));
                DELETE FROM lifecount_states WHERE location_id = 0 AND last_event_ms IS NULL;
            END;
            """
    }

    /// The homes of counters, by device ID.
    static func homes(_ counters: [Record]) -> [Int64: Int64] {
        var homes: [Int64: Int64] = [:]
        for counter in counters {
            guard let device = counter.integer("device_id"), let home = counter.integer("home_id") else { continue }
            homes[device] = homes[device] ?? home
        }
        return homes
    }

    /// The location at which an entry counts, by the rule of the view.
    static func location(of row: Record, _ homes: [Int64: Int64]) -> Int64? {
        guard let location = row.integer("location_id") else { return nil }
        guard location == 0, row.text("source") == EventSource.hardware.rawValue else { return location }
        return row.integer("device_id").flatMap { homes[$0] } ?? location
    }
}
