import Bluetooth
import TestKit

extension CoreStory {
    private static let flags: @Sendable (Stage) -> Void = { $0.report("02 01 06") }

    static let advertising: [CoreStory] = [
        CoreStory("CORE-ADV-01", good: flags) { stage in
            stage.breaks { stage.report("02 01 06 05 09 41") }
        },
        CoreStory("CORE-ADV-02") { stage in
            stage.report("02 01 06 00 00 00")
        } bad: { stage in
            stage.breaks { stage.report("02 01 06 00 00 01") }
        },
        CoreStory("CORE-ADV-03", good: flags) { stage in
            stage.breaks { stage.report("02 01 06 02 01 06") }
        },
        CoreStory("CORE-ADV-04") { stage in
            stage.report("03 03 0f18")
        } bad: { stage in
            stage.breaks { stage.report("03 02 0f18 03 03 0a18") }
        },
        CoreStory("CORE-ADV-05") { stage in
            stage.report("01 01 03 03 0f18")
        } bad: { stage in
            stage.breaks { stage.report("04 03 0f18 0a") }
        },
        CoreStory("CORE-ADV-06", good: flags) { stage in
            stage.report("02 0a 04")
            stage.breaks { stage.report("02 01 06", type: 4) }
        },
        CoreStory("CORE-ADV-07", good: flags) { stage in
            stage.breaks { stage.report("02 01 07") }
        },
        CoreStory("CORE-ADV-08") { stage in
            stage.report("05 09 5a c3bc 69")
        } bad: { stage in
            stage.breaks { stage.report("03 09 5a c3") }
        },
        CoreStory("CORE-ADV-09") { stage in
            stage.report("03 08 4142")
            stage.report("04 09 414243", type: 4)
        } bad: { stage in
            stage.report("03 08 4143")
            stage.breaks { stage.report("04 09 414243", type: 4) }
        },
        CoreStory("CORE-ADV-09") { stage in
            stage.report("03 08 5859")
            stage.report("04 09 58595a", type: 4)
        } bad: { stage in
            stage.report("03 08 4142")
            stage.report("04 09 414243", type: 4)
            stage.report("04 09 58595a", type: 4)
            stage.breaks { stage.report("03 08 5a59") }
        },
        CoreStory("CORE-ADV-10") { stage in
            stage.report("05 12 0600 0c00")
        } bad: { stage in
            stage.breaks { stage.report("05 12 0c00 0600") }
        },
        CoreStory("CORE-ADV-11", good: flags) { stage in
            let reserved = DeviceAddress(Address("80:00:00:00:00:01")!, .random)
            stage.breaks { stage.report("02 01 06", from: reserved) }
        },
        CoreStory("CORE-ADV-12") { stage in
            stage.report("03 09 4142")
        } bad: { stage in
            stage.breaks { stage.report("04 09 414200") }
        },
    ]
}
