import BatteryTrace
import Testing

@Suite struct CalibrationTests {
    private func capacity(_ samples: [BatterySample], watts: Double = 10) throws(Calibration.Refusal) -> Double {
        try Calibration.capacity(of: samples, watts: watts, voltage: 3.82)
    }

    private func refusal(_ samples: [BatterySample], watts: Double = 10) -> Calibration.Refusal? {
        do throws(Calibration.Refusal) {
            _ = try capacity(samples, watts: watts)
            return nil
        } catch {
            return error
        }
    }

    /// The time that a 10 W charge takes gives the capacity of a worn battery, 2800 mAh.
    @Test(arguments: [5.0, 60, nil])
    func theCapacityOfAStableCharge(_ interval: Double?) throws {
        let curve = ChargeCurve(capacity: 2800, watts: 10, startLevel: 0.2)
        let samples = WatchedCharge(curve: curve, interval: interval).samples(until: 0.7)
        #expect(abs(try capacity(samples) / 2800 - 1) < 0.03)
    }

    /// 20 % and 20 min are just enough. By hand: 20 % in 1200 s with 10 W are 10 / 3.82 / 3 Ah, a fifth of the
    /// capacity.
    @Test func theLeastThatIsEnough() throws {
        let samples = (0...20).map { sample(60 * Double($0), 0.4 + Double($0) / 100) }
        #expect(abs(try capacity(samples) - 10 / 3.82 / 3 / 0.2 * 1000) < 0.01)
        guard case .riseTooSmall(let percent) = refusal(Array(samples.dropLast())) else {
            Issue.record("19 % were taken for enough")
            return
        }
        #expect(percent.rounded(to: 6) == 19)
    }

    @Test func whatIsTooLittleIsRefused() {
        let fast = (0...20).map { sample(59 * Double($0), 0.4 + Double($0) / 100) }
        #expect(refusal(fast) == .tooShort(seconds: 1180))
        let good = (0...30).map { sample(60 * Double($0), 0.4 + Double($0) / 100) }
        #expect(refusal(good, watts: 0) == .noPower)
        #expect(refusal(good, watts: .nan) == .noPower)
        #expect(refusal([]) == .riseTooSmall(percent: 0))
        #expect(refusal([sample(0, 0.5)]) == .riseTooSmall(percent: 0))
        let holey = (0...30).map { sample(60 * Double($0) + ($0 < 15 ? 0 : 541), 0.4 + Double($0) / 100) }
        #expect(refusal(holey) == .gap(seconds: 601))
    }

    @Test func aChargeThatTapersIsRefused() {
        let curve = ChargeCurve(capacity: 3274, watts: 10, startLevel: 0.6)
        let refusal = refusal(WatchedCharge(curve: curve).samples(until: 0.98))
        guard case .unstable = refusal else {
            Issue.record("it is not stable: \(String(describing: refusal))")
            return
        }
    }
}
