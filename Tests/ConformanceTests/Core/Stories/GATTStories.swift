import TestKit

extension CoreStory {
    static let gatt: [CoreStory] = [
        CoreStory("CORE-GATT-01", discovered: true) { stage in
            stage.client("12 0d00 0100")
            stage.server("13")
            stage.server("1b 0c00 64")
        } bad: { stage in
            stage.breaks { stage.server("1b 0c00 64") }
        },
        CoreStory("CORE-GATT-01", discovered: true) { stage in
            stage.client("16 0d00 0000 0100")
            stage.server("17 0d00 0000 0100")
            stage.client("18 01")
            stage.server("19")
            stage.server("1b 0c00 64")
        } bad: { stage in
            stage.client("16 0d00 0000 0100")
            stage.server("17 0d00 0000 0100")
            stage.client("18 00")
            stage.server("19")
            stage.breaks { stage.server("1b 0c00 64") }
        },
        CoreStory("CORE-GATT-02", discovered: true) { stage in
            stage.client("12 1500 0200")
            stage.server("13")
            stage.server("1d 1400 01")
            stage.client("1e")
        } bad: { stage in
            stage.client("12 1500 0100")
            stage.server("13")
            stage.breaks { stage.server("1d 1400 01") }
            stage.client("1e")
        },
        CoreStory("CORE-GATT-03", discovered: true) { stage in
            stage.client("12 0d00 0100")
            stage.server("13")
            stage.server("1b 0c00 64")
        } bad: { stage in
            stage.breaks { stage.server("1b 1000 01") }
        },
        CoreStory("CORE-GATT-04", discovered: true) { stage in
            stage.client("12 1500 0200")
            stage.server("13")
            stage.server("1d 1400 01")
            stage.client("1e")
        } bad: { stage in
            stage.breaks { stage.server("1d 1000 01") }
            stage.client("1e")
        },
        CoreStory("CORE-GATT-05") { stage in
            for value in ["01", "01", "02", "03", "03", "04"] { stage.server("1b 0c00" + value) }
        } bad: { stage in
            for value in ["01", "01", "02", "02", "03"] { stage.server("1b 0c00" + value) }
            stage.breaks { stage.server("1b 0c00 03") }
        },
        CoreStory("CORE-GATT-06", discovered: true) { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.client("0a 0c00")
            stage.breaks { stage.server("01 0a 0c00 02") }
        },
        CoreStory("CORE-GATT-07", discovered: true) { stage in
            stage.client("12 1000 01")
            stage.server("13")
        } bad: { stage in
            stage.client("12 1000 01")
            stage.breaks { stage.server("01 12 1000 03") }
        },
        CoreStory("CORE-GATT-08", discovered: true) { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
            stage.client("52 1200 01")
        } bad: { stage in
            stage.breaks { stage.client("52 1000 01") }
        },
        CoreStory("CORE-GATT-09", discovered: true) { stage in
            stage.client("12 0d00 0000")
            stage.server("13")
        } bad: { stage in
            stage.breaks { stage.client("12 0d00 0400") }
            stage.server("13")
        },
        CoreStory("CORE-GATT-10", discovered: true) { stage in
            stage.client("12 0d00 0100")
            stage.server("13")
        } bad: { stage in
            stage.breaks { stage.client("12 0d00 0200") }
            stage.server("13")
        },
        CoreStory("CORE-GATT-11", discovered: true) { stage in
            stage.client("0a 0c00")
            stage.server("0b 64")
        } bad: { stage in
            stage.breaks { stage.client("12 3000 01") }
            stage.server("01 12 3000 01")
        },
        CoreStory("CORE-GATT-12", discovered: true) { stage in
            stage.client("d2 1700 01 00000000 0102030405060708")
        } bad: { stage in
            (stage.link as? HCILink)?.encrypt()
            stage.breaks { stage.client("d2 1700 01 00000000 0102030405060708") }
        },
    ]

    static let gattTables: [CoreStory] = [
        CoreStory("CORE-GATT-13") { stage in
            stage.client("08 0100 ffff 0328")
            stage.server("09 07 0200 02 0300 002a 0400 02 0500 012a")
        } bad: { stage in
            stage.client("08 0100 ffff 0328")
            stage.breaks { stage.server("09 07 0200 02 0400 002a") }
        },
        CoreStory("CORE-GATT-14", discovered: true) { _ in
        } bad: { stage in
            stage.client("08 0e00 1400 0328")
            stage.server("09 07 0f00 08 1000 f1ff 1100 04 1200 f2ff")
            stage.client("08 2000 ffff 0328")
            stage.breaks { stage.server("09 07 2100 10 2200 1a2a 2300 02 2400 1b2a") }
        },
        CoreStory("CORE-GATT-15") { stage in
            stage.client("10 0100 ffff 0028")
            stage.server("11 06 0100 0500 0018")
            stage.client("08 0100 0500 0328")
            stage.server("09 07 0200 02 0300 002a 0400 02 0500 012a")
        } bad: { stage in
            stage.client("10 0100 ffff 0028")
            stage.server("11 06 0100 0500 0018")
            stage.client("08 0100 0500 0328")
            stage.server("09 07 0200 02 0300 002a")
            stage.client("08 0400 0500 0328")
            stage.breaks { stage.server("01 08 0400 0a") }
        },
        CoreStory("CORE-GATT-16", discovered: true) { _ in
        } bad: { stage in
            stage.client("10 1800 ffff 0028")
            stage.breaks { stage.server("11 06 2000 2500 0018") }
        },
        CoreStory("CORE-GATT-17", discovered: true) { _ in
        } bad: { stage in
            stage.client("08 0e00 1700 0328")
            stage.breaks { stage.server("09 07 0f00 0a 1000 f1ff") }
        },
        CoreStory("CORE-GATT-18", discovered: true) { stage in
            stage.client("12 0900 0200")
            stage.server("13")
            stage.server("1d 0800 0e00 1700")
            stage.client("1e")
            stage.client("08 0e00 1700 0328")
            stage.server("01 08 0e00 0a")
        } bad: { stage in
            stage.client("12 0900 0200")
            stage.server("13")
            stage.server("1d 0800 0e00 1700")
            stage.client("1e")
            stage.breaks { stage.client("0a 1400") }
            stage.server("0b 01")
        },
        CoreStory("CORE-GATT-19", discovered: true) { stage in
            stage.client("12 0900 0200")
            stage.server("13")
            stage.server("1d 0800 0e00 1700")
            stage.client("1e")
        } bad: { stage in
            stage.client("12 0900 0200")
            stage.server("13")
            stage.breaks { stage.server("1d 0800 1700 0e00") }
            stage.client("1e")
        },
    ]
}
