package import Bluetooth

/// The attributes of a GATT server on consecutive handles.
///
///     let puck = ServerLayout(
///         .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
///     puck[0x2A19]  // handle of the battery level's value
package struct ServerLayout: Sendable {
    /// A service without handles.
    package struct Service: Sendable {
        var type: UUID
        var characteristics: [Characteristic]

        package static func service(_ type: UUID, _ characteristics: Characteristic...) -> Self {
            Self(type: type, characteristics: characteristics)
        }

        package static func service(_ type: UUID, _ characteristics: [Characteristic]) -> Self {
            Self(type: type, characteristics: characteristics)
        }
    }

    /// A characteristic without handles.
    package struct Characteristic: Sendable {
        var type: UUID
        var properties: GATT.Properties
        var descriptors: [UUID]

        package static func characteristic(
            _ type: UUID, _ properties: GATT.Properties, descriptors: UUID...
        ) -> Self {
            Self(type: type, properties: properties, descriptors: descriptors)
        }
    }

    /// In handle order.
    package private(set) var services: [GATT.Table.Service] = []
    package private(set) var characteristics: [GATT.Table.Characteristic] = []
    package private(set) var descriptors: [GATT.Table.Descriptor] = []

    /// Assigns handles to the services, starting at `first`.
    package init(first: UInt16 = 1, _ services: Service...) {
        var next = first
        func take() -> Handle {
            defer { next += 1 }
            return Handle(next)
        }
        for service in services {
            let start = take()
            for characteristic in service.characteristics {
                let declaration = take()
                characteristics.append(
                    .init(
                        declaration: declaration, value: take(), properties: characteristic.properties,
                        type: characteristic.type))
                descriptors += characteristic.descriptors.map { .init(handle: take(), type: $0) }
            }
            self.services.append(.init(start: start, end: Handle(next - 1), type: service.type))
        }
    }

    /// Value handle of the first characteristic of a type.
    package subscript(type: UUID) -> Handle {
        guard let characteristic = characteristics.first(where: { $0.type == type }) else {
            preconditionFailure("the layout has no characteristic \(type)")
        }
        return characteristic.value
    }

    /// Handle of the first descriptor of a type after a characteristic's value.
    package subscript(type: UUID, descriptor: UUID) -> Handle {
        let value = self[type]
        guard let found = descriptors.first(where: { $0.handle > value && $0.type == descriptor }) else {
            preconditionFailure("the characteristic \(type) has no descriptor \(descriptor)")
        }
        return found.handle
    }

    package var table: GATT.Table {
        var table = GATT.Table()
        for service in services { _ = table.learn(service) }
        for characteristic in characteristics { _ = table.learn(characteristic) }
        for descriptor in descriptors { _ = table.learn(descriptor) }
        return table
    }

    /// The handles of a characteristic's descriptors: from its value to the next characteristic or the service's end.
    /// Nil for none.
    package func descriptorRange(of characteristic: GATT.Table.Characteristic) -> ClosedRange<Handle>? {
        let service = services.last { $0.start <= characteristic.declaration }
        let next = characteristics.first { $0.declaration > characteristic.declaration }?.declaration
        var end = service?.end ?? characteristic.value
        if let next, next <= end { end = Handle(next.rawValue - 1) }
        return characteristic.value < end ? Handle(characteristic.value.rawValue + 1)...end : nil
    }
}
