public import Bytes

extension GATT.TableFile {
    /// Decodes the document from JSON.
    public init(_ json: JSONValue) throws(Fault) {
        let object = try TableObject(json, at: "", keys: ["format", "version", "devices"])
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

    public var json: JSONValue {
        .members([
            "format": .string(Self.format), "version": .integer(Self.version),
            "devices": .array(devices.map(\.json)),
        ])
    }
}

/// A part of the document that is encoded as an object.
private protocol TablePart {
    init(_ json: JSONValue, at path: String) throws(GATT.TableFile.Fault)
    var json: JSONValue { get }
}

extension GATT.TableFile.Device: TablePart {
    fileprivate init(_ json: JSONValue, at path: String) throws(GATT.TableFile.Fault) {
        let object = try TableObject(
            json, at: path, keys: ["address", "address_type", "name", "services", "characteristics", "descriptors"])
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

    fileprivate var json: JSONValue {
        .members([
            "address": address.map { .string($0.address.description) },
            "address_type": address.map { .string($0.kind == .public ? "public" : "random") },
            "name": name.isEmpty ? nil : .string(name), "services": .array(services.map(\.json)),
            "characteristics": TableObject.list(characteristics), "descriptors": TableObject.list(descriptors),
        ])
    }
}

extension GATT.TableFile.Service: TablePart {
    fileprivate init(_ json: JSONValue, at path: String) throws(GATT.TableFile.Fault) {
        let object = try TableObject(json, at: path, keys: ["start", "end", "uuid", "name", "characteristics"])
        service = GATT.Table.Service(
            start: try object.handle("start"), end: try object.handle("end"), type: try object.uuid("uuid"))
        characteristics = try object.list("characteristics")
    }

    fileprivate var json: JSONValue {
        .members([
            "start": .string("\(service.start)"), "end": .string("\(service.end)"),
            "uuid": .string("\(service.type)"),
            "name": TableObject.name(AssignedNumbers.service(service.type) ?? AssignedNumbers.member(service.type)),
            "characteristics": .array(characteristics.map(\.json)),
        ])
    }
}

extension GATT.TableFile.Characteristic: TablePart {
    fileprivate init(_ json: JSONValue, at path: String) throws(GATT.TableFile.Fault) {
        let object = try TableObject(
            json, at: path, keys: ["declaration", "value", "uuid", "name", "properties", "descriptors"])
        characteristic = GATT.Table.Characteristic(
            declaration: try object.handle("declaration"), value: try object.handle("value"),
            properties: try object.properties("properties"), type: try object.uuid("uuid"))
        descriptors = try object.list("descriptors")
    }

    fileprivate var json: JSONValue {
        .members([
            "declaration": .string("\(characteristic.declaration)"), "value": .string("\(characteristic.value)"),
            "uuid": .string("\(characteristic.type)"),
            "name": TableObject.name(AssignedNumbers.characteristic(characteristic.type)),
            "properties": .array(characteristic.properties.names.map { .string($0) }),
            "descriptors": TableObject.list(descriptors),
        ])
    }
}

extension GATT.Table.Descriptor: TablePart {
    fileprivate init(_ json: JSONValue, at path: String) throws(GATT.TableFile.Fault) {
        let object = try TableObject(json, at: path, keys: ["handle", "uuid", "name"])
        self.init(handle: try object.handle("handle"), type: try object.uuid("uuid"))
    }

    fileprivate var json: JSONValue {
        .members([
            "handle": .string("\(handle)"), "uuid": .string("\(type)"),
            "name": TableObject.name(AssignedNumbers.descriptor(type) ?? AssignedNumbers.characteristic(type)),
        ])
    }
}

// MARK: - Objects

/// Decodes an object of the document key by key, with detailed errors.
private struct TableObject {
    typealias Fault = GATT.TableFile.Fault

    /// Path in the document; empty for the root.
    private let path: String
    private let members: [String: JSONValue]

