import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

/// Captures of other tools, and tshark's decoding of them; not part of the project.
private enum Reference {
    static let folder = Repository.shared.appending(path: "captures").path

    static let isThere = FileManager.default.fileExists(atPath: folder)

    static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".tshark.tsv") }.map { String($0.dropLast(".tshark.tsv".count)) }.sorted()

    static func path(_ file: String) -> String { folder + "/" + file }

    /// `frame.number` and `frame.time_epoch`.
    static func rows(_ file: String) throws -> [[String]] {
        try String(contentsOfFile: path(file) + ".tshark.tsv", encoding: .utf8).split(separator: "\n").dropFirst()
            .map {
                $0.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).prefix(2).map(String.init)
            }
    }
}

/// Runs tshark, if it is installed.
private enum Tshark {
    static let path = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first(where: FileManager.default.isExecutableFile)

    /// The values of `fields` in each frame of the capture at `file`.
    static func read(_ file: String, fields: [String]) throws -> [[String]] {
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = ["-n", "-r", file, "-T", "fields"] + fields.flatMap { ["-e", $0] }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }
}

extension Timestamp {
    /// Formatted like tshark's `frame.time_epoch`.
    fileprivate var epochText: String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(rest)
        return "\(seconds)." + String(repeating: "0", count: 9 - digits.count) + digits
    }
}

@Test(.enabled(if: Reference.isThere, "../shared/captures is not there"), arguments: Reference.files)
private func framesAndTimesAreThoseOfTshark(file: String) throws {
    let capture = try ReadCapture(path: Reference.path(file))
    let rows = capture.packets.map { ["\($0.number)", $0.time.epochText] }
    #expect(try rows == Reference.rows(file))
    #expect(capture.warnings.isEmpty)
}

@Test(
    .enabled(if: Reference.isThere && Tshark.path != nil, "tshark or ../shared/captures is not there"),
    arguments: Reference.files)
private func frameLengthsAreThoseOfTshark(file: String) throws {
    let capture = try ReadCapture(path: Reference.path(file))
    let rows = try Tshark.read(Reference.path(file), fields: ["frame.len", "frame.cap_len"])
    #expect(capture.packets.map { ["\($0.frameLength)", "\($0.capturedFrameLength)"] } == rows)
}

/// Converts each capture to every format that can hold it and compares tshark's decoding with that of the original.
@Test(
    .enabled(if: Reference.isThere && Tshark.path != nil, "tshark or ../shared/captures is not there"),
    arguments: Reference.files)
private func tsharkReadsTheSameAfterConversion(file: String) throws {
    let folder = try TemporaryFolder()
    let fields = [
        "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value", "btsmp.opcode", "btle.access_address",
    ]
    let original = try Tshark.read(Reference.path(file), fields: fields)
    let isLinkLayer = file.hasPrefix("ll") || file.hasPrefix("nordic")
    let formats: [CaptureFormat] = isLinkLayer ? [.pcap, .pcapng] : CaptureFormat.writable
    for format in formats {
        let path = folder.path("converted." + format.fileExtension)
        let report = try Converter.convert(CaptureReader(path: Reference.path(file)), to: path, format: format)
        let left = Set(report.losses.filter(\.kind.isLeftOut).compactMap(\.firstFrame))
        // tshark 4.0 does not read the ISO records of PacketLogger.
        if format == .packetLogger, file.contains("iso") { continue }
        let expected = original.enumerated().filter { !left.contains($0.offset + 1) }.map(\.element)
        let isEqual = try Tshark.read(path, fields: fields) == expected
        #expect(isEqual, "\(file) as \(format.name)")
        #expect(report.packetsWritten == expected.count)
    }
}

/// The nRF Sniffer capture was derived from the one with pseudo-headers; converting it back must restore them.
@Test(.enabled(if: Reference.isThere, "../shared/captures is not there"))
private func nordicHeadersBecomeThePseudoHeadersThatTheyWereMadeFrom() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("converted")
    let reader = try CaptureReader(path: Reference.path("nordic272-legacy-passkey-pairing.pcap"))
    _ = try Converter.convert(reader, to: path, format: .pcap, linkType: .linkLayerWithHeader)
    let original = try ReadCapture(path: Reference.path("ll256-legacy-passkey-pairing-encrypted.pcap")).bytes
    let converted = try ReadCapture(path: path).bytes
    #expect(converted.count == original.count)
    // Channel, signal and packet agree; the noise of the original is not marked valid in the result.
    #expect(zip(converted, original).allSatisfy { $0[..<2] == $1[..<2] && $0[10...] == $1[10...] })
    // The original lacks the direction of 12 packets; Nordic's header always contains one.
    #expect(zip(converted, original).count { $0[8..<10] != $1[8..<10] } == 12)
}
