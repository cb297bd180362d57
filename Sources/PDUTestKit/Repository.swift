package import Foundation

/// The files of this repository, which tests hold to what the program does.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder beside it with what others have made, which need not be there.
    package static let shared = root.deletingLastPathComponent().appending(path: "shared")

    /// Whether the run writes expectations anew instead of comparing with them: `GATTBENCH_REWRITE_GOLDEN=1`.
    package static let isRewritten = ProcessInfo.processInfo.environment["GATTBENCH_REWRITE_GOLDEN"] == "1"

    package static func url(_ name: String) -> URL { root.appending(path: name) }
    package static func path(_ name: String) -> String { url(name).path }
    package static func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url(name))) }
    package static func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    /// The text of a file that a test makes: as it stands there, or the new one when expectations are written anew.
    package static func text(_ name: String, madeAs new: String) throws -> String {
        if isRewritten { try new.write(to: url(name), atomically: true, encoding: .utf8) }
        return try text(name)
    }

    /// The captures in a folder and in the folders in it, by their names in the repository.
    package static func captures(in folder: String) -> [String] {
        let kinds: Set = ["btsnoop", "log", "pklg", "pcap", "pcapng", "gz"]
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { kinds.contains(URL(filePath: $0).pathExtension) }.sorted().map { "\(folder)/\($0)" }
    }
}

/// A folder of a test's own, removed with all that is in it when its last reference goes.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "gattbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it, which need not be there.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The path of a file in it, which is written with these bytes; so are folders that lead to it.
    @discardableResult
    package func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let url = URL(filePath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    /// The bytes of a file in it.
    package func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path(name)))) }

    /// The text of a file in it.
    package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    /// Names of what is in it, sorted.
    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
