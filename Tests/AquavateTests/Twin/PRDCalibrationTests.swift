import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// The precision calibration of the dialect `prd`, with START and CANCEL of the client (HB-13).
struct PRDCalibrationTests {
    /// A new puck with an empty bottle, and its client.
    private static func pair() throws -> (TwinFixture, ClientFixture) {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let bench = TwinFixture(
            try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd), at: PuckFixture.noon)
        bench.happen("set_noise", 0)
        return (bench, ClientFixture(try PuckApp(.prd), at: bench))
    }

    private static func states(_ bench: TwinFixture) -> [TwinNote.Amount?] {
        bench.notes("calibration").map { $0["state"] }
    }

    /// The prompts that the display has shown.
    private static func prompts(_ bench: TwinFixture) -> [String] {
        bench.notes("display").compactMap { note in
            if note["screen"] == .text("calibration"), case .text(let text)? = note["text"] { text } else { nil }
        }
    }

    @Test("any volume that the client tells gives the scale factor and the tare", arguments: [100.0, 500, 830])
    func calibrate(_ volume: Double) throws {
        let (bench, app) = try Self.pair()
        app.task("calibrate", volume)
        app.wait(30)
        let waiting: [TwinNote.Amount?] = ["triggered", "started", "wait_empty", "measure_empty", "wait_full"].map {
            .text($0)
        }
        #expect(Self.states(bench) == waiting)
        #expect(app.notes("calibration_state").map { $0["state"] } == waiting)
        #expect(Self.prompts(bench).suffix(3) == ["Calibration", "Empty bottle", "Fill to \(Int(volume))ml"])
        bench.happen("refill", volume)
        app.wait(40)
        #expect(Self.prompts(bench).last == "Calibration complete")
        #expect(bench.notes("display").last?["screen"] == .text("status"))
        #expect(Self.states(bench).dropFirst(5) == [.text("measure_full"), .text("complete"), .text("idle")])
        #expect(app.notes("calibration_done").map { $0["volume"] } == [.number(Int(volume))])
        #expect(!app.isConnected)
        let puck = try #require(bench.twin as? PuckTwin<PRDFirmware>)
        #expect(puck.board.requiredCalibration.isPrecise)
        #expect(abs(puck.board.requiredCalibration.scaleFactor - LoadCell.countsPerGram) < 1)
        #expect(abs(puck.board.memory.required.tare - 271) <= 1)
        // What was poured in for the calibration is neither a refill nor the beginning of a drink.
        #expect(bench.notes("refill").isEmpty && bench.notes("drink_stored").isEmpty)
    }

    @Test("CANCEL leaves the puck as it was")
    func cancel() throws {
        let (bench, app) = try Self.pair()
        app.task("calibrate", 500)
        app.wait(30)
        app.task("cancel_calibration")
        app.wait(5)
        #expect(Self.states(bench).last == .text("idle"))
        #expect(app.notes("calibration_failed").map { $0["reason"] } == [.text("it was cancelled")])
        let puck = try #require(bench.twin as? PuckTwin<PRDFirmware>)
        #expect(puck.board.requiredCalibration == .ofFirmware)
    }

    @Test("nobody who fills the bottle ends it in an error, and the puck sleeps afterwards")
    func timeout() throws {
        let (bench, app) = try Self.pair()
        app.task("calibrate", 500)
        app.wait(160)
        #expect(Self.states(bench).contains(.text("error")))
        #expect(app.notes("calibration_failed").count == 1)
        #expect(bench.wait(upTo: 60) { !$0.notes("asleep").isEmpty })
    }

    @Test(
        "Device Status has a fourth byte from the first START on",
        arguments: [("20 F401", true), ("20 0000", false), ("20 1400", false), ("21 00", false), ("20 F4", false)])
    func status(_ command: String, _ isStarted: Bool) throws {
        let (bench, _) = try Self.pair()
        bench.wait(3)
        bench.connect()
        #expect(bench.read("device_status")?.count == 3)
        bench.write("sync_status", hex(command))
        bench.wait(1)
        #expect(bench.read("device_status").flatMap { $0.count == 4 ? $0[3] : nil } == (isStarted ? 2 : nil))
    }

    @Test("the command of the shipped firmware has no volume: another one is refused at once")
    func shipped() throws {
        let puck = try PuckFixture()
        let app = ClientFixture(try PuckApp(.shipped), at: puck.bench)
        app.task("calibrate", 500)
        app.wait(20)
        guard case .text(let reason)? = app.notes("calibration_failed").first?["reason"] else {
            Issue.record("it was not refused")
            return
        }
        #expect(reason.contains("830 ml"))
        #expect(puck.bench.notes("calibration").isEmpty)
    }
}
