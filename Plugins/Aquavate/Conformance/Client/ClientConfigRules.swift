import Bluetooth
import PluginKit
import Profile

/// The client's writes of Bottle Config (section 4.2).
struct ClientConfigRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq222, .aq223] }
    var interests: Set<RuleInterest> { values(of: .bottleConfig) }

    /// The last value read or written.
    private var last: BottleConfig?
    /// The last write.
    private var written: FrameReference?

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let puck = pucks[event], let attribute = event.value, attribute.characteristic == .bottleConfig else {
            return
        }
        guard case .config(let config)? = event.puckValue, event.value?.bytes.count == Self.length else {
            if attribute.operation == .write {
                report.fail(.aq222, expected: "\(Self.length) bytes", observed: "\(attribute.bytes.count)")
            }
            return
        }
        if attribute.operation == .write {
            check(config, event, puck, &report)
            checkChange(config, event, puck, &report)
        }
        if event.isRefused { return }
        if attribute.operation == .write { written = event.moment }
        last = config
    }

    /// Length of Bottle Config in bytes.
    private static let length = 12

    /// AQ-222
    private func check(_ config: BottleConfig, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard config.hasScaleInRange, (1000...4000).contains(config.goal) else {
            return report.fail(.aq222, expected: "scale 100 to 800, goal 1000 to 4000", observed: config.text)
        }
        guard let known = puck.config else {
            guard event.connection.isComplete else {
                return report.inconclusive(.aq222, "what was read before was not captured whole")
            }
            return report.fail(
                .aq222, expected: "a read of Bottle Config before", observed: "none", isOmission: true)
        }
        if config.scale == known.content.scale, config.tare == known.content.tare { return report.pass(.aq222) }
        report.fail(
            .aq222, expected: "scale \(known.content.scale), tare \(known.content.tare), as they were read",
            observed: config.text, at: [known.moment, event.moment])
    }

    /// AQ-223
    private func checkChange(
        _ config: BottleConfig, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        guard let last else { return }
        guard event.connection.isGapless else { return report.inconclusive(.aq223, "something was not captured") }
        if last == config {
            return report.fail(.aq223, expected: "something that changes", observed: "the same again")
        }
        if let written, event.moment.seconds(since: written) < 0.5 - event.connection.jitter {
            return report.fail(
                .aq223, expected: "0.5 s from one write to the next",
                observed: event.moment.seconds(since: written).secondsText, at: [written, event.moment])
        }
        report.pass(.aq223)
    }
}
