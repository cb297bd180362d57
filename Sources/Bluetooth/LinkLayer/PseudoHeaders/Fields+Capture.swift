public import Bytes

/// Fields of the sniffers' pseudo-headers.
extension LL.Fields {
    public static let radioLayer = Field("btle_rf", "Bluetooth Low Energy RF Info", .group)
    static let radioChannel = Field(
        "btle_rf.channel", "RF Channel", .decimal,
        names: ValueNames { LL.Channel(radioChannel: UInt8(truncatingIfNeeded: $0))?.description })
    static let radioSignal = Field("btle_rf.signal_dbm", "Signal", .signed, unit: "dBm", size: 1)
    static let radioNoise = Field("btle_rf.noise_dbm", "Noise", .signed, unit: "dBm", size: 1)
    static let radioOffenses = Field("btle_rf.access_address_offenses", "Access Address Offenses", .decimal)
    static let radioReference = Field("btle_rf.reference_access_address", "Reference Access Address", .hex(8))
    static let radioUnusedSigned = Field("btle_rf.signed_byte_unused", "Unused signed byte", .signed, size: 1)
    static let radioUnusedUnsigned = Field("btle_rf.unsigned_byte_unused", "Unused unsigned byte", .decimal)
    static let radioUnusedWord = Field("btle_rf.word_unused", "Unused word", .hex(8))
    static let radioFlags = Field("btle_rf.flags", "Flags", .hex(4))

    private static let radioCommonFlagBits = [
        bit("btle_rf.flags.dewhitened", "Dewhitened", 0x0001),
        bit("btle_rf.flags.signal_dbm_valid", "Signal Power Valid", 0x0002),
        bit("btle_rf.flags.noise_dbm_valid", "Noise Power Valid", 0x0004),
        bit("btle_rf.flags.decrypted", "Decrypted", 0x0008),
        bit("btle_rf.flags.reference_access_address_valid", "Reference Access Address Valid", 0x0010),
        bit("btle_rf.flags.access_address_offenses_valid", "Access Address Offenses Valid", 0x0020),
        bit("btle_rf.flags.channel_aliased", "Channel Aliased", 0x0040),
        Field(
            "btle_rf.pdu_type", "PDU Type", .decimal, mask: 0x0380,
            names: ValueNames([
                0: "Advertising or Data (Unspecified Direction)", 1: "Auxiliary Advertising",
                2: "Data, Central to Peripheral", 3: "Data, Peripheral to Central",
                4: "Connected Isochronous, Central to Peripheral", 5: "Connected Isochronous, Peripheral to Central",
                6: "Broadcast Isochronous", 7: "Reserved",
            ])),
        bit("btle_rf.flags.crc_checked", "CRC Checked", 0x0400),
        bit("btle_rf.flags.crc_valid", "CRC Valid", 0x0800),
    ]
    private static let radioMICFlagBits = [
        bit("btle_rf.flags.mic_checked", "MIC Checked", 0x1000),
        bit("btle_rf.flags.mic_valid", "MIC Valid", 0x2000),
    ]
    private static let radioAuxiliaryType = Field(
        "btle_rf.aux_pdu_type", "Auxiliary PDU Type", .decimal, mask: 0x3000, names: auxiliaryTypes)
    private static let radioPHY = Field(
        "btle_rf.phy", "PHY", .decimal, mask: 0xC000, names: LL.PHY.valueNames)
    static let radioFlagBits = radioCommonFlagBits + radioMICFlagBits + [radioPHY]
    static let radioAuxiliaryFlagBits = radioCommonFlagBits + [radioAuxiliaryType, radioPHY]

    public static let nordicLayer = Field("nordic_ble", "nRF Sniffer for Bluetooth LE", .group)
    static let nordicBoard = Field("nordic_ble.board_id", "Board", .decimal)
    static let nordicHeader = Field("nordic_ble.header", "Header", .group)
    static let nordicHeaderLength = Field("nordic_ble.hlen", "Length of header", .decimal, unit: "bytes")
    static let nordicPayloadLength = Field("nordic_ble.plen", "Length of payload", .decimal, unit: "bytes")
    static let nordicVersion = Field("nordic_ble.protover", "Protocol version", .decimal)
    static let nordicPacketCounter = Field("nordic_ble.packet_counter", "Packet counter", .decimal)
    static let nordicPacketID = Field("nordic_ble.packet_id", "Packet ID", .decimal)
    static let nordicLength = Field("nordic_ble.len", "Length of packet", .decimal, unit: "bytes")
    static let nordicFlags = Field("nordic_ble.flags", "Flags", .hex(2))
    static let nordicChannel = Field("nordic_ble.channel", "Channel Index", .decimal)
    static let nordicSignal = Field("nordic_ble.rssi", "RSSI", .signed, unit: "dBm", size: 1)
    static let nordicEventCounter = Field("nordic_ble.event_counter", "Event counter", .decimal)
    static let nordicTime = Field("nordic_ble.time", "Timestamp", .decimal, unit: "µs")
    static let nordicDeltaTime = Field("nordic_ble.delta_time", "Delta time (end to start)", .decimal, unit: "µs")

