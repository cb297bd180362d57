import Bytes
import Captures
import Testing

/// Times of the monitor protocol's frames.
@Suite struct MonitorClockTests {
    /// 2^32 cycles.
    private static let cycles: Int64 = 1 << 32

    /// A firmware with a cycle counter, as Zephyr's.
    private struct Firmware {
        var rate: Int64
        /// Value of the counter at the start.
        var counter: Int64 = 0

        /// The timestamp after a time.
        func ticks(after nanoseconds: Int64) -> UInt32 {
            let passed = Int64(Double(nanoseconds) / 1e9 * Double(rate))
            return UInt32(truncatingIfNeeded: (counter + passed) % MonitorClockTests.cycles / (rate / 10_000))
        }
    }

    private let start = Timestamp(nanoseconds: 1_790_000_000_000_000_000)

    /// The largest difference between the times of frames and when they were made, in ms.
    private func difference(
        _ clock: MonitorClock, _ firmware: Firmware, every step: Double, for seconds: Double, jitter: Int64 = 3
    ) -> Double {
        var clock = clock
        var random = SplitMix64(seed: 7)
        var most = 0.0
        for time in stride(from: 0, through: seconds, by: step) {
            let made = Int64(time * 1e9)
            let delay = time == 0 ? 0 : Int64.random(in: 0...jitter, using: &random) * 1_000_000
            let shown = clock.time(
                of: firmware.ticks(after: made), at: Timestamp(nanoseconds: start.nanoseconds + made + delay))
            most = max(most, abs(Double(shown.nanoseconds - start.nanoseconds - made)) / 1e6)
        }
        return most
    }

    @Test func theFirstFrameHasTheTimeOfItsArrival() {
        var clock = MonitorClock()
        #expect(clock.time(of: 123_456, at: start) == start)
        // 25 ms later, although it arrives after 90 ms.
        #expect(
            clock.time(of: 123_706, at: start + TimeSpan(milliseconds: 90)) == start + TimeSpan(milliseconds: 25))
    }

    /// A 32-bit counter wraps after 67 s at 64 MHz: the modulus of the timestamps is learned.
    @Test(arguments: [16, 32, 64, 80, 120, 168, 240] as [Int64])
    func wrapsAreUnfolded(megahertz: Int64) {
        let firmware = Firmware(rate: megahertz * 1_000_000, counter: Self.cycles / 3)
        #expect(difference(MonitorClock(), firmware, every: 0.4, for: 600) < 1)
    }

    @Test func silenceOfSeveralWrapsIsUnfolded() {
        var clock = MonitorClock(rate: 64_000_000)
        let firmware = Firmware(rate: 64_000_000)
        for seconds in [0, 10, 250, 1000] as [Int64] {
            let time = start + TimeSpan(seconds: seconds)
            let shown: TimeSpan =
                clock.time(of: firmware.ticks(after: seconds * 1_000_000_000), at: time) - time
            #expect(abs(shown.nanoseconds) < 1_000_000)
        }
    }

    @Test func theRateOfASlowClockIsCorrected() {
        let firmware = Firmware(rate: 32_768)
        #expect(difference(MonitorClock(rate: 32_768), firmware, every: 1, for: 600) < 1)
        // Without it, 600 s become 655 s.
        #expect(difference(MonitorClock(), firmware, every: 1, for: 600) > 55_000)
    }

    @Test func aSlowClockIsRecognized() {
        for (rate, isSlow) in [(32_768, true), (64_000_000, false)] as [(Int64, Bool)] {
            var clock = MonitorClock()
            let firmware = Firmware(rate: rate)
            for seconds in 0...60 as ClosedRange<Int64> {
                _ = clock.time(
                    of: firmware.ticks(after: seconds * 1_000_000_000), at: start + TimeSpan(seconds: seconds))
            }
            #expect(clock.isOfSlowClock == isSlow)
        }
    }

    @Test func theSlowClockWrapsToo() {
        let firmware = Firmware(rate: 32_768, counter: Self.cycles - 32_768 * 100)
        #expect(difference(MonitorClock(rate: 32_768), firmware, every: 1, for: 300) < 1)
    }

    @Test func aRestartOfTheFirmwareTakesTheTimeOfArrival() {
        for rate in [nil, 64_000_000] as [UInt32?] {
            var clock = MonitorClock(rate: rate)
            _ = clock.time(of: 0, at: start)
            _ = clock.time(of: 215_000, at: start + TimeSpan(milliseconds: 21_500))
            let again = start + TimeSpan(milliseconds: 23_000)
            let restarted: TimeSpan = clock.time(of: 40, at: again) - again
            #expect(abs(restarted.nanoseconds) < 300_000_000)
            let later: TimeSpan = clock.time(of: 10_040, at: again + TimeSpan(seconds: 1)) - again
            #expect(abs(later.nanoseconds - 1_000_000_000) < 300_000_000)
        }
    }

    @Test func aTimestampThatIsDamagedMovesNoOther() {
        var clock = MonitorClock()
        _ = clock.time(of: 1000, at: start)
        let second = start + TimeSpan(seconds: 1)
        #expect(clock.time(of: 4_000_000_000, at: second) == second)
        let third = start + TimeSpan(seconds: 2)
        let error: TimeSpan = clock.time(of: 21_000, at: third) - third
        #expect(abs(error.nanoseconds) < 500_000_000)
    }
}
