import Bluetooth
import PDUTestKit
import TestKit

extension CoreStory {
    static let hci: [CoreStory] = [
        CoreStory("CORE-HCI-01") { stage in
            stage.hci.event(hex("0e 04 01 030c 00"))
            stage.hci.command(hex("0920 00"))
            stage.hci.event(hex("0e 04 01 0920 00"))
            stage.hci.command(hex("0920 00"))
        } bad: { stage in
            stage.hci.event(hex("0e 04 01 030c 00"))
            stage.hci.command(hex("0920 00"))
            stage.breaks { stage.hci.command(hex("0920 00")) }
        },
        CoreStory("CORE-HCI-02") { stage in
            stage.hci.command(hex("0604 03 4000 13"))
        } bad: { stage in
            stage.breaks { stage.hci.command(hex("0604 03 4000 08")) }
        },
        CoreStory("CORE-HCI-03") { stage in
            stage.hci.command(hex("0b20 07 01 1000 1000 00 00"))
        } bad: { stage in
            stage.breaks { stage.hci.command(hex("0b20 07 01 1000 1100 00 00")) }
        },
        CoreStory("CORE-HCI-04") { stage in
            stage.hci.command(hex("0620 0f a000 f000 00 00 00 000000000000 07 00"))
        } bad: { stage in
            stage.breaks { stage.hci.command(hex("0620 0f 1f00 f000 00 00 00 000000000000 07 00")) }
        },
        CoreStory("CORE-HCI-05") { stage in
            stage.hci.command(hex("1320 0e 4000 1800 2800 0000 2a00 0000 0000"))
        } bad: { stage in
            stage.breaks { stage.hci.command(hex("1320 0e 4000 1800 2800 0a00 2a00 0000 0000")) }
        },
    ]
}
