package import BluetoothTypes
package import GATT

/// A characteristic of a server's table, as rules ask for it.
package struct KnownCharacteristic: Sendable {
    /// Handle of its value.
    package let value: Handle
    package let type: UUID
    package let properties: GATT.Properties
    /// Handle of its Client Characteristic Configuration descriptor; nil where none is known.
    package let configuration: Handle?

    /// Handles behind a value in which descriptors are looked for.
    private static let reach: UInt16 = 16

    /// Nil where the table does not tell that the handle is a characteristic's value.
    init?(at handle: Handle, in binding: borrowing AttributeTableStore.Binding) {
        guard case .value(let characteristic)? = binding.attribute(at: handle)?.0.kind else { return nil }
        value = handle
        type = characteristic.type
        properties = characteristic.properties
        var found: Handle?
        var next = handle.rawValue
        while found == nil, next < UInt16.max, next < handle.rawValue &+ Self.reach {
            next += 1
            guard let attribute = binding.attribute(at: Handle(next))?.0,
                attribute.characteristic == characteristic
            else { break }
            if attribute.type == .clientCharacteristicConfiguration { found = Handle(next) }
        }
        configuration = found
    }
}
