package import Bluetooth
import Bytes
package import PluginKit
import Profile
import ProfileTools

/// Summaries of plugins: `plugins list` and `plugins show`.
package enum PluginSummary {
    /// One line per plugin, below a header.
    package static func list(_ library: PluginLibrary) -> String {
        let rows = library.entries.map { entry in
            let profile = entry.profile
            return [
                profile.header.id, profile.header.version, "\(profile.characteristicCount)",
                "\(profile.types.count)", entry.origin, profile.header.title,
            ]
        }
        return TextColumns.align([["ID", "VERSION", "CHARACTERISTICS", "TYPES", "FROM", "TITLE"]] + rows, indent: "")
    }

    /// The list as JSON.
    package static func listJSON(_ library: PluginLibrary) -> String {
        JSONValue.array(library.entries.map { .object(of: head($0)) }).text
    }

    /// A plugin's description of its device.
    package static func show(_ entry: PluginLibrary.Entry) -> String {
        let profile = entry.profile
        let header = profile.header
        var text = "\(header.id) \(header.version.legibleLine()): \(header.title.legibleLine())\n"
        let metadata: [(name: String, value: String?)] = [
            ("from", entry.origin), ("vendor", header.vendor), ("firmware", header.firmware),
            ("dialects", header.dialects.isEmpty ? nil : header.dialects.map(\.id).joined(separator: ", ")),
            ("ATT_MTU", header.mtu.map { "\($0) at most" }), ("licence", header.licence),
        ]
        text += TextColumns.align(metadata.compactMap { fact in fact.value.map { [fact.name, $0] } }, indent: "  ")
        if let doc = header.doc {
            let lines = doc.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            text += "\n\(lines.joined(separator: "\n").legibleText())\n"
        }
        if profile.match.isEmpty {
            text += "\nDescribes values of any device.\n"
        } else {
            text += "\nMatched by (\(Profile.Evidence.threshold) is enough)\n"
            text += TextColumns.align(
                profile.match.map { ["\($0.weight)", $0.sign.text, $0.dialect ?? ""] }, indent: "  ")
        }
        for service in profile.services {
            text += "\n\(service.title.legibleLine())  \(service.uuid)\(service.dialect.map { "  (\($0))" } ?? "")\n"
            let rows = service.characteristics.map { one in
                [one.name, "\(one.uuid)", one.properties.names.joined(separator: " "), types(one.readings)]
            }
            text += TextColumns.align(rows, indent: "  ")
        }
        let counts = counts(of: profile).map { "\($0.value) \($0.value == 1 ? String($0.name.dropLast()) : $0.name)" }
        text += "\n" + counts.joined(separator: " · ") + "\n"
        return text
    }

    /// The description as JSON.
    package static func showJSON(_ entry: PluginLibrary.Entry) -> String {
        let profile = entry.profile
        let services = profile.services.map { service -> JSONValue in
            let characteristics = service.characteristics.map { one -> JSONValue in
                let types = OperationKind.allCases.compactMap { operation in
                    one.readings[operation].map { choice in
                        (operation.rawValue, JSONValue.array(choice.alternatives.map { .string($0.type) }))
                    }
                }
                return .object(of: [
                    ("uuid", .string("\(one.uuid)")), ("name", .string(one.name)), ("title", .string(one.title)),
                    ("properties", .array(one.properties.names.map { .string($0) })), ("types", .object(of: types)),
                ])
            }
            return .object(
                of: [("uuid", .string("\(service.uuid)")), ("name", .string(service.name))]
                    + (service.dialect.map { [("dialect", .string($0))] } ?? [])
                    + [("characteristics", .array(characteristics))])
        }
        let match = profile.match.map { one -> JSONValue in
            .object(
                of: [("sign", .string(one.sign.text)), ("weight", .integer(one.weight))]
                    + (one.dialect.map { [("dialect", .string($0))] } ?? []))
        }
        let counts = counts(of: profile).map { (name: $0.name, value: JSONValue.integer($0.value)) }
        return JSONValue.object(
            of:
                head(entry) + [
                    ("match", .array(match)), ("services", .array(services)), ("counts", .object(of: counts)),
                ]
        ).text
    }

    // MARK: - Parts

    private static func head(_ entry: PluginLibrary.Entry) -> [(name: String, value: JSONValue)] {
        let profile = entry.profile
        return [
            ("id", .string(profile.header.id)), ("title", .string(profile.header.title)),
            ("version", .string(profile.header.version)), ("from", .string(entry.origin)),
            ("characteristics", .integer(profile.characteristicCount)), ("types", .integer(profile.types.count)),
        ]
    }

    private static func counts(of profile: Profile) -> [(name: String, value: Int)] {
        [
            ("types", profile.types.count), ("messages", profile.messages.count),
            ("sequences", profile.sequences.count), ("rules", profile.rules.count), ("vectors", profile.vectors.count),
        ]
    }

    /// The distinct types of a characteristic's values.
    private static func types(_ readings: [OperationKind: PayloadChoice]) -> String {
        var seen: Set<String> = []
        return OperationKind.allCases.flatMap { readings[$0]?.alternatives.map(\.type) ?? [] }
            .filter { seen.insert($0).inserted }.joined(separator: ", ")
    }
}

extension PluginLibrary.Entry {
    var profile: Profile { plugin.profile.profile }
    /// The profile's path, or "built in".
    package var origin: String { path ?? "built in" }
}

extension Profile {
    fileprivate var characteristicCount: Int { services.reduce(0) { $0 + $1.characteristics.count } }
}

/// Export formats of a profile.
package enum ExportFormat: String, Sendable, CaseIterable {
    case wiresharkLua = "wireshark-lua"
    case markdown
    case jsonSchema = "json-schema"

    /// The plugin in this format; a dissector names the attributes of `tables` without their discovery.
    package func text(of plugin: DevicePlugin, tables: GATT.KnownTables = GATT.KnownTables()) -> String {
        let profile = plugin.profile.profile
        return switch self {
        case .wiresharkLua: WiresharkLua.script(for: profile, imported: tables)
        case .markdown: ProtocolPage.text(of: profile)
        case .jsonSchema: RecordSchema.text(of: profile, annotations: plugin.behaviour?.annotationFields ?? [])
        }
    }
}
