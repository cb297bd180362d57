import Bytes

extension LL.Fields {
    static let extendedHeader = Field("btle.extended_advertising_header", "Extended Advertising Header", .group)
    static let extendedLength = Field(
        "btle.extended_advertising_header.length", "Extended Header Length", .decimal, unit: "bytes", mask: 0x3F)
    static let extendedLengthAndMode = [
        extendedLength,
        Field(
            "btle.extended_advertising_header.mode", "Advertising Mode", .hex(2), mask: 0xC0,
            names: ValueNames([
                0: "Non-connectable Non-scannable", 1: "Connectable Non-scannable", 2: "Non-connectable Scannable",
            ])),
    ]
    static let extendedFlags = Field("btle.extended_advertising_header.flags", "Extended Header Flags", .hex(2))
    static let extendedFlagBits = [
        bit("btle.extended_advertising_header.flags.advertiser_address", "Advertiser Address", 0x01),
        bit("btle.extended_advertising_header.flags.target_address", "Target Address", 0x02),
        bit("btle.extended_advertising_header.flags.cte_info", "CTE Info", 0x04),
        bit("btle.extended_advertising_header.advertiser_data_info", "Advertising Data Info", 0x08),
        bit("btle.extended_advertising_header.flags.aux_pointer", "Aux Pointer", 0x10),
        bit("btle.extended_advertising_header.flags.sync_info", "Sync Info", 0x20),
        bit("btle.extended_advertising_header.flags.tx_power", "TX Power", 0x40),
        bit("btle.extended_advertising_header.flags.reserved", "Reserved", 0x80),
    ]
    static let extendedCTEInfo = Field("btle.extended_advertising_header.cte_info", "CTE Info", .hex(2))
    static let extendedCTEInfoBits = cteInfoBits("btle.extended_advertising_header.cte_info")
    static let dataInfo = Field(
        "btle.extended_advertising.advertising_data_info", "Advertising Data Info", .hex(4))
    static let dataInfoBits = [
        Field(
            "btle.extended_advertising.advertising_data_info.did", "Advertising Data ID", .hex(4), mask: 0x0FFF),
        Field(
            "btle.extended_advertising.advertising_data_info.sid", "Advertising Set ID", .hex(4), mask: 0xF000),
    ]
    static let auxPointer = Field("btle.extended_advertising.aux_pointer", "Aux Pointer", .group)
    static let auxPointerChannelBits = [
        Field("btle.extended_advertising_header.aux_pointer.channel", "Channel Index", .decimal, mask: 0x3F),
        bit(
            "btle.extended_advertising_header.aux_pointer.ca", "Clock Accuracy", 0x40,
            ["51 ppm to 500 ppm", "0 ppm to 50 ppm"]),
        bit("btle.extended_advertising_header.aux_pointer.offset_units", "Offset Units", 0x80, ["30 µs", "300 µs"]),
    ]
    static let auxPointerOffsetBits = [
        Field("btle.extended_advertising_header.aux_pointer.aux_offset", "Aux Offset", .hex(4), mask: 0x1FFF),
        Field(
            "btle.extended_advertising_header.aux_pointer.aux_phy", "Aux PHY", .decimal, mask: 0xE000,
            names: LL.PHY.valueNames),
    ]
    static let syncInfo = Field("btle.extended_advertising.sync_info", "Sync Info", .group)
    static let extendedSyncInfo = syncInfoNames("btle.extended_advertising_header.sync_info")
    static let extendedTxPower = Field(
        "btle.extended_advertising_header.tx_power", "TX Power", .signed, unit: "dBm", size: 1)
    static let controllerData = Field(
        "btle.extended_advertising_header.acad", "Additional Controller Advertising Data", .group)

    static let extended: [Field] =
        [
            extendedHeader, extendedFlags, extendedCTEInfo, dataInfo, auxPointer, syncInfo, extendedTxPower,
            controllerData,
        ] + extendedLengthAndMode + extendedFlagBits + extendedCTEInfoBits + dataInfoBits + auxPointerChannelBits
        + auxPointerOffsetBits + extendedSyncInfo.all

    /// The fields of a SyncInfo, under the name of the enclosing structure.
    static func syncInfoNames(_ name: String) -> LL.SyncInfo.Names {
        LL.SyncInfo.Names(
            offset: [
                Field(name + ".sync_offset", "Sync Offset", .hex(4), mask: 0x1FFF),
                bit(name + ".offset_units", "Offset Units", 0x2000, ["30 µs", "300 µs"]),
                bit(name + ".offset_adjust", "Offset Adjust", 0x4000, ["No adjust", "2.4576 seconds"]),
            ],
            interval: Field(name + ".interval", "Interval", .hex(4), unit: "ms", scale: 1.25),
            channelMap: Field(name + ".channel_map", "Channel Map", .bytes),
            sleepClockAccuracy: Field(
                name + ".sleep_clock_accuracy", "Sleep Clock Accuracy", .decimal, mask: 0xE0,
                names: LL.SleepClockAccuracy.valueNames),
            accessAddress: Field(name + ".access_address", "Access Address", .hex(8)),
            crcInit: Field(name + ".crc_init", "CRC Init", .hex(6)),
            eventCounter: Field(name + ".event_counter", "Event Counter", .decimal))
    }
}

extension LL.SyncInfo.Names {
    var all: [Field] {
        offset + [interval, channelMap, sleepClockAccuracy, accessAddress, crcInit, eventCounter]
    }
}
