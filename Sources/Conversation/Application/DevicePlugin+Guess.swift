import Bluetooth
import PluginKit
import Profile

extension DevicePlugin {
    /// The attribute table that a device of the plugin is assumed to have, from the profile's handles of the newest
    /// firmware; nil if the profile contains none. A dialect's services are only assumed of devices with that dialect.
    func guessedTable(of dialect: String?) -> GATT.Table? {
        var table = GATT.Table()
        for service in profile.profile.services where service.dialect == nil || service.dialect == dialect {
            let known = service.characteristics.filter { ($0.knownHandles.first?.rawValue ?? 0) > 1 }
            let handles = known.compactMap { $0.knownHandles.first?.rawValue }
            guard let first = handles.min(), let last = handles.max() else { continue }
            // The declaration precedes the value; the service's declaration precedes the first characteristic's.
            let start = max(1, first - 2)
            _ = table.learn(
                GATT.Table.Service(start: Handle(start), end: Handle(last < .max ? last + 1 : last), type: service.uuid)
            )
            for characteristic in known {
                guard let value = characteristic.knownHandles.first else { continue }
                _ = table.learn(
                    GATT.Table.Characteristic(
                        declaration: Handle(value.rawValue - 1), value: value, properties: characteristic.properties,
                        type: characteristic.uuid))
                if !characteristic.properties.isDisjoint(with: [.notify, .indicate]), value.rawValue < .max {
                    _ = table.learn(GATT.Table.Descriptor(handle: Handle(value.rawValue + 1), type: UUID(0x2902)))
                }
            }
        }
        return table.isEmpty ? nil : table
    }
}
