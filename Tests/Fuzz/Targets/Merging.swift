import Conversation

extension FuzzTarget {
    /// A comment of a packet or a description of an interface, as `merge` writes them: what is read is written the same.
    static let mergedText = FuzzTarget("merged-text") { _ in
        mergedTextSeeds.map { Array($0.utf8) }
    } fault: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let link = ViewLink(comment: text) {
            let written = link.comment
            guard let again = ViewLink(comment: written) else { return "\(written) is not read" }
            if again.comment != written { return "\(written) is read as \(again.comment)" }
        }
        if let clock = MergedClock(description: text) {
            let written = clock.description
            guard let again = MergedClock(description: written) else { return "\(written) is not read" }
            if again.isReference != clock.isReference || again.common != clock.common {
                return "\(written) is read as \(again.description)"
            }
        }
        return nil
    }

    private static let mergedTextSeeds = [
        "gattbench: heard in frame 1240, 3.215 ms later, 2 times, acknowledged, completed after 12.400 ms",
        "gattbench: second view: sent in frame 1234, 3.215 ms earlier",
        "gattbench: received in frame 7, 0.000 ms later",
        "gattbench: sent only, completed after 7.000 ms",
        "reference clock",
        "clock +3600.123456 s, drift -12.34 ppm, 1234 common PDUs, spread 0.085 ms",
        "clock -1772366400.000001 s, as given",
    ]
}
