import Bytes
import Captures
import Testing

@testable import Workbench

/// PDUs of two captures with aligned clocks are paired in order, and what one of them misses is found.
struct ViewMatchingTests {
    private func sighting(
        _ fingerprint: UInt64, at milliseconds: Int64, connection: Int32 = 0, _ direction: Direction = .sent
    ) -> Sighting {
        Sighting(
            fingerprint: fingerprint, time: Timestamp(nanoseconds: milliseconds * 1_000_000),
            frame: Int(milliseconds) + 1, connection: connection, direction: direction)
    }

    private func view(_ sightings: [Sighting], _ side: CaptureSide, _ times: ClosedRange<Int64> = 0...10_000)
        -> ViewMatching.View
    {
        ViewMatching.View(
            sightings: sightings, side: side,
            times: Timestamp(
                nanoseconds: times.lowerBound * 1_000_000)...Timestamp(
                    nanoseconds: times.upperBound * 1_000_000))
    }

    private func match(_ base: ViewMatching.View, _ other: ViewMatching.View) -> ViewMatching {
        ViewMatching(base, other, ClockRelation(offset: .zero))
    }

    private let host: [Int64] = [100, 200, 300, 400, 500]

    @Test func aPeripheralsLogHasTheOtherDirections() {
        let base = view(host.map { sighting(UInt64($0), at: $0, .received) }, .host)
        let other = view(host.map { sighting(UInt64($0), at: $0 - 2, .sent) }, .air)
        #expect(match(base, other).matches.count == 5)
    }

    @Test func equalConnectionsAreToldApart() {
        // Two connections of one device with equal PDUs at nearly the same time.
        let base = view(
            host.flatMap { [sighting(UInt64($0), at: $0), sighting(UInt64($0), at: $0 + 5, connection: 1)] }
                + [sighting(7, at: 600), sighting(7, at: 610), sighting(9, at: 620, connection: 1)], .host)
        let other = view(
            host.map { sighting(UInt64($0), at: $0 + 1, connection: 4) }
                + [sighting(7, at: 601, connection: 4), sighting(7, at: 611, connection: 4)], .air)
        let matching = match(base, other)
        #expect(matching.matches.count == 7)
        #expect(matching.matches.allSatisfy { base.sightings[$0.base].connection == 0 })
        #expect(matching.baseOnly.isEmpty)
    }

    @Test func onlyTheTimeOfBothCapturesCounts() {
        let base = view((0..<10).map { sighting(UInt64($0), at: 100 * $0) }, .host, 0...900)
        let other = view((3..<6).map { sighting(UInt64($0), at: 100 * $0) }, .air, 250...750)
        let matching = match(base, other)
        #expect(matching.matches.map(\.base) == [3, 4, 5])
        #expect(matching.baseOnly == [6, 7])
        #expect(matching.otherOnly.isEmpty)
    }

    @Test func whatStaysClosedIsNotMissed() {
        let base = view((0..<10).map { sighting(UInt64($0), at: 1000 * $0) }, .host)
        var other = view((0..<4).map { sighting(UInt64($0), at: 1000 * $0) }, .air)
        #expect(match(base, other).baseOnly == [4, 5, 6, 7, 8, 9])
        other.closed[0] = Timestamp(nanoseconds: 6_500_000_000)
        #expect(match(base, other).baseOnly == [4, 5])
    }

    @Test func aConnectionWithoutCommonPDUsIsNotLinked() {
        let base = view(host.map { sighting(UInt64($0), at: $0) }, .host)
        let other = view(host.map { sighting(UInt64($0 + 1), at: $0) }, .air)
        let matching = match(base, other)
        #expect(matching.matches.isEmpty)
        #expect(matching.baseOnly.isEmpty && matching.otherOnly.isEmpty)
    }
}
