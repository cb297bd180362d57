import Bytes
import Captures
import Conversation
import PDUTestKit
import TestKit
import Workbench

/// A btsnoop file of H4 packets, one a millisecond, which is removed after the test.
struct Capture {
    let path: String
    private let folder: TemporaryFolder

    enum Direction: UInt8 {
        case sent = 0
        case received = 1
    }

    init(_ packets: [(Direction, String)]) throws {
        var bytes = hex("6274736e6f6f7000 00000001 000003ea")
        for (index, packet) in packets.enumerated() {
            let data = hex(packet.1)
            let time = 0x00E0_3AB4_4A67_6000 + UInt64(index) * 1000
            bytes += Self.bigEndian(UInt64(data.count), 4) + Self.bigEndian(UInt64(data.count), 4)
            bytes += [0, 0, 0, packet.0.rawValue] + [0, 0, 0, 0] + Self.bigEndian(time, 8) + data
        }
        folder = try TemporaryFolder()
        path = try folder.file("capture", bytes)
    }

    /// The output lines of `decode`.
    func decode(_ options: DecodeOptions) async throws -> [String] {
        try await WorkbenchTests.decode(path, options).split(separator: "\n").map(String.init)
    }

    /// The tracker after the whole capture.
    func tracker() throws -> Tracker {
        var tracker = Tracker()
        let reader = try CaptureReader(path: path)
        while let batch = try reader.next() { _ = tracker.track(batch) }
        return tracker
    }

    private static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}

/// The output of `decode` for a file.
func decode(_ path: String, _ options: DecodeOptions) async throws -> String {
    var text = ""
    _ = try await DecodeJob(options).run(CaptureReader(path: path)) { bytes, _ in
        text += bytes.text(0..<bytes.byteCount)
        return true
    }
    return text
}
