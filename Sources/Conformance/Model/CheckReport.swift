package import Bytes
package import Conversation
package import PluginKit

/// The results of checking one capture, in a stable order: rules as declared, results by rule, device and connection.
package struct CheckReport: Sendable {
    package var file = ""
    package var frames = 0
    /// Times of the first and the last frame; nil for an empty capture.
    package var times: ClosedRange<Timestamp>?
    package var quality = CaptureQuality()
    package var devices: [CheckedDevice] = []
    package var rules: [RuleInfo] = []
    /// Ids of all rules, including those of plugins whose devices were not seen; empty if unknown.
    package var ruleIDs: Set<String> = []
    package var results: [RuleResult] = []
    /// Waivers that matched no failure.
    package var unusedWaivers: [Waiver] = []
    /// Required checks that did not happen. With any of these, a check does not pass.
    package var omissions: [Omission] = []
    /// The cases of an active test; empty for a check. Each case is also a rule with a result.
    package var cases: [CaseResult] = []

    package init() {}

    /// Number of results with each verdict, in the order of `Verdict.names`.
    package var summary: [(name: String, count: Int)] {
        let counts = counts
        return Verdict.names.map { ($0, counts[$0]) }
    }

    /// The outcome of the check, which determines the program's exit status.
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
    /// The device's name, or its address if it has none.
    package var title = "?"
    /// `c0:ff:ee:00:00:01`; nil where it was not captured.
    package var address: String?
    /// Id of the plugin that describes the device; nil for none.
    package var plugin: String?
    package var dialect: String?
    /// Firmware revision that the device reported.
    package var firmware: String?
    /// Number of connections seen.
    package var connections = 0
    /// Whether the device is the central of its connections.
    package var isCentral = false

    package init() {}
}
