/// What came of a rule.
package enum Verdict: Hashable, Sendable {
    /// It was obeyed, once at least.
    case pass
    /// It was broken, and is of severity error.
    case fail
    /// It was broken, and is of severity warning.
    case warning
    /// It was broken, which a waiver excuses.
    case waived
    /// The rule is inconclusive, for this reason.
    indirect case inconclusive(String)
    /// What it is about did not come up, or traffic cannot judge it, for this reason.
    indirect case notApplicable(String)

    /// As reports write it.
    package var name: String {
        switch self {
        case .pass: "pass"
        case .fail: "fail"
        case .warning: "warning"
        case .waived: "waived"
        case .inconclusive: "inconclusive"
        case .notApplicable: "not_applicable"
        }
    }

    /// All names, in the order in which summaries count them.
    package static let names = ["pass", "fail", "warning", "waived", "inconclusive", "not_applicable"]

    /// What is lacking; nil for the others.
    package var reason: String? {
        switch self {
        case .inconclusive(let reason), .notApplicable(let reason): reason
        case .pass, .fail, .warning, .waived: nil
        }
    }
}
