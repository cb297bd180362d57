extension GATT {
    /// Attribute tables as a document for people and programs: what `--gatt` reads and an export writes.
    ///
    /// It has the nesting of a server, services with characteristics with descriptors, where `Table` has three flat
    /// lists; docs/gatt.md describes its JSON form.
    public struct TableFile: Hashable, Sendable {
        /// What the document calls itself.
        public static let format = "gattbench-gatt"
        /// The version that this program writes, and the only one that it reads.
        public static let version = 1

        public var devices: [Device]

        public init(devices: [Device] = []) {
            self.devices = devices
        }

        /// A device and its server's attributes.
        public struct Device: Hashable, Sendable {
            /// Nil for a table that holds for every device that the document does not name.
            public var address: DeviceAddress?
            /// The device's name; empty where it is not known.
            public var name = ""
            public var services: [Service] = []
            /// Characteristics that lie in no known service.
            public var characteristics: [Characteristic] = []
            /// Descriptors that belong to no known characteristic.
            public var descriptors: [Table.Descriptor] = []
        }

        /// A service and what lies in it.
        public struct Service: Hashable, Sendable {
            public var service: Table.Service
            public var characteristics: [Characteristic] = []
        }

        /// A characteristic and its descriptors.
        public struct Characteristic: Hashable, Sendable {
            public var characteristic: Table.Characteristic
            public var descriptors: [Table.Descriptor] = []
        }

        /// What is wrong with a document, and where in it.
        public struct Fault: Error, Hashable, Sendable {
            /// Place in the document: `devices[0].services[2].characteristics[0].properties`.
            public var path: String
            /// What was found and what was expected.
            public var text: String

            public init(path: String, _ text: String) {
                self.path = path
                self.text = text
            }
        }
    }

    /// The tables that are known before a capture is read, by device.
    public struct KnownTables: Hashable, Sendable {
        public var byAddress: [DeviceAddress: Table] = [:]
        /// The table of every device that `byAddress` does not have, or whose address is not known.
        public var ofOthers: Table?

        public init() {}

        /// The table of a device, whose address may not be known.
        public subscript(address: DeviceAddress?) -> Table? {
            address.flatMap { byAddress[$0] } ?? ofOthers
        }
    }
}

// MARK: - From a table

extension GATT.TableFile.Device {
    /// A device with the attributes of a table.
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
    /// The table as a document teaches it, services first. What contradicts itself in that order is left out: nonsense
    /// from the air, never a real server's attributes.
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
    /// The tables of all devices; throws where the document contradicts itself.
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
    /// The device's table; `path` is the device's place in the document.
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

/// Makes a table of a document's parts, and says where they contradict each other.
///
/// The parts are learned in the order of their handles, wherever in the document they stand.
private struct TableBuilder {
    typealias Fault = GATT.TableFile.Fault

    /// A part of the document and its place.
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
