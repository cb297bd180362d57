import PluginKit
import Profile

/// `order`: an event needs another one before it, on the same connection.
struct OrderRule: DeviceRule {
    let rule: RuleIndex
    let on: EventMatcher
    let needed: EventMatcher
    private var done = PerConnection<Bool>()

    init(_ rule: RuleIndex, _ on: EventMatcher, needs needed: EventMatcher) {
        self.rule = rule
        self.on = on
        self.needed = needed
    }

    var rules: [RuleIndex] { [rule] }
    var interests: Set<RuleInterest> { [on.interest, needed.interest] }

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
        let connection = event.moment.connection
        if case .closed = event.content { done[connection] = nil }
        if on.match(event) != nil {
            if done[connection] == true {
                report.pass(rule)
            } else if needed.pattern.isConfiguration, event.link.isEncrypted {
                // Vol 3, Part G, 3.3.3.3: the configuration of a bonded client outlives the connection.
                report.inconclusive(rule, "the client may have configured it in an earlier connection of its bond")
            } else if event.link.isComplete {
                report.fail(
                    rule, expected: "\(needed.title) before", observed: "none since the connection began",
                    isOmission: true)
            } else {
                report.inconclusive(rule, "what came before was not captured whole")
            }
        }
        if needed.match(event) != nil { done[connection] = true }
    }
}

/// `never`: an event never comes after another one, on the same connection.
struct NeverRule: DeviceRule {
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

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
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

    /// Nothing came to the end: the rule was obeyed.
    private mutating func settle(_ connection: Int, _ report: inout RuleReport) {
        if let ban = bans[connection], !ban.isBroken { report.pass(rule, connection: connection) }
        bans[connection] = nil
    }
}
