import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Measurements of a puck of the PRD dialect ("Measurement Logic"): thresholds, times, averages and the baseline.
struct PRDMeasurementTests {
    /// A full, upright puck without noise.
    private static func bench(
        _ memory: PuckMemory = PuckMemory(.prd), at start: Timestamp = PuckFixture.noon
    ) throws -> TwinFixture {
        let bench = TwinFixture(try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd), at: start)
        bench.happen("set_noise", 0)
        return bench
    }

    // MARK: - Gestures

    /// The gestures that the detector reports for samples 200 ms apart.
    private static func gestures(_ samples: [Acceleration]) -> [Gesture] {
        var detector = PRDGestureDetector()
        return samples.enumerated().map { index, sample in
            detector.pass(sample, at: PuckFixture.noon + .milliseconds(200 * index))
        }
    }

    /// A sample in the axes of a sensor that lies flat.
    private static func flat(_ x: Double, _ y: Double, _ z: Double) -> Acceleration {
        Acceleration(x: x, y: -z, z: y)
    }

    @Test(
        "upright is Z above 0.9 g with X and Y near 0",
        arguments: [
            (0.0, 0.0, 1.0, true), (0, 0, 0.91, true), (0, 0, 0.89, false), (0.2, 0, 0.97, false), (0, -0.2, 1, false),
            (0, 0, -1, false),
        ])
    func upright(_ x: Double, _ y: Double, _ z: Double, _ isUpright: Bool) {
        let gestures = Self.gestures(Array(repeating: Self.flat(x, y, z), count: 20))
        #expect((gestures.last == .uprightStable) == isUpright)
    }

    @Test("it is stable when the variance of 2 s was low for 1 s")
    func steadyTime() {
        let gestures = Self.gestures(Array(repeating: Self.flat(0, 0, 1), count: 20))
        // Ten samples fill the window at 1.8 s.
        #expect(gestures.firstIndex(of: .uprightStable) == 14)
    }

    @Test("shaking counts while Z is below -0.8 g", arguments: [(-0.95, true), (-0.5, false)])
    func emptyGesture(_ z: Double, _ isEmptied: Bool) {
        let samples = (0..<20).map { Self.flat($0 % 2 == 0 ? 0.4 : -0.4, 0, z) }
        #expect(Self.gestures(samples).contains(.shakeWhileInverted) == isEmptied)
        #expect(!Self.gestures(samples.map { Self.flat(0, 0, -$0.y) }).contains(.shakeWhileInverted))
    }

    @Test("an attempt ends 10 s after the last movement, and the next movement begins another")
    func timeout() {
        let start = PuckFixture.noon
        let attempt = MeasurementAttempt.settling(since: start)
        #expect(attempt.next(isStable: false, at: start + .milliseconds(9900)) == attempt)
        #expect(attempt.next(isStable: true, at: start + .milliseconds(9900)) == .measuring)
        #expect(attempt.next(isStable: true, at: start + .seconds(10)) == .timedOut)
        #expect(MeasurementAttempt.timedOut.next(isStable: true, at: start + .seconds(20)) == .timedOut)
        #expect(MeasurementAttempt.measuring.next(isStable: false, at: start) == attempt)
    }

    @Test("a bottle that is held for too long is not measured until it is moved again")
    func heldBottle() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("lift")
        bench.wait(12)
        #expect(bench.notes("measurement_timeout").count == 1)
        bench.happen("sip", 60)
        bench.wait(12)
        #expect(bench.notes("drink_stored").map { $0["amount"] } == [.number(60)])
    }

    // MARK: - Weight

    @Test("ten readings are averaged without the outliers")
    func outliers() {
        let readings = [Double](repeating: 1000, count: 9) + [9000]
        #expect(Measurement.withoutOutliers(readings) == [Double](repeating: 1000, count: 9))
        #expect(PRDCalibration.readings == 10)
    }

    @Test("noise of a reading is smaller in the measured weight")
    func average() throws {
        var board = Board(
            wire: try PuckWire(), quirks: PuckQuirks(QuirkSelection(.fixed)),
            identity: PuckIdentity(nil, .prd, PuckQuirks(QuirkSelection(.fixed))), memory: PuckMemory(.prd), seed: 3)
        board.surroundings.loadCell.noise = 2000
        func deviation(_ readings: [Int]) -> Double {
            let errors = readings.map { Double($0 - CellScale.usual.full) }
            return (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
        }
        let single = deviation((0..<200).map { _ in board.weigh() })
        let averaged = deviation((0..<200).map { _ in board.weighPrecisely() })
        #expect(averaged < single / 2)
    }

    // MARK: - Drinks

    @Test("small sips are measured against the last recorded weight: three of 14 ml are a drink of 42 ml")
    func smallSips() throws {
        let bench = try Self.bench()
        for _ in 0..<3 {
            bench.wait(15)
            #expect(bench.notes("drink_stored").isEmpty)
            bench.happen("sip", 14)
        }
        bench.wait(15)
        #expect(bench.notes("drink_stored").map { $0["amount"] } == [.number(42)])
    }

    @Test("less than 30 ml is no record, either way", arguments: [29.0, 30, 100, 250])
    func drinks(_ amount: Double) throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("sip", amount)
        bench.wait(15)
        let amounts = bench.notes("drink_stored").map { $0["amount"] }
        #expect(amounts == (amount < 30 ? [] : [.number(Int(amount))]))
        bench.happen("refill", 830)
        bench.wait(15)
        #expect(bench.notes("refill").count == (amount < 30 ? 0 : 1))
    }

    @Test("water that is shaken out is no drink, and the baseline is the level after it")
    func shaken() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("shake", 300)
        bench.wait(15)
        #expect(bench.notes("shaken_empty").map { $0["level"] } == [.number(529)])
        #expect(bench.notes("drink_stored").isEmpty)
        bench.happen("sip", 40)
        bench.wait(15)
        #expect(bench.notes("drink_stored").map { $0["level"] } == [.number(489)])
    }

    // MARK: - Calibration

    @Test("the default scale factor is 15 to 20 % off, and says so")
    func defaultScale() throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 830
        let bench = try Self.bench(memory)
        bench.wait(5)
        let weight = try #require(bench.read("current_weight"))
        let grams = Double(Int(weight[0]) | Int(weight[1]) << 8)
        #expect((1.15...1.2).contains(grams / (271 + 830)))
        #expect(bench.read("device_status")?[1] == 0b011)
        #expect(bench.read("prd_bottle_config") == hex("3E03 00000000"))
    }

    @Test("a precise puck is within 5 ml", arguments: [50.0, 415, 790])
    func accuracy(_ water: Double) throws {
        var memory = PuckMemory(.prd)
        memory.surroundings.water = water
        memory.baseline = 0
        let bench = try Self.bench(memory)
        bench.happen("set_noise", 1)
        bench.wait(8)
        let puck = try #require(bench.twin as? PuckTwin<PRDFirmware>)
        let level = try #require(puck.firmware?.level(puck.board))
        #expect(abs(level - water) <= 5)
    }

    @Test("a broken load cell is told and not measured")
    func brokenCell() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("load_cell_fault")
        bench.wait(20)
        #expect(bench.read("device_status").map { Array($0.dropFirst()) } == hex("0E 01"))
        #expect(bench.notes("drink_stored").isEmpty)
        bench.happen("load_cell_fault", 0)
        bench.wait(5)
        #expect(bench.read("device_status").map { Array($0.dropFirst()) } == hex("0F 00"))
        #expect(bench.notes("drink_stored").isEmpty)
    }

    // MARK: - Waking up

    @Test("its timer wakes it at midnight, without advertising")
    func rollover() throws {
        // 23:00 of that day.
        let bench = try Self.bench(at: PuckFixture.noon + .seconds(11 * 3600))
        #expect(bench.wait(upTo: 100) { !$0.notes("asleep").isEmpty })
        #expect(bench.wait(upTo: 7200) { !$0.notes("day_begins").isEmpty })
        // The puck has booted after midnight.
        #expect((3600...3602).contains(bench.seconds))
        #expect(bench.advertising == nil)
    }

    @Test("after a health check it boots normally, which includes advertising, and sleeps after 30 s")
    func healthCheck() throws {
        let bench = try Self.bench()
        #expect(bench.wait(upTo: 100) { !$0.notes("asleep").isEmpty })
        #expect(bench.wait(upTo: 7210) { $0.notes("awake").count == 2 })
        #expect(bench.notes("awake").last?["reason"] == .text("health_check"))
        bench.wait(1)
        #expect(bench.advertising != nil)
        #expect(bench.wait(upTo: 40) { $0.notes("asleep").count == 2 })
    }

    @Test("an empty battery silences it until a health check finds it charged", arguments: [(4.0, false), (40, true)])
    func depletion(_ charge: Double, _ isBack: Bool) throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.connect()
        bench.happen("battery", 0)
        #expect(bench.wait(upTo: 5) { $0.notes("asleep").last?["kind"] == .text("lockout") })
        #expect(bench.advertising == nil && bench.clients.isEmpty)
        bench.happen("motion")
        bench.wait(30)
        #expect(bench.notes("awake").count == 1)
        bench.happen("battery", charge)
        bench.wait(7180)
        #expect((bench.notes("awake").last?["reason"] == .text("lockout_check")) == isBack)
    }

    // MARK: - The app

    @Test("the app tares the bottle and sets what it holds")
    func configuration() throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let bench = try Self.bench(memory)
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("connect")
        app.wait(8)
        app.task("tare")
        app.task("set_capacity", 750)
        app.wait(3)
        #expect(app.notes("tare_done").map { $0["grams"] } == [.number(315)])
        #expect(app.notes("set_capacity_done").count == 1)
        #expect(bench.read("prd_bottle_config") == hex("EE02 3B010000"))
        bench.happen("refill", 750)
        app.wait(15)
        // 16 % more than the true volume, because of the default scale factor.
        #expect(bench.notes("refill").map { $0["level"] } == [.number(871)])
        #expect(app.notes("sync_done").last?["records"] == .number(1))
    }

    @Test("what the dialect has no way for is refused")
    func missingWay() throws {
        let app = ClientFixture(try PuckApp(.prd), at: try Self.bench())
        app.task("delete_drink", 1)
        app.wait(30)
        #expect(app.notes("sync_done").count == 1)
        #expect(
            app.notes("delete_drink_failed").map { $0["reason"] } == [.text("the dialect prd has no way to do this")])
    }
}
