import Bytes
import Captures
import Testing

@testable import Workbench

/// Two clocks are aligned by the PDUs that both captures have, whatever the offset, the drift and the losses.
struct ClockAlignmentTests {
    /// A session as a host and a sniffer show it.
    private struct Session {
        var host: [Sighting] = []
        var air: [Sighting] = []
        private var random: SplitMix64

        /// PDUs over a time, of which a third repeat bytes of others; the sniffer's clock is `offset` behind at the
        /// start, and runs slow by `drift`.
        init(_ count: Int, over seconds: Double, offset: Double, drift: Double, losses: Double = 0, seed: UInt64 = 1) {
            random = SplitMix64(seed: seed)
            var time = 0.0
            let start = 1_772_366_400.0
            for number in 0..<count {
                time += (0.2 + 1.6 * uniform()) * seconds / Double(count)
                let isSent = number.isMultiple(of: 2)
                let fingerprint = uniform() < 0.33 ? UInt64(uniform() * 4) : UInt64(1000 + number)
                // A host's packet waits for a connection event; what it receives takes a millisecond and a little.
                let delay = isSent ? 0.03 * uniform() : -0.001 - 0.001 * uniform()
                if uniform() >= losses {
                    host.append(Self.sighting(fingerprint, start + time, host.count, isSent ? .sent : .received))
                }
                let heard = (time + delay) * (1 - drift) - offset
                if uniform() >= losses {
                    air.append(Self.sighting(fingerprint, start + heard, air.count, isSent ? .sent : .received))
                }
            }
        }

        private mutating func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

        private static func sighting(
            _ fingerprint: UInt64, _ time: Double, _ index: Int, _ direction: Direction
        ) -> Sighting {
            Sighting(
                fingerprint: fingerprint, time: .epoch + TimeSpan(clamping: time), frame: index + 1, connection: 0,
                direction: direction)
        }

        func alignment() throws -> ClockAlignment { try ClockAlignment(host, .host, air, .air) }
    }

    /// Seconds by which a relation is off at a time of the sniffer.
    private func error(_ alignment: ClockAlignment, _ session: Session, offset: Double, drift: Double) -> Double {
        [session.air.first, session.air.last].compactMap(\.self).map { sighting in
            let start = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)
            let heard = (sighting.time - start as TimeSpan).seconds
            let expected = (heard + offset) / (1 - drift) - heard
            return abs(alignment.relation.shift(at: sighting.time).seconds - expected)
        }.max() ?? .infinity
    }

    @Test(
        arguments: [0.0, 12.345, -3600.5, 40_000, 1_772_366_400, -1_000_000_000],
        [(drift: 0.0, losses: 0.0), (100e-6, 0.1), (-100e-6, 0.3)])
    func anyOffsetIsFound(offset: Double, conditions: (drift: Double, losses: Double)) throws {
        let (drift, losses) = conditions
        let session = Session(600, over: 3600, offset: offset, drift: drift, losses: losses)
        let alignment = try session.alignment()
        #expect(error(alignment, session, offset: offset, drift: drift) < 0.005)
        #expect(abs(alignment.relation.drift - drift) < 2e-6)
        #expect(alignment.commonPDUs > 100)
        #expect(alignment.spread < TimeSpan(milliseconds: 5))
    }

    @Test func aShortSessionHasNoDrift() throws {
        let session = Session(40, over: 5, offset: 7200, drift: 50e-6)
        let alignment = try session.alignment()
        #expect(alignment.relation.drift == 0)
        #expect(error(alignment, session, offset: 7200, drift: 50e-6) < 0.005)
    }

    @Test func causesComeBeforeEffects() throws {
        let session = Session(400, over: 600, offset: -3, drift: 20e-6)
        let alignment = try session.alignment()
        let air = Dictionary(session.air.map { ($0.fingerprint, $0) }) { first, _ in first }
        for sighting in session.host where sighting.fingerprint >= 1000 {
            let heard = try #require(air[sighting.fingerprint])
            let delay: TimeSpan = alignment.relation.aligned(heard.time) - sighting.time
            // Within the resolution of the fit.
            let limit = TimeSpan(milliseconds: 1)
            #expect(sighting.direction == .sent ? delay > -limit : delay < limit)
        }
    }

    @Test func capturesWithoutCommonPDUsAreNotAligned() {
        let (one, other) = (
            Session(100, over: 60, offset: 0, drift: 0), Session(100, over: 60, offset: 0, drift: 0, seed: 2)
        )
        let different = other.air.map { sighting in
            var sighting = sighting
            sighting.fingerprint ^= 0x55AA << 32
            return sighting
        }
        #expect(throws: ClockAlignment.Failure.tooFew(common: 0, base: 100, other: 100)) {
            try ClockAlignment(one.host, .host, different, .air)
        }
    }

    @Test func aSessionThatIsRepeatedFitsTwice() throws {
        let session = Session(60, over: 60, offset: 0, drift: 0)
        let later = session.host.map { sighting in
            var sighting = sighting
            sighting.time = sighting.time + TimeSpan(seconds: 86_400)
            return sighting
        }
        let failure = #expect(throws: ClockAlignment.Failure.self) {
            try ClockAlignment(session.host + later, .host, session.air, .air)
        }
        guard case .ambiguous? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [Int64.min, .max, 0])
    func extremeTimesDoNoHarm(time: Int64) {
        let sightings = (0..<10).map { index in
            Sighting(
                fingerprint: UInt64(index), time: Timestamp(nanoseconds: index.isMultiple(of: 2) ? time : .min),
                frame: index + 1, connection: 0, direction: .sent)
        }
        _ = try? ClockAlignment(sightings, .host, sightings.reversed(), .air)
        _ = try? ClockAlignment(sightings, .air, sightings, .host)
    }
}

/// Pairs in the same order in two sequences.
struct OrderedMatchingTests {
    private func pair(_ base: Int, _ other: Int, _ weight: Int = 1) -> OrderedMatching.Pair {
        OrderedMatching.Pair(base: base, other: other, weight: weight)
    }

    @Test func pairsDoNotCross() {
        #expect(OrderedMatching.best([]).isEmpty)
        #expect(
            OrderedMatching.best([pair(0, 3), pair(1, 0), pair(2, 1), pair(3, 2)])
                == [pair(1, 0), pair(2, 1), pair(3, 2)])
    }

    @Test func anElementHasOnePartner() {
        #expect(OrderedMatching.best([pair(0, 0, 2), pair(0, 1, 3), pair(1, 1, 3)]) == [pair(0, 0, 2), pair(1, 1, 3)])
    }

    @Test func heavierPairsWin() {
        // Three equal PDUs of which the other capture lost the first.
        let possible = [
            pair(0, 0, 900), pair(1, 0, 1000), pair(1, 1, 900), pair(2, 0, 900), pair(2, 1, 1000),
        ]
        #expect(OrderedMatching.best(possible) == [pair(1, 0, 1000), pair(2, 1, 1000)])
    }
}
