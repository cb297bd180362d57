public import Bluetooth
public import Bytes

/// A profile compiled for fast decoding: a flat program for each type, and a reader for each attribute.
public struct CompiledProfile: Sendable {
    public let profile: Profile
    public let types: [String: Layout]
    /// Names of the types used by attributes, advertisements and messages, in file order.
    private let usedTypes: [String]
    /// Characteristics and descriptors of all dialects; if several share a UUID, the first.
    package let attributes: [UUID: AttributeReader]
    package let advertising: [AdvertisedReader]
    /// Keyed by message name.
    package let messages: [String: MessageReader]
    /// All fields and groups recorded by values of attributes, advertisements and messages.
    public var fields: [Field] { usedTypes.flatMap { types[$0]?.fields ?? [] } }
    /// Alternative names of these fields.
    package var aliases: [Layout.Alias] { usedTypes.flatMap { types[$0]?.aliases ?? [] } }
    /// Names of the characteristics whose written values determine the types of other values.
    package var contextCharacteristics: Set<String> {
        attributes.values.reduce(into: messages.values.reduce(into: []) { $0.formUnion($1.contextCharacteristics) }) {
            $0.formUnion($1.contextCharacteristics)
        }
    }
    /// Names of the characteristics and messages that other values answer.
    public let requests: Set<String>

    /// Maximum number of steps of all types together; bounds the work that a file can cause.
    private static let sizeLimit = 65_536

    /// Compiles a profile; throws all faults of its types.
    package init(_ profile: Profile) throws(ProfileFaults) {
        let faults = FaultList()
        let definitions = Dictionary(profile.types.map { ($0.name, $0) }) { first, _ in first }
        var types: [String: Layout] = [:]
        var budget = Self.sizeLimit
        for (index, type) in profile.types.enumerated() {
            if types[type.name] != nil {
                faults.add("\(type.name): there is a type of this name before it", at: type.place)
                continue
            }
            var compiler = LayoutCompiler(
                plugin: profile.header.id, types: definitions, faults: faults, budget: budget)
            if let program = compiler.compile(type) { types[type.name] = Layout(program: program, index: index) }
            budget = compiler.budget
        }
        try self.init(profile, types: types, names: profile.types.map(\.name), faults)
    }

    /// Compiles only as much of a profile as decoding needs: the outline now, and each type when its first value
    /// arrives.
    package init(deferring text: ProfileText) throws(ProfileFaults) {
        guard text.isDivisible else {
            try self.init(text.read())
            return
        }
        let parts = text.parts
        let profile = try ProfileReader.read(parts.outline, file: text.file)
        let types = TypeTexts(parts.types, of: profile.header.id)
        try self.init(profile, types: types.layouts, names: parts.types.map(\.name), FaultList())
    }

    private init(
        _ profile: Profile, types: [String: Layout], names: [String], _ faults: FaultList
    ) throws(ProfileFaults) {
        var readers = ReaderMaker(types: types, known: Set(names), faults: faults)
        attributes = readers.attributes(of: profile)
        advertising = profile.advertising.map {
            AdvertisedReader(carrier: $0.carrier, choice: readers.choice($0.reading))
        }
        messages = Dictionary(
            profile.messages.map { ($0.name, MessageReader($0, choice: readers.choice($0.reading))) }
        ) { first, _ in first }
        requests = Set(
            profile.messages.compactMap(\.request) + profile.services.flatMap(\.characteristics).compactMap(\.request))
        guard faults.faults.isEmpty else { throw ProfileFaults(file: profile.file, faults.faults) }
        self.profile = profile
        self.types = types
        usedTypes = names.filter { readers.used.contains($0) }
    }
}

/// Creates the readers, resolving type names to compiled types.
private struct ReaderMaker {
    let types: [String: Layout]
    /// Names of all types in the profile, including those with faults.
    let known: Set<String>
    let faults: FaultList
    /// Types used for complete values.
    var used: Set<String> = []

