package import BluetoothTypes
package import GATT

/// What services and attributes are called: their assigned names, else their UUIDs.
package enum AttributeNames {
    package static func service(_ type: UUID) -> String {
        AssignedNumbers.service(type) ?? type.description
    }

    package static func attribute(_ type: UUID) -> String {
        AssignedNumbers.name(type) ?? type.description
    }
}

extension GATT.Attribute {
    /// The type that names the attribute to people: of a declaration, that of the characteristic which it declares.
    package var nameableType: UUID? {
        if case .characteristic(let characteristic) = kind { return characteristic.type }
        return type
    }
}
