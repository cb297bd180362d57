package import PluginKit
package import Profile

/// The Aquavate smart-bottle puck, as its firmware is and as its product document wants it.
package enum Aquavate: BuiltInPlugin {
    package static let name = "Aquavate"
    package static var profile: PackedProfile { DeviceProfile.packed }
    package static var behaviour: (any PluginBehaviour)? { AquavateBehaviour() }
    package static var scenarios: [(name: String, text: String)] { DeviceProfile.scenarios }
    package static var tests: [(name: String, text: String)] { DeviceProfile.tests }
}
