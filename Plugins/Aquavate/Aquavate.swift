package import PluginKit

/// The Aquavate smart-bottle puck, as its firmware is and as its product document wants it.
package enum Aquavate: BuiltInPlugin {
    package static let name = "Aquavate"
    package static var profile: String { Embedded.profile }
    package static var behaviour: (any PluginBehaviour)? { AquavateBehaviour() }
    package static var scenarios: [(name: String, text: String)] { Embedded.scenarios }
}
