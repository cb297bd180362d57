public import Bytes

/// A phone's report of its battery's health.
public struct BatteryHealth: Hashable, Sendable {
    /// Charge cycles, 0 to 10000.
    public var cycles: Int?
    /// Part of the nominal capacity that is left, above 0 to 1.
    public var health: Double?
    /// When the battery was first used.
    public var firstUse: CivilDate?
    /// When it was made.
    public var mfgDate: CivilDate?

    public init(
        cycles: Int? = nil, health: Double? = nil, firstUse: CivilDate? = nil, mfgDate: CivilDate? = nil
    ) {
        self.cycles = cycles
        self.health = health
        self.firstUse = firstUse
        self.mfgDate = mfgDate
    }
}

/// A battery's health at a time.
public struct BatterySnapshot: Hashable, Sendable {
    /// Numbers the snapshots of one log, from 1.
    public var id: Int
    /// When it arrived.
    public var date: Timestamp
    public var battery: BatteryHealth

    public init(id: Int, date: Timestamp, battery: BatteryHealth) {
        self.id = id
        self.date = date
        self.battery = battery
    }
}

/// Snapshots in the order of their arrival.
public struct SnapshotLog: Hashable, Sendable {
    public private(set) var snapshots: [BatterySnapshot]

    /// Time in which the same payload counts as the same arrival, in seconds.
    private static let repetitionSeconds = 60.0

    public init(_ snapshots: [BatterySnapshot] = []) {
        self.snapshots = snapshots
    }

    /// What became of a payload.
    public enum Outcome: Hashable, Sendable {
        case stored(BatterySnapshot)
        /// The same payload came within 60 s of this snapshot: it is stored once.
        case repeated(BatterySnapshot)
    }

    /// Stores what arrived.
    public mutating func ingest(_ battery: BatteryHealth, at now: Timestamp) -> Outcome {
        let earlier = snapshots.last {
            $0.battery == battery && abs(now.seconds(since: $0.date)) <= Self.repetitionSeconds
        }
        if let earlier { return .repeated(earlier) }
        // A table that somebody edited may hold any number.
        let last = snapshots.map(\.id).max() ?? 0
        let snapshot = BatterySnapshot(id: last < .max ? max(0, last) + 1 : last, date: now, battery: battery)
        snapshots.append(snapshot)
        return .stored(snapshot)
    }
}
