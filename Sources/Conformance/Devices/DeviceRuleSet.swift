import PluginKit
import Profile

/// The rules of one device, indexed by the events that they handle.
struct DeviceRuleSet {
    private var rules: [any Rule]
    let interestIndex: InterestIndex

    /// `interestIndex` is that of the rules: devices with the same rules share it.
    init(_ rules: [any Rule], _ interestIndex: InterestIndex) {
        self.rules = rules
        self.interestIndex = interestIndex
    }

    /// Passes an event to rules, by index.
    mutating func handle(_ event: Event, _ places: [Int], _ report: inout RuleReport) {
        for place in places { rules[place].handle(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for place in rules.indices { rules[place].finish(end, &report) }
    }
}
