import Bluetooth
package import Conformance
import PluginKit
import Profile

/// The failure of a case in an earlier run, for the run that repeats it.
package struct EarlierFailure: Hashable, Sendable {
    /// Failed expectations of the case.
    package var expected: Set<String>
    /// Ids of the rules that its traffic broke.
    package var rules: Set<String>

    package init(expected: some Sequence<String> = [], rules: some Sequence<String> = []) {
        self.expected = Set(expected)
        self.rules = Set(rules)
    }

    package init(_ result: CaseResult) {
        self.init(expected: result.findings.map(\.expected), rules: result.brokenRules)
    }

    /// Whether a result shows the same failure. Numbers in expectations, such as counts of records, differ between runs
    /// and are ignored.
    func isShown(by result: CaseResult) -> Bool {
        if expected.isEmpty, rules.isEmpty { return true }
        let known = Set(expected.map(\.withoutNumbers))
        return !rules.isDisjoint(with: result.brokenRules)
            || result.findings.contains { known.contains($0.expected.withoutNumbers) }
    }
}

extension CaseResult {
    /// Compares the result with the earlier failure. A case that passes without evaluating the rule that it broke
    /// before does not show a fix: it is inconclusive.
    mutating func compare(with earlier: EarlierFailure, _ report: CheckReport) {
        switch verdict {
        case .fail: comparison = earlier.isShown(by: self) ? .stillFailing : .failingOtherwise
        case .pass:
            let passed = Set(report.results.filter { $0.verdict == .pass }.map { report.rules[$0.rule].id })
            let missed = earlier.expected.isEmpty ? earlier.rules.subtracting(passed).sorted() : []
            if missed.isEmpty {
                comparison = .fixed
            } else {
                verdict = .inconclusive("\(missed.joined(separator: ", ")) did not come up this time")
            }
        default: break
        }
    }
}

extension LowerTester {
    /// Subscribes to and reads every characteristic, so that rules about values are evaluated.
    func exerciseValues() throws {
        try connect()
        for definition in device.characteristics {
            guard let handle = try? handle(of: definition.name) else { continue }
            if !definition.properties.isDisjoint(with: [.notify, .indicate]), definition.hasConfiguration {
                try? subscribe(definition.name)
            }
            if definition.properties.contains(.read) { _ = try read(handle) }
        }
        try wait(Self.exerciseTime)
    }

    /// Time to wait for values that the device sends.
    private static let exerciseTime = Duration.seconds(10)
}

extension String {
    /// The text with each number replaced by `#`.
    fileprivate var withoutNumbers: String {
        var text = ""
        for character in self where !(character.isNumber && text.last == "#") {
            text.append(character.isNumber ? "#" : character)
        }
        return text
    }
}