    private static let nordicCRC = bit("nordic_ble.crcok", "CRC", 0x01, ["Incorrect", "OK"])
    private static let nordicDirection = bit(
        "nordic_ble.direction", "Direction", 0x02, ["Peripheral to Central", "Central to Peripheral"])
    private static let nordicEncrypted = bit("nordic_ble.encrypted", "Encrypted", 0x04)
    private static let nordicMIC = bit("nordic_ble.micok", "MIC", 0x08, ["Incorrect", "OK"])
    private static let nordicMICNotRelevant = Field(
        "nordic_ble.mic_not_relevant", "MIC (not relevant)", .decimal, mask: 0x08)
    private static let nordicAuxiliaryType = Field(
        "nordic_ble.aux_type", "Aux Type", .decimal, mask: 0x06, names: auxiliaryTypes)
    private static let nordicAddressResolved = bit("nordic_ble.address_resolved", "Address Resolved", 0x08)
    private static let nordicPHY = Field(
        "nordic_ble.phy", "PHY", .decimal, mask: 0x70, names: LL.PHY.valueNames)
    private static let nordicReserved = Field("nordic_ble.flag_reserved7", "Reserved", .decimal, mask: 0x80)
    private static let nordicReserved1 = Field(
        "nordic_ble.flag_reserved1", "Reserved", .decimal, mask: 0x02)
    private static let nordicReserved2 = Field(
        "nordic_ble.flag_reserved2", "Reserved", .decimal, mask: 0x04)
    private static let nordicPrimaryFlagBits = [
        nordicCRC, nordicReserved1, nordicReserved2, nordicAddressResolved, nordicPHY, nordicReserved,
    ]
    private static let nordicAuxiliaryFlagBits = [
        nordicCRC, nordicAuxiliaryType, nordicAddressResolved, nordicPHY, nordicReserved,
    ]
    private static let nordicDataFlagBits = [
        nordicCRC, nordicDirection, nordicEncrypted, nordicMICNotRelevant, nordicPHY, nordicReserved,
    ]
    private static let nordicEncryptedFlagBits = [
        nordicCRC, nordicDirection, nordicEncrypted, nordicMIC, nordicPHY, nordicReserved,
    ]

    /// Bit fields of the flags, by type of packet.
    static func nordicFlagBits(isAdvertising: Bool, isPrimary: Bool, isEncrypted: Bool) -> [Field] {
        if isAdvertising { return isPrimary ? nordicPrimaryFlagBits : nordicAuxiliaryFlagBits }
        return isEncrypted ? nordicEncryptedFlagBits : nordicDataFlagBits
    }

    public static let ppiLayer = Field("ppi", "PPI Packet Header", .group)
    static let ppiVersion = Field("ppi.version", "Version", .decimal)
    static let ppiFlags = Field("ppi.flags", "Flags", .hex(2))
    static let ppiFlagBits = [
        bit("ppi.flags.alignment", "Alignment", 0x01, ["Not aligned", "32-bit aligned"]),
        Field("ppi.flags.reserved", "Reserved", .hex(2), mask: 0xFE),
    ]
    static let ppiLength = Field("ppi.length", "Header length", .decimal, unit: "bytes")
    static let ppiLinkType = Field("ppi.dlt", "DLT", .decimal)
    static let ppiFieldType = Field(
        "ppi.field_type", "Field type", .decimal,
        names: ValueNames([
            2: "802.11-Common", 5: "Spectrum-Map", 6: "Process-Info", 7: "Capture-Info", 8: "Aggregation Extension",
            30002: "GPS Tagging", 30003: "Vector Tagging", 30004: "Sensor Tagging", 30005: "Antenna Tagging",
            30006: "Bluetooth LE (Ubertooth)",
        ]))
    static let ppiFieldLength = Field("ppi.field_len", "Field length", .decimal, unit: "bytes")
    static let ppiFieldData = Field("ppi.reserved", "Data", .bytes)
    static let ppiPadding = Field("ppi.padding", "Padding", .bytes)
    static let ubertoothVersion = Field("ppi.btle.version", "Version", .decimal)
    static let ubertoothFrequency = Field("ppi.btle.channel", "Frequency", .decimal, unit: "MHz")
    static let ubertoothClockHigh = Field("ppi.btle.clkn_high", "Clock, high byte", .decimal)
    static let ubertoothClock = Field("ppi.btle.clk100ns", "Clock", .decimal, unit: "µs", scale: 0.1)
    static let ubertoothSignalMaximum = Field("ppi.btle.rssi_max", "RSSI, maximum", .signed, unit: "dBm", size: 1)
    static let ubertoothSignalMinimum = Field("ppi.btle.rssi_min", "RSSI, minimum", .signed, unit: "dBm", size: 1)
    static let ubertoothSignalAverage = Field("ppi.btle.rssi_avg", "RSSI, average", .signed, unit: "dBm", size: 1)
    static let ubertoothSignalCount = Field("ppi.btle.rssi_count", "RSSI, number of measurements", .decimal)

    static let capture: [Field] =
        [
            radioLayer, radioChannel, radioSignal, radioNoise, radioOffenses, radioReference, radioUnusedSigned,
            radioUnusedUnsigned, radioUnusedWord, radioFlags, radioAuxiliaryType, nordicLayer, nordicBoard,
            nordicHeader, nordicHeaderLength, nordicPayloadLength, nordicVersion, nordicPacketCounter, nordicPacketID,
            nordicLength, nordicFlags, nordicChannel, nordicSignal, nordicEventCounter, nordicTime, nordicDeltaTime,
            nordicMIC, nordicAuxiliaryType, nordicAddressResolved, nordicReserved1, nordicReserved2, ppiLayer,
            ppiVersion, ppiFlags, ppiLength,
            ppiLinkType, ppiFieldType, ppiFieldLength, ppiFieldData, ppiPadding, ubertoothVersion, ubertoothFrequency,
            ubertoothClockHigh, ubertoothClock, ubertoothSignalMaximum, ubertoothSignalMinimum,
            ubertoothSignalAverage, ubertoothSignalCount,
        ] + radioFlagBits + nordicDataFlagBits + ppiFlagBits

    private static let auxiliaryTypes = ValueNames([
        0: "AUX_ADV_IND", 1: "AUX_CHAIN_IND", 2: "AUX_SYNC_IND", 3: "AUX_SCAN_RSP",
    ])
}
