import Bytes
import PluginKit
import Profile

/// A record of a bottle: a drink or, in the dialect `prd`, a refill.
struct Drink: Hashable, Sendable {
    /// Row ID in the store; 0 for a drink of a capture.
    var row: Int64 = 0
    /// Address of the bottle; empty where a capture does not contain it.
    var device: String
    var recordID: Int64
    /// Seconds since 1970, as chosen by `RecordTime`; 0 if no time is known.
    var time: Int64
    /// ml; negative for a refill.
    var amount: Int64
    /// ml in the bottle afterwards.
    var level: Int64
    var isDeleted = false
    /// UUID of the HealthKit sample; nil if the drink was not exported.
    var healthID: String?
    var isRemovedFromHealth = false
    /// The timestamp that identifies the record, in seconds of the bottle's epoch; nil if it is `time`.
    var timestamp: Int64?
    /// Seconds by which the bottle's epoch is ahead of UTC.
    var offset: Int64 = 0
    /// Why the drink counts at its arrival; nil if it counts at the bottle's time.
    var arrival: RecordTime.Arrival?
    /// Name of the time zone in which it was drunk; nil if it was not kept.
    var zone: String?

    var isRefill: Bool { amount < 0 }

    /// The day of the bottle, which begins at midnight of its epoch (section 7.4); nil if its clock was not set.
    var bottleDay: CivilDate? {
        arrival == .unsetClock ? nil : TimeZoneTable.utc.day(of: timestamp ?? time)
    }
}

extension Drink {
    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let id = row.integer("id"), let record = row.integer("record_id"), let sent = row.integer("timestamp"),
            let amount = row.integer("amount_ml"), let level = row.integer("level_ml")
        else { return nil }
        self.init(
            row: id, device: row.text("device") ?? "", recordID: record, time: 0, amount: amount, level: level,
            isDeleted: row.integer("is_deleted") == 1, healthID: row.text("health_uuid"),
            isRemovedFromHealth: row.integer("is_removed_from_health") == 1, zone: row.text("time_zone"))
        setTime(timestamp: sent, offset: row.integer("utc_offset_s") ?? 0, received: row.integer("received_at"))
    }

    /// Sets the time by the rule of `RecordTime`.
    mutating func setTime(timestamp: Int64, offset: Int64, received: Int64?) {
        let time = RecordTime(timestamp: timestamp, offset: offset, received: received)
        self.time = time.seconds
        arrival = time.arrival
        self.timestamp = timestamp
        self.offset = offset
    }
}
