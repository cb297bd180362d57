import Bluetooth
import PluginKit
import Profile

/// Values of Bottle Config read after writes (section 4.2).
struct ConfigRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    /// The expected value of the next read of Bottle Config, and the write that it follows.
    private enum Outlook {
        /// The value from before a write that the puck ignores.
        case unchanged(BottleConfig, FrameReference)
        case written(BottleConfig, FrameReference)
    }

    /// Calibration of a puck. All instances of the rule for the puck share it.
    private final class PuckCalibration {
        /// Whether CAL_SET_DATA was written. Reads load the new calibration, but the puck runs the old one until the
        /// next boot.
        var isReplaced = false
    }

    private var outlook: Outlook?
    /// The client's last command that changes the scale or the tare, which the puck executes with a delay.
    private var recalibrated: FrameReference?
    /// Whether Bottle Config was or may have been written.
    private var isWritten = false
    /// The last Bottle Config read; nil after an event that may have changed it.
    private var last: Timestamped<BottleConfig>?
    private let calibration = PuckCalibration()

    var rules: [RuleIndex] { [.aq048, .aq049, .aq050, .aq051] }
    var interests: Set<RuleInterest> { values(of: .bottleConfig, .command, .currentState, .calibrationState) }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isGap { recordGap() }
        switch event.commandKind {
        case .calSetData?, .tareNow?, .startCalibration?:
            if event.commandKind == .calSetData { calibration.isReplaced = true }
            outlook = nil
            recalibrated = event.moment
            last = nil
        default: break
        }
        if event.calibration != nil { last = nil }
        if let state = event.state { checkLast(state, &report) }
        guard let attribute = event.value, attribute.characteristic == .bottleConfig, let puck = pucks[event] else {
            return
        }
        switch attribute.operation {
        case .write where !event.isRefused: write(event, puck)
        case .read:
            guard case .config(let config)? = event.puckValue, attribute.bytes.count == Self.length else { return }
            checkRange(config, puck, event, &report)
            checkOutlook(config, event, &report)
            last = Timestamped(content: config, moment: event.moment)
        default: return
        }
    }

    /// Resets the state. The missing part may contain a write.
    private mutating func recordGap() {
        outlook = nil
        recalibrated = nil
        last = nil
        isWritten = true
    }

    private mutating func write(_ event: Event, _ puck: PuckState) {
        isWritten = true
        last = nil
        // The command may take effect after the write.
        if let recalibrated, event.moment.seconds(since: recalibrated) < DeviceProfile.Time.service {
            outlook = nil
            return
        }
        // A calibration that completes replaces scale and tare. An uncalibrated puck returns the stored bytes, whatever
        // they are.
        guard !puck.isCalibrating, let before = puck.config, before.content.hasScaleInRange else { return }
        if case .config(let config)? = event.puckValue, event.value?.bytes.count == Self.length {
            guard config.isAccepted else {
                if outlook == nil { outlook = .unchanged(before.content, event.moment) }
                return
            }
            outlook = config.scale.isNaN ? nil : .written(config, event.moment)
        } else if outlook == nil {
            outlook = .unchanged(before.content, event.moment)
        }
    }

    /// Length of Bottle Config in bytes.
    private static let length = 12

    /// AQ-048, AQ-049. Another client may have written Bottle Config or calibrated before the connection: an
    /// uncalibrated puck returns its bytes.
    private func checkRange(
        _ config: BottleConfig, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        if config.isOfCalibration { return report.pass(.aq048) }
        if calibration.isReplaced {
            return report.inconclusive(.aq048, "CAL_SET_DATA may have left the puck without a calibration (Q-27)")
        }
        let state = puck.state?.content
        if let state, !state.isOfBoot, state.flags.calibrated { return checkCalibrated(config, nil, &report) }
        if state?.isOfBoot != false {
            report.inconclusive(.aq048, "whether the puck is calibrated was not told")
        }
        if isWritten { return }
        if config == .uncalibrated { return report.pass(.aq049) }
        guard let before = last, before.content == .uncalibrated, !config.hasScaleInRange else {
            return report.inconclusive(.aq049, "another client may have written it")
        }
        report.fail(
            .aq049, expected: BottleConfig.uncalibrated.text, observed: config.text,
            at: [before.moment, event.moment])
    }

    /// AQ-048: the puck reports that it is calibrated after Bottle Config was read.
    private mutating func checkLast(_ state: CurrentState, _ report: inout RuleReport) {
        guard state.flags.calibrated, !state.isOfBoot, !calibration.isReplaced, let read = last,
            !read.content.isOfCalibration
        else { return }
        last = nil
        checkCalibrated(read.content, read.moment, &report)
    }

    /// AQ-048 for a calibrated puck. A calibration with a scale out of range works until the next boot, but is not
    /// loaded for reads: these return the former value, by default that of an uncalibrated puck.
    private func checkCalibrated(_ config: BottleConfig, _ moment: FrameReference?, _ report: inout RuleReport) {
        if config == .uncalibrated {
            return report.inconclusive(.aq048, "the scale of the calibration may be one that is not loaded")
        }
        report.fail(
            .aq048, expected: "scale 100 to 800, capacity 830, goal 1000 to 4000", observed: config.text,
            at: [moment].compactMap(\.self))
    }

    /// AQ-050, AQ-051
    private mutating func checkOutlook(_ config: BottleConfig, _ event: Event, _ report: inout RuleReport) {
        guard let outlook else { return }
        self.outlook = nil
        switch outlook {
        case .unchanged(let before, let moment):
            if config == before { return report.pass(.aq050) }
            report.fail(.aq050, expected: before.text, observed: config.text, at: [moment, event.moment])
        case .written(let written, let moment):
            var wanted = written
            wanted.goal = min(4000, max(1000, written.goal))
            wanted.capacity = 830
            var nearer = wanted
            nearer.tare -= wanted.tare.signum()
            if config == wanted || config == nearer { return report.pass(.aq051) }
            report.fail(.aq051, expected: wanted.text, observed: config.text, at: [moment, event.moment])
        }
    }
}

/// Values of Device Settings read after writes: AQ-053 (section 4.7). The puck keeps them between connections.
struct SettingsRules: Rule {
    /// The last written shake_to_empty.
    private var shake: Timestamped<Bool>?

    var rules: [RuleIndex] { [.aq053] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { values(of: .deviceSettings) }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .settings(let settings)? = event.puckValue else { return }
        switch event.value?.operation {
        case .write? where !event.isRefused:
            shake = Timestamped(content: settings.flags.shakeToEmpty, moment: event.moment)
        case .read?: check(settings.flags.shakeToEmpty, event, &report)
        default: return
        }
    }

    private mutating func check(_ isOn: Bool, _ event: Event, _ report: inout RuleReport) {
        guard let shake else { return }
        if isOn == shake.content { return report.pass(.aq053) }
        self.shake = nil
        guard shake.moment.connection == event.connection.number else {
            return report.inconclusive(.aq053, "another client may have written it since")
        }
        report.fail(
            .aq053, expected: "shake_to_empty \(shake.content)", observed: "\(isOn)", at: [shake.moment, event.moment])
    }
}

extension BottleConfig {
    /// Whether a calibrated puck may return this value.
    fileprivate var isOfCalibration: Bool {
        hasScaleInRange && capacity == 830 && (1000...4000).contains(goal)
    }

    /// One line of text, for diagnostics.
    var text: String { "scale \(scale), tare \(tare), capacity \(capacity), goal \(goal)" }
}
