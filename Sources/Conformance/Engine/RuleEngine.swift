import PluginKit
import Profile

/// Rules, with their interests.
struct RuleGroup {
    /// The rules as they were made; instances are copies of them.
    let rules: [any Rule]
    let interests: InterestIndex

    init(_ rules: [any Rule], _ interests: InterestIndex) {
        self.rules = rules
        self.interests = interests
    }

    init(_ rules: [any Rule]) {
        self.init(rules, InterestIndex(rules.map(\.interests)))
    }
}

/// Evaluates the rules of a group for one connection, device, advertiser or capture: an instance of each rule handles
/// the events that the rule is interested in.
struct RuleEngine {
    private let group: RuleGroup
    /// By rule index; an instance is made for the first event that it handles.
    private var instances: [(any RuleInstance)?]

    init(_ group: RuleGroup) {
        self.group = group
        instances = Array(repeating: nil, count: group.rules.count)
    }

    /// Passes an event to a rule, by index.
    mutating func handle(_ event: Event, at place: Int, _ report: inout RuleReport) {
        report.rule = RuleIndex(place)
        if let instance = instances[place] { return instance.handle(event, &report) }
        let instance = Self.instance(of: group.rules[place])
        instances[place] = instance
        instance.handle(event, &report)
    }

    /// Settles the pending cases of all rules that have handled an event.
    func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for (place, instance) in instances.enumerated() {
            report.rule = RuleIndex(place)
            instance?.finish(end, &report)
        }
    }

    private static func instance(of rule: some Rule) -> any RuleInstance { Instance(rule) }
}

/// An instance of a rule. An object, because a rule in an array of existentials is checked for a copy at each call.
private protocol RuleInstance: AnyObject {
    func handle(_ event: Event, _ report: inout RuleReport)
    func finish(_ end: CaptureEnd, _ report: inout RuleReport)
}

private final class Instance<R: Rule>: RuleInstance {
    private var rule: R

    init(_ rule: R) {
        self.rule = rule
    }

    func handle(_ event: Event, _ report: inout RuleReport) { rule.handle(event, &report) }
    func finish(_ end: CaptureEnd, _ report: inout RuleReport) { rule.finish(end, &report) }
}
