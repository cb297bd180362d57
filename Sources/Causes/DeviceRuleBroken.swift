import PluginKit

/// The device broke a rule of its profile before the failure.
enum DeviceRuleBroken: Cause {
    static let info = CauseInfo(
        "device_rule_broken", "The device broke a rule of its profile before.",
        explains: Set(Failure.Kind.allCases),
        evidence: "Likely: the rule was broken in the frame that failed. "
            + "Possible: it was broken earlier on the same connection.",
        against: "No rule of a profile was broken on the connection before the failure.",
        advice: "Run “gattbench check” on the capture and fix the broken rule first.", source: "the device's profile")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = failure.frames.last else { return nil }
        let before = session.brokenRules.filter { rule in rule.frames.last.map { $0 <= failed } ?? false }
        guard let broken = before.last, let frame = broken.frames.last else { return nil }
        return .found(
            frame == failed ? .likely : .possible, frames: broken.frames + [failed],
            text: "the device broke \(broken.rule) in frame \(frame.frame): \(broken.title)")
    }
}
