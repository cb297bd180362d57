import Bluetooth
import PluginKit
import Profile

/// `increases`: a field never decreases from value to value of a connection, or increases by a fixed step; it may wrap
/// around to 0.
struct IncreasesRule: Rule {
    private struct Last {
        var value: Int
        var moment: FrameReference
    }

    let rule: RuleIndex
    let on: EventMatcher
    let field: String
    let step: Int?
    private var last: Last?

    init(_ rule: RuleIndex, _ on: EventMatcher, _ field: String, _ step: Int?) {
        self.rule = rule
        self.on = on
        self.field = field
        self.step = step
    }

    var rules: [RuleIndex] { [rule] }
    var scope: RuleScope { on.scope }
    var interests: Set<RuleInterest> { [on.interest] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard on.covers(event) else { return }
        switch event.content {
        case .gap: last = nil
        default:
            guard let value = on.match(event), let number = value.reading?.integer(field) else { return }
            defer { last = Last(value: number, moment: event.moment) }
            guard let last else { return }
            if on.pattern.isAdvertisement {
                return checkAdvertised(
                    number, after: last, wrapsAt: value.reading?.largest(field), at: event.moment, &report)
            }
            let isWrap = number == 0 && last.value == value.reading?.largest(field)
            // The next number may exceed the range of `Int`.
            let next = step.map { Int128(last.value) + Int128($0) }
            let isFine = next.map { number == $0 } ?? (number >= last.value)
            if isFine || isWrap { return report.pass(rule) }
            report.fail(
                rule, expected: next.map { "\(field) \($0)" } ?? "\(field) of \(last.value) or more",
                observed: "\(field) \(number) after \(last.value)", at: [last.moment, event.moment])
        }
    }
}

extension IncreasesRule {
    /// Checks an advertised number. Advertisements repeat their data, and some are not received: the number may be
    /// unchanged, and too long a step may be several steps.
    private func checkAdvertised(
        _ number: Int, after last: Last, wrapsAt largest: Int?, at moment: FrameReference, _ report: inout RuleReport
    ) {
        if number == last.value { return }
        var rise = Int128(number) - Int128(last.value)
        // A counter that wrapped around is less than half of its range ahead.
        if rise < 0, let largest, -rise > largest / 2 { rise += Int128(largest) + 1 }
        if rise < 0 || step.map({ rise % Int128($0) != 0 }) == true {
            let steps = step.map { "\(field) \(last.value) and steps of \($0)" } ?? "\(field) of \(last.value) or more"
            return report.fail(
                rule, expected: steps, observed: "\(field) \(number) after \(last.value)", at: [last.moment, moment])
        }
        if let step, rise != step {
            return report.inconclusive(rule, PeriodRule.unheard)
        }
        report.pass(rule)
    }
}

/// `sequence`: notified and indicated states follow a state machine of the profile. A read may return an old state, and
/// a client that unsubscribes misses states: after either, any state may come next.
struct SequenceRule: Rule {
    private struct Last {
        var state: String
        var moment: FrameReference
    }

    let rule: RuleIndex
    let sequence: SequenceDefinition
    let interests: Set<RuleInterest>
    private let next: [String: Set<String>]
    private var last: Last?
    /// Whether the state is unknown after a gap, a read or an unsubscription: any state may come next.
    private var isLost = false
    /// The characteristics that carry the states.
    private let carriers: Set<CharacteristicIndex>

    init(_ rule: RuleIndex, _ sequence: SequenceDefinition, in profile: CompiledProfile) {
        self.rule = rule
        self.sequence = sequence
        let carriers = profile.profile.services.flatMap(\.characteristics).filter { characteristic in
            characteristic.readings.values.contains { $0.alternatives.contains { $0.type == sequence.type } }
        }
        let names = profile.profile.characteristicNames
        self.carriers = Set(carriers.compactMap { CharacteristicIndex($0.name, among: names) })
        interests = Set(self.carriers.map { .values(of: $0) }).union([.subscriptions])
        next = Dictionary(sequence.transitions.map { ($0.from, Set($0.to)) }) { $0.union($1) }
    }

    var rules: [RuleIndex] { [rule] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .gap: lose()
        case .value(let value):
            guard value.message == sequence.type, let state = value.reading?.name(sequence.state) else { return }
            guard value.operation == .notify || value.operation == .indicate else {
                if value.operation == .read || last == nil { lose() }
                return
            }
            check(state, event, &report)
            last = Last(state: state, moment: event.moment)
        case .subscription(let subscription) where carriers.contains(subscription.characteristic):
            if !subscription.notifies, !subscription.indicates { lose() }
        default: return
        }
    }

    /// Forgets the state: any state may come next.
    private mutating func lose() {
        last = nil
        isLost = true
    }

    private func check(_ state: String, _ event: Event, _ report: inout RuleReport) {
        guard let last else {
            if sequence.initial.isEmpty || sequence.initial.contains(state) { return report.pass(rule) }
            if isLost || !event.connection.isBeginningCaptured {
                return report.inconclusive(rule, "the state before \(state) is not known")
            }
            return report.fail(
                rule, expected: "\(sequence.initial.joined(separator: " or ")) first", observed: "\(state) first")
        }
        let possible = next[last.state] ?? []
        if state == last.state || possible.contains(state) { return report.pass(rule) }
        let expected = possible.isEmpty ? "no other state" : possible.sorted().joined(separator: " or ")
        report.fail(
            rule, expected: "\(expected) after \(last.state)", observed: "\(state) after \(last.state)",
            at: [last.moment, event.moment])
    }
}
