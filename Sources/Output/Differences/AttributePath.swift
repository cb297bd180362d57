package import Bluetooth

/// The identity of an attribute in its server without its handle: the types of its service, characteristic and
/// descriptor, and their places among those of equal type.
///
/// Two servers of one kind have equal paths even if their handles differ.
package struct AttributePath: Hashable, Sendable {
    package enum Role: UInt8, Sendable {
        case service, declaration, value, descriptor, unknown
    }

    package var role: Role
    package var service: Element?
    package var characteristic: Element?
    package var descriptor: Element?
    /// The handle of an attribute that no table describes; nil for others.
    package var handle: Handle?

    /// A type, and the number of attributes of this type before it in the same server, service or characteristic.
    package struct Element: Hashable, Sendable {
        package var type: UUID
        package var instance: Int

        package init(_ type: UUID, instance: Int = 0) {
            (self.type, self.instance) = (type, instance)
        }
    }

    /// An attribute that no table describes.
    package init(unknownAt handle: Handle) {
        role = .unknown
        self.handle = handle
    }

    /// The attribute in the table of its server.
    package init(_ attribute: GATT.Attribute, in table: GATT.Table) {
        service = attribute.service.map { Self.element(of: $0, in: table) }
        switch attribute.kind {
        case .service: role = .service
        case .characteristic(let declared):
            role = .declaration
            characteristic = Self.element(of: declared, in: table)
        case .value(let declared):
            role = .value
            characteristic = Self.element(of: declared, in: table)
        case .descriptor where attribute.type != nil:
            role = .descriptor
            characteristic = attribute.characteristic.map { Self.element(of: $0, in: table) }
            descriptor = attribute.type.map { type in
                Element(type, instance: Self.instance(ofDescriptor: type, at: attribute.handle, attribute, in: table))
            }
        case .undeclaredValue where attribute.type != nil:
            role = .value
            characteristic = attribute.type.map { Element($0) }
        case .descriptor, .undeclaredValue, .unknown:
            role = .unknown
            service = nil
            handle = attribute.handle
        }
    }

    static func element(of service: GATT.Table.Service, in table: GATT.Table) -> Element {
        Element(service.type, instance: table.services.count { $0.type == service.type && $0.start < service.start })
    }

    static func element(of characteristic: GATT.Table.Characteristic, in table: GATT.Table) -> Element {
        let service = table.service(at: characteristic.declaration)
        let before = table.characteristics.count {
            $0.type == characteristic.type && $0.declaration < characteristic.declaration
                && (service.map { $0.start.rawValue } ?? 0) <= $0.declaration.rawValue
        }
        return Element(characteristic.type, instance: before)
    }

    private static func instance(
        ofDescriptor type: UUID, at handle: Handle, _ attribute: GATT.Attribute, in table: GATT.Table
    ) -> Int {
        guard let owner = attribute.characteristic else { return 0 }
        return table.descriptors.count { $0.type == type && $0.handle > owner.value && $0.handle < handle }
    }
}
