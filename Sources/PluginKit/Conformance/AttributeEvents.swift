package import ATT
package import BluetoothTypes
package import GATT
package import Profile

/// A request or a command to the device's server.
package struct AttributeRequest: Hashable, Sendable {
    package var opcode: ATT.Opcode
    /// The attribute that it is about; of a range, its first handle; 0 for none.
    package var handle: Handle
    /// Last handle of a range; nil for requests about one attribute.
    package var end: Handle?
    /// Name of the characteristic that the attribute is the value of; nil for other attributes.
    package var characteristic: String?
    /// Type that discovery asked for.
    package var type: UUID?
    /// Bytes that it writes.
    package var valueLength: Int?
    /// Whether the client knows the attribute by right: by discovery in this connection, or from an earlier one whose table
    /// it may keep (Vol 3, Part G, 2.5.2). Nil where it may know it from before the capture.
    package var isKnown: Bool?

    package init(_ opcode: ATT.Opcode, handle: Handle) {
        self.opcode = opcode
        self.handle = handle
    }
}

/// How the device's server answered a request.
package struct AttributeResponse: Hashable, Sendable {
    package var request: AttributeRequest
    /// When the request came.
    package var requested: Moment
    /// ATT error (Vol 3, Part F, 3.4.1.1); nil for success.
    package var error: UInt8?
    /// Requests overlap: which of them it answers is not known.
    package var isAmbiguous = false

    package init(to request: AttributeRequest, at requested: Moment, error: UInt8?) {
        self.request = request
        self.requested = requested
        self.error = error
    }
}

/// The two sides' MTUs; that of the connection is the smaller one.
package struct MTUExchange: Hashable, Sendable {
    package var client: UInt16
    package var server: UInt16

    package init(client: UInt16, server: UInt16) {
        self.client = client
        self.server = server
    }
}

/// What discovery has told of the device's attributes in this connection.
package struct AttributeTable: Sendable {
    package var services: [Service] = []
    /// Whether discovery went through all handles for primary services.
    package var hasAllServices = false

    package init() {}

    package struct Service: Hashable, Sendable {
        package var uuid: UUID
        package var start: Handle
        package var end: Handle
        package var characteristics: [Characteristic] = []
        /// Whether discovery went through all its handles for characteristics.
        package var hasAllCharacteristics = false

        package init(uuid: UUID, start: Handle, end: Handle) {
            self.uuid = uuid
            self.start = start
            self.end = end
        }
    }

    package struct Characteristic: Hashable, Sendable {
        package var uuid: UUID
        /// Name in the profile; nil for one that it does not know.
        package var name: String?
        package var declaration: Handle
        package var value: Handle
        package var properties: GATT.Properties
        package var descriptors: [Descriptor] = []
        /// Whether discovery went through all handles between its value and the next declaration.
        package var hasAllDescriptors = false

        package init(uuid: UUID, name: String?, declaration: Handle, value: Handle, properties: GATT.Properties) {
            self.uuid = uuid
            self.name = name
            self.declaration = declaration
            self.value = value
            self.properties = properties
        }
    }

    package struct Descriptor: Hashable, Sendable {
        package var uuid: UUID
        package var handle: Handle

        package init(uuid: UUID, handle: Handle) {
            self.uuid = uuid
            self.handle = handle
        }
    }

    /// All characteristics, in the order of their handles.
    package var characteristics: [Characteristic] { services.flatMap(\.characteristics) }
}

/// A Client Characteristic Configuration is read or written.
package struct ConfigurationAccess: Sendable {
    /// `read` or `write`.
    package var operation: OperationKind
    /// Name of its characteristic.
    package var characteristic: String
    package var bytes: ValueBytes

    package init(operation: OperationKind, characteristic: String, bytes: ValueBytes) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
    }
}

/// What a Client Characteristic Configuration says from now on (Vol 3, Part G, 3.3.3.3).
package struct Subscription: Hashable, Sendable {
    /// Name of its characteristic.
    package var characteristic: String
    package var notifies: Bool
    package var indicates: Bool

    package init(characteristic: String, notifies: Bool, indicates: Bool) {
        self.characteristic = characteristic
        self.notifies = notifies
        self.indicates = indicates
    }
}
