import PluginKit
import Profile

/// Publication of entries (sections 6 and 7 of the requirements, option A: the gateway writes both, entries and
/// states).
///
/// An entry is `entries/<source>-<device>-<boot>-<number>-<time>`, the same from every publisher. The state of a
/// location is `counterStates/<location>`, a counter `devices/<device>`.
enum CounterPublication {
    static let publication = Publication(
        table: CounterTables.entries,
        stateTables: [CounterTables.states, CounterTables.counters, CountLocations.locations], states: currentStates,
        identity: identity, documents: documents, messages: messages)

    /// Name of the setting for the capacity of locations without their own.
    static let capacity = "capacity"

    static func identity(_ row: Record) -> String {
        let numbers = ["device_id", "boot_count", "sequence_number", "device_time_ms"].map { row.integer($0) ?? 0 }
        return ([row.text("source") ?? ""] + numbers.map { String($0) }).joined(separator: "-")
    }

    /// Adds the count of the present operational day to the state of each location.
    private static func currentStates(_ input: CommandInput) throws(CommandError) -> [String: [Record]] {
        let states = input.rows[CounterTables.states] ?? []
        let totals = try CountCommands.today(at: states.compactMap { $0.integer("location_id") }, input)
        var rows = input.rows
        rows[CounterTables.states] = states.map { state in
            guard let count = state.integer("location_id").flatMap({ totals[$0]?.count }) else { return state }
            var state = state
            state.fields.append((name: "current_count", value: .integer(count)))
            return state
        }
        return rows
    }

    /// The batch with each entry at the location at which it counts.
    private static func located(_ batch: PublishedBatch) -> PublishedBatch {
        let homes = LocatedEntries.homes(batch.states[CounterTables.counters] ?? [])
        var batch = batch
        for index in batch.rows.indices where !homes.isEmpty {
            let row = batch.rows[index]
            guard let location = LocatedEntries.location(of: row, homes),
                let column = row.fields.firstIndex(where: { $0.name == "location_id" })
            else { continue }
            batch.rows[index].fields[column].value = .integer(location)
        }
        return batch
    }

    // MARK: - Documents

    static func documents(_ batch: PublishedBatch) -> [CloudDocument] {
        let batch = located(batch)
        return batch.rows.map { CloudDocument("entries/\(identity($0))", entry($0)) } + states(batch) + devices(batch)
    }

    private static func entry(_ row: Record) -> Record {
        [
            "id": .text(identity(row)), "locationId": name(row["location_id"]), "deviceId": name(row["device_id"]),
            "userId": row["user_id"] ?? .absent, "timestamp": time(row["timestamp_ms"]),
            "delta": row["delta"] ?? .absent, "source": row["source"] ?? .absent,
            "sequenceNumber": row["sequence_number"] ?? .absent, "gatewaySessionId": name(row["gateway_session"]),
        ]
    }

    private static func states(_ batch: PublishedBatch) -> [CloudDocument] {
        locations(batch).map { CloudDocument("counterStates/\($0.location)", $0.fields, isExclusive: true) }
    }

    /// The states of the locations with entries in the batch; without entries, those of all.
    private static func locations(_ batch: PublishedBatch) -> [(location: Int64, fields: Record)] {
        if batch.isEntriesOnly { return [] }
        let changed = changed("location_id", batch)
        let counters = batch.states[CounterTables.counters] ?? []
        let settings = batch.states[CountLocations.locations] ?? []
        return (batch.states[CounterTables.states] ?? []).compactMap { state in
            guard let location = state.integer("location_id"), changed?.contains(location) != false,
                let count = state.integer("current_count")
            else { return nil }
            let room = settings.first { $0.integer("location_id") == location }?.integer("max_capacity")
            let status = OccupancyStatus(count, of: room ?? batch.settings[capacity])
            let seen = counters.filter { $0.integer("location_id") == location }.compactMap {
                $0.integer("last_seen_ms")
            }
            return (
                location,
                [
                    "currentCount": .integer(count), "lastUpdated": time(state["last_updated_ms"]),
                    "status": status.map { .text($0.rawValue) } ?? .absent,
                    "lastEventAt": time(state["last_event_ms"]),
                    "lastDeviceSeenAt": time(seen.max().map { .integer($0) }),
                ]
            )
        }
    }

    private static func devices(_ batch: PublishedBatch) -> [CloudDocument] {
        if batch.isEntriesOnly { return [] }
        let changed = changed("device_id", batch)
        return (batch.states[CounterTables.counters] ?? []).compactMap { counter in
            guard let device = counter.integer("device_id"), changed?.contains(device) != false else { return nil }
            return CloudDocument(
                "devices/\(device)",
                [
                    "id": .text("\(device)"), "locationId": name(counter["location_id"]),
                    "name": counter["device_name"] ?? .absent, "lastHeartbeatAt": time(counter["last_seen_ms"]),
                    "lastEventAt": time(counter["last_event_ms"]),
                    "isActive": .boolean(counter.integer("is_active") == 1),
                    "gatewaySessionId": name(counter["gateway_session"]),
                ])
        }
    }

    /// The values of a column in the batch's entries; nil without entries, for a batch with the state of everything.
    private static func changed(_ column: String, _ batch: PublishedBatch) -> Set<Int64>? {
        batch.rows.isEmpty ? nil : Set(batch.rows.compactMap { $0.integer(column) })
    }

    /// Identifiers are strings in the requirements' schema.
    private static func name(_ value: Value?) -> Value {
        if case .integer(let number)? = value { .text(String(number)) } else { .absent }
    }

    private static func time(_ value: Value?) -> Value {
        if case .integer(let milliseconds)? = value {
            .time(milliseconds, nanoseconds: milliseconds * 1_000_000)
        } else {
            .absent
        }
    }

    // MARK: - Messages

    /// Each entry, the state of its location, and the discovery message that Home Assistant needs to show it.
    static func messages(_ batch: PublishedBatch) -> [CloudMessage] {
        let batch = located(batch)
        let states = locations(batch)
        return states.map { CloudMessage(discoveryTopic($0.location), discovery($0.location), isRetained: true) }
            + batch.rows.map { row in
                CloudMessage("\(topic(row.integer("location_id") ?? 0))/entry", Value.record(entry(row)).json)
            }
            + states.map { CloudMessage("\(topic($0.location))/state", Value.record($0.fields).json, isRetained: true) }
    }

    private static func topic(_ location: Int64) -> String { "lifecount/\(location)" }
    private static func discoveryTopic(_ location: Int64) -> String {
        "homeassistant/sensor/lifecount_\(location)/config"
    }

    private static func discovery(_ location: Int64) -> String {
        let device: Record = [
            "identifiers": .list([.text("lifecount_\(location)")]), "name": .text("LifeCount location \(location)"),
            "manufacturer": .text("LifeCount"),
        ]
        let sensor: Record = [
            "name": .text("People"), "unique_id": .text("lifecount_\(location)_count"),
            "state_topic": .text("\(topic(location))/state"), "value_template": .text("{{ value_json.currentCount }}"),
            "json_attributes_topic": .text("\(topic(location))/state"), "unit_of_measurement": .text("people"),
            "state_class": .text("measurement"), "icon": .text("mdi:account-group"), "device": .record(device),
        ]
        return Value.record(sensor).json
    }
}
