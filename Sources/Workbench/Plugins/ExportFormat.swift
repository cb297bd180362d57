package import PluginKit

/// What a profile can be turned into for other tools.
package enum ExportFormat: String, Sendable, CaseIterable {
    case wiresharkLua = "wireshark-lua"
    case markdown
    case jsonSchema = "json-schema"

    /// The text of the profile in this format.
    package func text(of profile: Profile) -> String {
        switch self {
        case .wiresharkLua: WiresharkLua.script(for: profile)
        case .markdown: ProtocolPage.text(of: profile)
        case .jsonSchema: RecordSchema.text(of: profile)
        }
    }
}
