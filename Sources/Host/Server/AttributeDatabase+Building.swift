package import Bluetooth
import Bytes

extension AttributeDatabase {
    /// An invalid definition of services.
    package enum DefinitionError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The handles are exhausted, or a handle does not follow those of earlier attributes.
        case handleTaken(Handle, UUID)
        /// An included service that is missing from the database.
        case unknownInclude(UUID)

        package var description: String {
            switch self {
            case .handleTaken(let handle, let type):
                "\(type) cannot have the handle \(handle): handles increase, and earlier attributes have passed it"
            case .unknownInclude(let type):
                "the included service \(type) is not among the services: define it too"
            }
        }
    }

    /// Creates the attributes of services, in order.
    package init(_ services: [Service]) throws(DefinitionError) {
        var builder = Builder()
        for service in services { try builder.add(service) }
        self.init(try builder.finished())
    }

    /// Creates the attributes of a discovered table, at the table's handles. `values` contains values by attribute
    /// handle.
    package init(_ table: GATT.Table, values: [Handle: [UInt8]] = [:]) {
        var attributes: [Attribute] = []
        for service in table.services {
            attributes.append(
                Attribute(handle: service.start, type: .primaryService, value: service.type.wireBytes))
        }
        for characteristic in table.characteristics {
            let declaration = GATT.CharacteristicDeclaration(
                properties: characteristic.properties, valueHandle: characteristic.value, type: characteristic.type)
            attributes.append(
                Attribute(handle: characteristic.declaration, type: .characteristic, value: declaration.encoded))
            let definition = Characteristic(
                characteristic.type, characteristic.properties, value: values[characteristic.value] ?? [])
            attributes.append(Self.valueAttribute(of: definition, at: characteristic.value))
        }
        for descriptor in table.descriptors {
            let definition = Descriptor(
                descriptor.type, value: values[descriptor.handle] ?? [], write: .open)
            attributes.append(Self.attribute(of: definition, at: descriptor.handle))
        }
        self.init(attributes)
    }

    /// The value attribute of a characteristic, derived from its properties and, for types that the specification
    /// defines, its type.
    fileprivate static func valueAttribute(of definition: Characteristic, at handle: Handle)
        -> Attribute
    {
        let properties = definition.properties
        var attribute = Attribute(
            handle: handle, type: definition.type, value: definition.value, kind: definition.kind,
            read: properties.contains(.read) ? definition.read ?? .open : .never,
            write: properties.isDisjoint(with: [.write, .writeWithoutResponse]) ? .never : definition.write ?? .open,
            lengths: definition.lengths)
        switch definition.type {
        case .clientSupportedFeatures: attribute.kind = .clientFeatures
        case .databaseHash: attribute.kind = .databaseHash
        default: break
        }
        return attribute
    }

    fileprivate static func attribute(of definition: Descriptor, at handle: Handle) -> Attribute {
        if definition.type == .clientCharacteristicConfiguration { return configuration(at: handle, .open) }
        return Attribute(
            handle: handle, type: definition.type, value: definition.value, read: definition.read,
            write: definition.write)
    }

    fileprivate static func configuration(at handle: Handle, _ write: Access) -> Attribute {
        Attribute(
            handle: handle, type: .clientCharacteristicConfiguration, kind: .clientConfiguration, write: write,
            lengths: 2...2)
    }

    /// Assigns handles to the attributes of services.
    private struct Builder {
        var attributes: [Attribute] = []
        /// Handle of the next attribute; above 0xFFFF when all are assigned.
        var next = 1
        /// Includes to complete once all services have handles: attribute index and service type.
        var includes: [(index: Int, type: UUID)] = []

        mutating func add(_ service: Service) throws(DefinitionError) {
            let handle = try take(service.handle, service.type)
            attributes.append(
                Attribute(
                    handle: handle, type: service.isPrimary ? .primaryService : .secondaryService,
                    value: service.type.wireBytes))
            for type in service.includes {
                let handle = try take(nil, .include)
                includes.append((attributes.count, type))
                attributes.append(Attribute(handle: handle, type: .include))
            }
            for characteristic in service.characteristics { try add(characteristic) }
        }

        private mutating func add(_ definition: Characteristic) throws(DefinitionError) {
            let handle = try take(definition.handle, definition.type)
            let value = try take(nil, definition.type)
            let declaration = GATT.CharacteristicDeclaration(
                properties: definition.properties, valueHandle: value, type: definition.type)
            attributes.append(Attribute(handle: handle, type: .characteristic, value: declaration.encoded))
            attributes.append(AttributeDatabase.valueAttribute(of: definition, at: value))
            if !definition.properties.isDisjoint(with: [.notify, .indicate]) {
                let handle = try take(nil, .clientCharacteristicConfiguration)
                attributes.append(AttributeDatabase.configuration(at: handle, definition.subscribe))
            }
            for descriptor in definition.descriptors {
                let handle = try take(nil, descriptor.type)
                attributes.append(AttributeDatabase.attribute(of: descriptor, at: handle))
            }
        }

        private mutating func take(_ wanted: Handle?, _ type: UUID) throws(DefinitionError) -> Handle {
            let number = wanted.map { Int($0.rawValue) } ?? next
            guard number >= next, let handle = UInt16(exactly: number) else {
                throw .handleTaken(Handle(UInt16(truncatingIfNeeded: number)), type)
            }
            next = number + 1
            return Handle(handle)
        }

        func finished() throws(DefinitionError) -> [Attribute] {
            var attributes = attributes
            let database = AttributeDatabase(attributes)
            for include in includes {
                guard
                    let service = attributes.first(where: {
                        [.primaryService, .secondaryService].contains($0.type) && $0.value == include.type.wireBytes
                    })
                else { throw .unknownInclude(include.type) }
                attributes[include.index].value =
                    GATT.IncludeDeclaration(
                        start: service.handle, end: database.groupEnd(of: service.handle),
                        service: include.type.uuid16 == nil ? nil : include.type
                    ).encoded
            }
            return attributes
        }
    }
}

extension UUID {
    /// The UUID in the encoding of ATT: two or sixteen bytes.
    var wireBytes: [UInt8] { ByteWriter.bytes { $0.write(self) } }
}
