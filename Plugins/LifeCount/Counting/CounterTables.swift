import Bytes
import PluginKit
import Profile

/// The tables of counters (schema 3.4 of the requirements).
///
/// `lifecount_entries` is the source of truth: one row for each event, never changed. `lifecount_states` has the last
/// event of a location, which a trigger updates in the transaction that adds the entry. Who is inside depends on the
/// operational day, and so on the time: `CountTotals` counts it from the entries.
enum CounterTables {
    static let entries = "lifecount_entries"
    static let counters = "lifecount_counters"
    static let states = "lifecount_states"

    static let tables = StoredTables(
        [entries, counters, states, CountLocations.locations, CountLocations.snapshots],
        tasks: ["": [GatewayTask.connect.rawValue]], isContinuous: true,
        publication: CounterPublication.publication, recomputation: recomputation, softLock: softLock,
        times: [
            entries: [
                "timestamp_ms": .milliseconds, "received_ms": .milliseconds, "device_time_ms": .milliseconds,
            ], counters: ["last_seen_ms": .milliseconds, "last_event_ms": .milliseconds],
            states: ["last_updated_ms": .milliseconds, "last_event_ms": .milliseconds],
            CountLocations.snapshots: ["day_start_ms": .milliseconds, "taken_ms": .milliseconds],
        ],
        revisions: [counters: "last_seen_ms", states: "last_updated_ms"],
        migrations: [
            .init(
                "lifecount-1",
                sql: """
                    CREATE TABLE lifecount_entries (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        location_id INTEGER NOT NULL,
                        device_id INTEGER NOT NULL,
                        user_id TEXT,
                        timestamp_ms INTEGER NOT NULL,
                        is_device_time INTEGER NOT NULL CHECK (is_device_time IN (0, 1)),
                        received_ms INTEGER NOT NULL,
                        delta INTEGER NOT NULL CHECK (delta IN (-1, 1)),
                        source TEXT NOT NULL CHECK (source IN ('hardware', 'manual', 'simulator')),
                        sequence_number INTEGER NOT NULL,
                        boot_count INTEGER NOT NULL,
                        device_time_ms INTEGER NOT NULL,
                        gateway_session INTEGER NOT NULL,
                        UNIQUE (source, device_id, boot_count, sequence_number, device_time_ms)
                    ) STRICT;
                    CREATE INDEX lifecount_entries_by_time ON lifecount_entries (timestamp_ms);
                    CREATE TABLE lifecount_counters (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER NOT NULL UNIQUE REFERENCES peers(id) ON DELETE CASCADE,
                        device_id INTEGER NOT NULL,
                        location_id INTEGER NOT NULL,
                        boot_count INTEGER NOT NULL,
                        last_seen_ms INTEGER NOT NULL
                    ) STRICT;
                    CREATE TABLE lifecount_states (
                        id INTEGER PRIMARY KEY,
                        peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                        location_id INTEGER NOT NULL UNIQUE,
                        current_count INTEGER NOT NULL CHECK (current_count >= 0),
                        last_updated_ms INTEGER NOT NULL,
                        last_event_ms INTEGER
                    ) STRICT;
                    CREATE TRIGGER lifecount_count AFTER INSERT ON lifecount_entries BEGIN
                        INSERT INTO lifecount_states (location_id, current_count, last_updated_ms, last_event_ms)
                        VALUES (new.location_id, max(0, new.delta), new.received_ms, new.timestamp_ms)
                        ON CONFLICT (location_id) DO UPDATE SET
                            current_count = max(0, current_count + new.delta),
                            last_updated_ms = new.received_ms,
                            last_event_ms = max(coalesce(last_event_ms, 0), new.timestamp_ms);
                    END;
                    """),
            .init(
                "lifecount-2",
                sql: """
                    ALTER TABLE lifecount_counters ADD COLUMN last_event_ms INTEGER;
                    ALTER TABLE lifecount_counters ADD COLUMN gateway_session INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE lifecount_counters ADD COLUMN is_active INTEGER NOT NULL DEFAULT 0
                        CHECK (is_active IN (0, 1));
                    """),
            CountLocations.migration,
            .init(
                "lifecount-4",
                sql: """
                    ALTER TABLE lifecount_entries ADD COLUMN is_replayed INTEGER CHECK (is_replayed IN (0, 1));
                    DROP TRIGGER lifecount_count;
                    ALTER TABLE lifecount_states DROP COLUMN current_count;
                    CREATE TRIGGER lifecount_state AFTER INSERT ON lifecount_entries BEGIN
                        INSERT INTO lifecount_states (location_id, last_updated_ms, last_event_ms)
                        VALUES (new.location_id, new.received_ms, new.timestamp_ms)
                        ON CONFLICT (location_id) DO UPDATE SET
                            last_updated_ms = new.received_ms,
                            last_event_ms = max(coalesce(last_event_ms, 0), new.timestamp_ms);
                    END;
                    """),
            LocatedEntries.migration,
        ])

    /// Recomputes the last events from the remaining entries.
    private static let recomputation = """
        DELETE FROM lifecount_states WHERE location_id NOT IN (SELECT location_id FROM lifecount_located);
        UPDATE lifecount_states SET last_event_ms = (
            SELECT max(timestamp_ms) FROM lifecount_located
            WHERE lifecount_located.location_id = lifecount_states.location_id);
        """

