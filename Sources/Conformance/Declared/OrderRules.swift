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
    private var states = PerConnection<State>()
    /// Accepted writes of another value, by connection: until the response, values that the write turns off may still
    /// come.
    private var replacements = PerConnection<FrameReference>()

    init(_ rule: RuleIndex, _ on: EventMatcher, needs needed: EventMatcher) {
        self.rule = rule
        self.on = on
        self.needed = needed
        needsConfiguration = needed.pattern.isConfiguration && needed.pattern.operation != .read
    }

    var rules: [RuleIndex] { [rule] }
    var interests: Set<RuleInterest> {
        needsConfiguration ? [on.interest, needed.interest, .requests] : [on.interest, needed.interest]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if on.match(event) != nil { check(event, &report) }
        follow(event)
    }

    private func check(_ event: Event, _ report: inout RuleReport) {
        let state = states[event.moment.connection]
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
        let connection = event.moment.connection
        switch event.content {
        case .closed:
            states[connection] = nil
            replacements[connection] = nil
        case .configuration(let access)
        where needsConfiguration && access.operation == .write && access.characteristic == needed.characteristic:
            replacements[connection] = nil
            if access.isEffectiveWrite, needed.match(event) != nil {
                states[connection] = .holds
            } else if access.outcome == .accepted {
                replacements[connection] = event.moment
            } else if !access.isEffectiveWrite {
                states[connection] = states[connection] ?? .refused
            }
        case .response(let response):
            guard let write = replacements[connection], write == response.requested else { return }
            replacements[connection] = nil
            states[connection] = .replaced
        default: if needed.match(event) != nil { states[connection] = .holds }
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
    private var bans = PerConnection<Ban>()

    init(_ rule: RuleIndex, _ on: EventMatcher, after: EventMatcher) {
        self.rule = rule
        self.on = on
        self.after = after
    }

    var rules: [RuleIndex] { [rule] }
    var interests: Set<RuleInterest> { [on.interest, after.interest] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let connection = event.moment.connection
        if let ban = bans[connection], on.match(event) != nil {
            bans[connection]?.isBroken = true
            report.fail(
                rule, expected: "no \(on.title) after \(after.title)", observed: "one came",
                at: [ban.since, event.moment])
        }
        if bans[connection] == nil, after.match(event) != nil { bans[connection] = Ban(since: event.moment) }
        if case .closed = event.content { settle(connection, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for (connection, _) in bans.all { settle(connection, &report) }
    }

    /// Passes a connection on which the event did not occur until the end.
    private mutating func settle(_ connection: Int, _ report: inout RuleReport) {
        if let ban = bans[connection], !ban.isBroken { report.pass(rule, connection: connection) }
        bans[connection] = nil
    }
}
