import Bluetooth
import Bytes
import Host
import Profile

/// The attribute database of an emulated device, and the mapping between its handles and characteristic names. It holds
/// the services of the profile in one dialect, preceded by Generic Access and Generic Attribute.
struct AttributePlan: Sendable {
    private(set) var database: AttributeDatabase
    private let definitions: [ServiceDefinition]
    /// Value handles, by characteristic name.
    private(set) var handles: [String: Handle] = [:]
    private(set) var names: [Handle: String] = [:]
    /// Value handle of the Device Name; nil if the profile defines a Generic Access service without one.
    private(set) var deviceName: Handle?

    /// - Parameters:
    ///   - answered: names of the characteristics whose requests the twin answers.
    ///   - encrypted, authenticated: names of the characteristics that the twin protects more than the profile does.
    ///   - lengths: permitted lengths of written values, by name; unlisted characteristics accept any length.
    init(
        _ profile: Profile, dialect: String?, name: String, answered: Set<String>, encrypted: Set<String> = [],
        authenticated: Set<String> = [], lengths: [String: ClosedRange<Int>]
    ) throws(AttributeDatabase.DefinitionError) {
        let definitions = profile.services(of: dialect)
        self.definitions = definitions
        func security(of definition: CharacteristicDefinition) -> CharacteristicDefinition.Security {
            if authenticated.contains(definition.name) { return .authenticated }
            return definition.security == .open && encrypted.contains(definition.name)
                ? .encrypted : definition.security
        }
        func services(keepingHandles: Bool) -> [AttributeDatabase.Service] {
            let own = definitions.map { service in
                AttributeDatabase.Service(
                    service.uuid,
                    service.characteristics.map { definition in
                        var characteristic = AttributeDatabase.Characteristic(
                            definition, security(of: definition))
                        characteristic.kind = answered.contains(definition.name) ? .asked : .stored
                        if let lengths = lengths[definition.name] { characteristic.lengths = lengths }
                        // The declaration comes right before the value.
                        if keepingHandles, let known = definition.knownHandles.first, known.rawValue > 1 {
                            characteristic.handle = Handle(known.rawValue - 1)
                        }
                        return characteristic
                    })
            }
            let general: [AttributeDatabase.Service] = [.genericAccess(name: name), .genericAttribute]
            return general.filter { service in !own.contains { $0.type == service.type } } + own
        }
        do throws(AttributeDatabase.DefinitionError) {
            database = try AttributeDatabase(services(keepingHandles: true))
        } catch {
            // The known handles are inconsistent.
            database = try AttributeDatabase(services(keepingHandles: false))
        }
        findNames()
    }

    /// Moves the profile's services to other handles, keeping the values of `current`.
    mutating func move(_ current: AttributeDatabase) {
        let general = [AttributeDatabase.Service.genericAccess(name: ""), .genericAttribute].map(\.type)
        var isMoved = false
        database = AttributeDatabase(
            current.attributes.map { attribute in
                if attribute.type == .primaryService {
                    isMoved = !general.contains { $0 == UUID(wire: attribute.value) }
                }
                return isMoved ? attribute.moved(by: Self.distance) : attribute
            })
        (handles, names) = ([:], [:])
        findNames()
    }

    /// Handle offset that `move` adds.
    private static let distance: UInt16 = 16

    /// Maps handles to names by walking the database service by service, in definition order.
    private mutating func findNames() {
        var service: [CharacteristicDefinition] = []
        var last: CharacteristicDefinition?
        var isValue = false
        // Client Characteristic Configurations that the device lacks although the properties require them.
        var missing: Set<Handle> = []
        for attribute in database.attributes {
            if attribute.type == .primaryService {
                service = definitions.first { $0.uuid == UUID(wire: attribute.value) }?.characteristics ?? []
            } else if isValue {
                if attribute.type == .deviceName { deviceName = attribute.handle }
                last = service.firstIndex { $0.uuid == attribute.type }.map { service.remove(at: $0) }
                if let name = last?.name {
                    handles[name] = attribute.handle
                    names[attribute.handle] = name
                }
            } else if attribute.type == .clientCharacteristicConfiguration, last?.hasConfiguration == false {
                missing.insert(attribute.handle)
            }
            isValue = attribute.type == .characteristic
        }
        if !missing.isEmpty {
            database = AttributeDatabase(database.attributes.filter { !missing.contains($0.handle) })
        }
    }
}

extension AttributeDatabase.Attribute {
    /// The attribute moved to a higher handle, including the handle in its value.
    fileprivate func moved(by distance: UInt16) -> Self {
        var attribute = self
        attribute.handle = Handle(handle.rawValue &+ distance)
        if type == .characteristic, var declaration = try? GATT.CharacteristicDeclaration(decoding: value) {
            declaration.valueHandle = Handle(declaration.valueHandle.rawValue &+ distance)
            attribute.value = declaration.encoded
        }
        return attribute
    }
}

extension Profile {
    /// The services of a device of this dialect. Optional services and characteristics are included only if the profile
    /// gives them a value.
    func services(of dialect: String?) -> [ServiceDefinition] {
        let valued = Set(emulation?.values.map(\.characteristic) ?? [])
        return services.compactMap { service in
            guard service.dialect == nil || service.dialect == dialect else { return nil }
            var service = service
            service.characteristics.removeAll { $0.isOptional && !valued.contains($0.name) }
            return service.isOptional && service.characteristics.allSatisfy { !valued.contains($0.name) }
                ? nil : service
        }
    }
}

extension AttributeDatabase.Characteristic {
    fileprivate init(_ definition: CharacteristicDefinition, _ security: CharacteristicDefinition.Security) {
        let access = Access(security)
        self.init(
            definition.uuid, definition.properties, read: access, write: access, subscribe: access,
            descriptors: definition.descriptors.compactMap { descriptor in
                switch descriptor.uuid {
                case .clientCharacteristicConfiguration: nil
                case .userDescription:
                    AttributeDatabase.Descriptor(descriptor.uuid, value: Array(definition.title.utf8))
                default: AttributeDatabase.Descriptor(descriptor.uuid)
                }
            })
    }
}

extension Access {
    fileprivate init(_ security: CharacteristicDefinition.Security) {
        switch security {
        case .open: self = .open
        case .encrypted: self = .encrypted
        case .authenticated: self = .authenticated
        }
    }
}

extension UUID {
    /// «Characteristic User Description» (Vol 3, Part G, 3.3.3.2).
    fileprivate static let userDescription = UUID(0x2901)
}
