import Foundation
import Testing

/// Every folder of `captures/` is a test: the capture is what its maker makes, and decodes to what is expected.
///
/// `GATTBENCH_REWRITE_GOLDEN=1` rewrites the folders instead.
@Suite(.serialized)
struct CapturesFolderTests {
    @Test(arguments: CaptureCase.all)
    func everyFileIsWhatItsMakerMakes(_ example: CaptureCase) throws {
        for (name, bytes) in try example.makeFiles() {
            let url = example.folder.appending(path: name)
            if CaptureCase.rewrites {
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
            if CaptureCase.rewrites {
                try Data(printed.utf8).write(to: url)
                continue
            }
            let expected = try String(contentsOf: url, encoding: .utf8)
            if let difference = firstDifference(expected: expected, printed: printed) {
                Issue.record("\(example.name)/\(format.fileName), \(difference)")
            }
        }
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
