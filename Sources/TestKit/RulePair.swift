import Conformance
package import PluginKit
package import Profile

/// Two sessions for a rule: one conforms to it, the other breaks only this rule.
package struct RulePair: Sendable, CustomStringConvertible {
    package var rule: String
    /// Rules of severity error that both sessions break, because the rule's situation cannot occur otherwise.
    package var besides: Set<String>
    /// Rules of severity error that any violation of this rule breaks too.
    package var implies: Set<String>
    /// Creates one of the sessions: its recording, and the frame that breaks the rule.
    package var make: @Sendable (_ isBroken: Bool) -> (recording: Recording, fault: Int)

    package var description: String { rule }

    package init(
        _ rule: String, besides: Set<String> = [], implies: Set<String> = [],
        make: @escaping @Sendable (_ isBroken: Bool) -> (recording: Recording, fault: Int)
    ) {
        self.rule = rule
        self.besides = besides
        self.implies = implies
        self.make = make
    }

    /// Why the check of the conforming session is wrong; nil if the rule passes.
    package func faultOfObedience(_ plugins: [DevicePlugin]) -> String? {
        let checked = CheckedCapture(make(false).recording, plugins: plugins)
        let names = Set(checked.verdicts(rule).map(\.name))
        guard names.contains("pass"), names.isDisjoint(with: ["fail", "warning"]) else {
            return "\(names.sorted()), \(checked.text(of: [rule]))"
        }
        return checked.broken == besides ? nil : checked.text(of: checked.broken)
    }

    /// Why the check of the breaking session is wrong; nil if only this rule fails, at the right frame.
    package func faultOfOffence(_ plugins: [DevicePlugin]) -> String? {
        let (recording, fault) = make(true)
        let checked = CheckedCapture(recording, plugins: plugins)
        guard checked.frames(rule).contains(fault) else {
            return "expected frame \(fault): \(checked.text(of: [rule]))"
        }
        let isError = checked.report.rules.first { $0.id == rule }?.severity == .error
        let expected = besides.union(implies).union(isError ? [rule] : [])
        return checked.broken == expected ? nil : checked.text(of: checked.broken)
    }

    /// Number of frames of both sessions that are not counted when their timestamps are extreme: 0, unless the check
    /// traps.
    package func framesLostAtExtremeTimes(_ plugins: [DevicePlugin]) -> Int {
        var lost = 0
        for isBroken in [false, true] {
            let recording = make(isBroken).recording
            for times in Recording.extremeTimes {
                let checked = CheckedCapture(recording.timed(at: times), plugins: plugins, asksOracle: true)
                lost += recording.packets.count - checked.report.frames
            }
        }
        return lost
    }
}

extension CheckedCapture {
    /// The findings as text.
    package func text(of rules: Set<String>) -> String {
        rules.sorted().map { rule in
            "\(rule) "
                + findings(rule).map { "frame \($0.moments.last?.frame ?? 0): \($0.expected), not \($0.observed)" }
                .joined(separator: "; ")
        }.joined(separator: "\n")
    }
}

extension RuleDefinition {
    /// Whether the rule compares the device with its twin.
    package var asksOracle: Bool { if case .oracle = kind { true } else { false } }
    /// Whether only an active test of the device can evaluate the rule.
    package var needsActiveTest: Bool { if case .twin = kind { true } else { false } }
}

extension Profile {
    /// Rules that traffic alone can decide, without a twin.
    package var judgedRules: Set<String> { Set(rules.filter { !$0.needsActiveTest && !$0.asksOracle }.map(\.id)) }
}
