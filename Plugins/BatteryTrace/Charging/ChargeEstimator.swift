import Bytes

/// Estimates the power that charges a battery from its level over time: one sample in, an estimate out.
///
/// A session begins when charging does, and ends when the battery is unplugged or full, or when more than ten minutes
/// go by without a sample. Of a source without states, it also ends where the level stays for ten minutes, and for five
/// times as long as its last step took. It keeps no more than the changes of a window and what it says of each session.
public struct ChargeEstimator: Sendable {
    public let settings: EstimateSettings
    /// The sessions that have ended.
    public private(set) var sessions: [ChargeSession] = []
    /// The state of the last sample: told, inferred, or that of the sample before where its level stays.
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

    /// The session that lasts.
    public var current: ChargeSession? { charge?.session(settings, id: sessions.count + 1, hasEnded: false) }

    /// All sessions, the one that lasts at the end.
    public var allSessions: [ChargeSession] { sessions + (current.map { [$0] } ?? []) }

    /// Takes the next sample. One that is no later than the one before is passed over.
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
        if let told = sample.state ?? (inferred == .unknown ? nil : inferred) { state = told }
        switch sample.state ?? inferred {
        case .charging:
            // A level that has risen began to rise at the sample before, or earlier.
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

    /// The source has ended, or the user ends the session.
    public mutating func finish() {
        if let session = charge?.session(settings, id: sessions.count + 1, hasEnded: true) { sessions.append(session) }
        charge = nil
    }

    private mutating func begin(_ sample: BatterySample) {
        charge = Charge(sample, settings)
        _ = charge?.take(sample, settings)
    }
}

/// A charge that goes on.
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
            // From here on the window begins with a level whose time is known: what was smoothed before was rough.
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

    /// Whether the level has stayed for too long to be rising still.
    func isIdle(at now: Timestamp) -> Bool {
        guard let step = window.lastStepSeconds else { return false }
        return now.seconds(since: lastRise.time) > max(Self.idleTime, Self.idleSteps * step)
    }

    /// The charge has ended with the last rise of the level.
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
