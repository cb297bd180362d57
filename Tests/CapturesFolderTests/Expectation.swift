import Bytes
import Captures
import Foundation
import Workbench

/// What is expected of a case: one of the outputs of `gattbench decode`.
enum Expectation: CaseIterable {
    case text, ndjson

    var fileName: String {
        switch self {
        case .text: "expected.txt"
        case .ndjson: "expected.ndjson"
        }
    }

    /// What `gattbench decode` prints for a case, with `-V` as text.
    func print(_ example: CaptureCase) async throws -> String {
        var options = try DecodeOptions(example)
        switch self {
        case .text: options.showsTree = true
        case .ndjson: options.format = .ndjson
        }
        return try await decode(example.path, options)
    }
}

/// What `gattbench decode` prints for a file.
func decode(_ path: String, _ options: DecodeOptions) async throws -> String {
    var printed: [UInt8] = []
    _ = try await DecodeJob(options).run(CaptureReader(path: path)) { text, _ in
        for offset in text.byteOffsets { printed.append(text.byte(at: offset)) }
        return true
    }
    return String(decoding: printed, as: UTF8.self)
}

extension DecodeOptions {
    /// The options that a case's arguments stand for.
    init(_ example: CaptureCase) throws {
        self.init()
        var named: [String] = []
        var arguments = example.options[...]
        while let name = arguments.popFirst() {
            switch (name, arguments.popFirst()) {
            case ("--gatt", let file?): tables = try GATTFiles.read(example.folder.appending(path: file).path)
            case ("-Y", let text?): filter = text
            case ("--plugin", let path?): named.append(example.folder.appending(path: path).standardized.path)
            default: throw UnknownOption(name: name)
            }
        }
        let library = try PluginLibrary.load(named, environment: [:], extent: .decoding)
        plugins = library.plugins
        assumedPlugin = library.assumed
    }

    struct UnknownOption: Error {
        var name: String
    }
}
