import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Decoding of packets as they arrive.
struct LiveDecoderTests {
    @Test func framesAreNumberedFrom1() throws {
        var options = DecodeOptions()
        options.format = .fields
        options.fields = ["frame.number", "bthci_cmd.opcode"]
        let decoder = try LiveDecoder(options)
        let lines = [CaptureBuilder.reset, CaptureBuilder.resetComplete, CaptureBuilder.reset].map {
            decoder.decode(h4: $0, direction: .sent, time: Timestamp(nanoseconds: 0))
        }
        #expect(lines == ["1\t0x0c03\n", "2\t\n", "3\t0x0c03\n"])
    }

    /// A device's name cannot forge lines or reorder text on a terminal.
    @Test(arguments: [
        ("a\nb\r\u{1B}[31m", "a\\nb\\r\\u{1B}[31m", "a\\nb\\r\\x1b[31m"),
        ("\u{202E}kcup\u{9B}", "\\u{202E}kcup\\u{9B}", "\\u{202E}kcup\\u{9B}"),
        ("Bücher 👩‍👧", "Bücher 👩‍👧", "Bücher 👩‍👧"),
    ])
    func aNameIsLegible(name: String, peer: String, value: String) throws {
        let session = HCISession()
        let device = try #require(Address("c0:ff:ee:00:00:01"))
        session.report(DeviceAddress(device, .random), [.completeLocalName(name)])
        var options = DecodeOptions()
        options.showsTree = true
        let decoder = try LiveDecoder(options)
        let report = try #require(session.recording.packets.last)
        let text = try #require(decoder.decode(h4: report.bytes, direction: .received, time: report.time))
        #expect(text.split(separator: "\n").first?.contains(" \(peer) ") == true, "\(text)")
        #expect(text.contains(": \(value)\n"), "\(text)")
    }
}
