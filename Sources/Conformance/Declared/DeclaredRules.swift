import Bluetooth
import PluginKit
import Profile

/// Creates the rules declared by a profile, apart from those in `ValueChecks`. They are copied for each device and each
/// connection, so they must not share objects with state.
enum DeclaredRules {
    /// The rule for a definition; nil for a sequence that the profile does not declare, and for kinds evaluated
    /// elsewhere: by `ValueChecks`, code, the twin or the oracle.
    static func rule(
        of rule: RuleDefinition, _ index: RuleIndex, in profile: CompiledProfile
    ) -> (any Rule)? {
        let names = profile.profile.characteristicNames
        func matcher(_ event: EventPattern) -> EventMatcher { EventMatcher(event, names) }
        func source(_ event: EventPattern) -> CharacteristicIndex? {
            profile.profile.source(of: event).flatMap { CharacteristicIndex($0, among: names) }
        }
        return switch rule.kind {
        case .increases(let event, let field, let step): IncreasesRule(index, matcher(event), field, step)
        case .sequence(let name):
            profile.profile.sequences.first { $0.name == name }.map { SequenceRule(index, $0, in: profile) }
        case .reply(let event, let expected, let seconds):
            ReplyRule(
                index, after: matcher(event), expect: matcher(expected), within: seconds,
                from: source(expected))
        case .period(let event, let seconds, let tolerance):
            PeriodRule(index, matcher(event), seconds: seconds, tolerance: tolerance, from: source(event))
        case .order(let event, let needed): OrderRule(index, matcher(event), needs: matcher(needed))
        case .never(let event, let other): NeverRule(index, matcher(event), after: matcher(other))
        case .length, .check, .checksums, .code, .twin, .oracle: nil
        }
    }
}

extension Profile {
    /// The characteristic whose notifications or indications carry the messages of an event; nil for other events.
    fileprivate func source(of event: EventPattern) -> String? {
        guard event.isMessage, let message = messages.first(where: { $0.name == event.characteristic }),
            message.operation == .notify || message.operation == .indicate
        else { return nil }
        return message.characteristic
    }
}
