import Conformance
import PluginKit
package import Profile

/// A case: one thing that a device under test must do, and how it is found out.
package struct TestCase: Sendable {
    /// `read.current_state`, `sync[records=17,mtu=23]`.
    package var id: String
    /// What the device does if it passes, in a sentence.
    package var title: String
    /// The rule of the profile that it decides; nil for none.
    package var rule: String?
    /// The known misbehaviour of the device that makes it fail; nil for none.
    package var quirk: String?
    /// The known misbehaviour that it is about: it is not for devices without it.
    package var assumed: String?
    /// Where that is written: `Vol 3, Part F, 3.4.4.3`.
    package var source: String?
    package var severity = RuleDefinition.Severity.error
    /// Groups that it belongs to: `table`, `read`, `write`.
    package var tags: Set<String> = []
    /// How it becomes shorter when it fails; nil for cases that do not.
    package var shrinking: Shrinking?
    /// Goes through the case; findings of the tester and `TestStop` say what came of it.
    package var body: @Sendable (LowerTester) throws -> Void

    package init(
        _ id: String, _ title: String, source: String? = nil, tags: Set<String>,
        _ body: @escaping @Sendable (LowerTester) throws -> Void
    ) {
        self.id = id
        self.title = title
        self.source = source
        self.tags = tags
        self.body = body
    }
}

extension TestCase {
    /// A case that begins with a connection, after an exchange of MTUs where one is given.
    static func connected(
        _ id: String, _ title: String, source: String? = nil, tags: Set<String>, mtu: UInt16? = nil,
        _ body: @escaping @Sendable (LowerTester) throws -> Void
    ) -> TestCase {
        TestCase(id, title, source: source, tags: tags) { tester in
            try tester.connect(mtu: mtu)
            try body(tester)
        }
    }

    /// A case of many steps, of which the fewest that still fail are wanted.
    package struct Shrinking: Sendable {
        /// The steps in words.
        package var steps: [String]
        /// The same case with only these steps, by their places.
        package var keeping: @Sendable ([Int]) -> TestCase
    }
}

extension CaseResult {
    init(_ testCase: TestCase, seed: UInt64) {
        self.init(
            testCase.id, title: testCase.title, rule: testCase.rule, source: testCase.source,
            severity: testCase.severity, seed: seed)
        quirk = testCase.quirk
    }
}
