import BatteryTrace
import Bytes
import Testing

/// Start and end of sessions.
@Suite struct SessionTests {
    let settings = EstimateSettings(capacity: 3274)

    /// Sessions as `start-end`, in seconds after noon; an open session has no end.
    private func sessions(_ samples: [BatterySample]) -> [String] {
        ChargeEstimator(settings, samples).allSessions.map { session in
            func seconds(_ time: Timestamp) -> Int64 { (time.nanoseconds - noon.nanoseconds) / 1_000_000_000 }
            return "\(seconds(session.start))-" + (session.end.map { "\(seconds($0))" } ?? "")
        }
    }

    @Test func aSessionBeginsWithChargingAndEndsOnUnplugged() {
        #expect(
            sessions([
                sample(0, 0.50, .unplugged), sample(60, 0.50, .charging), sample(240, 0.51, .charging),
                sample(300, 0.51, .unplugged), sample(360, 0.50, .unplugged),
            ]) == ["60-240"])
    }

    @Test func fullEndsASessionAndBelongsToIt() {
        #expect(
            sessions([sample(0, 0.98, .charging), sample(200, 0.99, .charging), sample(400, 1, .full)]) == ["0-400"])
        #expect(sessions([sample(0, 1, .full), sample(60, 1, .full)]).isEmpty)
    }

    @Test func aGapOfMoreThanTenMinutesEndsASession() {
        let first = [sample(0, 0.50, .charging), sample(180, 0.51, .charging)]
        #expect(sessions(first + [sample(780, 0.54, .charging)]) == ["0-"])
        #expect(sessions(first + [sample(781, 0.54, .charging)]) == ["0-180", "781-"])
    }

    @Test func unknownInBetweenChangesNothing() {
        #expect(
            sessions([sample(0, 0.50, .charging), sample(100, 0.50, .unknown), sample(200, 0.51, .charging)]) == ["0-"])
        #expect(sessions([sample(0, 0.50, .unknown), sample(100, 0.51, .unknown)]).isEmpty)
    }

    /// Without states: a rising level is charging, 1.0 is full, a falling level is unplugged.
    @Test func statesAreInferred() {
        #expect(
            sessions([
                sample(0, 0.50), sample(60, 0.49), sample(120, 0.50), sample(180, 0.50), sample(240, 0.51),
                sample(300, 0.50), sample(360, 0.99), sample(420, 1), sample(480, 1), sample(540, 0.99),
            ]) == ["60-240", "300-420"])
        #expect(sessions([sample(0, 0.50), sample(60, 0.50)]).isEmpty)
        #expect(sessions([sample(0, 0.99), sample(60, 1)]).isEmpty, "full from one sample to the next: no charge seen")
        #expect(sessions([sample(0, 0.50), sample(700, 0.51), sample(760, 0.52)]) == ["700-"])
    }

    @Test func sessionsAreNumberedAndMeasuredByThemselves() throws {
        var samples: [BatterySample] = []
        for (start, level, step) in [(0.0, 0.20, 60.0), (5000.0, 0.30, 120.0)] {
            for index in 0...10 {
                samples.append(sample(start + step * Double(index), level + Double(index) / 100, .charging))
            }
            samples.append(sample(start + step * 10 + 30, level + 0.1, .unplugged))
        }
        let sessions = ChargeEstimator(settings, samples).sessions
        #expect(sessions.map(\.id) == [1, 2])
        #expect(sessions.map { $0.risenPercent.rounded(to: 6) } == [10, 10])
        #expect(sessions.map(\.duration) == [600, 1200])
        let watts = try sessions.map { try #require($0.averageWatts).rounded(to: 3) }
        // 1 % in 60 s is 1964.4 mA, 7.504 W; in 120 s half of it.
        #expect(watts == [7.504, 3.752])
        #expect(sessions.allSatisfy { $0.secondsToFull == nil })
    }

    @Test func theUserEndsASession() {
        var estimator = ChargeEstimator(settings, [sample(0, 0.50), sample(180, 0.51)])
        estimator.finish()
        #expect(estimator.current == nil)
        #expect(estimator.sessions.map(\.end) == [time(180)])
    }
}
