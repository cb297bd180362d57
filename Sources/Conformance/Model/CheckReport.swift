package import Bytes
package import Conversation
package import PluginKit

/// What a check of one capture came to. Everything is in a stable order: rules as they are declared, results by rule,
/// device and connection.
package struct CheckReport: Sendable {
    package var file = ""
    package var frames = 0
    /// Times of the first and the last frame; nil for an empty capture.
    package var times: ClosedRange<Timestamp>?
    package var quality = CaptureQuality()
    package var devices: [CheckedDevice] = []
    package var rules: [RuleInfo] = []
    /// Ids of all rules that there are, also of plugins whose devices were not seen; empty where that is not known.
    package var ruleIDs: Set<String> = []
    package var results: [RuleResult] = []
    /// Waivers that matched nothing.
    package var unusedWaivers: [Waiver] = []
    /// Required checks that did not happen. With any of these, a check does not pass.
    package var omissions: [Omission] = []
    /// The cases of an active test; empty for a check. Each is a rule with a result, too.
    package var cases: [CaseResult] = []

    package init() {}

    /// How many results have each verdict, by `Verdict.names`.
    package var summary: [(name: String, count: Int)] {
        let counts = counts
        return Verdict.names.map { ($0, counts[$0]) }
    }

    /// How the check ended, as the program's exit says it.
    package func outcome(isStrict: Bool) -> Outcome {
        let counts = counts
        if counts["fail"] > 0 || isStrict && counts["warning"] > 0 { return .broken }
        if !omissions.isEmpty { return .undecided }
        return counts["pass"] + counts["warning"] + counts["waived"] == 0 ? .undecided : .obeyed
    }

    package enum Outcome: Sendable {
        case obeyed
        /// A rule was broken.
        case broken
        /// Nothing could be checked, or a required check did not happen.
        case undecided
    }
}

/// A device that was checked.
package struct CheckedDevice: Hashable, Sendable {
    /// Its name, else its address.
    package var title = "?"
    /// `c0:ff:ee:00:00:01`; nil where it was not captured.
    package var address: String?
    /// The plugin that describes it, by its id; nil for none.
    package var plugin: String?
    package var dialect: String?
    /// Firmware revision that the device reported.
    package var firmware: String?
    /// Connections seen.
    package var connections = 0
    /// Whether it is the central of its connections.
    package var isCentral = false

    package init() {}
}
