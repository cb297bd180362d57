import Bluetooth
package import Conformance
import PluginKit
import Profile

/// How a case failed in an earlier run, for the run that repeats it.
package struct EarlierFailure: Hashable, Sendable {
    /// Expectations of the case that were not met.
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

    /// Whether a result shows the same failure. Numbers in expectations are those of the run, such as counts of records.
    func isShown(by result: CaseResult) -> Bool {
        if expected.isEmpty, rules.isEmpty { return true }
        let known = Set(expected.map(\.withoutNumbers))
        return !rules.isDisjoint(with: result.brokenRules)
            || result.findings.contains { known.contains($0.expected.withoutNumbers) }
    }
}

extension CaseResult {
    /// Compares the result with the earlier one. A case that passes without having come to the rule that it broke has fixed
    /// nothing: it is inconclusive.
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
    /// Subscribes to everything and reads everything, so that rules about values come up.
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

    /// How long a device is listened to for values that it sends by itself.
    private static let exerciseTime = Duration.seconds(10)
}

extension String {
    /// The text with `#` for each number.
    fileprivate var withoutNumbers: String {
        var text = ""
        for character in self where !(character.isNumber && text.last == "#") {
            text.append(character.isNumber ? "#" : character)
        }
        return text
    }
}
