import Bytes
import PluginKit
import Profile

/// A kettle that heats one degree per second until the water reaches the target temperature.
public struct KettleTwin: DeviceTwin {
    private typealias Name = DeviceProfile.CharacteristicName

    private let profile: CompiledProfile
    private var state = DeviceProfile.State(temperature: 20, heating: false)
    private var target = 20
    public private(set) var deadline: Timestamp?

    public init() throws(TwinFault) {
        profile = try Kettle.compiledProfile()
    }

    public mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .powerOn: return [.set(Name.state.rawValue, bytes), advertise]
        case .disconnected: return [advertise]
        case .written(Name.target.rawValue, let value, _):
            guard let value = value.first else { return [] }
            target = Int(value)
            return update(at: now)
        case .time:
            guard let deadline, deadline <= now else { return [] }
            state.temperature += 1
            return update(at: now)
        default: return []
        }
    }

    private mutating func update(at now: Timestamp) -> [TwinAction] {
        state.heating = state.temperature < target
        deadline = state.heating ? now + .seconds(1) : nil
        return [.set(Name.state.rawValue, bytes), .notify(Name.state.rawValue, bytes)]
    }

    private var bytes: [UInt8] { profile.bytes(of: state) }

    private var advertise: TwinAction {
        .advertise(
            TwinAdvertising(services: profile.services("kettle"), name: "Kettle", interval: .milliseconds(200)))
    }
}
