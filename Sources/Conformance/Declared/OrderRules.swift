import Bluetooth
import PluginKit
import Profile

/// `order`: an event requires another one before it on the same connection. A configuration is in force until the
/// client writes another one.
struct OrderRule: Rule {
    /// The state of the required event.
    private enum State {
        case holds
        /// Another value was written last.
        case replaced
        case refused
    }

    let rule: RuleIndex
    let on: EventMatcher
    let needed: EventMatcher
    /// Whether the required event is a write of a configuration.
    private let needsConfiguration: Bool
    /// Nil until the required event is seen.
    private var state: State?
    /// An accepted write of another value: until the response, values that the write turns off may still come.
    private var replacement: FrameReference?

    init(_ rule: RuleIndex, _ on: EventMatcher, needs needed: EventMatcher) {
        self.rule = rule
        self.on = on
        self.needed = needed
        needsConfiguration = needed.pattern.isConfiguration && needed.pattern.operation != .read
    }

    var rules: [RuleIndex] { [rule] }
    var scope: RuleScope { on.scope }
    var interests: Set<RuleInterest> {
        needsConfiguration ? [on.interest, needed.interest, .requests] : [on.interest, needed.interest]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if on.match(event) != nil { check(event, &report) }
        follow(event)
    }

    private func check(_ event: Event, _ report: inout RuleReport) {
        if state == .holds { return report.pass(rule) }
        if needed.pattern.isConfiguration, event.connection.mayBeEncrypted, state != .replaced {
            // Vol 3, Part G, 3.3.3.3: the configuration of a bonded client outlives the connection.
            return report.inconclusive(rule, "the client may have configured it in an earlier connection of its bond")
        }
        // The client tried: the device's refusal is a different fault.
        if state == .refused { return report.inconclusive(rule, "the device has refused \(needed.title)") }
        guard event.connection.isComplete else {
            return report.inconclusive(rule, "what came before was not captured whole")
        }
        report.fail(
            rule, expected: "\(needed.title) before",
            observed: state == .replaced ? "another value was written last" : "none since the connection began",
            isOmission: true)
    }

    private mutating func follow(_ event: Event) {
        switch event.content {
        case .configuration(let access)
        where needsConfiguration && access.operation == .write && access.characteristic == needed.characteristic:
            replacement = nil
            if access.isEffectiveWrite, needed.match(event) != nil {
                state = .holds
            } else if access.outcome == .accepted {
                replacement = event.moment
            } else if !access.isEffectiveWrite {
                state = state ?? .refused
            }
        case .response(let response):
            guard let write = replacement, write == response.requested else { return }
            replacement = nil
            state = .replaced
        default: if needed.match(event) != nil { state = .holds }
        }
    }
}

/// `never`: an event must not follow another one on the same connection.
struct NeverRule: Rule {
    private struct Ban {
        var since: FrameReference
        var isBroken = false
    }

    let rule: RuleIndex
    let on: EventMatcher
    let after: EventMatcher
    /// Nil until the earlier event occurs.
    private var ban: Ban?

    init(_ rule: RuleIndex, _ on: EventMatcher, after: EventMatcher) {
        self.rule = rule
        self.on = on
        self.after = after
    }

    var rules: [RuleIndex] { [rule] }
    var scope: RuleScope { on.scope }
    var interests: Set<RuleInterest> { [on.interest, after.interest] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let ban, on.match(event) != nil {
            self.ban?.isBroken = true
            report.fail(
                rule, expected: "no \(on.title) after \(after.title)", observed: "one came",
                at: [ban.since, event.moment])
        }
        if ban == nil, after.match(event) != nil { ban = Ban(since: event.moment) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        if let ban, !ban.isBroken { report.pass(rule) }
    }
}
