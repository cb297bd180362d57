import Bluetooth
public import Bytes
public import PluginKit

/// The level of a battery at a time.
public struct BatterySample: Hashable, Sendable {
    public var time: Timestamp
    /// 0 (empty) to 1 (full).
    public var level: Double
    /// Charging state reported by the source; nil if it has none.
    public var state: BatteryState?

    public init(time: Timestamp, level: Double, state: BatteryState? = nil) {
        self.time = time
        self.level = level
        self.state = state
    }
}

/// Charging state of a battery, in the words of a phone.
public enum BatteryState: String, CaseIterable, Hashable, Sendable {
    case unplugged, charging, full, unknown
}

/// Samples read from a source, and the reasons for rejecting others.
public struct SampleReading: Hashable, Sendable {
    public var samples: [BatterySample] = []
    /// The first rejected samples, each with its place: `line 3: level -1 is not from 0 to 1`.
    public private(set) var rejections: [String] = []
    /// Number of rejected samples beyond those in `rejections`.
    public private(set) var furtherRejections = 0

    /// Maximum number of recorded rejections.
    private static let limit = 10

    mutating func reject(_ text: String) {
        if rejections.count < Self.limit { rejections.append(text) } else { furtherRejections += 1 }
    }
}

/// Infers the state of samples whose source has none: rising is charging, 1.0 is full, falling is unplugged.
struct StateInference {
    private var previous: Double?

    /// Infers the state at the next level.
    mutating func state(of level: Double) -> BatteryState {
        defer { previous = level }
        if level >= 1 { return .full }
        guard let previous, previous != level else { return .unknown }
        return previous < level ? .charging : .unplugged
    }
}

extension SampleReading {
    /// «Battery Level» (Battery Service 3.1).
    static let batteryLevel = UUID(0x2A19)

    /// Reads the Battery Level values of one device, in frame order: one octet, 0 to 100 per cent.
    public init(observed values: some Sequence<ObservedValue>) {
        for observed in values where observed.type == Self.batteryLevel {
            guard observed.value.count == 1, let percent = observed.value.first, percent <= 100 else {
                let bytes = observed.value.prefix(8).map { String(hex: $0, digits: 2) }.joined()
                reject("frame \(observed.frame): Battery Level \(bytes) is not one octet from 0 to 100")
                continue
            }
            // Frames of several adapters may be slightly out of order.
            let time = max(observed.time, samples.last?.time ?? observed.time)
            samples.append(BatterySample(time: time, level: Double(percent) / 100))
        }
    }
}
