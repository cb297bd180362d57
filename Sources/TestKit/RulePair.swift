import Conformance
package import PluginKit
package import Profile

/// Two sessions about a rule: one obeys it, the other breaks it and nothing else.
package struct RulePair: Sendable, CustomStringConvertible {
    package var rule: String
    /// Rules of severity error that both sessions break: what the rule is about does not come up otherwise.
    package var besides: Set<String>
    /// Rules of severity error that are broken by whoever breaks this one.
    package var implies: Set<String>
    /// Makes one of them: its packets, and the frame that breaks the rule.
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

    /// Why the session that obeys does not show that; nil if it does.
    package func faultOfObedience(_ plugins: [DevicePlugin]) -> String? {
        let checked = CheckedCapture(make(false).recording, plugins: plugins)
        let names = Set(checked.verdicts(rule).map(\.name))
        guard names.contains("pass"), names.isDisjoint(with: ["fail", "warning"]) else {
            return "\(names.sorted()), \(checked.text(of: [rule]))"
        }
        return checked.broken == besides ? nil : checked.text(of: checked.broken)
    }

    /// Why the session that breaks the rule does not show that, at the right frame and for this rule alone; nil if it
    /// does.
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

    /// How many frames of its sessions are not counted where their times are the earliest and the latest that there are: none,
    /// or the check has trapped.
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
    /// What was found, in words.
    package func text(of rules: Set<String>) -> String {
        rules.sorted().map { rule in
            "\(rule) "
                + findings(rule).map { "frame \($0.moments.last?.frame ?? 0): \($0.expected), not \($0.observed)" }
                .joined(separator: "; ")
        }.joined(separator: "\n")
    }
}

extension RuleDefinition {
    /// Whether it compares a device with what its twin would have shown.
    package var asksOracle: Bool { if case .oracle = kind { true } else { false } }
    /// Whether only a test can judge it that drives the device.
    package var needsActiveTest: Bool { if case .twin = kind { true } else { false } }
}

extension Profile {
    /// Rules that traffic judges, without a twin beside it.
    package var judgedRules: Set<String> { Set(rules.filter { !$0.needsActiveTest && !$0.asksOracle }.map(\.id)) }
}