    /// Throws if the object has keys other than `keys`: a misspelled key must not be taken for a missing one.
    init(_ json: JSONValue, at path: String, keys: [String]) throws(Fault) {
        guard case .object = json else { throw Fault(path: path, "expected an object") }
        self.path = path
        members = json.members
        if let key = members.keys.filter({ !keys.contains($0) }).min() {
            throw Fault(path: path, "\"\(key)\" is not a key here; \(Self.advice(key, keys))")
        }
    }

    private func path(to key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func fault(_ key: String, _ text: String) -> Fault { Fault(path: path(to: key), text) }

    /// The value of a key; nil if it is missing or null.
    private func value(_ key: String) -> JSONValue? { members[key].flatMap { $0 == .null ? nil : $0 } }

    func text(_ key: String) throws(Fault) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw fault(key, "expected text") }
        return text
    }

    func number(_ key: String) throws(Fault) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = value.number.flatMap({ Int(exactly: $0) }) else { throw fault(key, "expected a number") }
        return number
    }

    private func elements(_ key: String) throws(Fault) -> [(json: JSONValue, path: String)] {
        guard let value = value(key) else { return [] }
        guard case .array(let elements) = value else { throw fault(key, "expected a list") }
        return elements.enumerated().map { ($1, "\(path(to: key))[\($0)]") }
    }

    func list<Part: TablePart>(_ key: String) throws(Fault) -> [Part] {
        var parts: [Part] = []
        for element in try elements(key) { parts.append(try Part(element.json, at: element.path)) }
        return parts
    }

    func handle(_ key: String) throws(Fault) -> Handle {
        let expected = "expected a handle such as \"0x001f\""
        guard let text = try text(key) else { throw fault(key, "\(expected); found nothing") }
        guard text.hasPrefix("0x"), text.utf8.count <= 6, text.utf8.dropFirst(2).first != UInt8(ascii: "+"),
            let value = UInt16(text.dropFirst(2), radix: 16)
        else { throw fault(key, "\(expected); found \"\(text)\"") }
        return Handle(value)
    }

    func uuid(_ key: String) throws(Fault) -> UUID {
        let expected = "expected a UUID such as \"0x180f\" or \"0000180f-0000-1000-8000-00805f9b34fb\""
        guard let text = try text(key) else { throw fault(key, "\(expected); found nothing") }
        guard let uuid = UUID(text) else { throw fault(key, "\(expected); found \"\(text)\"") }
        return uuid
    }

    func addressKind() throws(Fault) -> DeviceAddress.Kind {
        switch try text("address_type") {
        case "public": return .public
        case "random": return .random
        case nil: throw fault("address_type", "expected \"public\" or \"random\"; found nothing")
        case let other?: throw fault("address_type", "expected \"public\" or \"random\"; found \"\(other)\"")
        }
    }

    func properties(_ key: String) throws(Fault) -> GATT.Properties {
        var names: [String] = []
        for element in try elements(key) {
            guard let name = element.json.string else { throw Fault(path: element.path, "expected text") }
            guard GATT.Properties.names.contains(name) else {
                throw Fault(
                    path: element.path, "\"\(name)\" is not a property; \(Self.advice(name, GATT.Properties.names))")
            }
            names.append(name)
        }
        return GATT.Properties(names: names) ?? []
    }

    /// The advice for an unknown word.
    private static func advice(_ word: String, _ known: [String]) -> String {
        let near = Spelling.nearest(to: word, among: known, limit: 1).map { "\"\($0)\"" }
        return Spelling.question(near) ?? "expected one of " + known.joined(separator: ", ")
    }

    // MARK: Writing

    /// The parts as a list; nil for none.
    static func list(_ parts: [some TablePart]) -> JSONValue? {
        parts.isEmpty ? nil : .array(parts.map(\.json))
    }

    /// An assigned name, for human readers. Member UUIDs name services only: devices use them freely for
    /// characteristics and descriptors.
    static func name(_ assigned: String?) -> JSONValue? { assigned.map { .string($0) } }
}
