package import Bytes

/// How full a battery was at a time.
package struct BatterySample: Hashable, Sendable {
    package var time: Timestamp
    /// 0 (empty) to 1 (full).
    package var level: Double
    /// What the source told of charging; nil where it told nothing.
    package var state: BatteryState?

    package init(time: Timestamp, level: Double, state: BatteryState? = nil) {
        self.time = time
        self.level = level
        self.state = state
    }
}

/// Whether a battery is charged, in the words of a phone.
package enum BatteryState: String, CaseIterable, Hashable, Sendable {
    case unplugged, charging, full, unknown
}

/// What a source gave: the samples that can be used, and what was wrong with the others.
package struct SampleReading: Hashable, Sendable {
    package var samples: [BatterySample] = []
    /// The first samples that were left out, each with its place: `line 3: level -1 is not from 0 to 1`.
    package private(set) var rejections: [String] = []
    /// Samples left out beyond those of `rejections`.
    package private(set) var furtherRejections = 0

    /// Rejections kept at most.
    private static let limit = 10

    mutating func reject(_ text: String) {
        if rejections.count < Self.limit { rejections.append(text) } else { furtherRejections += 1 }
    }
}

/// Tells the state of samples whose source does not: rising is charging, 1.0 is full, falling is unplugged.
struct StateInference {
    private var previous: Double?

    /// The state that goes with the next level.
    mutating func state(of level: Double) -> BatteryState {
        defer { previous = level }
        if level >= 1 { return .full }
        guard let previous, previous != level else { return .unknown }
        return previous < level ? .charging : .unplugged
    }
}
