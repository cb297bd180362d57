package import Bluetooth

/// An attribute of a server's table, looked up for rules once in each batch.
package final class ResolvedAttribute {
    package let attribute: GATT.Attribute
    package let confidence: GATT.Confidence
    /// The characteristic whose value the attribute is; nil for other attributes.
    package let characteristic: ResolvedCharacteristic?
    /// Whether it is a Client Characteristic Configuration descriptor.
    package var isConfiguration: Bool { attribute.type == .clientCharacteristicConfiguration }
    /// Whether it is a declaration or a descriptor, and not merely guessed to be one: it is not a characteristic's
    /// value.
    package var isDescriptive: Bool {
        switch attribute.kind {
        case .service, .characteristic: confidence != .guessed
        case .descriptor: confidence != .guessed && attribute.characteristic != nil
        case .value, .undeclaredValue, .unknown: false
        }
    }

    /// Nil where the table does not describe the attribute.
    init?(at handle: Handle, in contents: borrowing AttributeTableStore.Version) {
        guard let (attribute, confidence) = contents.attribute(at: handle), attribute.kind != .unknown else {
            return nil
        }
        self.attribute = attribute
        self.confidence = confidence
        if case .value(let characteristic) = attribute.kind {
            self.characteristic = ResolvedCharacteristic(characteristic, valueAt: handle, in: contents)
        } else {
            characteristic = nil
        }
    }
}

/// A characteristic of a server's table, with its Client Characteristic Configuration.
package struct ResolvedCharacteristic: Sendable {
    package let value: Handle
    package let type: UUID
    package let properties: GATT.Properties
    /// Handle of its Client Characteristic Configuration descriptor; nil where none is known.
    package let configuration: Handle?

    /// Number of handles after the value that are searched for descriptors.
    private static let reach: UInt16 = 16

    fileprivate init(
        _ characteristic: GATT.Table.Characteristic, valueAt handle: Handle,
        in contents: borrowing AttributeTableStore.Version
    ) {
        value = handle
        type = characteristic.type
        properties = characteristic.properties
        var found: Handle?
        var next = handle.rawValue
        while found == nil, next < UInt16.max, next < handle.rawValue &+ Self.reach {
            next += 1
            guard let attribute = contents.attribute(at: Handle(next))?.0,
                attribute.characteristic == characteristic
            else { break }
            if attribute.type == .clientCharacteristicConfiguration { found = Handle(next) }
        }
        configuration = found
    }
}
