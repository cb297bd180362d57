import PluginKit
import Profile

/// The rules of one device, indexed by the events that they handle.
struct DeviceRuleSet {
    private var rules: [any Rule]
    let interestIndex: InterestIndex

    /// `interestIndex` is the index of another device with the same rules, if there is one.
    init(_ rules: [any Rule], _ interestIndex: InterestIndex? = nil) {
        self.rules = rules
        self.interestIndex = interestIndex ?? InterestIndex(rules.map(\.interests))
    }

    /// Passes an event to rules, by index.
    mutating func handle(_ event: Event, _ places: [Int], _ report: inout RuleReport) {
        for place in places { rules[place].handle(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for place in rules.indices { rules[place].finish(end, &report) }
    }
}
