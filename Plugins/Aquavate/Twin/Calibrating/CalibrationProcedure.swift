import Bytes

/// The bottle-guided calibration (section 9.1).
struct CalibrationProcedure: Sendable {
    enum State: Int, Hashable, Sendable, CaseIterable {
        case idle = 0
        case triggered = 1
        case started = 2
        case waitEmpty = 3
        case measureEmpty = 4
        case waitFull = 6
        case measureFull = 7
        case complete = 9
        case error = 10

        /// Its name in the profile.
        var name: String {
            switch self {
            case .idle: "idle"
            case .triggered: "triggered"
            case .started: "started"
            case .waitEmpty: "wait_empty"
            case .measureEmpty: "measure_empty"
            case .waitFull: "wait_full"
            case .measureFull: "measure_full"
            case .complete: "complete"
            case .error: "error"
            }
        }
    }

    /// An action for the puck.
    enum Effect: Hashable, Sendable {
        /// Notifies a state, after a new screen is drawn or at once.
        case event(State, draws: Bool)
        case measure
        /// Stores a calibration and applies it.
        case apply(CellScale)
    }

    /// Accepted values: wider than those that a boot accepts.
    struct Limits: Sendable {
        /// The full reading must differ from the empty one by more than this many counts.
        var span: Int
        var scales: ClosedRange<Float>

        static let shipped = Limits(span: 300_000, scales: Float.leastNonzeroMagnitude...1000)
        static let meant = filling(CellScale.capacity)
        /// Those that a boot accepts, for a bottle that is filled with this many ml.
        static func filling(_ volume: Int) -> Limits { Limits(span: 100 * volume, scales: CellScale.validScales) }
    }

    private(set) var state = State.idle
    private(set) var empty = 0
    private(set) var full = 0
    private var limits: Limits
    /// ml in the full bottle.
    let volume: Int
    private var since = Timestamp(nanoseconds: 0)
    /// A reading of the full bottle, and since when readings have stayed close to it.
    private var settled: (reading: Int, since: Timestamp)?

    private static let introduction = Duration.seconds(3)
    private static let emptyTimeout = Duration.seconds(60)
    private static let fullTimeout = Duration.seconds(120)
    private static let settleTime = Duration.seconds(5)
    private static let settleSpan = 5000
    private static let farewell = Duration.seconds(3)

    init(limits: Limits, volume: Int = CellScale.capacity) {
        self.limits = limits
        self.volume = volume
    }

    /// Whether a calibration is under way: neither idle nor returning to idle.
    var isActive: Bool {
        switch state {
        case .idle, .complete, .error: false
        default: true
        }
    }

    /// Starts a calibration, if idle.
    mutating func start(at now: Timestamp) -> [Effect] {
        guard state == .idle else { return [] }
        empty = 0
        full = 0
        enter(.started, at: now)
        return [.event(.triggered, draws: false), .event(.started, draws: true)]
    }

    /// Cancels the calibration, if one is under way.
    mutating func abort(at now: Timestamp) -> [Effect] {
        guard isActive else { return [] }
        enter(.idle, at: now)
        return [.event(.idle, draws: false)]
    }

    /// Adopts an observed state with its readings.
    mutating func follow(_ state: State, empty: Int? = nil, full: Int? = nil, at now: Timestamp) {
        self.empty = empty ?? self.empty
        self.full = full ?? self.full
        enter(state, at: now)
    }

    /// Time spent in the current state.
    func time(at now: Timestamp) -> Duration { now - since }

    /// Runs one pass of the loop.
    mutating func pass(isStill: Bool, reading: Int, at now: Timestamp) -> [Effect] {
        let passed: Duration = now - since
        switch state {
        case .started where passed >= Self.introduction: return enter(.waitEmpty, draws: true, at: now)
        case .waitEmpty where isStill: return enter(.measureEmpty, draws: false, at: now) + [.measure]
        case .waitEmpty where passed >= Self.emptyTimeout: return enter(.error, draws: true, at: now)
        case .waitFull where detectFilling(isStill: isStill, reading, at: now):
            return enter(.measureFull, draws: false, at: now) + [.measure]
        case .waitFull where passed >= Self.fullTimeout: return enter(.error, draws: true, at: now)
        case .complete where passed >= Self.farewell, .error where passed >= Self.farewell:
            enter(.idle, at: now)
            return []
        default: return []
        }
    }

    /// Handles the result of a measurement.
    mutating func take(_ result: Measurement.Result, at now: Timestamp) -> [Effect] {
        switch (state, result.isStable ? result.mean : nil) {
        case (.measureEmpty, let mean?):
            empty = mean
            return enter(.waitFull, draws: true, at: now)
        case (.measureEmpty, nil): return enter(.waitEmpty, draws: true, at: now)
        case (.measureFull, let mean?): return finish(full: mean, at: now)
        case (.measureFull, nil): return enter(.waitFull, draws: true, at: now)
        default: return []
        }
    }

    private mutating func finish(full reading: Int, at now: Timestamp) -> [Effect] {
        full = reading
        let scale = full > empty ? Float(full - empty) / Float(volume) : 0
        guard limits.scales.contains(scale) else { return enter(.error, draws: true, at: now) }
        return [.apply(CellScale(scale: scale, empty: empty, full: full))] + enter(.complete, draws: true, at: now)
    }

    /// Tracks how still the bottle stands; returns whether it was filled and has stood still long enough.
    private mutating func detectFilling(isStill: Bool, _ reading: Int, at now: Timestamp) -> Bool {
        guard isStill, abs(reading - empty) > limits.span else {
            settled = nil
            return false
        }
        guard let settled, abs(reading - settled.reading) <= Self.settleSpan else {
            self.settled = (reading, now)
            return false
        }
        return now - settled.since >= Self.settleTime
    }

    private mutating func enter(_ state: State, at now: Timestamp) {
        self.state = state
        since = now
        settled = nil
    }

    private mutating func enter(_ state: State, draws: Bool, at now: Timestamp) -> [Effect] {
        enter(state, at: now)
        return [.event(state, draws: draws)]
    }
}
