public import Bluetooth
public import Bytes

/// A profile made fast: a flat program for each type, and readers for each attribute.
public struct CompiledProfile: Sendable {
    public let profile: Profile
    public let types: [String: Layout]
    /// Names of the types of attributes, advertisements and messages, in the order of the file.
    private let usedTypes: [String]
    /// Characteristics and descriptors of all dialects; where several have one UUID, the first.
    package let attributes: [UUID: AttributeReader]
    package let advertising: [AdvertisedReader]
    /// By the messages' names.
    package let messages: [String: MessageReader]
    /// Every field and group that values of attributes, advertisements and messages record.
    public var fields: [Field] { usedTypes.flatMap { types[$0]?.fields ?? [] } }
    /// Other names of them.
    package var aliases: [Layout.Alias] { usedTypes.flatMap { types[$0]?.aliases ?? [] } }
    /// Names of the characteristics whose written values decide what others mean.
    package var contextCharacteristics: Set<String> {
        attributes.values.reduce(into: messages.values.reduce(into: []) { $0.formUnion($1.contextCharacteristics) }) {
            $0.formUnion($1.contextCharacteristics)
        }
    }
    /// Names of the characteristics and messages that values answer.
    public let requests: Set<String>

    /// Steps of all types together: what a profile may make of its file.
    private static let sizeLimit = 65_536

    /// Compiles a profile; throws all that is wrong with its types.
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

    /// A profile of which no more is read than decoding needs: the outline, and each type when its first value comes.
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

/// Puts the compiled types in the places where the profile names them.
private struct ReaderMaker {
    let types: [String: Layout]
    /// Types that the profile has, also those with faults.
    let known: Set<String>
    let faults: FaultList
    /// Types of values as a whole.
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

    /// A type of a value as a whole.
    @discardableResult
    mutating func use(_ name: String, at place: SourcePlace) -> Layout? {
        used.insert(name)
        if !known.contains(name) {
            faults.add("there is no type \"\(name)\"\(Advice.meant(name, among: known.sorted()))", at: place)
        }
        return types[name]
    }
}

/// A Swift value of a profile's type. The profile compiler generates a struct for each structure and each choice.
public protocol ProfileValue: Codable, Hashable, Sendable {
    /// The name of the type in the profile.
    static var typeName: String { get }
}

/// Encoding of Swift values as bytes of the profile's types, and decoding.
extension CompiledProfile {
    /// The bytes of a value; empty where it does not fit its type.
    public func bytes(of value: some ProfileValue) -> [UInt8] { bytes(of: value, as: type(of: value).typeName) }

    /// The value of bytes that came from outside; nil where they are none of its type.
    public func value<Result: ProfileValue>(of bytes: [UInt8], _: Result.Type = Result.self) -> Result? {
        value(of: bytes, as: Result.typeName)
    }

    /// The bytes of a value; empty where the value is none of the type, or there is no such type.
    public func bytes(of value: some Encodable, as type: String) -> [UInt8] {
        guard let layout = types[type], let record = try? RecordEncoder().encode(value) else { return [] }
        return (try? layout.encode(record)) ?? []
    }

    /// The value of bytes that came from outside; nil where they are none of the type.
    public func value<Result: Decodable>(
        of bytes: [UInt8], as type: String, _: Result.Type = Result.self
    ) -> Result? {
        guard let value = try? types[type]?.decode(bytes) else { return nil }
        return try? RecordDecoder().decode(Result.self, from: value)
    }

    /// The UUIDs of services by their names in the profile; those that it does not have are left out.
    public func services(_ names: String...) -> [UUID] {
        names.compactMap { name in profile.services.first { $0.name == name }?.uuid }
    }
}
