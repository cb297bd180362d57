import TestKit

private let bytes21 = String(repeating: "aa", count: 21)

extension CoreStory {
    static let attTransactions: [CoreStory] = [
        CoreStory("CORE-ATT-01") { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.breaks { stage.client("0a 0c00") }
            stage.server("0b 64")
        },
        CoreStory("CORE-ATT-02") { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.breaks { stage.server("13") }
            stage.server("0b 64")
        },
        CoreStory("CORE-ATT-03") { stage in
            for _ in 0..<2 {
                stage.server("1d 1400 01")
                stage.client("1e")
            }
        } bad: { stage in
            stage.server("1d 1400 01")
            stage.breaks { stage.server("1d 1400 02") }
            stage.client("1e")
        },
        CoreStory("CORE-ATT-04") { stage in
            stage.server("1d 1400 01")
            stage.client("1e")
        } bad: { stage in
            stage.server("1b 1400 01")
            stage.breaks { stage.client("1e") }
        },
        CoreStory("CORE-ATT-05") { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 29)
            stage.server("0b 64")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 31)
            stage.breaks { stage.server("0b 64") }
        },
        CoreStory("CORE-ATT-06") { stage in
            stage.server("1d 1400 01")
            stage.wait(seconds: 29)
            stage.client("1e")
        } bad: { stage in
            stage.breaks { stage.server("1d 1400 01") }
            stage.wait(seconds: 31)
        },
        CoreStory("CORE-ATT-07") { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 31)
        } bad: { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 31)
            stage.breaks { stage.client("0a 0c00") }
        },
        CoreStory("CORE-ATT-07") { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 31)
            stage.server("0b 64")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.wait(seconds: 31)
            stage.server("0b 64")
            stage.breaks { stage.client("0a 0c00") }
            stage.server("0b 64")
        },
        CoreStory("CORE-ATT-08") { stage in
            stage.client("02 b900")
            stage.server("03 f700")
        } bad: { stage in
            stage.client("02 b900")
            stage.server("03 f700")
            stage.breaks { stage.client("02 b900") }
            stage.server("03 f700")
        },
        CoreStory("CORE-ATT-09") { stage in
            stage.client("02 1700")
            stage.server("03 1700")
        } bad: { stage in
            stage.breaks { stage.client("02 1600") }
            stage.server("03 1700")
        },
        CoreStory("CORE-ATT-10") { stage in
            stage.client("02 1700")
            stage.server("03 1700")
        } bad: { stage in
            stage.client("02 1700")
            stage.breaks { stage.server("03 1600") }
        },
    ]

    static let attPDUs: [CoreStory] = [
        CoreStory("CORE-ATT-11") { stage in
            stage.client("12 1000" + bytes21.dropLast(2))
            stage.server("13")
        } bad: { stage in
            stage.breaks { stage.client("12 1000" + bytes21) }
            stage.server("13")
        },
        CoreStory("CORE-ATT-12") { stage in
            stage.client("02 f700")
            stage.server("03 f700")
            stage.server("1b 0c00" + bytes21)
        } bad: { stage in
            stage.breaks { stage.server("1b 0c00" + bytes21) }
        },
        CoreStory("CORE-ATT-13") { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.breaks { stage.client("0a 0c00 00") }
            stage.server("0b 64")
        },
        CoreStory("CORE-ATT-14") { stage in
            stage.client("12 1000 01")
            stage.server("13")
        } bad: { stage in
            stage.client("12 1000 01")
            stage.breaks { stage.server("13 00") }
        },
        CoreStory("CORE-ATT-15") { stage in
            stage.client("04 0d00 0d00")
            stage.server("05 01 0d00 0229")
        } bad: { stage in
            stage.breaks { stage.client("04 0500 0400") }
            stage.server("01 04 0500 01")
        },
        CoreStory("CORE-ATT-16") { stage in
            stage.client("04 0500 0400")
            stage.server("01 04 0500 01")
        } bad: { stage in
            stage.client("04 0500 0400")
            stage.breaks { stage.server("01 04 0500 0a") }
        },
        CoreStory("CORE-ATT-17") { stage in
            stage.client("04 0d00 0d00")
            stage.server("05 01 0d00 0229")
        } bad: { stage in
            stage.client("04 0d00 0d00")
            stage.breaks { stage.server("05 01 0e00 0028") }
        },
        CoreStory("CORE-ATT-18") { stage in
            stage.client("08 0f00 1300 0328")
            stage.server("09 07 0f00 08 1000 f1ff 1100 04 1200 f2ff")
        } bad: { stage in
            stage.client("08 0f00 1300 0328")
            stage.breaks { stage.server("09 07 1100 04 1200 f2ff 0f00 08 1000 f1ff") }
        },
    ]

    static let attValues: [CoreStory] = [
        CoreStory("CORE-ATT-19") { stage in
            stage.client("0c 0c00 0500")
            stage.server("01 0c 0c00 07")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.breaks { stage.server("01 0a 0c00 07") }
        },
        CoreStory("CORE-ATT-20") { stage in
            stage.client("0a 0c00")
            stage.server("01 0a 0c00 05")
            stage.client("04 3000 ffff")
            stage.server("01 04 3000 0a")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.breaks { stage.server("01 0a 0000 05") }
        },
        CoreStory("CORE-ATT-21") { stage in
            stage.client("24 00")
            stage.server("01 24 0000 06")
        } bad: { stage in
            stage.client("24 00")
            stage.breaks { stage.server("01 24 0000 04") }
        },
        CoreStory("CORE-ATT-22") { stage in
            stage.client("52 1200 01")
        } bad: { stage in
            stage.client("52 1200 01")
            stage.breaks { stage.server("01 52 1200 03") }
        },
        CoreStory("CORE-ATT-23") { stage in
            stage.client("16 1000 0000 aabb")
            stage.server("17 1000 0000 aabb")
        } bad: { stage in
            stage.client("16 1000 0000 aabb")
            stage.breaks { stage.server("17 1000 0000 aacc") }
        },
        CoreStory("CORE-ATT-24") { stage in
            stage.client("18 00")
            stage.server("19")
        } bad: { stage in
            stage.breaks { stage.client("18 02") }
            stage.server("19")
        },
        CoreStory("CORE-ATT-25") { stage in
            stage.client("02 0502")
            stage.server("03 0502")
            stage.server("1b 0c00" + String(repeating: "aa", count: 512))
        } bad: { stage in
            stage.client("02 0502")
            stage.server("03 0502")
            stage.breaks { stage.server("1b 0c00" + String(repeating: "aa", count: 513)) }
        },
    ]
}
