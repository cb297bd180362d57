import Bluetooth
import PluginKit
import Profile

/// What reads of Bottle Config and Device Settings give after writes (sections 4.2 and 4.7).
struct ConfigRules: PuckRule {
    /// What the next read of Bottle Config has to show.
    private enum Outlook {
        /// The same as before a write that the puck does not take.
        case unchanged(BottleConfig, FrameReference)
        case written(BottleConfig, FrameReference)
    }

    private var outlook = PerConnection<Outlook>()
    /// When the client asked last for what changes the scale or the tare, which the puck does in its own time.
    private var recalibrated = PerConnection<FrameReference>()
    /// Connections in which Bottle Config was or may have been written.
    private var written = SortedSet<Int>()
    /// The Bottle Config read last, as long as nothing is known to have changed it.
    private var last = PerConnection<Timestamped<BottleConfig>>()
    /// CAL_SET_DATA was written, which holds until the next boot: the puck has what it had, and loads what it got.
    private var calibrationIsReplaced = false
    /// shake_to_empty as written last.
    private var shake: Timestamped<Bool>?

    var rules: [RuleIndex] { [.aq048, .aq049, .aq050, .aq051, .aq053] }
    var interests: Set<RuleInterest> {
        values(of: .bottleConfig, .deviceSettings, .command, .currentState, .calibrationState)
    }

    /// Seconds within which a command is served: the display and a measurement block the loop.
    private static let serviceTime = 8.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil || event.isGap {
            outlook[event.connection] = nil
            recalibrated[event.connection] = nil
            last[event.connection] = nil
        }
        if event.closing != nil { written.remove(event.connection) }
        switch event.commandKind {
        case .calSetData?, .tareNow?, .startCalibration?:
            if event.commandKind == .calSetData { calibrationIsReplaced = true }
            outlook[event.connection] = nil
            recalibrated[event.connection] = event.moment
            last[event.connection] = nil
        default: break
        }
        // A write may be what is missing.
        if event.isGap { written.insert(event.connection) }
        if event.calibration != nil { last[event.connection] = nil }
        if let state = event.state { judgeLast(state, event, &report) }
        guard let attribute = event.attribute, let link else { return }
        switch (attribute.characteristic, attribute.operation) {
        case (_, .write) where event.isRefused: return
        case (.bottleConfig, .write): write(event, link)
        case (.bottleConfig, .read):
            guard case .config(let config)? = event.value, attribute.bytes.count == Self.length else { return }
            judgeRange(config, link, event, &report)
            judgeOutlook(config, event, &report)
            last[event.connection] = Timestamped(content: config, moment: event.moment)
        case (.deviceSettings, .write):
            guard case .settings(let settings)? = event.value else { return }
            shake = Timestamped(content: settings.flags.shakeToEmpty, moment: event.moment)
        case (.deviceSettings, .read):
            guard case .settings(let settings)? = event.value, let shake else { return }
            if settings.flags.shakeToEmpty == shake.content { return report.pass(.aq053) }
            guard shake.moment.connection == event.connection else {
                self.shake = nil
                return report.inconclusive(.aq053, "another client may have written it since")
            }
            report.fail(
                .aq053, expected: "shake_to_empty \(shake.content)", observed: "\(settings.flags.shakeToEmpty)",
                at: [shake.moment, event.moment])
            self.shake = nil
        default: return
        }
    }

    private mutating func write(_ event: PuckEvent, _ link: PuckLink) {
        written.insert(event.connection)
        last[event.connection] = nil
        // Of a puck without calibration, the stored bytes are given back whatever they are.
        if let command = recalibrated[event.connection], event.moment.seconds(since: command) < Self.serviceTime {
            outlook[event.connection] = nil
            return
        }
        // A calibration that completes replaces both.
        guard !link.isCalibrating, let before = link.config, before.content.hasScaleInRange else { return }
        if case .config(let config)? = event.value, event.attribute?.bytes.count == Self.length {
            guard config.isAccepted else {
                if outlook[event.connection] == nil {
                    outlook[event.connection] = .unchanged(before.content, event.moment)
                }
                return
            }
            outlook[event.connection] = config.scale.isNaN ? nil : .written(config, event.moment)
        } else if outlook[event.connection] == nil {
            outlook[event.connection] = .unchanged(before.content, event.moment)
        }
    }

    /// Bytes of a Bottle Config.
    private static let length = 12

    /// AQ-048, AQ-049. Another client may have written, or calibrated, before the connection: a puck without calibration
    /// gives that back.
    private func judgeRange(
        _ config: BottleConfig, _ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport
    ) {
        if config.isOfCalibration { return report.pass(.aq048) }
        if calibrationIsReplaced {
            return report.inconclusive(.aq048, "CAL_SET_DATA may have left the puck without a calibration (Q-27)")
        }
        let state = link.state?.content
        if let state, !state.isOfBoot, state.flags.calibrated { return judgeCalibrated(config, nil, &report) }
        if state?.isOfBoot != false {
            report.inconclusive(.aq048, "whether the puck is calibrated was not told")
        }
        if written.contains(event.connection) { return }
        if config == .uncalibrated { return report.pass(.aq049) }
        guard let before = last[event.connection], before.content == .uncalibrated, !config.hasScaleInRange else {
            return report.inconclusive(.aq049, "another client may have written it")
        }
        report.fail(
            .aq049, expected: BottleConfig.uncalibrated.text, observed: config.text,
            at: [before.moment, event.moment])
    }

    /// AQ-048: the puck tells that it is calibrated after Bottle Config was read.
    private mutating func judgeLast(_ state: CurrentState, _ event: PuckEvent, _ report: inout RuleReport) {
        guard state.flags.calibrated, !state.isOfBoot, !calibrationIsReplaced, let read = last[event.connection],
            !read.content.isOfCalibration
        else { return }
        last[event.connection] = nil
        judgeCalibrated(read.content, read.moment, &report)
    }

    /// A calibration of another scale works until the next boot, but is not loaded to be read: what was there before
    /// is given back, by default that of a puck without calibration.
    private func judgeCalibrated(_ config: BottleConfig, _ moment: FrameReference?, _ report: inout RuleReport) {
        if config == .uncalibrated {
            return report.inconclusive(.aq048, "the scale of the calibration may be one that is not loaded")
        }
        report.fail(
            .aq048, expected: "scale 100 to 800, capacity 830, goal 1000 to 4000", observed: config.text,
            at: [moment].compactMap(\.self))
    }

    /// AQ-050, AQ-051
    private mutating func judgeOutlook(_ config: BottleConfig, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let outlook = outlook[event.connection] else { return }
        self.outlook[event.connection] = nil
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

extension BottleConfig {
    /// Whether a puck with a calibration may read so.
    fileprivate var isOfCalibration: Bool {
        hasScaleInRange && capacity == 830 && (1000...4000).contains(goal)
    }

    /// In a line, for findings.
    var text: String { "scale \(scale), tare \(tare), capacity \(capacity), goal \(goal)" }
}
