import Bytes
import Foundation
import PDUTestKit
import Testing

@testable import Archives

/// A folder of files from which the system's own programs make archives; removed on deinit.
final class ArchiveBuilder {
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/archives-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let parent = (path(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path(name)))) }

    /// Runs a program in the folder.
    func run(_ command: String...) throws { try run(command) }

    func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableNotLoadable) }
    }

    func open(_ name: String, member: String? = nil, limits: ArchiveLimits = ArchiveLimits()) throws -> CaptureFile {
        var options = CaptureFile.Options(member: member)
        options.temporaryFolder = folder
        options.limits = limits
        return try CaptureFile(path(name), options)
    }
}

/// A btsnoop file with this many HCI Resets, one a second.
func makeLog(packets: Int, from second: Int64 = 0) -> [UInt8] {
    CaptureBuilder.btsnoop(
        1002,
        (0..<packets).map {
            CaptureBuilder.btsnoopRecord(
                CaptureBuilder.reset, flags: 2, time: CaptureBuilder.time + (second + Int64($0)) * 1_000_000)
        })
}

/// A btsnoop file with ACL packets of random content, which no archiver makes smaller.
func makeNoise(packets: Int) -> [UInt8] {
    var random = SplitMix64(seed: 3)
    return CaptureBuilder.btsnoop(
        1002,
        (0..<packets).map { _ in
            let content = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            return CaptureBuilder.btsnoopRecord([2, 0x40, 0x20, 200, 0] + content)
        })
}

extension Trait where Self == ConditionTrait {
    /// libarchive is installed.
    static var libarchive: Self {
        .enabled(if: ArchiveReader.libraryFault == nil, "\(ArchiveReader.libraryFault ?? "")")
    }

    /// The system's archivers are installed.
    static var archivers: Self {
        let missing = ["zip", "xz", "7z"].filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
        return .enabled(if: missing.isEmpty, "\(missing.joined(separator: ", ")): not installed")
    }
}
