package import BluetoothTypes

extension GATT {
    /// Attribute tables as a document for people and programs: what `--gatt` reads and an export writes.
    ///
    /// It has the nesting of a server, services with characteristics with descriptors, where `Table` has three flat
    /// lists; docs/gatt.md describes its JSON form.
    package struct TableFile: Hashable, Sendable {
        /// What the document calls itself.
        package static let format = "gattbench-gatt"
        /// The version that this program writes, and the only one that it reads.
        package static let version = 1

        package var devices: [Device]

        package init(devices: [Device] = []) {
            self.devices = devices
        }

        /// A device and its server's attributes.
        package struct Device: Hashable, Sendable {
            /// Nil for a table that holds for every device that the document does not name.
            package var address: DeviceAddress?
            /// The device's name; empty where it is not known.
            package var name = ""
            package var services: [Service] = []
            /// Characteristics that lie in no known service.
            package var characteristics: [Characteristic] = []
            /// Descriptors that belong to no known characteristic.
            package var descriptors: [Table.Descriptor] = []
        }

        /// A service and what lies in it.
        package struct Service: Hashable, Sendable {
            package var service: Table.Service
            package var characteristics: [Characteristic] = []
        }

        /// A characteristic and its descriptors.
        package struct Characteristic: Hashable, Sendable {
            package var characteristic: Table.Characteristic
            package var descriptors: [Table.Descriptor] = []
        }

        /// What is wrong with a document, and where in it.
        package struct Fault: Error, Hashable, Sendable {
            /// Place in the document: `devices[0].services[2].characteristics[0].properties`.
            package var path: String
            /// What was found and what was expected.
            package var text: String

            package init(path: String, _ text: String) {
                self.path = path
                self.text = text
            }
        }
    }

    /// The tables that are known before a capture is read, by device.
    package struct KnownTables: Hashable, Sendable {
        package var byAddress: [DeviceAddress: Table] = [:]
        /// The table of every device that `byAddress` does not have, or whose address is not known.
        package var ofOthers: Table?

        package init() {}

        /// The table of a device, whose address may not be known.
        package subscript(address: DeviceAddress?) -> Table? {
            address.flatMap { byAddress[$0] } ?? ofOthers
        }
    }
}

// MARK: - From a table

extension GATT.TableFile.Device {
    /// A device with the attributes of a table.
    package init(address: DeviceAddress?, name: String = "", table: GATT.Table) {
        self.init(address: address, name: name)
        // What a table knows by two names at once, as nonsense from the air can make it, is written once.
        let descriptors = table.descriptors.filter { table.attribute(at: $0.handle)?.kind == .descriptor }
        let descriptorsByOwner = Dictionary(grouping: descriptors) {
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

// MARK: - To tables

extension GATT.TableFile {
    /// The tables of all devices; throws where the document contradicts itself.
    package func tables() throws(Fault) -> GATT.KnownTables {
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
    /// The device's table; `path` is its place in the document.
    package func table(_ path: String = "") throws(GATT.TableFile.Fault) -> GATT.Table {
        var builder = TableBuilder()
        for (index, entry) in services.enumerated() {
            try builder.add(entry.service, "\(path).services[\(index)]")
        }
        for (index, entry) in services.enumerated() {
            let place = "\(path).services[\(index)].characteristics"
            try builder.add(entry.characteristics, in: entry.service, place)
        }
        try builder.add(characteristics, in: nil, "\(path).characteristics")
        for (index, entry) in services.enumerated() {
            let place = "\(path).services[\(index)].characteristics"
            try builder.addDescriptors(of: entry.characteristics, in: entry.service, place)
        }
        try builder.addDescriptors(of: characteristics, in: nil, "\(path).characteristics")
        try builder.add(descriptors, in: nil, "\(path).descriptors")
        return builder.table
    }
}

/// Makes a table of a document's parts, and says where they contradict each other.
private struct TableBuilder {
    typealias Fault = GATT.TableFile.Fault

    var table = GATT.Table()

    mutating func add(_ service: GATT.Table.Service, _ path: String) throws(Fault) {
        guard service.start <= service.end else {
            throw Fault(path: "\(path).end", "\(service.end) is before the service's start, \(service.start)")
        }
        try expect(table.learn(service), service.start, path)
    }

    mutating func add(
        _ entries: [GATT.TableFile.Characteristic], in service: GATT.Table.Service?, _ path: String
    ) throws(Fault) {
        for (index, entry) in entries.enumerated() {
            try expect(entry.characteristic.declaration, in: service, "\(path)[\(index)].declaration")
            let declaration = entry.characteristic.declaration
            try expect(table.learn(entry.characteristic), declaration, "\(path)[\(index)]")
        }
    }

    mutating func addDescriptors(
        of entries: [GATT.TableFile.Characteristic], in service: GATT.Table.Service?, _ path: String
    ) throws(Fault) {
        for (index, entry) in entries.enumerated() {
            try add(entry.descriptors, in: service, "\(path)[\(index)].descriptors")
        }
    }

    mutating func add(
        _ entries: [GATT.Table.Descriptor], in service: GATT.Table.Service?, _ path: String
    ) throws(Fault) {
        for (index, entry) in entries.enumerated() {
            try expect(entry.handle, in: service, "\(path)[\(index)].handle")
            try expect(table.learn(entry), entry.handle, "\(path)[\(index)]")
        }
    }

    private func expect(_ handle: Handle, in service: GATT.Table.Service?, _ path: String) throws(Fault) {
        guard let service, !(service.start...service.end).contains(handle) else { return }
        throw Fault(path: path, "\(handle) is not in the service's range, \(service.start) to \(service.end)")
    }

    private func expect(_ learned: GATT.Table.Learned, _ handle: Handle, _ path: String) throws(Fault) {
        guard learned == .contradiction else { return }
        throw Fault(path: path, "handle \(handle) is taken by another attribute")
    }
}
