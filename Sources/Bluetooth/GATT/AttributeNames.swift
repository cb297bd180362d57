/// Names of services and attributes: the assigned name, or the UUID if there is none. Looked-up names are cached,
/// because the same few attributes recur.
package struct AttributeNames {
    private var services: [UUID: String] = [:]
    private var attributes: [UUID: String] = [:]

    /// Maximum number of cached names.
    private static let capacity = 4096

    package init() {}

    /// The name of a service, or of the member that its UUID is assigned to.
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
    /// The type that provides the attribute's display name; for a declaration, the type of the declared characteristic.
    /// Nil for a descriptor with the same type as its characteristic's value, as on some servers.
    package var nameableType: UUID? {
        switch kind {
        case .characteristic(let characteristic): characteristic.type
        case .descriptor where type == characteristic?.type: nil
        default: type
        }
    }

    /// The characteristic type shown with a descriptor's name; nil for other attributes.
    package var nameableOwner: UUID? { kind == .descriptor ? characteristic?.type : nil }

    /// `descriptor 0x0012`: the name of a descriptor that its type does not name; nil for other attributes.
    package var plainName: String? {
        kind == .descriptor && nameableType == nil ? "descriptor \(handle)" : nil
    }
}
