import Bluetooth
import PluginKit
import Profile
import Testing

/// Decoding of the bytes in attribute events.
struct AttributeEventTests {
    /// A server may accept one octet as the low one of the two (Vol 3, Part F, 3.4.5.1).
    @Test(arguments: [([1, 0], true), ([3, 0], true), ([2, 0], false), ([0, 1], false), ([1], true), ([], nil)])
    func aConfigurationTurnsNotificationsOn(_ bytes: [UInt8], _ notifies: Bool?) {
        let access = ConfigurationAccess(
            operation: .write, characteristic: CharacteristicIndex(0), bytes: ValueBytes(bytes))
        #expect(access.notifies == notifies)
    }
}
