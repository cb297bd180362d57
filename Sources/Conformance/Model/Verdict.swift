/// The verdict on a rule.
package enum Verdict: Hashable, Sendable {
    /// The rule was obeyed at least once, and never broken.
    case pass
    /// The rule was broken, with severity error.
    case fail
    /// The rule was broken: its severity is warning, or all its failures are only warnings.
    case warning
    /// The rule was broken, and a waiver excuses it.
    case waived
    /// The rule is inconclusive, for this reason.
    indirect case inconclusive(String)
    /// The rule had no matching traffic, or cannot be evaluated, for this reason.
    indirect case notApplicable(String)

    /// Index in `names`, the order in which summaries count verdicts.
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

    /// Name in reports.
    package var name: String { Self.names[place] }

    /// All names, in index order.
    package static let names = ["pass", "fail", "warning", "waived", "inconclusive", "not_applicable"]

    /// Why the rule was not decided; nil for other verdicts.
    package var reason: String? {
        switch self {
        case .inconclusive(let reason), .notApplicable(let reason): reason
        case .pass, .fail, .warning, .waived: nil
        }
    }
}
