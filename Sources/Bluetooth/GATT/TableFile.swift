extension GATT {
    /// Attribute tables as a document: the input of `--gatt` and the output of an export.
    ///
    /// It nests services, characteristics and descriptors, where `Table` has three flat lists. docs/gatt.md describes
    /// its JSON form.
    public struct TableFile: Hashable, Sendable {
        /// The document's format name.
        public static let format = "gattbench-gatt"
        /// The version that the program writes; no other version can be read.
        public static let version = 1

        public var devices: [Device]

        public init(devices: [Device] = []) {
            self.devices = devices
        }

        /// A device and its server's attributes.
        public struct Device: Hashable, Sendable {
            /// Nil for a table that applies to all devices not listed in the document.
            public var address: DeviceAddress?
            /// The device's name; empty if unknown.
            public var name = ""
            public var services: [Service] = []
            /// Characteristics outside any known service.
            public var characteristics: [Characteristic] = []
            /// Descriptors outside any known characteristic.
            public var descriptors: [Table.Descriptor] = []
        }

        /// A service and its characteristics.
        public struct Service: Hashable, Sendable {
            public var service: Table.Service
            public var characteristics: [Characteristic] = []
        }

        /// A characteristic and its descriptors.
        public struct Characteristic: Hashable, Sendable {
            public var characteristic: Table.Characteristic
            public var descriptors: [Table.Descriptor] = []
        }

        /// An error in a document and its location.
        public struct Fault: Error, Hashable, Sendable {
            /// Path in the document: `devices[0].services[2].characteristics[0].properties`.
            public var path: String
            /// The error and the expected state.
            public var text: String

            public init(path: String, _ text: String) {
                self.path = path
                self.text = text
            }
        }
    }

    /// Attribute tables known before a capture is read, by device.
    public struct KnownTables: Hashable, Sendable {
        public var byAddress: [DeviceAddress: Table] = [:]
        /// The table for devices that are not in `byAddress` or whose address is unknown.
        public var ofOthers: Table?

        public init() {}

        /// The table of a device; `address` is nil if unknown.
        public subscript(address: DeviceAddress?) -> Table? {
            address.flatMap { byAddress[$0] } ?? ofOthers
        }
    }
}

// MARK: - From a table

extension GATT.TableFile.Device {
    /// A device with the attributes of `table`.
    public init(address: DeviceAddress?, name: String = "", table: GATT.Table) {
        self.init(address: address, name: name)
        let table = table.relearned
        let descriptorsByOwner = Dictionary(grouping: table.descriptors) {
            table.attribute(at: $0.handle)?.characteristic?.declaration
        }
        let characteristics = table.characteristics.map {
            GATT.TableFile.Characteristic(characteristic: $0, descriptors: descriptorsByOwner[$0.declaration] ?? [])
        }
        let characteristicsByOwner = Dictionary(grouping: characteristics) {
            table.service(at: $0.characteristic.declaration)?.start
        }
        services = table.services.map {
            GATT.TableFile.Service(service: $0, characteristics: characteristicsByOwner[$0.start] ?? [])
        }
        self.characteristics = characteristicsByOwner[nil] ?? []
        self.descriptors = descriptorsByOwner[nil] ?? []
    }
}

extension GATT.Table {
    /// The table built in a document's order, services first. Entries that contradict earlier ones are left out: they
    /// come from corrupt packets, never from a real server.
    fileprivate var relearned: GATT.Table {
        var table = GATT.Table()
        for service in services { _ = table.learn(service) }
        for characteristic in characteristics { _ = table.learn(characteristic) }
        for descriptor in descriptors { _ = table.learn(descriptor) }
        return table
    }
}

// MARK: - To tables

extension GATT.TableFile {
    /// The tables of all devices; throws if the document contradicts itself.
    public func tables() throws(Fault) -> GATT.KnownTables {
        var tables = GATT.KnownTables()
        for (index, device) in devices.enumerated() {
            let path = "devices[\(index)]"
            let table = try device.table(path)
            if let address = device.address {
                guard tables.byAddress.updateValue(table, forKey: address) == nil else {
                    throw Fault(path: path, "\(address.address) is there already: every device may be there once")
                }
            } else {
                guard tables.ofOthers == nil else {
                    throw Fault(path: path, "only one device may be without \"address\", and there is one already")
                }
                tables.ofOthers = table
            }
        }
        return tables
    }
}

extension GATT.TableFile.Device {
    /// The device's table; `path` is the device's path in the document.
    public func table(_ path: String = "device") throws(GATT.TableFile.Fault) -> GATT.Table {
        var builder = TableBuilder()
        for (index, entry) in services.enumerated() {
            let path = "\(path).services[\(index)]"
            try builder.add(entry.service, path)
            try builder.add(entry.characteristics, in: entry.service, path)
        }
        try builder.add(characteristics, in: nil, path)
        try builder.add(descriptors, in: nil, path)
        return try builder.table()
    }
}

/// Builds a table from the parts of a document, and reports contradictions.
///
/// Parts are added in handle order, regardless of their order in the document.
private struct TableBuilder {
    typealias Fault = GATT.TableFile.Fault

    /// A part of the document and its path.
    private struct Part<Content> {
        var handle: Handle
        var content: Content
        var path: String
    }

    private var services: [Part<GATT.Table.Service>] = []
    private var characteristics: [Part<GATT.Table.Characteristic>] = []
    private var descriptors: [Part<GATT.Table.Descriptor>] = []

    mutating func add(_ service: GATT.Table.Service, _ path: String) throws(Fault) {
        guard service.start <= service.end else {
            throw Fault(path: "\(path).end", "\(service.end) is before the service's start, \(service.start)")
        }
        services.append(Part(handle: service.start, content: service, path: path))
    }

    mutating func add(
        _ entries: [GATT.TableFile.Characteristic], in service: GATT.Table.Service?, _ path: String
    ) throws(Fault) {
        for (index, entry) in entries.enumerated() {
            let path = "\(path).characteristics[\(index)]"
            let declaration = entry.characteristic.declaration
            try expect(declaration, in: service, "\(path).declaration")
            characteristics.append(Part(handle: declaration, content: entry.characteristic, path: path))
            try add(entry.descriptors, in: service, path)
        }
    }

    mutating func add(
        _ entries: [GATT.Table.Descriptor], in service: GATT.Table.Service?, _ path: String
    ) throws(Fault) {
        for (index, entry) in entries.enumerated() {
            let path = "\(path).descriptors[\(index)]"
            try expect(entry.handle, in: service, "\(path).handle")
            descriptors.append(Part(handle: entry.handle, content: entry, path: path))
        }
    }

    func table() throws(Fault) -> GATT.Table {
        var table = GATT.Table()
        for part in services.sorted(by: { $0.handle < $1.handle }) {
            try expect(table.learn(part.content), part)
        }
        for part in characteristics.sorted(by: { $0.handle < $1.handle }) {
            try expect(table.learn(part.content), part)
        }
        for part in descriptors.sorted(by: { $0.handle < $1.handle }) {
            try expect(table.learn(part.content), part)
        }
        return table
    }

    private func expect(_ handle: Handle, in service: GATT.Table.Service?, _ path: String) throws(Fault) {
        guard let service, !(service.start...service.end).contains(handle) else { return }
        throw Fault(path: path, "\(handle) is not in the service's range, \(service.start) to \(service.end)")
    }

    private func expect<Content>(_ learned: GATT.Table.Learned, _ part: Part<Content>) throws(Fault) {
        guard learned == .contradiction else { return }
        throw Fault(path: part.path, "what is at \(part.handle) contradicts another entry")
    }
}
