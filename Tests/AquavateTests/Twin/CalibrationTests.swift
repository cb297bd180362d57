import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Both ways of calibration (section 9).
struct TwinCalibrationTests {
    /// An empty bottle on a puck whose client is connected.
    private func emptyBottle(_ quirks: QuirkSelection = QuirkSelection()) throws -> PuckFixture {
        var memory = PuckMemory()
        memory.surroundings.water = 0
        let puck = try PuckFixture(quirks, memory: memory)
        puck.wait(8)
        puck.connect()
        return puck
    }

    @Test("states come at their times")
    func times() throws {
        let puck = try emptyBottle()
        let start = puck.bench.seconds
        puck.command("20 000000")
        puck.wait(16)
        let times = puck.calibrations.map { $0.seconds - start }
        try #require(puck.calibrations.map(\.state) == [1, 2, 3, 4, 6])
        #expect(times[0] <= 0.5)
        #expect((1.9...2.3).contains(times[1] - times[0]))
        #expect((5...5.5).contains(times[2] - times[0]))
        #expect((6.9...7.3).contains(times[4] - times[3]))
        puck.happen("refill", 830)
        puck.wait(30)
        #expect(puck.calibrations.map(\.state) == [1, 2, 3, 4, 6, 7, 9])
        #expect(
            puck.bench.reported("calibration_state").last?.bytes == hex("09 00 82CD0100 F9520700 0000"))
        puck.wait(10)
        // Back to idle without a notification; a read still returns the last notified state.
        #expect(puck.calibrations.count == 7)
        #expect(puck.bench.read("calibration_state")?.first == 9)
    }

    @Test("a bottle that is not filled ends it after two minutes")
    func notFilled() throws {
        let puck = try emptyBottle()
        puck.command("20 000000")
        puck.wait(16)
        let since = try #require(puck.calibrations.last).seconds
        puck.wait(130)
        let last = try #require(puck.calibrations.last)
        #expect(last.state == 10)
        #expect((118...124).contains(last.seconds - since))
        #expect(puck.bench.reported("calibration_state").last?.bytes == hex("0A 01 00000000 00000000 0000"))
    }

    @Test("a bottle that is taken amid the measurement has to stand down again")
    func taken() throws {
        let puck = try emptyBottle()
        puck.command("20 000000")
        #expect(puck.bench.wait(upTo: 20) { _ in puck.calibrations.last?.state == 4 })
        puck.wait(2)
        puck.happen("lift")
        puck.wait(8)
        #expect(puck.calibrations.last?.state == 3)
        puck.happen("place_bottle")
        puck.wait(15)
        #expect(puck.calibrations.last?.state == 6)
    }

    @Test("a cancel ends it, and does nothing without one")
    func cancel() throws {
        let puck = try emptyBottle()
        puck.command("21 000000")
        puck.wait(1)
        #expect(puck.calibrations.isEmpty)
        puck.command("20 000000")
        puck.wait(16)
        puck.command("21 000000")
        puck.wait(1)
        #expect(puck.calibrations.last?.state == 0)
    }

    @Test("a cancel amid the measurement of the empty bottle waits for its end")
    func cancelWhileMeasuring() throws {
        let puck = try emptyBottle()
        puck.command("20 000000")
        #expect(puck.bench.wait(upTo: 20) { _ in puck.calibrations.last?.state == 4 })
        puck.command("21 000000")
        puck.wait(10)
        #expect(puck.calibrations.map(\.state).suffix(3) == [4, 6, 0])
    }

    @Test("a cancel amid the measurement of the full bottle: too late, or in time", arguments: [true, false])
    func lateCancel(_ isExact: Bool) throws {
        let puck = try emptyBottle(QuirkSelection(.exact, except: isExact ? [] : ["Q-26"]))
        puck.command("20 000000")
        puck.wait(16)
        puck.happen("refill", 830)
        #expect(puck.bench.wait(upTo: 30) { _ in puck.calibrations.last?.state == 7 })
        puck.command("21 000000")
        puck.wait(15)
        #expect(puck.calibrations.last?.state == (isExact ? 9 : 0))
    }

    @Test("holding the bottle upside down begins it, and ends it")
    func invertedHold() throws {
        let puck = try emptyBottle()
        puck.happen("invert")
        puck.wait(6)
        #expect(puck.calibrations.first?.state == 1)
        puck.happen("place_bottle")
        puck.wait(3)
        puck.happen("invert")
        puck.wait(12)
        #expect(puck.calibrations.last?.state == 0)
    }

    @Test("it goes on without its client, and tells nobody")
    func disconnected() throws {
        let puck = try emptyBottle()
        puck.command("20 000000")
        puck.wait(1)
        puck.bench.disconnect()
        puck.wait(15)
        #expect(puck.twin?.firmware?.procedure.state == .waitFull)
        #expect(puck.bench.read("calibration_state")?.first == 1)
    }

    @Test("led by the client: a measurement of five seconds, its raw reading, and the data")
    func ledByClient() throws {
        let puck = try emptyBottle()
        let ticket = puck.command("03 000000")
        #expect(puck.states.count == 1)
        puck.wait(1)
        #expect(puck.states.last?.state.flags.calMeasuring == true)
        #expect(puck.bench.answer(ticket) == nil)
        puck.wait(4.5)
        #expect(puck.bench.answer(ticket) == .accepted)
        puck.wait(1)
        let result = try #require(puck.states.last?.state)
        #expect(result.flags.calResult)
        #expect(!result.flags.calMeasuring)
        #expect(result.rawAdc == 118_146)
        puck.command("04 82CD0100 F9520700 E1FAD943")
        let last = try #require(puck.states.last?.state)
        // The push carries the previous evaluation.
        #expect(last.flags.calResult)
        #expect(puck.memory?.calibration == CellScale(scale: 435.96, empty: 118_146, full: 479_993))
    }

    @Test("data that make no sense are not stored")
    func senselessData() throws {
        let puck = try emptyBottle()
        let before = puck.memory?.calibration
        puck.command("04 F9520700 82CD0100 E1FAD943")
        puck.command("04 82CD0100 F9520700 00000000")
        #expect(puck.memory?.calibration == before)
        #expect(puck.states.isEmpty)
    }
}
