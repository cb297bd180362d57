import BluetoothTypes
import GATT
import TestKit

/// The devices that the cases play with.
enum Cast {
    static let phone = device(0x00_1A7D_DA7101, .public)
    static let puck = device(0xC0_FFEE_000001, .random)
    static let counter = device(0xC0_FFEE_000002, .random)
    static let mobile = device(0xC0_FFEE_000003, .random)

    static func device(_ address: UInt64, _ kind: DeviceAddress.Kind) -> DeviceAddress {
        DeviceAddress(Address(value: address), kind)
    }

    /// A server with a name and a battery.
    static let battery = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// A server whose handles are those of `battery` and mean something else.
    static let heartRate = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(
            0x180D, .characteristic(0x2A38, [.read]), .characteristic(0x2A37, [.notify], descriptors: 0x2902)))

    /// A server that can tell that its table changed.
    static let changeable = ServerLayout(
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// The same after an update: the battery has moved, and a thermometer stands where it was.
    static let changed = ServerLayout(
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0x1809, .characteristic(0x2A1C, [.indicate], descriptors: 0x2902)),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
}
