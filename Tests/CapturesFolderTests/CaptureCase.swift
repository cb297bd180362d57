import Foundation
import TestKit

/// One folder of `captures/`: what it shows and how its capture is made.
struct CaptureCase: Sendable {
    /// Name of the folder.
    var name: String
    /// One line.
    var title: String
    /// What the capture shows and what a decoder must make of it, as paragraphs.
    var shows: String
    /// Where it is specified.
    var source: String
    /// Name of the capture file.
    var file: String
    /// Arguments of `gattbench decode` beside the file.
    var options: [String] = []
    /// Further files by name.
    var companions: [String: String] = [:]
    /// The capture file's bytes.
    var make: @Sendable () throws -> [UInt8]

    /// All cases, in the order of their names.
    static let all: [CaptureCase] =
        (fragments + beacons + identity + channels + air + unknown + recorder + plugins + streams + formats + values
        + aquavate + lifeCount + standard + names)
        .sorted { $0.name < $1.name }

    static func named(_ name: String) -> CaptureCase? { all.first { $0.name == name } }
}

extension CaptureCase: CustomStringConvertible {
    var description: String { name }
}

// MARK: - The index

extension CaptureCase {
    /// `captures/README.md`: what the folders are and what each of them shows.
    static var index: String {
        let rows = all.map { "| [`\($0.name)`](\($0.name)/README.md) | \($0.title) |" }.joined(separator: "\n")
        return """
            # Captures

            Every folder is a test: a capture, what `gattbench decode -V` and `gattbench decode -T ndjson` print for it
            (`expected.txt`, `expected.ndjson`), the options that go with it (`options`, one a line) and a README.
            `Tests/CapturesFolderTests` makes the captures in code, compares them with the files byte for byte, decodes
            them, and compares their ATT conversations with tshark's ([known differences](known-differences.md)).

            To add one: add a `CaptureCase` to a `Cases+….swift` there, run `make golden`, and read what it printed.

            | Case | Shows |
            |---|---|
            \(rows)

            """
    }
}

// MARK: - Its folder

extension CaptureCase {
    static let folder = Repository.url("captures")

    var folder: URL { Self.folder.appending(path: name) }
    var path: String { folder.appending(path: file).path }

    /// The files that are made from the case, by name: all but what `gattbench decode` prints.
    func makeFiles() throws -> [String: [UInt8]] {
        var files = companions.mapValues { Array($0.utf8) }
        files[file] = try make()
        files["README.md"] = Array(readme.utf8)
        if !options.isEmpty { files["options"] = Array((options.joined(separator: "\n") + "\n").utf8) }
        return files
    }

    private var readme: String {
        let command = (["gattbench decode -V", file] + options).joined(separator: " ")
        return """
            # \(title)

            \(shows)

            - Specification: \(source)
            - Try: `\(command)`
            \(remarks)
            - Made by TestKit (`Tests/CapturesFolderTests`, case `\(name)`); every byte is ours, nothing was recorded
              from a real device.
            - `make golden` rewrites this folder.

            """
    }
}
