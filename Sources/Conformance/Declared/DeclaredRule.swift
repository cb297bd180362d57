import ATT
import PluginKit
import Profile

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
            ReplyRule(
                rule.id, after: EventMatcher(event), expect: EventMatcher(expected), within: seconds,
                from: profile.profile.source(of: expected))
        case .period(let event, let seconds, let tolerance):
            PeriodRule(rule.id, EventMatcher(event), seconds: seconds, tolerance: tolerance)
        case .order(let event, let needed): OrderRule(rule.id, EventMatcher(event), needs: EventMatcher(needed))
        case .never(let event, let other): NeverRule(rule.id, EventMatcher(event), after: EventMatcher(other))
        case .length, .check, .checksums, .code, .twin, .oracle: nil
        }
    }
}

extension Profile {
    /// The characteristic whose notifications or indications carry the messages of an event.
    fileprivate func source(of event: EventPattern) -> String? {
        guard event.isMessage, let message = messages.first(where: { $0.name == event.characteristic }),
            message.operation == .notify || message.operation == .indicate
        else { return nil }
        return message.characteristic
    }
}
