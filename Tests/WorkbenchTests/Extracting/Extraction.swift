import Bytes
import Captures
import Conversation
import Foundation
import PDUTestKit
import TestKit
import Testing

@testable import Workbench

/// A capture and what `extract` writes of it.
struct Extraction {
    let path: String
    let folder: TemporaryFolder
    var decoding = FrameDecoding()

    init(_ path: String) throws {
        self.path = path
        folder = try TemporaryFolder()
        decoding.plugins = try PluginLibrary.builtIn().plugins
    }

    /// A recording as a file.
    init(_ recording: Recording) throws {
        folder = try TemporaryFolder()
        let bytes = try recording.kind == .hci ? recording.btsnoop() : recording.file(.pcapng, .linkLayerWithHeader)
        path = try folder.file("whole", bytes)
        decoding.plugins = try PluginLibrary.builtIn().plugins
    }

    /// A folder of `captures/`, with the options of its README.
    init(folder name: String) throws {
        let url = Repository.url("captures/\(name)")
        let files = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        let file = try #require(files.first { $0.hasPrefix("capture.") })
        try self.init(url.appending(path: file).path)
        let options = (try? Repository.text("captures/\(name)/options").split(separator: "\n").map(String.init)) ?? []
        let pairs = stride(from: 0, to: options.count - 1, by: 2).map { (options[$0], options[$0 + 1]) }
        let plugins = pairs.filter { $0.0 == "--plugin" }.map { url.appending(path: $0.1).standardized.path }
        decoding.plugins = try PluginLibrary.load(plugins, environment: [:], extent: .decoding).plugins
        for pair in pairs where pair.0 == "--gatt" {
            decoding.importedTables = try GATTFiles.read(url.appending(path: pair.1).path)
        }
    }

    /// The folders of `captures/`.
    static let folders: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("captures"))) ?? []
        return names.filter { FileManager.default.fileExists(atPath: Repository.path("captures/\($0)/README.md")) }
            .sorted()
    }()

    /// Extracts a selection into `part`.
    func extract(_ select: (inout FrameSelection) throws -> Void) async throws -> ExtractJob.Report {
        var job = ExtractJob()
        job.decoding = decoding
        try select(&job.selection)
        let reader = try CaptureReader(path: path)
        let format = CaptureFormat.writable.contains(reader.format) ? reader.format : .pcapng
        return try await job.run(reader, to: part, format: format)
    }

    var part: String { folder.path("part") }

    /// What `decode -T ndjson` prints for each frame of a file.
    func decoded(_ path: String) async throws -> [JSONValue] {
        var options = DecodeOptions()
        options.format = .ndjson
        options.plugins = decoding.plugins
        options.tables = decoding.importedTables
        options.keys = decoding.keys
        return try await decode(path, options).split(separator: "\n").map { try JSONValue(reading: Array($0.utf8)) }
    }

    /// The members of a frame that names and plugins make.
    static let members = ["gatt", "device", "values", "peer", "peer_name"]

    /// Checks that the selected frames are decoded as in the whole capture, and returns the numbers of all frames kept.
    @discardableResult
    func check(_ report: ExtractJob.Report) async throws -> [Int] {
        let numbers = report.kept.numbers
        #expect(report.conversion.packetsWritten == numbers.count)
        let whole = try await decoded(path)
        let part = try await decoded(part)
        try #require(part.count == numbers.count)
        for (place, number) in numbers.enumerated() where report.selected.contains(number) {
            let original = try #require(whole.first { $0["frame"] == .integer(number) })
            for member in Self.members {
                #expect(part[place][member] == original[member], "\(path): frame \(number), \(member)")
            }
        }
        return numbers
    }
}
