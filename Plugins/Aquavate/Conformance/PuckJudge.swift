import ATT
import PluginKit
import Profile

/// Judges some rules of one idea, for one puck over all of a capture.
protocol PuckRules {
    var rules: [RuleIndex] { get }
    /// What it wants to see, beside openings, closings and gaps, which all see.
    var interests: Set<ConformanceInterest> { get }
    mutating func see(_ sight: Sight, _ report: inout JudgeReport)
    /// The device has refused a write: nothing follows from it.
    mutating func withdraw(_ write: Moment)
    /// The capture ends at a time, in nanoseconds since 1970.
    mutating func finish(at time: Int64, _ report: inout JudgeReport)
}

extension PuckRules {
    mutating func withdraw(_ write: Moment) {}
    mutating func finish(at time: Int64, _ report: inout JudgeReport) {}

    /// Interest in the values of some characteristics.
    func values(of characteristics: CharacteristicIndex...) -> Set<ConformanceInterest> {
        Set(characteristics.map { .values(of: $0) })
    }
}

/// Judges all rules of pucks that are left to code: reads each value once, follows what is known of the puck, and lets
/// every group of rules see both.
struct PuckJudge: ConformanceJudge {
    private var groups: [any PuckRules]
    private let audience: Audience
    /// What is known of each connection that is open.
    private var links = PerConnection<PuckLink>()
    let rules: [RuleIndex]

    /// All that is of a connection and of its advertisements.
    static let everything: Set<ConformanceInterest> = [
        .link, .advertising, .requests, .table, .subscriptions, .allValues,
    ]

    init(_ groups: [any PuckRules]) {
        self.groups = groups
        audience = Audience(groups.map(\.interests))
        rules = groups.flatMap(\.rules)
    }

    var interests: Set<ConformanceInterest> { Self.everything }

    mutating func see(_ event: borrowing ConformanceEvent, _ report: inout JudgeReport) {
        let connection = event.moment.connection
        let sight = Sight(event, of: links[connection])
        if case .response(let response) = event.content, response.request.opcode == .writeRequest, response.refuses {
            for group in groups.indices { groups[group].withdraw(response.requested) }
        }
        for group in audience.wanting(event.content) { groups[group].see(sight, &report) }
        switch event.content {
        case .opened(let opening): links[connection] = PuckLink(opened: event.moment, opening.parameters)
        case .closed: links[connection] = nil
        default: sight.puck?.take(sight)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout JudgeReport) {
        for index in groups.indices { groups[index].finish(at: end.time, &report) }
    }
}
