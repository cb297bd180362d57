import Conformance
import PluginKit
package import Profile

/// A test case: one requirement on the device under test, and the procedure that checks it.
package struct TestCase: Sendable {
    /// `read.current_state`, `sync[records=17,mtu=23]`.
    package var id: String
    /// The requirement, in a sentence.
    package var title: String
    /// The rule of the profile that the case decides; nil for none.
    package var rule: String?
    /// The quirk (known misbehaviour) that makes the case fail; nil for none.
    package var quirk: String?
    /// The quirk that the case is about; the case does not apply to devices without it.
    package var assumed: String?
    /// The requirement's source: `Vol 3, Part F, 3.4.4.3`.
    package var source: String?
    package var severity = RuleDefinition.Severity.error
    /// Groups of the case: `table`, `read`, `write`.
    package var tags: Set<String> = []
    /// Shrinks the case when it fails; nil for cases that cannot be shrunk.
    package var shrinking: Shrinking?
    /// Runs the case; the tester's findings and `TestStop` contain the outcome.
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
    /// A case that begins with a connection, and an MTU exchange if `mtu` is given.
    static func connected(
        _ id: String, _ title: String, source: String? = nil, tags: Set<String>, mtu: UInt16? = nil,
        _ body: @escaping @Sendable (LowerTester) throws -> Void
    ) -> TestCase {
        TestCase(id, title, source: source, tags: tags) { tester in
            try tester.connect(mtu: mtu)
            try body(tester)
        }
    }

    /// A case of many steps that is shrunk to the fewest that still fail.
    package struct Shrinking: Sendable {
        /// Descriptions of the steps.
        package var steps: [String]
        /// The case with only the steps at these indices.
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
