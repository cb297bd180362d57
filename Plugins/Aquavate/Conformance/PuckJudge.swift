import PluginKit

/// Judges some rules of one idea, for one puck over all of a capture.
protocol PuckRules: Sendable {
    var rules: [String] { get }
    /// Takes the next event; `puck` is what was known before it.
    mutating func see(_ sight: Sight, _ puck: Puck, _ report: inout JudgeReport)
    /// The capture ends at a time, in nanoseconds since 1970.
    mutating func finish(at time: Int64, _ puck: Puck, _ report: inout JudgeReport)
}

extension PuckRules {
    mutating func finish(at time: Int64, _ puck: Puck, _ report: inout JudgeReport) {}
}

/// What the capture has told of a puck.
struct Puck: Sendable {
    /// What is known of each connection that is open.
    private(set) var links = PerConnection<PuckLink>()
    private var connections = 0

    /// The connection of an event; nil for what belongs to none.
    func link(_ sight: Sight) -> PuckLink? { links[sight.connection] }

    fileprivate mutating func take(_ sight: Sight) {
        switch sight.event.content {
        case .opened:
            links[sight.connection] = PuckLink(opened: sight.moment, ordinal: connections)
            connections += 1
        case .closed: links[sight.connection] = nil
        default:
            guard sight.connection > 0, links[sight.connection] != nil else { return }
            links[sight.connection, default: PuckLink(opened: sight.moment, ordinal: 0)].take(sight)
        }
    }
}

/// Judges all rules of pucks that are left to code: reads each value once, follows what is known of the puck, and lets
/// every group of rules see both.
struct PuckJudge: ConformanceJudge {
    private var groups: [any PuckRules]
    private var puck = Puck()
    let rules: [String]

    init(_ groups: [any PuckRules]) {
        self.groups = groups
        rules = groups.flatMap(\.rules)
    }

    var interests: Set<ConformanceInterest> {
        [.link, .advertising, .requests, .table, .subscriptions, .allValues]
    }

    mutating func see(_ event: borrowing ConformanceEvent, _ report: inout JudgeReport) {
        let sight = Sight(event)
        for index in groups.indices { groups[index].see(sight, puck, &report) }
        puck.take(sight)
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout JudgeReport) {
        for index in groups.indices { groups[index].finish(at: end.time, puck, &report) }
    }
}
