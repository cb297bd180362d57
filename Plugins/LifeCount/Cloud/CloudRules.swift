import PluginKit

/// `gattbench lifecount rules`: access rules for published data, derived from the roles of the requirements.
enum CloudRules {
    /// The text of `firestore.rules`.
    static var text: String { String(decoding: PackageResources.firestore_rules, as: UTF8.self) }

    static let command = PluginCommand(
        name: "rules",
        abstract: "Print the security rules of a Firestore database that entries are published to.",
        discussion: """
            Admins and viewers read; gateways write entries, states and devices; admins write users, locations and entries by \
            hand. Nobody changes or removes an entry.
            """,
        examples: ["rules > firestore.rules"]
    ) { _ throws(CommandError) in CommandOutput(text) }
}
