import PluginKit

/// Makes judges of the rules that a profile declares, but for those that `ValueChecks` has.
enum DeclaredRule {
    /// The judge of a rule; nil for rules that are left to code or to the twin, and for those of a sequence that the
    /// profile does not have.
    static func judge(of rule: RuleDefinition, in profile: CompiledProfile) -> (any ConformanceJudge)? {
        switch rule.kind {
        case .increases(let event, let field, let step): IncreasesRule(rule.id, EventMatcher(event), field, step)
        case .sequence(let name):
            profile.profile.sequences.first { $0.name == name }.map { SequenceRule(rule.id, $0, in: profile) }
        case .reply(let event, let expected, let seconds):
            ReplyRule(rule.id, after: EventMatcher(event), expect: EventMatcher(expected), within: seconds)
        case .period(let event, let seconds, let tolerance):
            PeriodRule(rule.id, EventMatcher(event), seconds: seconds, tolerance: tolerance)
        case .order(let event, let needed): OrderRule(rule.id, EventMatcher(event), needs: EventMatcher(needed))
        case .never(let event, let other): NeverRule(rule.id, EventMatcher(event), after: EventMatcher(other))
        case .length, .check, .code, .twin: nil
        }
    }
}

/// What a rule remembers of each connection that is open.
struct PerConnection<State: Sendable>: Sendable {
    private var states: [Int: State] = [:]

    /// The state of a connection; nil before anything was remembered.
    subscript(connection: Int) -> State? {
        get { states[connection] }
        set { states[connection] = newValue }
    }

    subscript(connection: Int, default state: State) -> State {
        get { states[connection] ?? state }
        set { states[connection] = newValue }
    }

    /// All of them, in the order of the connections.
    var all: [(connection: Int, state: State)] {
        states.sorted { $0.key < $1.key }.map { (connection: $0.key, state: $0.value) }
    }
}

extension Double {
    /// A time of so many seconds, for people: `4.25 s`, `300 ms`.
    var secondsText: String {
        if self < 1 { return "\(Int((self * 1000).rounded())) ms" }
        let hundredths = (self * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(clampingSeconds: hundredths)) s" : "\(hundredths) s"
    }
}

extension Int {
    fileprivate init(clampingSeconds seconds: Double) {
        self = seconds > 1e15 ? Int(1e15) : Int(seconds)
    }
}
