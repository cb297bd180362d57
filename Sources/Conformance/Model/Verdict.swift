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
    /// What it is about did not come up, or traffic cannot decide it, for this reason.
    indirect case notApplicable(String)

    /// Its place among all verdicts, in the order in which summaries count them.
    package var place: Int {
        switch self {
        case .pass: 0
        case .fail: 1
        case .warning: 2
        case .waived: 3
        case .inconclusive: 4
        case .notApplicable: 5
        }
    }

    /// As reports write it.
    package var name: String { Self.names[place] }

    /// All names, by their places.
    package static let names = ["pass", "fail", "warning", "waived", "inconclusive", "not_applicable"]

    /// What is lacking; nil for the others.
    package var reason: String? {
        switch self {
        case .inconclusive(let reason), .notApplicable(let reason): reason
        case .pass, .fail, .warning, .waived: nil
        }
    }
}
