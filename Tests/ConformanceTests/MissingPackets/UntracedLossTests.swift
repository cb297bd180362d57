import Captures
import PDUTestKit
import TestKit
import Testing

/// Every rule of `UntracedLoss` fails for some capture that lacks packets without a trace; a rule that no longer does
/// must be removed from the list.
struct UntracedLossTests {
    /// Captures with the rules that fail when some of their packets are missing, and pass in the complete capture. If a
    /// capture changes, any other capture that shows the rule will do.
    private static let needed: [String: Set<String>] = [
        "captures/aquavate-activity/capture.btsnoop": [
            "AQ-088", "AQ-079", "AQ-081", "AQ-083", "AQ-084", "AQ-086", "AQ-225",
        ],
        "captures/aquavate-calibration/capture.btsnoop": [
            "CORE-ATT-07", "AQ-101", "AQ-204", "AQ-039", "AQ-040", "AQ-091", "AQ-092", "AQ-096",
        ],
        "captures/aquavate-first-firmware/capture.btsnoop": [
            "AQ-302", "CORE-GATT-01", "AQ-028", "AQ-203", "AQ-059", "AQ-214",
        ],
        "captures/aquavate-prd/capture.btsnoop": [
            "AQ-522", "AQ-523", "AQ-201", "AQ-237", "AQ-238", "AQ-510", "AQ-521",
        ],
        "captures/aquavate-sync/capture.btsnoop": [
            "AQ-239", "AQ-016", "AQ-019", "AQ-042", "AQ-041", "AQ-057", "AQ-058", "AQ-070", "AQ-069", "AQ-209",
            "AQ-212", "AQ-309",
        ],
        "captures/aquavate-truncated-chunk/capture.btsnoop": ["CORE-ATT-12", "AQ-029", "AQ-215", "AQ-305"],
        "captures/battery-charging/capture.btsnoop": ["CORE-ATT-05", "CORE-ATT-20", "BT-002"],
        "captures/credit-based-channel/capture.btsnoop": ["CORE-L2CAP-08"],
        "captures/discovery-after-traffic/capture.btsnoop": ["CORE-GATT-15"],
        "captures/format-btsnoop-1001/capture.btsnoop": ["BT-004"],
        "captures/jbd-battery/capture.btsnoop": ["CORE-HCI-01"],
        "captures/lifecount-session/capture.btsnoop": ["CORE-ATT-06", "CORE-GATT-02", "LC-020", "LC-025", "LC-015"],
        "captures/long-write/capture.btsnoop": ["CORE-ATT-23"],
        "captures/read-by-type-first/capture.btsnoop": ["CORE-ATT-01"],
        "captures/remembered-table/capture.btsnoop": ["CORE-GATT-10"],
        "captures/reused-connection-handle/capture.btsnoop": ["CORE-ATT-17"],
        "captures/sections-of-both-byte-orders/capture.pcapng": ["CORE-ATT-02"],
        "captures/service-changed/capture.btsnoop": ["CORE-ATT-03", "CORE-ATT-04", "CORE-GATT-04", "CORE-GATT-17"],
        "captures/vendor-acl-data/capture.btsnoop": ["CORE-SMP-11"],
        "captures/wrong-sdu-length/capture.btsnoop": ["CORE-L2CAP-03", "CORE-L2CAP-12"],
        "../shared/captures/btsnoop-android-treadmill-gatt.log": ["CORE-GATT-05"],
        "../shared/captures/btsnoop-bumble-encryption-change-v2.btsnoop": ["CORE-SMP-03", "CORE-SMP-14"],
        "../shared/captures/h4phdr201-bumble-l2cap-coc.pcap": ["CORE-L2CAP-06", "CORE-L2CAP-09"],
    ]

    private static let rules = Set(UntracedLoss.reasons.flatMap(\.rules))

    @Test func everyRuleHasACapture() {
        let shown = Self.needed.values.flatMap(\.self)
        #expect(Set(shown) == Self.rules)
        #expect(shown.count == Self.rules.count)
    }

    @Test(arguments: needed.keys.filter { !$0.hasPrefix("..") }.sorted())
    func ownCaptures(_ capture: String) throws { try check(capture) }

    @Test(
        .enabled(if: !Repository.captures(in: "../shared/captures").isEmpty, "../shared/captures is not there"),
        arguments: needed.keys.filter { $0.hasPrefix("..") }.sorted())
    func sharedCaptures(_ capture: String) throws { try check(capture) }

    private func check(_ capture: String) throws {
        let subject = try LossSubject(capture)
        #expect(!subject.isOnAir)
        let count = subject.packets.packets.count
        let drops = LossyVariant.all(frames: count, isOnAir: subject.isOnAir, seed: UInt64(count))
            .filter { $0.isDrop && !$0.isCounted }
        let whole = subject.brokenRules(of: subject.packets)
        var missing = Self.needed[capture, default: []]
        for drop in drops where !missing.isEmpty {
            let broken = subject.brokenRules(of: drop.applied(to: subject.packets))
            missing = missing.filter { broken[$0] == nil || whole[$0] != nil }
        }
        #expect(missing.isEmpty, "no drop makes these fail: \(missing.sorted())")
    }
}
