/// Where a rule of the plugin was broken.
package struct RuleFinding: Hashable, Sendable {
    /// `BT-005`.
    package var rule: String
    package var severity: Severity
    /// What was judged: a part of the URL, the snapshot.
    package var subject: String
    package var expected: String
    package var observed: String

    package enum Severity: String, Hashable, Sendable {
        case error, warning
    }
}
