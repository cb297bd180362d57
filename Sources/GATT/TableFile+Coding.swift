import BluetoothTypes
import Bytes

extension GATT.TableFile: Codable {
    package init(from decoder: any Decoder) throws {
        let object = try TableObject(decoder, keys: ["format", "version", "devices"])
        let format = try object.text("format")
        guard format == Self.format else {
            throw object.fault(
                "format", "expected \"\(Self.format)\"; found \(format.map { "\"\($0)\"" } ?? "nothing")")
        }
        guard let version = try object.number("version") else {
            throw object.fault("version", "expected \(Self.version); found nothing")
        }
        guard version == Self.version else {
            throw object.fault(
                "version", "expected \(Self.version), the version that this program reads; found \(version)")
        }
        devices = try object.list("devices")
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: TableKey.self)
        try object.encode(Self.format, forKey: "format")
        try object.encode(Self.version, forKey: "version")
        try object.encode(devices, forKey: "devices")
    }
}

extension GATT.TableFile.Device: Codable {
    package init(from decoder: any Decoder) throws {
        let object = try TableObject(
            decoder, keys: ["address", "address_type", "name", "services", "characteristics", "descriptors"])
        if let text = try object.text("address") {
            guard let address = Address(text) else {
                throw object.fault(
                    "address", "\"\(text)\" is not an address; expected six bytes such as \"c0:ff:ee:00:12:34\"")
            }
            self.address = DeviceAddress(address, try object.addressKind())
        }
        name = try object.text("name") ?? ""
        services = try object.list("services")
        characteristics = try object.list("characteristics")
        descriptors = try object.list("descriptors")
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: TableKey.self)
        if let address {
            try object.encode(address.address.description, forKey: "address")
            try object.encode(address.kind == .public ? "public" : "random", forKey: "address_type")
        }
        if !name.isEmpty { try object.encode(name, forKey: "name") }
        try object.encode(services, forKey: "services")
        if !characteristics.isEmpty { try object.encode(characteristics, forKey: "characteristics") }
        if !descriptors.isEmpty { try object.encode(descriptors, forKey: "descriptors") }
    }
}

extension GATT.TableFile.Service: Codable {
    package init(from decoder: any Decoder) throws {
        let object = try TableObject(decoder, keys: ["start", "end", "uuid", "name", "characteristics"])
        service = GATT.Table.Service(
            start: try object.handle("start"), end: try object.handle("end"), type: try object.uuid("uuid"))
        characteristics = try object.list("characteristics")
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: TableKey.self)
        try object.encode(service.start.description, forKey: "start")
        try object.encode(service.end.description, forKey: "end")
        try object.encode(type: service.type)
        try object.encode(characteristics, forKey: "characteristics")
    }
}

extension GATT.TableFile.Characteristic: Codable {
    package init(from decoder: any Decoder) throws {
        let object = try TableObject(
            decoder, keys: ["declaration", "value", "uuid", "name", "properties", "descriptors"])
        characteristic = GATT.Table.Characteristic(
            declaration: try object.handle("declaration"), value: try object.handle("value"),
            properties: try object.properties("properties"), type: try object.uuid("uuid"))
        descriptors = try object.list("descriptors")
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: TableKey.self)
        try object.encode(characteristic.declaration.description, forKey: "declaration")
        try object.encode(characteristic.value.description, forKey: "value")
        try object.encode(type: characteristic.type)
        try object.encode(characteristic.properties.names, forKey: "properties")
        if !descriptors.isEmpty { try object.encode(descriptors, forKey: "descriptors") }
    }
}

extension GATT.Table.Descriptor: Codable {
    package init(from decoder: any Decoder) throws {
        let object = try TableObject(decoder, keys: ["handle", "uuid", "name"])
        self.init(handle: try object.handle("handle"), type: try object.uuid("uuid"))
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: TableKey.self)
        try object.encode(handle.description, forKey: "handle")
        try object.encode(type: type)
    }
}

