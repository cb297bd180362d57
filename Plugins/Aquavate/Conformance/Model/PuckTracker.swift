import PluginKit
import Profile

/// Tracks the state of a puck on each of its connections. All rules of the puck share one tracker.
///
/// It is the last rule in the list, so that the others handle an event with the state before it.
final class PuckTracker: Rule {
    private var states: [Int: PuckState] = [:]
    /// Cache of the last lookup: the rules that handle one event share its connection.
    private var last: (number: Int, puck: PuckState?) = (0, nil)

    /// The time of the first SET_TIME on any connection: later timestamps may come from a clock that was ahead before.
    private(set) var clockSet: Int?

    var rules: [RuleIndex] { [] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { Self.everything }

    /// All events of a connection.
    static let everything: Set<RuleInterest> = [.link, .requests, .table, .subscriptions, .allValues]

    /// State of the puck on the connection of an event; nil at the opening and for events without a connection.
    subscript(event: Event) -> PuckState? {
        let number = event.connection.number
        if number != last.number { last = (number, states[number]) }
        return last.puck
    }

    func handle(_ event: Event, _ report: inout RuleReport) {
        let number = event.connection.number
        if event.isOpening {
            states[number] = PuckState()
            last = (0, nil)
        } else if event.closing != nil {
            states[number] = nil
            last = (0, nil)
        } else {
            self[event]?.handle(event)
            if event.commandKind == .setTime, clockSet == nil { clockSet = event.command?.time.map { Int($0) } }
        }
    }
}

extension Rule {
    /// Interest in the values of some characteristics.
    func values(of characteristics: CharacteristicIndex...) -> Set<RuleInterest> {
        Set(characteristics.map { .values(of: $0) })
    }
}
