import Bytes
import Captures
import Foundation
import Workbench

/// The expected output of a case: one format of `gattbench decode`.
enum Expectation: CaseIterable {
    case text, ndjson

    var fileName: String {
        switch self {
        case .text: "expected.txt"
        case .ndjson: "expected.ndjson"
        }
    }

    /// The output of `gattbench decode` for a case; as text, with `-V`.
    func print(_ example: CaptureCase) async throws -> String {
        var options = try DecodeOptions(example)
        switch self {
        case .text: options.showsTree = true
        case .ndjson: options.format = .ndjson
        }
        return try await decode(example.path, options)
    }
}

/// The output of `gattbench decode` for a file.
func decode(_ path: String, _ options: DecodeOptions) async throws -> String {
    var printed: [UInt8] = []
    _ = try await DecodeJob(options).run(CaptureReader(path: path)) { text, _ in
        for offset in text.byteOffsets { printed.append(text.byte(at: offset)) }
        return true
    }
    return String(decoding: printed, as: UTF8.self)
}

extension DecodeOptions {
    /// Parses the case's arguments.
    init(_ example: CaptureCase) throws {
        self.init()
        var arguments = example.options[...]
        while let name = arguments.popFirst() {
            switch (name, arguments.popFirst()) {
            case ("--gatt", let file?): tables = try GATTFiles.read(example.folder.appending(path: file).path)
            case ("-Y", let text?): filter = text
            case ("--plugin", _?): continue
            default: throw UnknownOption(name: name)
            }
        }
        let library = try example.library(.decoding)
        plugins = library.plugins
    }

    struct UnknownOption: Error {
        var name: String
    }
}

extension CaptureCase {
    /// The plugins of the case: the built-in ones and those that its options name.
    func library(_ extent: PluginLibrary.Extent) throws -> PluginLibrary {
        let named = zip(options, options.dropFirst()).filter { $0.0 == "--plugin" }.map {
            folder.appending(path: $0.1).standardized.path
        }
        return try PluginLibrary.load(named, environment: [:], extent: extent)
    }
}
