import Bluetooth
import Captures
import Conformance
import Conversation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Two third-party hosts on our radio: they find each other, connect, exchange data, pair and reconnect.
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

    /// The capture has both ends of the link, so each PDU occurs twice.
    @Test func enhancedBearersAreReadAndJudged() async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("radio.btsnoop")
        let radio = try RunningRadio(record: capture)
        let (status, output) = try Bumble.run("bumble_eatt.py", radio.clients)
        try await radio.end()
        #expect(status == 0, "\(output)")
        let follower = ConversationTracker(.none)
        var longValues: Set<UInt8> = []
        var notifications = 0
        let reader = try CaptureReader(path: capture)
        while let packets = try reader.next() {
            var batch = TrackedBatch()
            batch.fill(packets)
            follower.follow(&batch)
            for metadata in batch.metadata where metadata.bearer > 0 {
                switch metadata.attribute?.opcode {
                case .readResponse? where batch.value(of: metadata)?.count == 200: longValues.insert(metadata.bearer)
                case .handleValueNotification? where batch.value(of: metadata)?.count == 20: notifications += 1
                default: break
                }
            }
        }
        #expect(longValues.count == 2)
        #expect(notifications == 200)
        let outcome = try await CheckJob().run(CaptureReader(path: capture)) { _ in true }
        #expect(outcome.report.outcome(isStrict: true) == .obeyed)
    }
}
