import Testing

@testable import Transports

/// Lines in a stream, split at arbitrary points.
@Suite struct LineFramerTests {
    private func lines(_ parts: [String]) -> [String?] {
        var framer = LineFramer()
        return parts.flatMap { framer.take(Array($0.utf8)) }.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(arguments: [
        (["a\nb\n"], ["a", "b"]), (["a", "b\n"], ["ab"]), (["\n\n"], ["", ""]), (["a\nb"], ["a"]),
        (["", "a\n"], ["a"]),
    ])
    func aLineEndsWithItsLineFeed(parts: [String], expected: [String]) {
        #expect(lines(parts) == expected)
    }

    @Test func aLongLineIsLeftOut() {
        let long = String(repeating: "x", count: LineFramer.limit + 1)
        #expect(lines([long, long, "\nb\n"]) == [nil, "b"])
        #expect(lines([long + "\nb\n"]) == [nil, "b"])
    }

    @Test func theLastLineNeedsNoLineFeed() {
        var framer = LineFramer()
        _ = framer.take(Array("a\nbc".utf8))
        #expect(framer.finish() == Array("bc".utf8))
        #expect(framer.finish() == nil && framer.pending == 0)
    }

    @Test func whatIsMissingIsCounted() {
        var framer = LineFramer()
        _ = framer.take(Array("a\nbc".utf8))
        #expect(framer.pending == 2)
    }
}
