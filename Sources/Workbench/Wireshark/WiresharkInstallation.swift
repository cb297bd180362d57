import Captures
package import PluginKit

/// Installs this program and the plugins' dissectors for a user's Wireshark, and uninstalls them.
///
/// Wireshark's folders receive only symbolic links: to the program, and to dissectors in a folder of gattbench. Any
/// other file or link belongs to the user and is never changed.
package struct WiresharkInstallation {
    private let folders: WiresharkFolders
    /// Folder of the dissectors.
    private let library: String
    private let program: String

    /// The action on one path.
    package struct Step: Hashable, Sendable, CustomStringConvertible {
        package enum Action: String, Hashable, Sendable {
            case linked
            case replaced
            case kept = "already there:"
            case removed
            case refused = "left alone:"
        }

        package var action: Action
        package var path: String
        /// The target of a link, or the reason for no action.
        package var detail = ""

        package var description: String { "\(action.rawValue) \(path)" + (detail.isEmpty ? "" : detail) }
    }

    /// `data` is gattbench's data folder of the user.
    package init(_ folders: WiresharkFolders, data: UserFolder, program: String) {
        self.folders = folders
        library = data.path + "/wireshark"
        self.program = program
    }

    private var extcapLink: String { folders.extcap + "/gattbench" }

    private func dissectorLink(_ id: String) -> String { folders.plugins + "/gattbench-\(id).lua" }

    /// Creates the links; dissectors are rewritten.
    package func install(_ plugins: [DevicePlugin]) throws(KeptFileError) -> [Step] {
        var steps = [try link(extcapLink, to: program)]
        for plugin in plugins {
            let path = "\(library)/\(plugin.id).lua"
            try makeFolder(library)
            do {
                try TextFile.write(ExportFormat.wiresharkLua.text(of: plugin), to: path)
            } catch {
                throw KeptFileError(path: path, text: "\(error)")
            }
            steps.append(try link(dissectorLink(plugin.id), to: path))
        }
        return steps
    }

    /// Removes gattbench's links and the dissectors.
    package func uninstall() throws(KeptFileError) -> [Step] {
        var paths = [extcapLink]
        paths += Folder.entries(of: folders.plugins).filter { $0.hasPrefix("gattbench-") && $0.hasSuffix(".lua") }
            .map { "\(folders.plugins)/\($0)" }
        var steps: [Step] = []
        for path in paths where occupant(path) != .nobody {
            guard case .ours = occupant(path) else {
                steps.append(Step(action: .refused, path: path, detail: ": not created by gattbench"))
                continue
            }
            try remove(path)
            steps.append(Step(action: .removed, path: path))
        }
        if Folder.exists(library) {
            try remove(library)
            steps.append(Step(action: .removed, path: library))
        }
        return steps
    }

    // MARK: - Links

    private enum ExistingFile: Equatable {
        case nobody
        /// A link created by gattbench, and its target.
        case ours(String)
        case somebodyElse
    }

    private func occupant(_ path: String) -> ExistingFile {
        if let target = Folder.linkTarget(of: path) {
            let isOurs = target == program || target.hasSuffix("/gattbench") || target.hasPrefix(library + "/")
            return isOurs ? .ours(target) : .somebodyElse
        }
        return Folder.exists(path) ? .somebodyElse : .nobody
    }

    private func link(_ path: String, to target: String) throws(KeptFileError) -> Step {
        let before = occupant(path)
        switch before {
        case .ours(target): return Step(action: .kept, path: path, detail: " → \(target)")
        case .somebodyElse:
            return Step(
                action: .refused, path: path, detail: ": exists already; move it away and install again")
        case .ours: try remove(path)
        case .nobody: try makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        }
        do {
            try Folder.link(path, to: target)
        } catch {
            throw KeptFileError(path: path, text: "cannot be linked; make the folder writable")
        }
        return Step(action: before == .nobody ? .linked : .replaced, path: path, detail: " → \(target)")
    }

    private func makeFolder(_ path: String) throws(KeptFileError) {
        do {
            try Folder.makeAll(path)
        } catch {
            throw KeptFileError(path: path, text: "cannot be made; make the folder above it writable")
        }
    }

    private func remove(_ path: String) throws(KeptFileError) {
        do {
            try Folder.remove(path)
        } catch {
            throw KeptFileError(path: path, text: "cannot be removed; make its folder writable")
        }
    }
}

/// Wireshark's folders for a user's extensions.
package struct WiresharkFolders: Hashable, Sendable {
    /// Folder of capture programs.
    package var extcap: String
    /// Folder of Lua dissectors.
    package var plugins: String

    package init(extcap: String, plugins: String) {
        self.extcap = extcap
        self.plugins = plugins
    }

    /// Parses the output of `tshark -G folders`; folders missing from it default to Wireshark's usual ones.
    package init(listing: String?, home: String) {
        var folders: [String: String] = [:]
        for line in (listing ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { folders[String(parts[0])] = String(parts[1].drop { $0 == " " || $0 == "\t" }) }
        }
        // Before 4.2, Wireshark does not list the extcap folder, which is in its settings folder.
        let settings = folders["Personal configuration"] ?? home + "/.config/wireshark"
        extcap = folders["Personal Extcap path"] ?? settings + "/extcap"
        plugins = folders["Personal Lua Plugins"] ?? home + "/.local/lib/wireshark/plugins"
    }
}
