/// Rules that may fail when packets are missing from an HCI recording without a trace, each with the reason.
///
/// HCI has no sequence numbers: a recording that lacks a packet is, byte for byte, the recording of a device or client
/// that never sent it. Only the recorder's count of dropped packets distinguishes the two. If these rules were
/// inconclusive whenever packets might be missing without a trace, they could never fail; docs/check.md lists them with
/// their reasons. Every other rule checks only captured packets, and must not fail.
enum UntracedLoss {
    static let reasons: [(reason: String, rules: Set<String>)] = [
        (
            "a response or a confirmation that is missing was never sent",
            ["CORE-ATT-01", "CORE-ATT-03", "CORE-ATT-05", "CORE-ATT-06", "CORE-ATT-07", "AQ-101", "AQ-302"]
        ),
        (
            "what answers a missing request answers nothing, or the request before it",
            [
                "CORE-ATT-02", "CORE-ATT-04", "CORE-ATT-17", "CORE-ATT-20", "CORE-ATT-23",
                "CORE-L2CAP-03",
            ]
        ),
        ("the ATT_MTU is the default one without the exchange", ["CORE-ATT-12", "AQ-029", "AQ-239"]),
        (
            "a value that is told without the write to the configuration descriptor was not asked for",
            [
                "CORE-GATT-01", "CORE-GATT-02", "BT-004", "AQ-028", "AQ-203", "AQ-204", "AQ-522", "AQ-523", "LC-020",
                "LC-025",
            ]
        ),
        (
            "discovery that lacks a response has found fewer attributes, or puts them under another characteristic",
            [
                "CORE-GATT-04", "CORE-GATT-10", "CORE-GATT-15", "CORE-GATT-17", "AQ-016", "AQ-019", "AQ-201",
            ]
        ),
        ("the event that allows one more command is missing", ["CORE-HCI-01"]),
        (
            "a channel whose opening or credits are missing is not open, or is another one",
            ["CORE-L2CAP-06", "CORE-L2CAP-08", "CORE-L2CAP-09", "CORE-L2CAP-12"]
        ),
        (
            "steps of pairing and encryption follow one another",
            ["CORE-SMP-03", "CORE-SMP-11", "CORE-SMP-14"]
        ),
        ("the value in between was another one", ["CORE-GATT-05", "BT-002", "AQ-039", "AQ-040", "AQ-042", "AQ-091"]),
        ("what a command asks for follows it", ["AQ-041", "AQ-057", "AQ-058", "AQ-088", "AQ-092", "AQ-096", "LC-015"]),
        (
            "what came without its command came unasked, or belongs to the command before it",
            ["AQ-059", "AQ-070", "AQ-079", "AQ-081", "AQ-083", "AQ-084", "AQ-086"]
        ),
        (
            "steps of a transfer follow one another, and records are counted",
            [
                "AQ-069", "AQ-209", "AQ-212", "AQ-214", "AQ-215", "AQ-225", "AQ-237", "AQ-238", "AQ-305", "AQ-309",
                "AQ-510", "AQ-521",
            ]
        ),
    ]

    static func excuses(_ rule: String) -> Bool { reasons.contains { $0.rules.contains(rule) } }
}

/// The server's table changes without Service Changed: the attribute differs from the one in the previous connection,
/// which only the discovery at the end of the capture shows. Without that discovery, the value breaks the rules of the
/// old attribute. The same holds if a burst of lost packets hides Service Changed with its confirmation, or that
/// discovery.
enum UndiscoveredChange {
    static func excuses(_ rule: String, _ variant: LossyVariant, of capture: String) -> Bool {
        switch variant.loss {
        case .end: rule == "BT-001" && capture.contains("table-changed-without-notice")
        case .burst:
            rule == "BT-001"
                && ["table-changed-without-notice", "service-changed"].contains { capture.contains($0) }
        default: false
        }
    }
}
