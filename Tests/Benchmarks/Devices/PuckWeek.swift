import Bluetooth
import Bytes
import Emulation
import PluginKit
import Radio

/// Seven days of a puck that never syncs: a drink every waking hour, and a refill in the evening.
struct PuckWeek {
    private var world = VirtualWorld(seed: 1)
    private let device: Int
    private var drinks = 0

    /// The puck did not store the expected drinks.
    struct Failure: Error, CustomStringConvertible {
        var drinks: Int
        var description: String { "a week of \(PuckWeek.expected) drinks stored \(drinks)" }
    }

    private static let expected = 7 * 15

    init(_ puck: DevicePlugin) throws {
        let twin = try puck.makeTwin(TwinSettings())
        device = world.add(
            try EmulatedDevice(puck.profile, twin: twin, .shipped), address: Address(value: 0x0242_0000_0001))
    }

    mutating func live() throws {
        happen(Stimulus("place_bottle"))
        pass(60)
        for _ in 0..<7 {
            for _ in 0..<15 {
                happen(Stimulus("sip", 50))
                pass(3600)
            }
            happen(Stimulus("refill", 830))
            pass(9 * 3600)
        }
        if drinks != Self.expected { throw Failure(drinks: drinks) }
    }

    private mutating func happen(_ stimulus: Stimulus) {
        world.perform(EmulatedDevice.Input.stimulus(stimulus), device: device)
    }

    private mutating func pass(_ seconds: Int64) {
        let limit = world.now + .seconds(seconds)
        while let events = world.step(notAfter: limit) {
            for case .reported(.note(let note)) in events.map(\.kind) where note.name == "drink_stored" { drinks += 1 }
        }
    }
}
