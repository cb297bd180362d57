import Bluetooth
import Bytes
import PluginKit
import Profile

/// Evaluates related rules for one puck over all of a capture.
protocol PuckRule {
    var rules: [RuleIndex] { get }
    /// What it wants to see, beside openings, closings and gaps, which all see.
    var interests: Set<RuleInterest> { get }
    /// Takes the next event. `link` is what is known of the puck on its connection; nil for what belongs to none, and at its
    /// opening.
    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport)
    /// The capture ends at a time, in nanoseconds since 1970.
    mutating func finish(at time: Timestamp, _ report: inout RuleReport)
}

extension PuckRule {
    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {}

    /// Interest in the values of some characteristics.
    func values(of characteristics: CharacteristicIndex...) -> Set<RuleInterest> {
        Set(characteristics.map { .values(of: $0) })
    }
}

/// All rules of pucks that are left to code: reads each value once, tracks the state of the puck, and hands both to every
/// group of rules.
struct PuckRuleSet: DeviceRule {
    private var groups: [any PuckRule]
    private let interestIndex: InterestIndex
    /// What is known of each connection that is open.
    private var links = PerConnection<PuckLink>()
    let rules: [RuleIndex]

    /// All that is of a connection and of its advertisements.
    static let everything: Set<RuleInterest> = [
        .link, .advertising, .requests, .table, .subscriptions, .allValues,
    ]

    init(_ groups: [any PuckRule]) {
        self.groups = groups
        interestIndex = InterestIndex(groups.map(\.interests))
        rules = groups.flatMap(\.rules)
    }

    var interests: Set<RuleInterest> { Self.everything }

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
        let connection = event.moment.connection
        let link = links[connection]
        let puckEvent = PuckEvent(event)
        puckEvent.findMeaning(on: link)
        let wanting: [Int]
        if let attribute = puckEvent.attribute {
            wanting = interestIndex.values(of: attribute.characteristic)
        } else {
            wanting = interestIndex.wanting(event.content)
        }
        for group in wanting { groups[group].see(puckEvent, on: link, &report) }
        if puckEvent.isOpening, case .opened(let opening) = puckEvent.content {
            links[connection] = PuckLink(opened: event.moment, opening.parameters)
        } else if puckEvent.closing != nil {
            links[connection] = nil
        } else {
            link?.handle(puckEvent)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for index in groups.indices { groups[index].finish(at: end.time, &report) }
    }
}
