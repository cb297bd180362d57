package import PluginKit
package import Profile

/// The LifeCount people counter: its profile, the books of its sequence numbers, its behaviour and its gateway's.
package enum LifeCount: BuiltInPlugin {
    package static let name = "LifeCount"
    package static var profile: PackedProfile { DeviceProfile.packed }
    package static var behaviour: (any PluginBehaviour)? { CountBehaviour() }
    package static var scenarios: [(name: String, text: String)] { DeviceProfile.scenarios }
    package static var tests: [(name: String, text: String)] { DeviceProfile.tests }
}
