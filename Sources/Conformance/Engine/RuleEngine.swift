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

/// Evaluates the rules of a group for one connection, device, advertiser or capture.
struct RuleEngine {
    /// The instances, by rule index; copied from the group when the first event is handled.
    private var rules: [any Rule]

    init(_ group: RuleGroup) {
        rules = group.rules
    }

    /// Passes an event to a rule, by index.
    mutating func handle(_ event: Event, at place: Int, _ report: inout RuleReport) {
        report.rule = RuleIndex(place)
        rules[place].handle(event, &report)
    }

    /// Settles the pending cases of all rules.
    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for place in rules.indices {
            report.rule = RuleIndex(place)
            rules[place].finish(end, &report)
        }
    }
}
