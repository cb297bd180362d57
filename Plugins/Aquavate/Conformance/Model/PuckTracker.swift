import PluginKit
import Profile

/// Tracks the state of a puck on each of its connections. All rules of the puck share one tracker.
///
/// It is the last rule in the list, so that the others handle an event with the state before it.
final class PuckTracker: Rule {
    private var links: [Int: PuckLink] = [:]
    /// Cache of the last lookup: the rules that handle one event share its connection.
    private var last: (number: Int, link: PuckLink?) = (0, nil)

    var rules: [RuleIndex] { [] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { Self.everything }

    /// All events of a connection.
    static let everything: Set<RuleInterest> = [.link, .requests, .table, .subscriptions, .allValues]

    /// State of the puck on the connection of an event; nil at the opening and for events without a connection.
    subscript(event: Event) -> PuckLink? {
        let number = event.connection.number
        if number != last.number { last = (number, links[number]) }
        return last.link
    }

    func handle(_ event: Event, _ report: inout RuleReport) {
        let number = event.connection.number
        if case .opened(let opening) = event.content {
            links[number] = PuckLink(opening.parameters)
            last = (0, nil)
        } else if event.closing != nil {
            links[number] = nil
            last = (0, nil)
        } else {
            self[event]?.handle(event)
        }
    }
}

extension Rule {
    /// Interest in the values of some characteristics.
    func values(of characteristics: CharacteristicIndex...) -> Set<RuleInterest> {
        Set(characteristics.map { .values(of: $0) })
    }
}
