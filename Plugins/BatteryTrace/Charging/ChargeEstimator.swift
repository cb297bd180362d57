import Bytes

/// Estimates the power that charges a battery from its level over time: one sample in, an estimate out.
///
/// A session begins when charging does, and ends when the battery is unplugged or full, or after more than ten minutes
/// without a sample. For a source without states, it also ends when the level has stayed for ten minutes and for five
/// times the duration of its last step. The estimator keeps only the changes in a window and a summary of each session.
public struct ChargeEstimator: Sendable {
    public let settings: EstimateSettings
    /// The sessions that have ended.
    public private(set) var sessions: [ChargeSession] = []
    /// The state of the last sample: reported or inferred; the previous state if its level is unchanged.
    public private(set) var state = BatteryState.unknown

    private var inference = StateInference()
    private var charge: Charge?
    private var last: BatterySample?

    /// A gap between samples that ends a session, in seconds.
    private static let longestGap = 600.0

    public init(_ settings: EstimateSettings) {
        self.settings = settings
    }

    /// The time of the last sample.
    var lastTime: Timestamp? { last?.time }

    /// The session under way.
    public var current: ChargeSession? { charge?.session(settings, id: sessions.count + 1, hasEnded: false) }

    /// All sessions, the one under way last.
    public var allSessions: [ChargeSession] { sessions + (current.map { [$0] } ?? []) }

    /// Handles the next sample; ignores it if it is not later than the previous one.
    public mutating func take(_ sample: BatterySample) -> ChargeEstimate? {
        if let last, sample.time <= last.time { return nil }
        let before = last
        last = sample
        let inferred = inference.state(of: sample.level)
        let isAfterGap = before.map { sample.time.seconds(since: $0.time) > Self.longestGap } ?? true
        if isAfterGap {
            finish()
            state = .unknown
        }
        if sample.state == nil, inferred == .unknown, charge?.isIdle(at: sample.time) == true {
            charge?.dropIdleTime()
            finish()
            state = .unknown
        }
        if let reported = sample.state ?? (inferred == .unknown ? nil : inferred) { state = reported }
        switch sample.state ?? inferred {
        case .charging:
            // The level began to rise at the previous sample, or earlier.
            if charge == nil, sample.state == nil, !isAfterGap, let before { begin(before) }
            if charge == nil { begin(sample) }
            return charge?.take(sample, settings)
        case .unknown: return charge?.take(sample, settings)
        case .full:
            let estimate = charge?.take(sample, settings)
            finish()
            return estimate
        case .unplugged:
            finish()
            return nil
        }
    }

    /// Ends the session: the source has ended, or the user ends it.
    public mutating func finish() {
        if let session = charge?.session(settings, id: sessions.count + 1, hasEnded: true) { sessions.append(session) }
        charge = nil
    }

    private mutating func begin(_ sample: BatterySample) {
        charge = Charge(sample, settings)
        _ = charge?.take(sample, settings)
    }
}

/// A charge under way.
private struct Charge {
    private let first: BatterySample
    private var last: BatterySample
    private var window: ChargeWindow
    private var smoothed: Double?
    private var peak: Double?
    private var slope: Double?
    private var isProvisional = true
    private var lastRise: BatterySample
    private var shape = ChargerShape()

    init(_ first: BatterySample, _ settings: EstimateSettings) {
        self.first = first
        last = first
        lastRise = first
        window = ChargeWindow(length: settings.window)
    }

    mutating func take(_ sample: BatterySample, _ settings: EstimateSettings) -> ChargeEstimate? {
        if let lastTime = window.lastTime, sample.time <= lastTime { return nil }
        last = sample
        if sample.level > lastRise.level { lastRise = sample }
        shape.take(sample)
        let measure = window.take(sample.time, sample.level)
        slope = measure?.slope
        guard let measure else { return nil }
        if isProvisional, !measure.isProvisional {
            // From here on the window begins with a level whose time is known: discard the rough average from before.
            (isProvisional, smoothed, peak) = (false, nil, nil)
        }
        let current = settings.milliamperes(rise: measure.rise, seconds: measure.seconds)
        let watts = settings.watts(current)
        let weight = 2 / ((settings.smoothing ?? Double(measure.samples)) + 1)
        let smoothed = smoothed.map { weight * watts + (1 - weight) * $0 } ?? watts
        self.smoothed = smoothed
        peak = max(peak ?? smoothed, smoothed)
        return ChargeEstimate(
            time: sample.time, milliamperes: current, watts: watts, smoothedWatts: smoothed,
            secondsToFull: (1 - sample.level) / measure.slope)
    }

    private static let idleTime = 600.0
    private static let idleSteps = 5.0

    /// Whether the level has been unchanged for too long to be still rising.
    func isIdle(at now: Timestamp) -> Bool {
        guard let step = window.lastStepSeconds else { return false }
        return now.seconds(since: lastRise.time) > max(Self.idleTime, Self.idleSteps * step)
    }

    /// Ends the charge with the last rise of the level.
    mutating func dropIdleTime() {
        last = lastRise
        window.dropIdleTime()
    }

    func session(_ settings: EstimateSettings, id: Int, hasEnded: Bool) -> ChargeSession {
        let average = window.whole.map {
            settings.watts(settings.milliamperes(rise: $0.rise, seconds: $0.seconds))
        }
        var session = ChargeSession(
            id: id, start: first.time, end: hasEnded ? last.time : nil, averageWatts: average,
            peakWatts: average == nil ? nil : peak, risenPercent: (last.level - first.level) * 100,
            duration: last.time.seconds(since: first.time),
            secondsToFull: hasEnded ? nil : slope.map { (1 - last.level) / $0 })
        session.inferredCharger = shape.text(settings, averageWatts: average)
        return session
    }
}
