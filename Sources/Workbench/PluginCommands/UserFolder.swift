import Captures
package import PluginKit

/// A folder of the user that holds files of this program.
package struct UserFolder: Sendable {
    package let path: String

    /// A change to a file.
    package enum Change: Sendable, Hashable {
        /// Appends bytes; creates the file if it does not exist.
        case append([UInt8])
        case remove
    }

    /// Maximum file size in bytes.
    private static let sizeLimit = 64 << 20

    package init(path: String) {
        self.path = path
    }

    /// The data folder: `$XDG_DATA_HOME/gattbench`, else `~/.local/share/gattbench`.
    package static func data(environment: [String: String]) -> UserFolder {
        folder("XDG_DATA_HOME", else: ".local/share", environment)
    }

    /// The settings folder: `$XDG_CONFIG_HOME/gattbench`, else `~/.config/gattbench`.
    package static func settings(environment: [String: String]) -> UserFolder {
        folder("XDG_CONFIG_HOME", else: ".config", environment)
    }

    /// The folder for disposable state: `$XDG_STATE_HOME/gattbench`, else `~/.local/state/gattbench`.
    package static func state(environment: [String: String]) -> UserFolder {
        folder("XDG_STATE_HOME", else: ".local/state", environment)
    }

    private static func folder(_ variable: String, else place: String, _ environment: [String: String]) -> UserFolder {
        // The XDG specification requires that relative paths are ignored.
        if let path = environment[variable], path.hasPrefix("/") { return UserFolder(path: path + "/gattbench") }
        return UserFolder(path: (environment["HOME"] ?? ".") + "/" + place + "/gattbench")
    }

    /// Reads files; a missing file has nil bytes.
    package func read(_ names: [String]) throws(KeptFileError) -> [String: KeptFile] {
        var files: [String: KeptFile] = [:]
        for name in names {
            let path = path + "/" + name
            guard Folder.exists(path) else {
                files[name] = KeptFile(path: path, bytes: nil)
                continue
            }
            do {
                var bytes: [UInt8] = []
                try FileDescriptor.reading(path)
                    .append(to: &bytes, atLeast: Self.sizeLimit + 1, atMost: Self.sizeLimit + 1)
                guard bytes.count <= Self.sizeLimit else {
                    throw KeptFileError(path: path, text: "longer than \(Self.sizeLimit >> 20) MB")
                }
                files[name] = KeptFile(path: path, bytes: bytes)
            } catch let error as SystemError {
                throw KeptFileError(path: path, error)
            } catch let error as KeptFileError {
                throw error
            } catch {
                throw KeptFileError(path: path, text: "\(error)")
            }
        }
        return files
    }

    /// Applies changes to files; creates the folder if it does not exist.
    package func apply(_ changes: [String: Change]) throws(KeptFileError) {
        for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
            let file = path + "/" + name
            do {
                switch change {
                case .append(let bytes):
                    try Folder.makeAll(path)
                    try FileDescriptor.appending(file).write(bytes)
                case .remove: try Folder.remove(file)
                }
            } catch {
                throw KeptFileError(path: file, error)
            }
        }
    }
}

/// A file in the user's folder cannot be read or changed.
package struct KeptFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    /// The reason.
    package var text: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    init(path: String, _ error: SystemError) {
        self.init(path: path, text: error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
    }

    package var description: String { "\(path): \(text)" }
}
