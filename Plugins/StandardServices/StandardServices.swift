import PluginKit
package import Profile

/// The characteristics and descriptors of the Bluetooth SIG that everyone meets, on any device.
package enum StandardServices: BuiltInPlugin {
    package static let name = "StandardServices"
    package static var profile: PackedProfile { DeviceProfile.packed }
}
