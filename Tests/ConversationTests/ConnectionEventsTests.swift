import Bytes
import Captures
import TestKit
import Testing

@testable import Conversation

/// Connection events that a sniffer missed, inferred from the times of the others.
struct ConnectionEventsTests {
    /// The indices of events that follow a missing one. Both sides send in each event; times are in milliseconds.
    private func gaps(
        _ milliseconds: [Int64], interval: UInt16? = 24,
        update: (after: Int, interval: UInt16, instant: UInt16)? = nil
    ) -> [Int] {
        var events = ConnectionEvents()
        if let interval { events.begin(interval: interval, at: Timestamp(nanoseconds: 0)) }
        return milliseconds.indices.filter { index in
            let time = milliseconds[index] * 1_000_000
            if let update, update.after == index {
                events.update(
                    interval: update.interval, instant: update.instant, at: Timestamp(nanoseconds: time))
            }
            let isGap = events.observe(.sent, at: Timestamp(nanoseconds: time))
            let isGapInside = events.observe(.received, at: Timestamp(nanoseconds: time + 230_000))
            #expect(!isGapInside)
            return isGap
        }
    }

    @Test func aPauseOfSeveralIntervalsIsAGap() {
        #expect(gaps([30, 60, 90, 150, 180, 330]) == [3, 5])
        // If the beginning was not captured, the shortest pause counts as the interval.
        #expect(gaps([30, 60, 90, 150, 180, 330], interval: nil) == [3, 5])
    }

    /// The first event lies in the transmit window.
    @Test func theFirstEventsMayBeMissing() {
        #expect(gaps([41, 71]) == [])
        #expect(gaps([101, 131]) == [0])
    }

    /// The interval becomes longer or shorter at a future instant.
    @Test(arguments: [[30, 60, 90, 210, 330, 450, 690], [30, 60, 90, 97, 104, 111, 141]] as [[Int64]])
    func anUpdateThatWasHeardIsNoGap(_ times: [Int64]) {
        let interval: UInt16 = times[4] == 330 ? 96 : 6
        #expect(gaps(times, update: (after: 2, interval: interval, instant: 9)) == [6])
    }

    /// The first event at the new interval of 10 ms shows that it is in force; otherwise the instant does.
    @Test func anAnnouncedIntervalHoldsFromItsInstantOn() {
        #expect(gaps([45, 90, 135, 145, 155, 185], interval: 36, update: (1, 8, .max)) == [5])
        #expect(gaps([30, 60, 300, 340], update: (1, 8, 4)) == [2, 3])
        #expect(gaps([30, 60, 300, 340], update: (1, 8, 400)) == [2])
    }

    /// The update is missing: three equal pauses establish the interval.
    @Test func theIntervalIsWhatIsHeard() {
        #expect(gaps([30, 60, 180, 300, 420, 540, 660, 900]) == [2, 3, 4, 7])
        #expect(gaps([30, 60, 90, 98, 106, 114, 122, 146]) == [7])
    }

    @Test func timesAtBothEndsTrapNothing() {
        for interval in [nil, 24] as [UInt16?] {
            var events = ConnectionEvents()
            if let interval { events.begin(interval: interval, at: Timestamp(nanoseconds: .max)) }
            events.update(interval: .max, instant: 1, at: Timestamp(nanoseconds: .min))
            for time in [.min, .max, 0, .min, .min, -1, .max, 1, .max - 1] as [Int64] {
                _ = events.observe(.sent, at: Timestamp(nanoseconds: time))
                events.update(interval: 0, instant: 7, at: Timestamp(nanoseconds: time))
            }
        }
    }
}