extension GATT.TableFile.Fault {
    /// What is wrong at the place that a decoder stands at.
    package init(path keys: [any CodingKey], _ text: String) {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        self.init(path: path, text)
    }
}

// MARK: - Objects

/// A key of an object, or an index of a list, in a path.
private struct TableKey: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int?

    init(stringLiteral text: String) { stringValue = text }
    init(stringValue: String) { self.stringValue = stringValue }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

extension KeyedEncodingContainer<TableKey> {
    /// Writes a UUID, and what it is called for those who read the document.
    fileprivate mutating func encode(type: UUID) throws {
        try encode(type.description, forKey: "uuid")
        if let name = AssignedNumbers.name(type) { try encode(name, forKey: "name") }
    }
}

/// An object of the document, read key by key with errors that help.
private struct TableObject {
    private let container: KeyedDecodingContainer<TableKey>

    /// Throws when the object has other keys than `keys`: a misspelled one must not pass for one that is missing.
    init(_ decoder: any Decoder, keys: [String]) throws {
        container = try decoder.container(keyedBy: TableKey.self)
        let unknown = container.allKeys.map(\.stringValue).filter { !keys.contains($0) }.sorted()
        guard let key = unknown.first else { return }
        throw fault(nil, "\"\(key)\" is not a key here; \(Self.advice(key, keys))")
    }

    func fault(_ key: TableKey?, _ text: String, index: Int? = nil) -> GATT.TableFile.Fault {
        let keys = [key, index.map { TableKey(intValue: $0) }].compactMap(\.self)
        return GATT.TableFile.Fault(path: container.codingPath + keys, text)
    }

    func text(_ key: TableKey) throws -> String? {
        try container.decodeIfPresent(String.self, forKey: key)
    }

    func number(_ key: TableKey) throws -> Int? {
        try container.decodeIfPresent(Int.self, forKey: key)
    }

    func list<Element: Decodable>(_ key: TableKey) throws -> [Element] {
        try container.decodeIfPresent([Element].self, forKey: key) ?? []
    }

    func handle(_ key: TableKey) throws -> Handle {
        let expected = "expected a handle such as \"0x001f\""
        guard let text = try text(key) else { throw fault(key, "\(expected); found nothing") }
        guard text.hasPrefix("0x"), text.utf8.count <= 6, text.utf8.dropFirst(2).first != UInt8(ascii: "+"),
            let value = UInt16(text.dropFirst(2), radix: 16)
        else { throw fault(key, "\(expected); found \"\(text)\"") }
        return Handle(value)
    }

    func uuid(_ key: TableKey) throws -> UUID {
        let expected = "expected a UUID such as \"0x180f\" or \"0000180f-0000-1000-8000-00805f9b34fb\""
        guard let text = try text(key) else { throw fault(key, "\(expected); found nothing") }
        guard let uuid = UUID(text) else { throw fault(key, "\(expected); found \"\(text)\"") }
        return uuid
    }

    func addressKind() throws -> DeviceAddress.Kind {
        switch try text("address_type") {
        case "public": return .public
        case "random": return .random
        case nil: throw fault("address_type", "expected \"public\" or \"random\"; found nothing")
        case let other?: throw fault("address_type", "expected \"public\" or \"random\"; found \"\(other)\"")
        }
    }

    func properties(_ key: TableKey) throws -> GATT.Properties {
        let names: [String] = try list(key)
        for (index, name) in names.enumerated() where !GATT.Properties.names.contains(name) {
            throw fault(key, "\"\(name)\" is not a property; \(Self.advice(name, GATT.Properties.names))", index: index)
        }
        return GATT.Properties(names: names) ?? []
    }

    /// What to write instead of a word that nobody knows.
    private static func advice(_ word: String, _ known: [String]) -> String {
        if let nearest = Spelling.nearest(to: word, among: known, limit: 1).first {
            return "did you mean \"\(nearest)\"?"
        }
        return "expected one of " + known.joined(separator: ", ")
    }
}
