public import Bytes

/// A phone's report of its battery's health.
public struct BatteryHealth: Hashable, Sendable {
    /// Charge cycles, 0 to 10000.
    public var cycles: Int?
    /// Remaining fraction of the nominal capacity, above 0 to 1.1: a new battery may have more than the nominal one.
    public var health: Double?
    /// When the battery was first used.
    public var firstUse: CivilDate?
    /// Date of manufacture.
    public var mfgDate: CivilDate?

    static let largestHealth = 1.1

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
    /// Number of the snapshot in its log, from 1.
    public var id: Int
    /// Time of arrival.
    public var date: Timestamp
    public var battery: BatteryHealth

    public init(id: Int, date: Timestamp, battery: BatteryHealth) {
        self.id = id
        self.date = date
        self.battery = battery
    }
}

/// Snapshots in order of arrival.
public struct SnapshotLog: Hashable, Sendable {
    public private(set) var snapshots: [BatterySnapshot]

    /// Seconds in which an identical payload counts as the same arrival.
    private static let repetitionSeconds = 60.0

    public init(_ snapshots: [BatterySnapshot] = []) {
        self.snapshots = snapshots
    }

    /// Result of ingesting a payload.
    public enum Outcome: Hashable, Sendable {
        case stored(BatterySnapshot)
        /// The same payload came within 60 s of this snapshot, and is not stored again.
        case repeated(BatterySnapshot)
    }

    /// Stores a payload, unless it is a repetition.
    public mutating func ingest(_ battery: BatteryHealth, at now: Timestamp) -> Outcome {
        let earlier = snapshots.last {
            $0.battery == battery && abs(now.seconds(since: $0.date)) <= Self.repetitionSeconds
        }
        if let earlier { return .repeated(earlier) }
        // An edited table may contain any number.
        let last = snapshots.map(\.id).max() ?? 0
        let snapshot = BatterySnapshot(id: last < .max ? max(0, last) + 1 : last, date: now, battery: battery)
        snapshots.append(snapshot)
        return .stored(snapshot)
    }
}
