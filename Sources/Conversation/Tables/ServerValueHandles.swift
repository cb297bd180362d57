import Bluetooth

/// Handles of the values that describe the server itself; 0 where they are not known.
struct ServerValueHandles: Sendable, Hashable {
    private(set) var deviceName: UInt16 = 0
    private(set) var serviceChanged: UInt16 = 0
    private(set) var databaseHash: UInt16 = 0
    /// Encrypted Data Key Material (Vol 3, Part C, 12.6).
    private(set) var keyMaterial: UInt16 = 0

    init() {}

    init(of table: GATT.Table) {
        for characteristic in table.characteristics { note(characteristic) }
    }

    mutating func note(_ characteristic: GATT.Table.Characteristic) {
        switch characteristic.type {
        case .deviceName: deviceName = characteristic.value.rawValue
        case .serviceChanged: serviceChanged = characteristic.value.rawValue
        case .databaseHash: databaseHash = characteristic.value.rawValue
        case .keyMaterial: keyMaterial = characteristic.value.rawValue
        default: break
        }
    }

    mutating func forget(_ range: ClosedRange<Handle>) {
        if range.contains(Handle(deviceName)) { deviceName = 0 }
        if range.contains(Handle(serviceChanged)) { serviceChanged = 0 }
        if range.contains(Handle(databaseHash)) { databaseHash = 0 }
        if range.contains(Handle(keyMaterial)) { keyMaterial = 0 }
    }
}

extension UUID {
    /// The characteristic Encrypted Data Key Material.
    static let keyMaterial = UUID(0x2B88)
}
