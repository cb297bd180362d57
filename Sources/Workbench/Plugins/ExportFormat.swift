package import GATT
package import PluginKit

/// What a profile can be turned into for other tools.
package enum ExportFormat: String, Sendable, CaseIterable {
    case wiresharkLua = "wireshark-lua"
    case markdown
    case jsonSchema = "json-schema"

    /// The text of a plugin in this format; a dissector knows the attributes of `tables` without their discovery.
    package func text(of plugin: DevicePlugin, tables: GATT.KnownTables = GATT.KnownTables()) -> String {
        let profile = plugin.profile.profile
        return switch self {
        case .wiresharkLua: WiresharkLua.script(for: profile, imported: tables)
        case .markdown: ProtocolPage.text(of: profile)
        case .jsonSchema: RecordSchema.text(of: profile, annotations: plugin.behaviour?.annotationFields ?? [])
        }
    }
}
