import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// The second view of a PDU is shown, and tracked only once.
struct SecondViewTests {
    /// A notification on the air with a comment.
    private func track(comment: String?) -> (metadata: FrameMetadata, batch: TrackedBatch) {
        let air = AirSession()
        let peers = ["c0:00:00:00:00:10", "c0:00:00:00:00:01"].map { DeviceAddress(Address($0)!, .random) }
        air.connect(peers[0], to: peers[1]).notify(Handle(0x0010), [1, 2, 3])
        if let comment { air.recording.comment(comment) }
        var tracker = Tracker()
        let batch = tracker.track(air.recording.batch)
        return (batch.metadata[batch.metadata.count - 1], batch)
    }

    @Test func aPDUWithoutALinkIsTracked() {
        let (metadata, batch) = track(comment: "a note")
        #expect(metadata.attribute?.opcode == .handleValueNotification)
        #expect(metadata.notes.isDisjoint(with: [.merged, .secondView]))
        #expect(batch.views(of: metadata).isEmpty)
    }

    @Test func aFirstViewIsTracked() {
        let (metadata, batch) = track(comment: "gattbench: heard in frame 7, 0.004 ms later")
        #expect(metadata.attribute?.opcode == .handleValueNotification)
        #expect(metadata.notes.contains(.merged))
        #expect(batch.views(of: metadata).first?.frame == 7)
    }

    @Test func aSecondViewHasTheMTU() {
        let air = AirSession()
        let peers = ["c0:00:00:00:00:10", "c0:00:00:00:00:01"].map { DeviceAddress(Address($0)!, .random) }
        let link = air.connect(peers[0], to: peers[1])
        link.request(ATT.ExchangeMTURequest(clientRxMTU: 247))
        air.recording.comment("gattbench: second view: sent in frame 7, 1.000 ms earlier")
        link.respond(ATT.ExchangeMTUResponse(serverRxMTU: 185))
        air.recording.comment("gattbench: second view: received in frame 9, 1.000 ms later")
        var tracker = Tracker()
        _ = tracker.track(air.recording.batch)
        #expect(tracker.connections.first?.mtu == 185)
    }

    @Test(arguments: ["received in frame 7, 1.000 ms later", "heard only"])
    func aSecondViewIsReassembledOnly(text: String) {
        let (metadata, batch) = track(comment: "gattbench: second view: \(text)")
        #expect(metadata.attribute == nil)
        #expect(metadata.pdu.isPresent)
        #expect(metadata.channel == L2CAP.ChannelID.att.rawValue)
        #expect(metadata.notes.contains(.secondView))
        #expect(batch.views(of: metadata).first?.isSecondView == true)
    }
}
