/// Reads a `profile.yaml`; docs/profile-format.md describes it.
///
/// The file is read by forms, one for each thing that may stand in it: see `Form` and `Keys`. Names that point elsewhere
/// in the file are checked by `ProfileLint`, but for those of types, without which nothing can be laid out.
package enum ProfileReader {
    /// The profile in a text; `file` is the path that messages name. Throws all that is wrong with it.
    package static func read(_ text: String, file: String) throws(ProfileFaults) -> Profile {
        let faults = FaultList()
        return try read(YAMLDocument.read(text, faults), file: file, faults)
    }

    /// The profile in a document.
    static func read(
        _ root: YAMLNode?, file: String, _ faults: FaultList = FaultList()
    ) throws(ProfileFaults) -> Profile {
        let profile = root.flatMap { Form.profile(file: file).read($0, faults) }
        guard let profile, faults.isEmpty else { throw ProfileFaults(file: file, faults.faults) }
        return profile
    }
}

extension Form where Value == Profile {
    /// The document.
    static func profile(file: String) -> Self {
        Form(mapping: "a profile") { keys in
            let header = keys.require("profile", .header)
            let types = keys.take("types", .types()) ?? []
            NestingCheck(types).run(keys.faults)
            let values = ValueForms(TypeIndex(types), wrongTypes: keys.faults.wrongTypes)

            var profile = Profile(header: header ?? .unread(at: keys.place), file: file)
            profile.types = types
            profile.match = keys.list("match", of: .evidence)
            profile.services = keys.list("gatt", of: .service)
            profile.descriptors = keys.list("descriptors", of: .descriptor)
            reportDoubles(of: profile.services.flatMap(\.characteristics), in: profile.services, keys.faults)
            profile.advertising = keys.list("advertising", of: .advertisedValue)
            profile.messages = keys.list("messages", of: .message)
            keys.faults.reportDoubles(profile.messages.map { ($0.name, $0.place) })
            profile.sequences = keys.list("sequences", of: .sequence)
            keys.faults.reportDoubles(profile.sequences.map { ($0.name, $0.place) })
            profile.rules = keys.list("rules", of: .rule)
            if let implied = RuleDefinition.checksums(of: types, in: profile.header) { profile.rules.append(implied) }
            for index in profile.rules.indices {
                profile.rules[index].source = profile.rules[index].source.map(profile.header.writtenOut)
            }
            keys.faults.reportDoubles(profile.rules.map { ($0.id, $0.place) })
            var emulated = values
            emulated.leavesOutChecksums = true
            emulated.takesRequests = true
            let emulation = EmulationForms(
                values: emulated, services: profile.services, advertising: profile.advertising,
                messages: profile.messages)
            profile.emulation = keys.take("emulate", emulation.emulation)
            profile.vectors = keys.list("vectors", of: values.vector)
            keys.faults.reportDoubles(profile.vectors.map { ($0.id, $0.place) })
            return profile
        }
    }

    /// Characteristics of the same dialect need names of their own: rules and messages say nothing but the name.
    private static func reportDoubles(
        of characteristics: [CharacteristicDefinition], in services: [ServiceDefinition], _ faults: FaultList
    ) {
        var dialects: [String?] = Array(Set(services.map(\.dialect)))
        if dialects.contains(where: { $0 != nil }) { dialects.removeAll { $0 == nil } }
        for dialect in dialects {
            let inDialect = services.filter { $0.dialect == nil || $0.dialect == dialect }
            faults.reportDoubles(inDialect.map { ($0.name, $0.place) })
            faults.reportDoubles(inDialect.flatMap(\.characteristics).map { ($0.name, $0.place) })
        }
    }
}

extension FaultList {
    /// Reports names that stand there for a second time.
    func reportDoubles(_ named: [(name: String, place: SourcePlace)]) {
        var places: [String: SourcePlace] = [:]
        for (name, place) in named {
            if let first = places[name] {
                add("\(name): there is one of this name already, in line \(first.line)", at: place)
            } else {
                places[name] = place
            }
        }
    }
}

extension Form where Value == String {
    /// The name of a thing and its title, which is made of the name where there is none.
    package static func title(from name: String) -> String {
        var words = name.utf8.split(separator: UInt8(ascii: "_")).map(Array.init)
        for index in words.indices where UInt8(ascii: "a")...UInt8(ascii: "z") ~= words[index][0] {
            words[index][0] -= 0x20
        }
        return String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    }
}
