import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Strengths of movements: activity above 1.5 g, double taps from 3.0 g on (requirements, "Wake Triggers" and "Backpack
/// Mode"), and tilts by an angle ("Firmware Testing", 2).
struct WakeTests {
    /// A sleeping puck.
    private func sleeping() throws -> PuckFixture {
        let puck = try PuckFixture()
        #expect(puck.sleepNormally())
        return puck
    }

    @Test("activity above 1.5 g wakes it", arguments: [(0.5, false), (1.5, false), (1.6, true), (16, true)])
    func activity(_ strength: Double, _ wakes: Bool) throws {
        let puck = try sleeping()
        puck.happen("motion", strength)
        puck.wait(2)
        #expect(puck.isAwake == wakes)
    }

    @Test("a tap above 1.5 g wakes it too: no interrupt for taps is needed", arguments: [(1.4, false), (2.0, true)])
    func tap(_ strength: Double, _ wakes: Bool) throws {
        let puck = try sleeping()
        puck.happen("double_tap", strength)
        puck.wait(2)
        #expect(puck.isAwake == wakes)
    }

    @Test("a double tap of 3.0 g ends backpack mode", arguments: [(2.9, false), (3.0, true)])
    func doubleTapInBag(_ strength: Double, _ wakes: Bool) throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.happen("carry")
        #expect(puck.bench.wait(upTo: 200) { _ in puck.sleep == "backpack" })
        puck.happen("double_tap", strength)
        puck.wait(2)
        #expect(puck.isAwake == wakes)
    }

    @Test("a double tap of 3.0 g begins it", arguments: [(2.9, true), (3.0, false)])
    func doubleTapAwake(_ strength: Double, _ staysAwake: Bool) throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.happen("double_tap", strength)
        puck.wait(1)
        #expect(puck.isAwake == staysAwake)
    }

    @Test("stimuli without an amount are strong enough", arguments: ["motion", "double_tap", "tilt", "lift"])
    func usual(_ stimulus: String) throws {
        let puck = try sleeping()
        puck.happen(stimulus)
        puck.wait(2)
        #expect(puck.isAwake)
    }

    @Test("it wakes from every tilt that is no longer upright", arguments: [11.0, 20, 30, 45, 60, 90, 135, 180])
    func tilt(_ degrees: Double) throws {
        let puck = try sleeping()
        puck.happen("tilt", degrees)
        puck.wait(2)
        #expect(puck.isAwake)
    }

    @Test("a bottle that leans by 10° or less is upright, and sleeps on", arguments: [1.0, 5, 10])
    func leaning(_ degrees: Double) throws {
        let puck = try sleeping()
        puck.happen("tilt", degrees)
        puck.wait(2)
        puck.happen("place_bottle")
        puck.wait(2)
        #expect(!puck.isAwake)
    }

    @Test(
        "the angle decides what the accelerometer reads", arguments: [(45.0, 0.707, -0.707), (90, 1, 0), (180, 0, 1)])
    func acceleration(_ degrees: Double, _ x: Double, _ y: Double) {
        let acceleration = Acceleration(tiltedBy: degrees)
        #expect(abs(acceleration.x - x) < 0.001)
        #expect(abs(acceleration.y - y) < 0.001)
    }

    @Test("a tilted bottle keeps its angle without power")
    func stored() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.happen("tilt", 120)
        let memory = try #require(puck.memory)
        #expect(memory.surroundings.tilt == 120)
        #expect(try PuckMemory(memory.json) == memory)
        puck.happen("place_bottle")
        #expect(puck.memory?.surroundings.tilt == nil)
    }
}
