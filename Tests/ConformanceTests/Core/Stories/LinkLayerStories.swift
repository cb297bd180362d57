import Bluetooth
import TestKit

extension CoreStory {
    private static let connection: @Sendable (Stage) -> Void = { $0.connect() }
    private static let ping: @Sendable (Stage) -> Void = { stage in
        stage.centralLL("12")
        stage.peripheralLL("13")
    }
    private static let features: @Sendable (Stage) -> Void = { stage in
        stage.centralLL("08 ff00000000000000")
        stage.peripheralLL("09 ff00000000000000")
    }

    static let linkLayer: [CoreStory] = [
        CoreStory("CORE-LL-01", onAir: true, good: connection) { stage in
            stage.breaks { stage.connect(interval: 5) }
        },
        CoreStory("CORE-LL-02", onAir: true, good: connection) { stage in
            stage.breaks { stage.connect(latency: 10) }
        },
        CoreStory("CORE-LL-03", onAir: true, good: connection) { stage in
            stage.breaks { stage.connect(accessAddress: 0x8E89_BED7) }
        },
        CoreStory("CORE-LL-04", onAir: true, good: connection) { stage in
            stage.breaks { stage.connect(hop: 4) }
        },
        CoreStory("CORE-LL-05", onAir: true, good: connection) { stage in
            stage.breaks { stage.centralLL("01 0100000000 0a00") }
        },
        CoreStory("CORE-LL-06", onAir: true, good: ping) { stage in
            stage.breaks { stage.centralLL("12 00") }
            stage.peripheralLL("07 12")
        },
        CoreStory("CORE-LL-07", onAir: true, good: ping) { stage in
            stage.breaks { stage.centralLL("12") }
            stage.wait(seconds: 41)
        },
        CoreStory("CORE-LL-08", onAir: true, good: features) { stage in
            stage.centralLL("12")
            stage.breaks { stage.centralLL("08 ff00000000000000") }
            stage.peripheralLL("09 ff00000000000000")
        },
        CoreStory("CORE-LL-09", onAir: true, good: ping) { stage in
            stage.centralLL("12")
            stage.peripheralLL("13")
            stage.breaks { stage.peripheralLL("13") }
        },
        CoreStory("CORE-LL-10", onAir: true) { stage in
            stage.centralLL("0c 0d 0f00 0001")
            stage.peripheralLL("0c 0d 0f00 0001")
        } bad: { stage in
            stage.centralLL("0c 0d 0f00 0001")
            stage.peripheralLL("0c 0d 0f00 0001")
            stage.breaks { stage.centralLL("0c 0d 0f00 0002") }
        },
        CoreStory("CORE-LL-11", onAir: true) { stage in
            stage.centralLL("14 fb00 4808 fb00 4808")
            stage.peripheralLL("15 fb00 4808 fb00 4808")
        } bad: { stage in
            stage.centralLL("14 fb00 4808 fb00 4808")
            stage.breaks { stage.peripheralLL("15 1a00 4808 fb00 4808") }
        },
        CoreStory("CORE-LL-12", onAir: true, good: features) { stage in
            stage.breaks { stage.peripheralLL("08 ff00000000000000") }
            stage.centralLL("09 ff00000000000000")
        },
        CoreStory("CORE-LL-12", onAir: true) { stage in
            stage.peripheralLL("26 0100 0400 0000 0000 2a00")
            stage.centralLL("27 0400 0000 0000 0000 2a00")
        } bad: { stage in
            stage.breaks { stage.centralLL("26 0100 0400 0000 0000 2a00") }
            stage.peripheralLL("07 26")
        },
        CoreStory("CORE-LL-12", onAir: true) { stage in
            stage.centralLL("27 0400 0000 0000 0000 2a00")
        } bad: { stage in
            stage.breaks { stage.peripheralLL("27 0400 0000 0000 0000 2a00") }
        },
        CoreStory("CORE-LL-12", onAir: true) { stage in
            stage.centralLL("28 01 05 0a")
            stage.peripheralLL("29 00000000000000000000")
        } bad: { stage in
            stage.breaks { stage.peripheralLL("28 01 05 0a") }
        },
    ]
}
