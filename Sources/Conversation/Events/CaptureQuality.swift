/// Defects of a recording, which limit a check.
package struct CaptureQuality: Hashable, Sendable {
    /// Connections whose beginning was not captured.
    package var lateConnections = 0
    /// Places where the recorder reported dropped packets.
    package var drops = 0
    /// Packets that the recorder cut short.
    package var cutPackets = 0
    package var badCRCs = 0
    /// Fragments whose beginning was not captured, and PDUs that were not completed.
    package var brokenPDUs = 0
    /// Frames whose payload is encrypted.
    package var encryptedFrames = 0
    /// Responses whose request was not captured, and requests that got no response before the next one.
    package var lostExchanges = 0
    /// Frames with an earlier timestamp than the frame before.
    package var clockJumps = 0
    /// Frames of an unknown kind.
    package var unknownFrames = 0
    /// Records that the recorder wrote more than once.
    package var duplicates = 0
    /// PDUs that another capture of a merged file shows better, and that are checked there.
    package var secondViews = 0
    /// Characteristic values that their type does not decode completely.
    package var undecodedValues = 0

    package init() {}

    /// Each count with its name in reports and its description.
    package var all: [(name: String, count: Int, text: String)] {
        [
            ("late_connections", lateConnections, "connections whose start was not captured"),
            ("drops", drops, "places where the recorder dropped packets"),
            ("cut_packets", cutPackets, "truncated packets"),
            ("bad_crcs", badCRCs, "packets with a bad CRC"),
            ("broken_pdus", brokenPDUs, "incomplete PDUs"),
            ("encrypted_frames", encryptedFrames, "encrypted frames"),
            ("lost_exchanges", lostExchanges, "unmatched requests or responses"),
            ("clock_jumps", clockJumps, "timestamps that go backwards"),
            ("unknown_frames", unknownFrames, "frames of an unknown kind"),
            ("duplicates", duplicates, "records that were written several times"),
            ("undecoded_values", undecodedValues, "undecodable values"),
        ] + (secondViews == 0 ? [] : [(Self.secondViewsName, secondViews, "second views of PDUs, checked once")])
    }

    /// No defect: reports have it for merged captures only.
    private static let secondViewsName = "second_views"

    /// The defects in words, with counts; never empty.
    package var lines: [String] {
        let flaws = all.filter { $0.count > 0 }.map { "\($0.text): \($0.count)" }
        return flaws.isEmpty ? ["no problems"] : flaws
    }

    /// Whether all counts are zero.
    package var isFlawless: Bool { all.allSatisfy { $0.count == 0 || $0.name == Self.secondViewsName } }
}
