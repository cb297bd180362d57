/// Reads a `profile.yaml`. See docs/profile-format.md for the format.
///
/// Each element of the file has a form: see `Form` and `Keys`. `ProfileLint` checks references within the file, except
/// for type names, which the layout requires.
package enum ProfileReader {
    /// Parses a profile; `file` is the path for diagnostics. Throws all faults found.
    package static func read(_ text: String, file: String) throws(ProfileFaults) -> Profile {
        let faults = FaultList()
        return try read(YAMLDocument.read(text, faults), file: file, faults)
    }

    /// Reads a profile from a parsed document.
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
            profile.times = keys.times(of: profile.header)
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

    /// Reports characteristics of one dialect that share a name: rules and messages identify characteristics by name
    /// alone.
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
    /// Reports duplicate names.
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
    /// The default title for a name.
    package static func title(from name: String) -> String {
        var words = name.utf8.split(separator: UInt8(ascii: "_")).map(Array.init)
        for index in words.indices where UInt8(ascii: "a")...UInt8(ascii: "z") ~= words[index][0] {
            words[index][0] -= 0x20
        }
        return String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    }
}
