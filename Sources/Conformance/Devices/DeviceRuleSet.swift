import PluginKit
import Profile

/// The rules of one device, indexed by the events that they want.
struct DeviceRuleSet {
    private var rules: [any DeviceRule]
    let interestIndex: InterestIndex
    /// Who wants the values of each characteristic, by its index.
    let values: [[Int]]

    /// `characteristics` are those that the device may have.
    init(_ rules: [any DeviceRule], _ characteristics: [CharacteristicIndex]) {
        self.rules = rules
        let interestIndex = InterestIndex(rules.map(\.interests))
        self.interestIndex = interestIndex
        values = characteristics.map { interestIndex.values(of: $0) }
    }

    /// Lets some of them see an event.
    mutating func see(_ event: borrowing RuleEvent, _ some: [Int], _ report: inout RuleReport) {
        for place in some { rules[place].see(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for place in rules.indices { rules[place].finish(end, &report) }
    }
}
