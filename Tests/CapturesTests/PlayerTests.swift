import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

/// Runs a program of `Tests/Players`, which writes files to a folder; returns its output.
private func play(_ program: String, in folder: TemporaryFolder, _ arguments: [String] = []) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Repository.path("Tests/Players/\(program)"), folder.path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableRuntimeMismatch) }
    return data
}

private func lines(_ folder: TemporaryFolder, _ name: String) throws -> [String] {
    try folder.text(name).split(separator: "\n").map(String.init)
}

private func isInstalled(_ program: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
}

/// Files of writers that know the formats from their descriptions alone.
@Suite("files of independent writers", .enabled(if: isInstalled("python3"), "python3 is not installed"))
struct PlayerTests {
    /// Traffic of a three-wire UART: both ends with their windows, acknowledgements and repetitions.
    struct ThreeWireTraffic: Decodable {
        /// HCI packets of a line that were repeated without damage.
        var repeated: [String: Int]

        static let retransmission = "retransmission of the three-wire UART"
    }

    @Test(
        arguments: [
            [], ["--no-crc", "--flow-control"], ["--loss", "0.1"], ["--loss", "0.2", "--window", "7", "--no-crc"],
            ["--damage", "0.05"], ["--damage", "0.1", "--loss", "0.1", "--window", "3", "--flow-control"],
        ])
    func threeWireTrafficIsReadOnce(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let output = try play("three_wire_player.py", in: folder, arguments)
        let traffic = try JSONDecoder().decode(ThreeWireTraffic.self, from: output)
        let isWhole = !arguments.contains("--damage")

        for line in ["tx", "rx"] {
            let source = try ByteSource(path: folder.path("\(line).bin"))
            let capture = try ReadCapture(CaptureReader(source: source, as: .h5))
            #expect(try capture.bytes.map { hexText($0) } == lines(folder, "\(line).txt"))
            #expect(capture.packets.allSatisfy { $0.direction == (line == "tx" ? .sent : .received) })
            #expect(capture.skippedRecords[ThreeWireTraffic.retransmission, default: 0] == traffic.repeated[line])
            #expect(capture.skippedRecords["link control message of the three-wire UART", default: 0] > 4)
            if isWhole {
                #expect(capture.warnings.isEmpty)
                #expect(capture.packets.allSatisfy { $0.drops == 0 })
            }
        }
        let both = try ReadCapture(path: folder.path("both.btsnoop"))
        let packets = both.packets.indices.map {
            "\(both.packets[$0].direction == .sent ? "S" : "R") \(hexText(both.bytes[$0]))"
        }
        #expect(try packets == lines(folder, "both.txt"))
        let repeated = traffic.repeated.values.reduce(0, +)
        #expect(both.skippedRecords[ThreeWireTraffic.retransmission, default: 0] == repeated)
        #expect(both.warnings.isEmpty == isWhole)
    }

    @Test(arguments: 1...3) func aFileOfTheSmartRFSnifferIsRead(seed: Int) throws {
        let folder = try TemporaryFolder()
        _ = try play("smartrf_writer.py", in: folder, ["--seed", "\(seed)"])
        let capture = try ReadCapture(path: folder.path("sniffed.psd"))
        #expect(capture.format == .smartRF)
        #expect(capture.warnings.isEmpty)
        let first = try #require(capture.packets.first).time.nanoseconds
        let packets = capture.packets.indices.map { index in
            let bytes = capture.bytes[index]
            // RF channel, signal, and the flag of a valid CRC (tcpdump.org, LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
            let isValid = bytes[9] & 8 != 0 ? 1 : 0
            return "\(capture.packets[index].time.nanoseconds - first) \(bytes[0]) \(Int8(bitPattern: bytes[1])) "
                + "\(isValid) \(hexText(bytes[10...]))"
        }
        #expect(try packets == lines(folder, "sniffed.txt"))
    }
}
