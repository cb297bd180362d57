import PluginKit

/// The LifeCount people counter.
package enum LifeCount: BuiltInPlugin {
    package static let name = "LifeCount"
    package static var profile: String { Embedded.profile }
}
