import PluginKit

/// The LifeCount people counter.
package enum LifeCount: BuiltInPlugin {
    package static let name = "LifeCount"
    package static var profile: [UInt8] { PackageResources.profile_yaml }
}
