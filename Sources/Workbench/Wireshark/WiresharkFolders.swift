/// Where Wireshark looks for a user's additions.
package struct WiresharkFolders: Hashable, Sendable {
    /// Programs that capture.
    package var extcap: String
    /// Dissectors in Lua.
    package var plugins: String

    package init(extcap: String, plugins: String) {
        self.extcap = extcap
        self.plugins = plugins
    }

    /// Reads what `tshark -G folders` prints; where it does not tell, Wireshark's usual places are taken.
    package init(listing: String?, home: String) {
        var folders: [String: String] = [:]
        for line in (listing ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { folders[String(parts[0])] = String(parts[1].drop { $0 == " " || $0 == "\t" }) }
        }
        // Before 4.2 Wireshark does not list the folder, and has it beside its settings.
        let settings = folders["Personal configuration"] ?? home + "/.config/wireshark"
        extcap = folders["Personal Extcap path"] ?? settings + "/extcap"
        plugins = folders["Personal Lua Plugins"] ?? home + "/.local/lib/wireshark/plugins"
    }
}
