import Bytes
import Testing

@testable import Conversation

/// Comments of `merge` are read as they are written.
struct ViewLinkTests {
    private static func link(
        _ sight: ViewLink.Sight, _ frame: Int?, _ change: (inout ViewLink) -> Void = { _ in }
    ) -> ViewLink {
        var link = ViewLink(sight, frame: frame)
        change(&link)
        return link
    }

    static let links: [(ViewLink, String)] = [
        (
            link(.heard, 1240) {
                $0.delay = TimeSpan(microseconds: 3215)
                $0.transmissions = 2
                $0.isAcknowledged = true
                $0.completion = TimeSpan(microseconds: 12_400)
            },
            "gattbench: heard in frame 1240, 3.215 ms later, 2 times, acknowledged, completed after 12.400 ms"
        ),
        (
            link(.sent, 1234) {
                $0.delay = TimeSpan(microseconds: -3215)
                $0.isSecondView = true
            },
            "gattbench: second view: sent in frame 1234, 3.215 ms earlier"
        ),
        (link(.received, 7), "gattbench: received in frame 7, 0.000 ms later"),
        (
            link(.sent, nil) { $0.completion = TimeSpan(milliseconds: 7) },
            "gattbench: sent only, completed after 7.000 ms"
        ),
        (link(.heard, nil) { $0.isSecondView = true }, "gattbench: second view: heard only"),
    ]

    @Test(arguments: links)
    func linksAreReadAsWritten(link: ViewLink, comment: String) {
        #expect(link.comment == comment)
        #expect(ViewLink(comment: comment) == link)
    }

    @Test(arguments: [
        "", "a note", "gattbench: ", "gattbench: heard", "gattbench: heard in frame 0, 1.000 ms later",
        "gattbench: heard in frame 5", "gattbench: heard in frame x, 1.000 ms later",
        "gattbench: heard in frame 5, nan ms later", "gattbench: heard in frame 5, 1.000 s later",
        "gattbench: heard in frame 5, 1.000 ms", "gattbench: seen only", "gattbench: heard only, twice",
        "gattbench: heard only, completed after -1 ms", "gattbench: heard in frame 5, 1.000 ms later, 0 times",
        "gattbench: heard in frame 5, 1.000 ms later, many times",
    ])
    func otherCommentsAreNoLinks(comment: String) {
        #expect(ViewLink(comment: comment) == nil)
    }

    static let clocks: [(MergedClock, String)] = [
        (.reference, "reference clock"),
        (
            MergedClock(offset: TimeSpan(microseconds: 3_600_123_456), drift: -12.34, common: 1234, spread: 0.085),
            "clock +3600.123456 s, drift -12.34 ppm, 1234 common PDUs, spread 0.085 ms"
        ),
        (
            MergedClock(offset: TimeSpan(microseconds: -1_772_366_400_000_001), drift: 0, common: 5, spread: 0),
            "clock -1772366400.000001 s, drift +0.00 ppm, 5 common PDUs, spread 0.000 ms"
        ),
        (
            MergedClock(offset: TimeSpan(nanoseconds: 1_772_366_400_000_002_750), drift: 0, common: 5, spread: 0),
            "clock +1772366400.000003 s, drift +0.00 ppm, 5 common PDUs, spread 0.000 ms"
        ),
        (MergedClock(offset: .zero, drift: 0, common: 0, spread: 0), "clock +0.000000 s, as given"),
    ]

    @Test(arguments: clocks)
    func clocksAreReadAsWritten(clock: MergedClock, text: String) throws {
        #expect(clock.description == text)
        let read = try #require(MergedClock(description: text))
        #expect(read.description == text)
        #expect(read.isReference == clock.isReference)
    }

    @Test(arguments: ["", "clock", "clock x s, as given", "clock +1 s, drift nan ppm, 5 common PDUs, spread 0.1 ms"])
    func otherDescriptionsAreNoClocks(text: String) {
        #expect(MergedClock(description: text) == nil)
    }
}
