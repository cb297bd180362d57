import Bluetooth
import Captures
import PDUTestKit
import TestKit

extension Stage {
    /// Opens a credit-based channel: the peer receives on 0x0041 with MTU 23, MPS 23 and one credit.
    fileprivate func openChannel() {
        sentSignal("14 01 0a00 8000 4000 1700 1700 0100")
        receivedSignal("15 01 0a00 4100 1700 1700 0100 0000")
    }

    /// Sends a K-frame to the peer's endpoint.
    fileprivate func sendFrame(_ payload: String) {
        link.carry(hex(payload), on: L2CAP.ChannelID(0x0041), .sent)
    }
}

extension CoreStory {
    /// Requests an interval of 6 to 12, which the central accepts.
    private static let parameterUpdate: @Sendable (Stage) -> Void = { stage in
        stage.receivedSignal("12 01 0800 0600 0c00 0000 c800")
        stage.sentSignal("13 01 0200 0000")
    }
    private static let oneFrame: @Sendable (Stage) -> Void = { stage in
        stage.openChannel()
        stage.sendFrame("0200 aabb")
    }

    static let l2cap: [CoreStory] = [
        CoreStory("CORE-L2CAP-01", good: parameterUpdate) { stage in
            stage.breaks { stage.receivedSignal("12 01 0800 0600 0c00 0000 c800 12 02 0800 0600 0c00 0000 c800") }
            stage.sentSignal("13 01 0200 0000")
        },
        CoreStory("CORE-L2CAP-02", good: parameterUpdate) { stage in
            stage.breaks { stage.receivedSignal("12 00 0800 0600 0c00 0000 c800") }
        },
        CoreStory("CORE-L2CAP-03", good: parameterUpdate) { stage in
            stage.receivedSignal("12 01 0800 0600 0c00 0000 c800")
            stage.breaks { stage.sentSignal("13 02 0200 0000") }
        },
        CoreStory("CORE-L2CAP-03") { stage in
            // A duplicate request gets a duplicate response.
            for _ in 0..<2 { stage.receivedSignal("12 01 0800 0600 0c00 0000 c800") }
            for _ in 0..<2 { stage.sentSignal("13 01 0200 0000") }
        } bad: { stage in
            for _ in 0..<2 { stage.receivedSignal("12 01 0800 0600 0c00 0000 c800") }
            for _ in 0..<2 { stage.sentSignal("13 01 0200 0000") }
            stage.breaks { stage.sentSignal("13 01 0200 0000") }
        },
        CoreStory("CORE-L2CAP-04", good: parameterUpdate) { stage in
            stage.breaks { stage.sentSignal("12 01 0800 0600 0c00 0000 c800") }
            stage.receivedSignal("01 01 0200 0000")
        },
        CoreStory("CORE-L2CAP-05", good: parameterUpdate) { stage in
            stage.breaks { stage.receivedSignal("12 01 0800 0500 0c00 0000 c800") }
            stage.sentSignal("13 01 0200 0100")
        },
        CoreStory("CORE-L2CAP-06", good: oneFrame) { stage in
            stage.openChannel()
            stage.sendFrame("0200 aabb")
            stage.breaks { stage.sendFrame("0200 aabb") }
        },
        CoreStory("CORE-L2CAP-07", good: oneFrame) { stage in
            stage.openChannel()
            stage.breaks { stage.sendFrame("1600" + String(repeating: "aa", count: 22)) }
        },
        CoreStory("CORE-L2CAP-08", good: oneFrame) { stage in
            stage.openChannel()
            stage.breaks { stage.sendFrame("1800 aabb") }
        },
        CoreStory("CORE-L2CAP-09", good: oneFrame) { stage in
            stage.openChannel()
            stage.breaks { stage.sendFrame("0100 aabb") }
        },
        CoreStory("CORE-L2CAP-10") { stage in
            stage.openChannel()
            stage.receivedSignal("16 02 0400 4100 feff")
        } bad: { stage in
            stage.openChannel()
            stage.breaks { stage.receivedSignal("16 02 0400 4100 ffff") }
        },
        CoreStory("CORE-L2CAP-11", good: oneFrame) { stage in
            stage.breaks { stage.sentSignal("14 01 0a00 8000 4000 1600 1700 0100") }
            stage.receivedSignal("15 01 0a00 0000 0000 0000 0000 0b00")
        },
        CoreStory("CORE-L2CAP-11") { stage in
            stage.sentSignal("14 01 0a00 ff00 7f00 ffff fdff ffff")
            stage.receivedSignal("15 01 0a00 4100 1700 1700 0100 0000")
        } bad: { stage in
            stage.breaks { stage.sentSignal("14 01 0a00 ff00 7f00 ffff feff ffff") }
            stage.receivedSignal("15 01 0a00 0000 0000 0000 0000 0b00")
        },
        CoreStory("CORE-L2CAP-12", good: oneFrame) { stage in
            stage.breaks { stage.link.carry(hex("aabb"), on: L2CAP.ChannelID(0x0055), .sent) }
        },
        CoreStory("CORE-L2CAP-13") { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.breaks { stage.link.carry(hex("0300 0400 0a0c00 ff"), .sent) }
            stage.server("0b 64")
        },
    ]
}
