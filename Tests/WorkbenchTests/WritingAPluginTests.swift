import Bytes
import Captures
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

private let profilePath = Repository.path("captures/soil-sensor/profile.yaml")
private let capturePath = Repository.path("captures/soil-sensor/capture.btsnoop")

/// The code blocks of one language in docs/writing-a-plugin.md, as lines.
private func blocks(_ language: String) throws -> [[String]] {
    let text = try Repository.text("docs/writing-a-plugin.md")
    return text.components(separatedBy: "```\(language)\n").dropFirst().map {
        let block = $0.components(separatedBy: "```")[0]
        return block.split(separator: "\n").map(String.init)
    }
}

private func decode(_ names: [String], _ change: (inout DecodeOptions) -> Void = { _ in }) async throws -> String {
    let library = try PluginLibrary.load(names, environment: [:])
    var options = DecodeOptions()
    options.plugins = library.plugins
    change(&options)
    var printed: [UInt8] = []
    _ = try await DecodeJob(options).run(CaptureReader(path: capturePath)) { text, _ in
        for offset in text.byteOffsets { printed.append(text.byte(at: offset)) }
        return true
    }
    return String(decoding: printed, as: UTF8.self)
}

/// docs/writing-a-plugin.md shows the program's actual output.
struct WritingAPluginTests {
    @Test func everyPieceOfTheProfileStandsInTheProfile() throws {
        let pieces = try blocks("yaml")
        #expect(pieces.count == 11)
        let sensor = try String(contentsOfFile: profilePath, encoding: .utf8)
        for piece in pieces.prefix(7) { #expect(sensor.contains(piece.joined(separator: "\n")), "\(piece[0])") }
        let tag = try Repository.text("captures/ruuvi-tag/profile.yaml")
        for piece in pieces.dropFirst(7) { #expect(tag.contains(piece.joined(separator: "\n")), "\(piece[0])") }
    }

    @Test func theDeviceIsUnknownWithoutTheProfile() async throws {
        let printed = try await decode([])
        for line in try blocks("text")[0].dropFirst() { #expect(printed.contains(line + "\n"), "\(line)") }
    }

    @Test func theDeviceIsDecodedWithTheProfile() async throws {
        let printed = try await decode([profilePath])
        for line in try blocks("text")[2].dropFirst() { #expect(printed.contains(line + "\n"), "\(line)") }
    }

    @Test func itsFieldsAreColumnsAndFilters() async throws {
        let printed = try await decode([profilePath]) {
            $0.format = .fields
            $0.filter = "meadow.sample.moisture < 50"
            $0.fields = ["frame.number", "meadow.sample.moisture", "meadow.sample.temperature"]
        }
        #expect(try blocks("text")[3].dropFirst().joined(separator: "\n") + "\n" == printed)
    }

    @Test func itsValueIsOneObject() async throws {
        let printed = try await decode([profilePath]) { $0.format = .ndjson }
        #expect(printed.contains("\"device\":" + (try blocks("json")[0][0])))
    }

    @Test func faultsHaveTheirPlaceAndAdvice() throws {
        let text = try String(contentsOfFile: profilePath, encoding: .utf8)
            .replacing("range: [0, 100]}", with: "rnage: [0, 100]}").replacing("u16, unit: lx", with: "u61, unit: lx")
        let folder = try TemporaryFolder()
        try folder.file("profile.yaml", text.utf8)
        let error = #expect(throws: (any Error).self) { try PluginLibrary.load([folder.path], environment: [:]) }
        let reported = "\(try #require(error))".replacing(folder.path, with: "wrong")
        for line in try blocks("text")[1].dropFirst(2) { #expect(reported.contains(line), "\(line)") }
    }
}
