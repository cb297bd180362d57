import Bluetooth

// Sections `gatt` and `advertising`.

extension Form where Value == ServiceDefinition {
    static var service: Self {
        Form(mapping: "a service") { keys in
            let uuid = keys.require("service", .uuid)
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let doc = keys.take("doc", .text)
            let dialect = keys.take("dialect", .name)
            let isOptional = keys.take("optional", .boolean) ?? false
            let characteristics = keys.list("characteristics", of: .characteristic)
            guard let uuid, let name else { return nil }
            var service = Value(
                uuid: uuid, name: name, title: title ?? Form<String>.title(from: name), place: keys.place)
            service.doc = doc
            service.dialect = dialect
            service.isOptional = isOptional
            service.characteristics = characteristics
            return service
        }
    }
}

extension Form where Value == CharacteristicDefinition {
    fileprivate static var characteristic: Self {
        Form(mapping: "a characteristic") { keys in
            let uuid = keys.require("uuid", .uuid)
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let properties = keys.require("properties", .list(of: .property))
            let doc = keys.take("doc", .text)
            let readings = keys.take("value", .readings) ?? [:]
            let length = keys.take("length", .lengths)
            let handles = keys.list("handles", of: .integer(1...0xFFFF)).map { Handle(UInt16($0)) }
            let descriptors = keys.list("descriptors", of: .descriptor)
            let hasConfiguration = keys.take("cccd", .boolean) ?? true
            let isOptional = keys.take("optional", .boolean) ?? false
            let request = keys.take("request", .name)
            let security = keys.take("security", Form<CharacteristicDefinition.Security>.word) ?? .open
            guard let uuid, let name, let properties else { return nil }
            var characteristic = Value(
                uuid: uuid, name: name, title: title ?? Form<String>.title(from: name),
                properties: GATT.Properties(properties), place: keys.place)
            characteristic.doc = doc
            characteristic.readings = readings
            characteristic.length = length
            characteristic.knownHandles = handles
            characteristic.descriptors = descriptors
            characteristic.hasConfiguration = hasConfiguration
            characteristic.isOptional = isOptional
            characteristic.request = request
            characteristic.security = security
            return characteristic
        }
    }
}

extension Form where Value == GATT.Properties {
    fileprivate static var property: Self {
        .word([
            ("broadcast", .broadcast), ("read", .read), ("write_without_response", .writeWithoutResponse),
            ("write", .write), ("notify", .notify), ("indicate", .indicate),
            ("signed_write", .authenticatedSignedWrites), ("extended", .extended),
        ])
    }
}

extension Form where Value == DescriptorDefinition {
    /// A descriptor of one characteristic, or one that any characteristic may have.
    static var descriptor: Self {
        Form(mapping: "a descriptor") { keys in
            let uuid = keys.require("uuid", .uuid)
            let reading = keys.take("value", .payload)
            let name = keys.take("name", .name)
            let title = keys.take("title", .line)
            guard let uuid else { return nil }
            let ownName = name ?? reading?.alternatives.first?.type ?? "descriptor"
            return Value(
                uuid: uuid, name: ownName, title: title ?? Form<String>.title(from: ownName), reading: reading,
                place: keys.place)
        }
    }
}

// MARK: - Types of values

extension Form where Value == PayloadChoice {
    /// A type, or a list of alternatives.
    static var payload: Self {
        let only = Form<String>.name.placed.map { PayloadChoice([.init(type: $0.value, place: $0.place)]) }
        return .either(only, orList: Form<[PayloadChoice.Alternative]>.list(of: .alternative).map { PayloadChoice($0) })
    }
}

extension Form where Value == PayloadChoice.Alternative {
    fileprivate static var alternative: Self {
        Form(mapping: "a type and when it is that") { keys in
            let condition = keys.take("when", .condition)
            return keys.require("type", .name).map { Value(condition: condition, type: $0, place: keys.place) }
        }
    }
}

extension Form where Value == [OperationKind: PayloadChoice] {
    /// One type for all operations, or a mapping of operations to types.
    fileprivate static var readings: Self {
        let byOperation = Form(mapping: "types by operation") { keys in
            OperationKind.allCases.reduce(into: [:]) { readings, kind in
                readings[kind] = keys.take(kind.rawValue, .payload)
            }
        }
        return Form("a type, a list of alternatives, or a mapping of operations to types") { node, faults in
            if case .mapping = node.content { return byOperation.read(node, faults) }
            return Form<PayloadChoice>.payload.read(node, faults).map { choice in
                Dictionary(uniqueKeysWithValues: OperationKind.allCases.map { ($0, choice) })
            }
        }
    }
}

extension Form {
    /// The value with its place in the file.
    var placed: Form<(value: Value, place: SourcePlace)> {
        Form<(value: Value, place: SourcePlace)>(expected) { node, faults in
            read(node, faults).map { ($0, node.place) }
        }
    }
}

// MARK: - Advertising

extension GAP.DataOwner {
    /// The keys for service data and manufacturer data.
    static var forms: [(key: String, value: Form<Self>)] {
        [
            ("service_data", Form<UUID>.uuid.map { .service($0) }),
            ("manufacturer_data", Form<Int>.integer(0...0xFFFF).map { .company(UInt16($0)) }),
        ]
    }
}

extension Form where Value == AdvertisedValue {
    static var advertisedValue: Self {
        Form(mapping: "advertised data and their type") { keys in
            let carrier = keys.one(of: "what carries it", GAP.DataOwner.forms)
            let reading = keys.require("value", .payload)
            guard let carrier, let reading else { return nil }
            return Value(carrier, reading: reading, place: keys.place)
        }
    }
}
