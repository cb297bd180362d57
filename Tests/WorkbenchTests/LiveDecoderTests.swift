import Bytes
import Captures
import TestKit
import Testing
import Workbench

/// Packets that are decoded as they come.
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
}
