import ATT
import PluginKit
import Profile

/// How the client writes Bottle Config (section 4.2).
struct ConfigDiscipline: PuckRules {
    var rules: [RuleIndex] { [.aq222, .aq223] }
    var interests: Set<ConformanceInterest> { values(of: .bottleConfig) }

    /// What was read or written last on each connection, and when it was written.
    private var last = PerConnection<Last>()
    /// The same before the last write, while the puck may refuse that.
    private var former: (write: Moment, last: Last?)?

    private struct Last {
        var config: BottleConfig
        var written: Moment?
    }

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil { last[sight.connection] = nil }
        guard let link = sight.puck, let told = sight.told, told.characteristic == .bottleConfig else { return }
        guard case .config(let config)? = sight.value, sight.told?.bytes.count == Self.length else {
            if told.operation == .write {
                report.fail(.aq222, expected: "\(Self.length) bytes", observed: "\(told.bytes.count)")
            }
            return
        }
        if told.operation == .write {
            judge(config, sight, link, &report)
            judgeChange(config, sight, link, &report)
        }
        if told.operation == .write { former = (sight.moment, last[sight.connection]) }
        let written = told.operation == .write ? sight.moment : last[sight.connection]?.written
        last[sight.connection] = Last(config: config, written: written)
    }

    mutating func withdraw(_ write: Moment) {
        guard let former, former.write == write else { return }
        last[write.connection] = former.last
    }

    /// Bytes of a Bottle Config.
    private static let length = 12

    /// AQ-222
    private func judge(_ config: BottleConfig, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard config.hasScaleInRange, (1000...4000).contains(config.goal) else {
            return report.fail(.aq222, expected: "scale 100 to 800, goal 1000 to 4000", observed: config.text)
        }
        guard let known = link.config else {
            guard sight.link.isComplete else {
                return report.inconclusive(.aq222, "what was read before was not captured whole")
            }
            return report.fail(
                .aq222, expected: "a read of Bottle Config before", observed: "none", isOmission: true)
        }
        if config.scale == known.content.scale, config.tare == known.content.tare { return report.pass(.aq222) }
        report.fail(
            .aq222, expected: "scale \(known.content.scale), tare \(known.content.tare), as they were read",
            observed: config.text, at: [known.moment, sight.moment])
    }

    /// AQ-223
    private func judgeChange(
        _ config: BottleConfig, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        guard let before = last[sight.connection] else { return }
        guard sight.link.isGapless else { return report.inconclusive(.aq223, "something was not captured") }
        if before.config == config {
            return report.fail(.aq223, expected: "something that changes", observed: "the same again")
        }
        if let written = before.written, sight.moment.seconds(since: written) < 0.5 - link.jitter {
            return report.fail(
                .aq223, expected: "0.5 s from one write to the next",
                observed: sight.moment.seconds(since: written).secondsText, at: [written, sight.moment])
        }
        report.pass(.aq223)
    }
}
