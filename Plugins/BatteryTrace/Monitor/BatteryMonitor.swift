import Bytes
import PluginKit
import Profile

/// A client that follows a battery level: it subscribes, also reads the level at an interval, estimates, and reconnects
/// after a lost connection. It stores every sample of a charge and, otherwise, every change of level or state.
struct BatteryMonitor: DeviceClient {
    /// Labels of a session, in the user's words.
    struct Labels: Sendable {
        var model = ""
        var charger = ""
        var notes = ""
    }

    private enum Phase: Sendable {
        case idle, searching, connected
        /// Until the next search for the device.
        case waiting(until: Timestamp)
    }

    private var estimator: ChargeEstimator
    private let labels: Labels
    private let interval: Duration
    private let profile: CompiledProfile
    private var phase = Phase.idle
    /// Time of the next read of the level; nil while a read is under way.
    private var nextRead: Timestamp?
    private var wait = shortestWait
    /// The last stored sample.
    private var kept: ChargeSample?
    /// Number of ended sessions that were reported.
    private var reportedSessions = 0
    private var isReportingSession = false
    private var reportedLine: TwinNote?

    static let task = "monitor"
    static let usualInterval = 60.0
    static let intervalRange = 5.0...600.0
    private static let shortestWait = Duration.seconds(2)
    private static let longestWait = Duration.seconds(60)
    private static let level = DeviceProfile.CharacteristicName.batteryLevel.rawValue

    init(_ settings: EstimateSettings, labels: Labels, interval: Double) throws(TwinFault) {
        estimator = ChargeEstimator(settings)
        self.labels = labels
        self.interval = .seconds(interval)
        profile = try BatteryTrace.compiledProfile()
    }

    var deadline: Timestamp? {
        switch phase {
        case .idle, .searching: nil
        case .connected: nextRead
        case .waiting(let until): until
        }
    }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task: return search()
        case .connected:
            phase = .connected
            return [.subscribe(Self.level, true), .read(Self.level)]
        case .disconnected:
            nextRead = nil
            phase = .waiting(until: now + wait)
            wait = min(wait * 2, Self.longestWait)
            return []
        case .read(Self.level, .success(let bytes)):
            nextRead = now + interval
            wait = Self.shortestWait
            return take(bytes, at: now)
        case .read(_, .failure(let fault)):
            guard fault != .lost else { return [] }
            return [.event(TwinNote("monitor_failed", ["reason": .text("Battery Level: \(fault)")])), .disconnect]
        case .written(Self.level, let fault?):
            // Without notifications, the level is only read.
            return fault == .lost ? [] : [.event(TwinNote("not_notified", ["reason": .text("\(fault)")]))]
        case .notified(Self.level, let bytes): return take(bytes, at: now)
        case .time: return expire(at: now)
        default: return []
        }
    }

    private mutating func search() -> [ClientAction] {
        phase = .searching
        return [.connect]
    }

    private mutating func expire(at now: Timestamp) -> [ClientAction] {
        guard let deadline, deadline <= now else { return [] }
        if case .waiting = phase { return search() }
        nextRead = nil
        return [.read(Self.level)]
    }

    // MARK: - Samples

    private mutating func take(_ bytes: [UInt8], at now: Timestamp) -> [ClientAction] {
        guard bytes.count == 1, let value: DeviceProfile.BatteryLevel = profile.value(of: bytes),
            (0...100).contains(value.level)
        else {
            return [.event(TwinNote("not_a_level", ["bytes": .number(bytes.count)]))]
        }
        let sample = BatterySample(time: now, level: Double(value.level) / 100)
        guard let recorded = estimator.record(sample) else { return [] }
        var changes: [StoreChange] = []
        if estimator.current != nil || recorded.level != kept?.level || recorded.state != kept?.state {
            changes.append(.add([recorded.row], to: BatteryTables.samples))
            kept = recorded
        }
        let ended = estimator.sessions[reportedSessions...].map(labelled)
        let current = estimator.current.map(labelled)
        reportedSessions = estimator.sessions.count
        for session in ended + [current].compactMap(\.self) { changes += BatteryTables.keep(session) }
        var actions: [ClientAction] = changes.isEmpty ? [] : [.commit(changes)]
        for session in ended { actions.append(.event(Self.note("session_ended", session))) }
        if let current, !isReportingSession || !ended.isEmpty {
            actions.append(.event(Self.note("session_began", current)))
        }
        isReportingSession = current != nil
        let line = Self.note(recorded)
        if line.isNews(after: reportedLine) {
            reportedLine = line
            actions.append(.event(line))
        }
        return actions
    }

    private func labelled(_ session: ChargeSession) -> ChargeSession {
        var session = session
        (session.model, session.charger, session.notes) = (labels.model, labels.charger, labels.notes)
        return session
    }

    // MARK: - Notes

    private static func note(_ sample: ChargeSample) -> TwinNote {
        let percent = Int((sample.level * 100).rounded())
        guard let estimate = sample.estimate, sample.state == .charging else {
            return TwinNote("level", ["level": .number(percent), "state": .text(sample.state.rawValue)])
        }
        return TwinNote(
            "level",
            [
                "level": .number(percent), "state": .text(sample.state.rawValue), "estimated": .flag(true),
                "power_w": .real(estimate.smoothedWatts.rounded(toDecimals: 2)),
                "eta_s": .real(estimate.secondsToFull.rounded()),
            ])
    }

    private static func note(_ name: String, _ session: ChargeSession) -> TwinNote {
        let start = TwinNote.Amount.text("\(session.start)")
        guard name == "session_ended" else { return TwinNote(name, ["start": start]) }
        guard let average = session.averageWatts, let peak = session.peakWatts else {
            return TwinNote(
                name,
                [
                    "start": start, "delta_pct": .real(session.risenPercent.rounded(toDecimals: 1)),
                    "duration_s": .real(session.duration.rounded()),
                ])
        }
        return TwinNote(
            name,
            [
                "start": start, "delta_pct": .real(session.risenPercent.rounded(toDecimals: 1)),
                "duration_s": .real(session.duration.rounded()), "estimated": .flag(true),
                "avg_w": .real(average.rounded(toDecimals: 2)), "peak_w": .real(peak.rounded(toDecimals: 2)),
                "inferred_charger": .text(session.inferredCharger),
            ])
    }
}

extension TwinNote {
    /// Whether the event shows the user something new, other than the time to full.
    fileprivate func isNews(after other: TwinNote?) -> Bool {
        guard let other else { return true }
        return number("level") != other.number("level") || text("state") != other.text("state")
            || number("power_w")?.rounded() != other.number("power_w")?.rounded()
    }

    func number(_ name: String) -> Double? {
        switch facts.first(where: { $0.name == name })?.value {
        case .number(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    func text(_ name: String) -> String? {
        guard case .text(let text) = facts.first(where: { $0.name == name })?.value else { return nil }
        return text
    }
}
