import Captures
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Every folder of `captures/` is a test: the case generates the same capture, which decodes to the expected output.
///
/// `GATTBENCH_REWRITE_GOLDEN=1` rewrites the folders instead.
@Suite(.serialized)
struct CapturesFolderTests {
    @Test(arguments: CaptureCase.all)
    func everyFileIsWhatItsMakerMakes(_ example: CaptureCase) throws {
        for (name, bytes) in try example.makeFiles() {
            let url = example.folder.appending(path: name)
            if Repository.isRewritten {
                try FileManager.default.createDirectory(at: example.folder, withIntermediateDirectories: true)
                try Data(bytes).write(to: url)
                continue
            }
            let committed = try Array(Data(contentsOf: url))
            #expect(committed == bytes, "\(example.name)/\(name) differs from what TestKit makes; run make golden")
        }
    }

    @Test(arguments: CaptureCase.all)
    func everyCaseDecodesAsExpected(_ example: CaptureCase) async throws {
        for format in Expectation.allCases {
            let printed = try await format.print(example)
            let url = example.folder.appending(path: format.fileName)
            if Repository.isRewritten {
                try Data(printed.utf8).write(to: url)
                continue
            }
            let expected = try String(contentsOf: url, encoding: .utf8)
            if let difference = firstDifference(expected: expected, printed: printed) {
                Issue.record("\(example.name)/\(format.fileName), \(difference)")
            }
        }
    }

    @Test func theIndexListsEveryCase() throws {
        let url = CaptureCase.folder.appending(path: "README.md")
        if Repository.isRewritten { try Data(CaptureCase.index.utf8).write(to: url) }
        #expect(try String(contentsOf: url, encoding: .utf8) == CaptureCase.index)
    }

    @Test func everyFolderHasACase() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            at: CaptureCase.folder, includingPropertiesForKeys: [.isDirectoryKey]
        )
        .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
        .map(\.lastPathComponent)
        #expect(folders.sorted() == CaptureCase.all.map(\.name))
    }
}

/// The first line in which two texts differ; nil when they are equal.
func firstDifference(expected: String, printed: String) -> String? {
    guard expected != printed else { return nil }
    let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let new = printed.split(separator: "\n", omittingEmptySubsequences: false)
    let index = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    func line(_ lines: [Substring]) -> String { index < lines.count ? "\(lines[index])" : "(end of text)" }
    return "line \(index + 1):\nexpected: \(line(old))\nprinted:  \(line(new))"
}

/// The `format-` folders contain one conversation in every format.
@Suite(.disabled(if: Repository.isRewritten, "the cases are being rewritten"))
struct FormatTests {
    @Test func everyFormatGivesTheSameConversation() async throws {
        let formats = CaptureCase.all.filter { $0.name.hasPrefix("format-") }
        let reference = try await Self.conversation(#require(formats.first))
        #expect(reference.count == 21)
        for format in formats {
            let conversation = try await Self.conversation(format)
            #expect(conversation == reference, "\(format.name)")
        }
    }

    /// Formats that are only read have no folder: a capture of another format is put into them.
    @Test(arguments: ReadOnlyFormat.allCases)
    func aFormatThatIsOnlyReadGivesTheSameConversation(format: ReadOnlyFormat) async throws {
        let example = try #require(CaptureCase.named(format.example))
        let batch = try #require(try CaptureReader(path: example.path).next())
        let folder = try TemporaryFolder()
        let path = try folder.file("capture", format.file(batch))
        let expected = try await Self.conversation(example)
        #expect(try await Self.conversation(example, at: path) == expected)
    }

    /// Opcode, handle, value and characteristic of every ATT PDU.
    private static func conversation(_ example: CaptureCase, at path: String? = nil) async throws -> [String] {
        var options = try DecodeOptions(example)
        options.format = .fields
        options.filter = "btatt"
        options.fields = ["btatt.opcode", "btatt.handle", "btatt.value", "gatt.characteristic", "gatt.confidence"]
        return try await decode(path ?? example.path, options).split(separator: "\n").map(String.init)
    }
}
