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
    let group: RuleGroup
    /// By rule index; a rule is created at the first event that it handles.
    private var instances: [(any Rule)?]

    init(_ group: RuleGroup) {
        self.group = group
        instances = group.rules.map { _ in nil }
    }

    /// Passes an event to a rule, by index.
    mutating func handle(_ event: Event, at place: Int, _ report: inout RuleReport) {
        if instances[place] == nil { instances[place] = group.rules[place] }
        report.rule = RuleIndex(place)
        instances[place]?.handle(event, &report)
    }

    /// Settles the pending cases of all rules that handled an event.
    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for place in instances.indices where instances[place] != nil {
            report.rule = RuleIndex(place)
            instances[place]?.finish(end, &report)
        }
    }
}
