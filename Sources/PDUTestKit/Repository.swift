package import Foundation

/// Access to this repository's files, which tests compare with the program's behavior.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder `shared` next to the repository, with third-party files. It may be missing.
    package static let shared = root.deletingLastPathComponent().appending(path: "shared")

    /// Whether the run rewrites the golden files instead of comparing with them: `GATTBENCH_REWRITE_GOLDEN=1`.
    package static let isRewritten = ProcessInfo.processInfo.environment["GATTBENCH_REWRITE_GOLDEN"] == "1"

    package static func url(_ name: String) -> URL { root.appending(path: name) }
    package static func path(_ name: String) -> String { url(name).path }
    package static func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url(name))) }
    package static func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    /// The text of a golden file; rewritten with `new` first if the run rewrites golden files.
    package static func text(_ name: String, madeAs new: String) throws -> String {
        if isRewritten { try new.write(to: url(name), atomically: true, encoding: .utf8) }
        return try text(name)
    }

    /// Paths of the captures in a folder and its subfolders, relative to the repository.
    package static func captures(in folder: String) -> [String] {
        let kinds: Set = ["btsnoop", "log", "pklg", "pcap", "pcapng", "gz"]
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { kinds.contains(URL(filePath: $0).pathExtension) }.sorted().map { "\(folder)/\($0)" }
    }
}

/// A temporary folder for one test, deleted with its contents on deinit.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "gattbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it; the file may be missing.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file with these bytes, creating its parent folders, and returns its path.
    @discardableResult
    package func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let url = URL(filePath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    package func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path(name)))) }

    package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    /// Names of its files and folders, sorted.
    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