    mutating func attributes(of profile: Profile) -> [UUID: AttributeReader] {
        var readers: [UUID: AttributeReader] = [:]
        func add(_ uuid: UUID, _ reader: AttributeReader) {
            if readers[uuid] == nil { readers[uuid] = reader }
        }
        for service in profile.services {
            for characteristic in service.characteristics {
                add(
                    characteristic.uuid,
                    AttributeReader(
                        name: characteristic.name, title: characteristic.title, service: service.uuid,
                        request: characteristic.request, choices: characteristic.readings.mapValues { choice($0) }))
                for descriptor in characteristic.descriptors { add(descriptor.uuid, self.reader(of: descriptor)) }
            }
        }
        for descriptor in profile.descriptors { add(descriptor.uuid, reader(of: descriptor)) }
        return readers
    }

    private mutating func reader(of descriptor: DescriptorDefinition) -> AttributeReader {
        var choices: [OperationKind: LayoutChoice] = [:]
        if let reading = descriptor.reading {
            let choice = choice(reading)
            choices = [.read: choice, .write: choice]
        }
        return AttributeReader(name: descriptor.name, title: descriptor.title, service: nil, choices: choices)
    }

    mutating func choice(_ choice: PayloadChoice) -> LayoutChoice {
        LayoutChoice(
            choice.alternatives.compactMap { alternative in
                if let condition = alternative.condition { check(condition) }
                return use(alternative.type, at: alternative.place).map {
                    LayoutChoice.Alternative(condition: alternative.condition, layout: $0)
                }
            })
    }

    private func check(_ condition: Expression) {
        if let field = condition.ownFields.first {
            faults.add(
                "when: \"\(field)\" is a field, but fields are known only when the type is; use length and u8(offset)",
                at: condition.place)
        } else if !condition.isCondition {
            faults.add("when: expected a condition, found a number", at: condition.place)
        }
    }

    /// Resolves the type of a complete value and records its use.
    @discardableResult
    mutating func use(_ name: String, at place: SourcePlace) -> Layout? {
        used.insert(name)
        if !known.contains(name) {
            faults.add("there is no type \"\(name)\"\(Advice.meant(name, among: known.sorted()))", at: place)
        }
        return types[name]
    }
}

/// A Swift value of a profile type. The profile compiler generates a struct for each structure and each choice.
public protocol ProfileValue: Codable, Hashable, Sendable {
    /// The name of the type in the profile.
    static var typeName: String { get }
}

/// Encoding of Swift values as bytes of the profile's types, and decoding.
extension CompiledProfile {
    /// Encodes a value; empty if it does not fit its type.
    public func bytes(of value: some ProfileValue) -> [UInt8] { bytes(of: value, as: type(of: value).typeName) }

    /// Decodes untrusted bytes; nil if they do not match the type.
    public func value<Result: ProfileValue>(of bytes: [UInt8], _: Result.Type = Result.self) -> Result? {
        value(of: bytes, as: Result.typeName)
    }

    /// Encodes a value as a named type; empty if the value does not fit the type, or if there is no such type.
    public func bytes(of value: some Encodable, as type: String) -> [UInt8] {
        guard let layout = types[type], let record = try? RecordEncoder().encode(value) else { return [] }
        return (try? layout.encode(record)) ?? []
    }

    /// Decodes untrusted bytes as a named type; nil if they do not match it.
    public func value<Result: Decodable>(
        of bytes: [UInt8], as type: String, _: Result.Type = Result.self
    ) -> Result? {
        guard let value = try? types[type]?.decode(bytes) else { return nil }
        return try? RecordDecoder().decode(Result.self, from: value)
    }

    /// The UUIDs of services by their names in the profile; unknown names are left out.
    public func services(_ names: String...) -> [UUID] {
        names.compactMap { name in profile.services.first { $0.name == name }?.uuid }
    }
}
