import Captures
import TestKit
import Testing

/// Two hosts that others wrote, on our radio: they find each other, connect, exchange, pair and come back.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleRadioTests {
    @Test(arguments: [
        "legacy-advertising+secure-connections", "legacy-advertising+passkey", "extended-advertising+legacy-pairing",
        "extended-advertising+numeric-comparison",
    ])
    func twoHostsMeet(mode: String) async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("radio.btsnoop")
        let radio = try RunningRadio(record: capture)
        let (status, output) = try Bumble.run("bumble_pair.py", radio.clients + [mode])
        try await radio.end()
        #expect(status == 0, "\(output)")
        #expect(output.split(separator: "\n").count { $0.hasPrefix("ok ") } >= 11, "\(output)")
        var packets = 0
        let reader = try CaptureReader(path: capture)
        while let batch = try reader.next() { packets += batch.packets.count }
        #expect(packets > 500)
        if Tshark.path != nil {
            #expect(try Tshark.run(["-r", capture, "-Y", "_ws.malformed"]).isEmpty)
        }
    }
}