    /// Ensures that one gateway receives from a counter (`Device.isActive` and `gatewaySessionId` of the requirements).
    private static let softLock = SoftLock(
        query: { now in
            let (milliseconds, patience) = (now.nanoseconds / 1_000_000, CountReport.patience * 1000)
            // A time after `now` is from a gateway that continues meanwhile, or from before the clock was set back.
            return StoredQuery(
                """
                SELECT peer_id, max(? - last_seen_ms, 0) / 1000 FROM lifecount_counters
                WHERE is_active = 1 AND last_seen_ms BETWEEN ? AND ?
                """, [milliseconds, milliseconds - patience, milliseconds + patience])
        }, release: [.mark(["is_active": .boolean(false)], in: counters, where: [:])])

    /// Entries from a time in milliseconds since 1970 on and before another, in order of their time. All locations are
    /// included, because the sequence numbers of a counter continue when it is moved.
    static func entries(from start: Int64, to end: Int64 = .max) -> StoredQuery {
        StoredQuery(
            """
            SELECT \(columns) FROM \(LocatedEntries.view) WHERE timestamp_ms >= ? AND timestamp_ms < ?
            ORDER BY timestamp_ms, id
            """, [start, end])
    }

    /// The last entry of a counter before a time in milliseconds since 1970. The index of times, read backwards, soon
    /// reaches it; that of sequence numbers, which the unary + rules out, would lead to all entries of the counter.
    static func lastEntry(of device: Int64, before time: Int64) -> StoredQuery {
        StoredQuery(
            """
            SELECT \(columns) FROM \(LocatedEntries.view)
            WHERE +source = '\(EventSource.hardware.rawValue)' AND +device_id = ? AND timestamp_ms < ?
            ORDER BY timestamp_ms DESC, id DESC LIMIT 1
            """, [device, time])
    }

    /// The first entry of a counter after a time in milliseconds since 1970.
    static func firstEntry(of device: Int64, after time: Int64) -> StoredQuery {
        StoredQuery(
            """
            SELECT \(columns) FROM \(LocatedEntries.view)
            WHERE +source = '\(EventSource.hardware.rawValue)' AND +device_id = ? AND timestamp_ms > ?
            ORDER BY timestamp_ms, id LIMIT 1
            """, [device, time])
    }

    /// The columns that `CountEntry` reads.
    private static let columns = """
        location_id, device_id, timestamp_ms, is_device_time, received_ms, delta, \(sourceNumber), sequence_number,
            boot_count, gateway_session, coalesce(is_replayed, -1)
        """

    /// Index of the source in `EventSource.allCases`.
    private static let sourceNumber =
        "CASE source "
        + EventSource.allCases.enumerated().map { "WHEN '\($1.rawValue)' THEN \($0) " }.joined() + "END"

    /// The last sequence number of a source and device.
    static func lastNumber(of source: EventSource, device: Int64) -> StoredQuery {
        StoredQuery(
            """
            SELECT max(sequence_number) FROM lifecount_entries
            WHERE source = '\(source.rawValue)' AND device_id = ? AND boot_count = 0
            """, [device])
    }

    /// When a counter was last seen, in milliseconds since 1970: one at a location, or any (nil).
    static func lastSeen(location: Int64?) -> StoredQuery {
        let condition = location == nil ? "" : " WHERE location_id = ?"
        return StoredQuery(
            "SELECT max(last_seen_ms) FROM lifecount_counters\(condition)", [location].compactMap(\.self))
    }
}

/// Source of an entry.
enum EventSource: String, Sendable, CaseIterable {
    case hardware, manual, simulator
}

/// One person's step in (+1) or out (-1).
struct CountEntry: Hashable, Sendable {
    var location: Int64
    var device: Int64
    /// The user who entered it by hand; nil for events of counters.
    var user: String?
    /// Milliseconds since 1970: from the counter's clock, or of the arrival if the counter has none.
    var time: Int64
    var isDeviceTime: Bool
    /// Time of arrival, in milliseconds since 1970.
    var received: Int64
    var delta: Int64
    var source: EventSource
    var sequenceNumber: Int64
    var boot: Int64
    /// The gateway session that stored it.
    var gatewaySession: Int64
    /// Whether the counter marked the event as replayed; nil if not known, as for entries of earlier versions.
    var isReplayed: Bool?

    var row: Record {
        var row: Record = [
            "location_id": .integer(location), "device_id": .integer(device), "timestamp_ms": .integer(time),
            "is_device_time": .boolean(isDeviceTime), "received_ms": .integer(received), "delta": .integer(delta),
            "source": .text(source.rawValue), "sequence_number": .integer(sequenceNumber), "boot_count": .integer(boot),
            "device_time_ms": .integer(isDeviceTime ? time : 0), "gateway_session": .integer(gatewaySession),
        ]
        if let isReplayed { row.fields.append((name: "is_replayed", value: .boolean(isReplayed))) }
        if let user { row.fields.append((name: "user_id", value: .text(user))) }
        return row
    }
}

extension CountEntry {
    /// The sequence number, which wraps at 32 bits.
    var number: UInt32 { UInt32(truncatingIfNeeded: sequenceNumber) }

    /// Whether the counter began anew after an entry of the same boot: the number is lower, or the same, although the
    /// event arrived later, and the event is no replay, as it is not marked as one or happened later by the counter's
    /// time.
    func isReset(after last: CountEntry) -> Bool {
        number.distance(after: last.number) <= 0 && received >= last.received
            && (isReplayed == false || isDeviceTime && time > last.time)
    }

    /// Reads a row with the columns of `CounterTables.entries(from:to:)`.
    init(_ columns: [Int64]) {
        self.init(
            location: columns[0], device: columns[1], time: columns[2], isDeviceTime: columns[3] == 1,
            received: columns[4], delta: columns[5], source: EventSource.allCases[Int(columns[6])],
            sequenceNumber: columns[7], boot: columns[8], gatewaySession: columns[9],
            isReplayed: columns[10] < 0 ? nil : columns[10] == 1)
    }
}
