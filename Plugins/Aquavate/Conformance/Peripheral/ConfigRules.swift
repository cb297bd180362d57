import ATT
import PluginKit

/// What reads of Bottle Config and Device Settings give after writes (sections 4.2 and 4.7).
struct ConfigRules: PuckRules {
    /// What the next read of Bottle Config has to show.
    private enum Outlook {
        /// The same as before a write that the puck does not take.
        case unchanged(BottleConfig, Moment)
        case written(BottleConfig, Moment)
    }

    private var outlook = PerConnection<Outlook>()
    /// When the client asked last for what changes the scale or the tare, which the puck does in its own time.
    private var recalibrated = PerConnection<Moment>()
    private var hasWritten = false
    /// shake_to_empty as written last.
    private var shake: Told<Bool>?

    var rules: [String] { ["AQ-048", "AQ-049", "AQ-050", "AQ-051", "AQ-053"] }
    var interests: Set<ConformanceInterest> { values(of: "bottle_config", "device_settings", "command") }

    /// Seconds within which a command is served: the display and a measurement block the loop.
    private static let serviceTime = 8.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil || sight.isGap {
            outlook[sight.connection] = nil
            recalibrated[sight.connection] = nil
        }
        switch sight.command?.kind {
        case .tare?, .setCalibration?, .startCalibration?:
            outlook[sight.connection] = nil
            recalibrated[sight.connection] = sight.moment
        default: break
        }
        // A write may be what is missing.
        if sight.isGap { hasWritten = true }
        guard let told = sight.told, let link = sight.puck else { return }
        switch (told.characteristic, told.operation) {
        case ("bottle_config", .write): write(sight, link)
        case ("bottle_config", .read):
            guard case .config(let config)? = sight.value else { return }
            judgeRange(config, link, &report)
            judgeOutlook(config, sight, &report)
        case ("device_settings", .write):
            guard case .settings(let settings)? = sight.value else { return }
            shake = Told(content: settings.flags.shakeToEmpty, moment: sight.moment)
        case ("device_settings", .read):
            guard case .settings(let settings)? = sight.value, let shake else { return }
            if settings.flags.shakeToEmpty == shake.content { return report.pass("AQ-053") }
            report.fail(
                "AQ-053", expected: "shake_to_empty \(shake.content)", observed: "\(settings.flags.shakeToEmpty)",
                at: [shake.moment, sight.moment])
            self.shake = nil
        default: return
        }
    }

    mutating func withdraw(_ write: Moment) {
        switch outlook[write.connection] {
        case .unchanged(_, write)?, .written(_, write)?: outlook[write.connection] = nil
        default: break
        }
        if shake?.moment == write { shake = nil }
    }

    private mutating func write(_ sight: Sight, _ link: PuckLink) {
        hasWritten = true
        // Of a puck without calibration, the stored bytes are given back whatever they are.
        if let command = recalibrated[sight.connection], sight.moment.seconds(since: command) < Self.serviceTime {
            outlook[sight.connection] = nil
            return
        }
        // A calibration that completes replaces both.
        guard !link.isCalibrating, let before = link.config, before.content.hasScaleInRange else { return }
        if case .config(let config)? = sight.value, sight.told?.bytes.count == Self.length {
            guard config.isAccepted else {
                if outlook[sight.connection] == nil {
                    outlook[sight.connection] = .unchanged(before.content, sight.moment)
                }
                return
            }
            outlook[sight.connection] = config.scale.isNaN ? nil : .written(config, sight.moment)
        } else if outlook[sight.connection] == nil {
            outlook[sight.connection] = .unchanged(before.content, sight.moment)
        }
    }

    /// Bytes of a Bottle Config.
    private static let length = 12

    /// AQ-048, AQ-049
    private func judgeRange(_ config: BottleConfig, _ link: PuckLink, _ report: inout JudgeReport) {
        let state = link.state?.content
        // Without a calibration, what nobody wrote has a scale of 1.
        let isCalibrated = state.map(\.flags.calibrated) == true || !hasWritten && config.hasScaleInRange
        if isCalibrated {
            let isFine = config.hasScaleInRange && config.capacity == 830 && (1000...4000).contains(config.goal)
            if isFine { return report.pass("AQ-048") }
            return report.fail(
                "AQ-048", expected: "scale 100 to 800, capacity 830, goal 1000 to 4000", observed: config.text)
        }
        let isUncalibrated = state.map { !$0.isBoot && !$0.flags.calibrated } == true || config.scale == 1
        guard isUncalibrated else {
            return report.inconclusive("AQ-048", "whether the puck is calibrated was not told")
        }
        if hasWritten { return }
        if config == .uncalibrated { return report.pass("AQ-049") }
        report.fail("AQ-049", expected: BottleConfig.uncalibrated.text, observed: config.text)
    }

    /// AQ-050, AQ-051
    private mutating func judgeOutlook(_ config: BottleConfig, _ sight: Sight, _ report: inout JudgeReport) {
        guard let outlook = outlook[sight.connection] else { return }
        self.outlook[sight.connection] = nil
        switch outlook {
        case .unchanged(let before, let moment):
            if config == before { return report.pass("AQ-050") }
            report.fail("AQ-050", expected: before.text, observed: config.text, at: [moment, sight.moment])
        case .written(let written, let moment):
            var wanted = written
            wanted.goal = min(4000, max(1000, written.goal))
            wanted.capacity = 830
            var nearer = wanted
            nearer.tare -= wanted.tare.signum()
            if config == wanted || config == nearer { return report.pass("AQ-051") }
            report.fail("AQ-051", expected: wanted.text, observed: config.text, at: [moment, sight.moment])
        }
    }
}

extension BottleConfig {
    /// In a line, for findings.
    var text: String { "scale \(scale), tare \(tare), capacity \(capacity), goal \(goal)" }
}
