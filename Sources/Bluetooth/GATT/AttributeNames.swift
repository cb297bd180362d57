/// What services and attributes are called: their assigned names, else their UUIDs. Names that were looked up once are
/// kept, as the same few attributes come again and again.
package struct AttributeNames {
    private var services: [UUID: String] = [:]
    private var attributes: [UUID: String] = [:]

    /// Names kept at most.
    private static let capacity = 4096

    package init() {}

    /// The name of a service.
    package mutating func service(_ type: UUID) -> String {
        if let name = services[type] { return name }
        let name = AssignedNumbers.service(type) ?? AssignedNumbers.member(type) ?? type.description
        if services.count < Self.capacity { services[type] = name }
        return name
    }

    /// The name of a characteristic, a descriptor or a declaration.
    package mutating func attribute(_ type: UUID) -> String {
        if let name = attributes[type] { return name }
        let name =
            AssignedNumbers.characteristic(type) ?? AssignedNumbers.descriptor(type)
            ?? AssignedNumbers.declaration(type) ?? type.description
        if attributes.count < Self.capacity { attributes[type] = name }
        return name
    }
}

extension GATT.Attribute {
    /// The type that names the attribute to people: of a declaration, that of the characteristic which it declares; nil
    /// for a descriptor of the type of its characteristic's value, which some servers have.
    package var nameableType: UUID? {
        switch kind {
        case .characteristic(let characteristic): characteristic.type
        case .descriptor where type == characteristic?.type: nil
        default: type
        }
    }

    /// The type of the characteristic that names a descriptor to people; nil for other attributes.
    package var nameableOwner: UUID? { kind == .descriptor ? characteristic?.type : nil }

    /// `descriptor 0x0012`: what a descriptor is called whose type does not name it; nil for other attributes.
    package var plainName: String? {
        kind == .descriptor && nameableType == nil ? "descriptor \(handle)" : nil
    }
}
