public import PluginKit
public import Profile

/// The characteristics and descriptors of the Bluetooth SIG that everyone meets, on any device.
public enum StandardServices: BuiltInPlugin {
    public static let name = "StandardServices"
    public static var profile: ProfileText { DeviceProfile.text }
}
