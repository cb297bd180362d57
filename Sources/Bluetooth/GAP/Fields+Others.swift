import Bytes

extension GAP.Fields {
    // MARK: LE features

    /// Bit fields of the feature set, by byte.
    static let leFeatureBits: [[Field]] = (0..<8)
        .map { byte in
            (0..<8).map { bit in leFeature(byte * 8 + bit, mask: 1 << UInt64(bit)) }
        }

    private static func leFeature(_ number: Int, mask: UInt64) -> Field {
        let names = LinkLayerFeatures.names
        let label = (number < names.count ? names[number] : nil) ?? "Reserved"
        if number < featureNames.count {
            return Field("btcommon.eir_ad.le_features." + featureNames[number], label, .boolean, mask: mask)
        }
        if number == 16 { return flag("le_features.minimum_number_of_used_channels_procedure", label, mask) }
        return Field("btcommon.eir_ad.le_features.feature_\(number)", label, .boolean, mask: mask)
    }

    private static let featureNames = [
        "encryption", "connection_parameters_request_procedure", "extended_reject_indication",
        "slave_initiated_features_exchange", "ping", "data_packet_length_extension", "ll_privacy",
        "extended_scanner_filter_policies", "2m_phy", "stable_modulation_index_tx", "stable_modulation_index_rx",
        "coded_phy", "extended_advertising", "periodic_advertising", "channel_selection_algorithm_2",
        "power_class_1",
    ]

    // MARK: Out of band

    static let oobDataLength = entry("ssp_oob_length", "SSP OOB Length", .decimal, unit: "bytes")
    static let hash = entry("hash_c", "Hash C", .bytes, isSecret: true)
    static let randomizer = entry("randomizer_r", "Randomizer R", .bytes, isSecret: true)
    static let temporaryKey = entry("tk_value", "Security Manager TK Value", .bytes, isSecret: true)
    static let confirmationValue = entry(
        "le_secure_confirmation_value", "LE Secure Connections Confirmation Value", .bytes, isSecret: true)
    static let randomValue = entry(
        "le_secure_random_value", "LE Secure Connections Random Value", .bytes, isSecret: true)
    static let oobFlagBits = [
        bits("oob_flags.oob_reserved", "Reserved", 0xF0),
        bits("oob_flags.oob_address_type", "Address Type", 0x08, names: ValueNames([0: "Public", 1: "Random"])),
        bits(
            "oob_flags.oob_le_bredr_support", "Simultaneous LE and BR/EDR to Same Device Capable (Host)", 0x04),
        bits("oob_flags.oob_le_supported_host", "LE Supported By Host", 0x02),
        bits("oob_flags.oob_data_present", "OOB Data Present", 0x01),
    ]
    static let outOfBand: [Field] =
        [oobDataLength, hash, randomizer, temporaryKey, confirmationValue, randomValue] + oobFlagBits

    // MARK: Isochronous broadcast

    static let bigOffsetBits = [
        entry("biginfo.big_offset", "BIG_Offset", .decimal, mask: 0x3FFF),
        Field(
            "btcommon.eir_ad.entry.biginfo.big_offset_units", "BIG_Offset_Units", .boolean, mask: 0x4000,
            names: ValueNames([0: "30 µs", 1: "300 µs"])),
        entry("biginfo.iso_interval", "ISO_Interval", .decimal, unit: "ms", scale: 1.25, mask: 0x07FF_8000),
        entry("biginfo.num_bis", "Num_BIS", .decimal, mask: 0xF800_0000),
    ]
    static let bigSubeventBits = [
        entry("biginfo.nse", "NSE", .decimal, mask: 0x1F),
        entry("biginfo.bn", "BN", .decimal, mask: 0xE0),
        entry("biginfo.sub_interval", "Sub_Interval", .decimal, unit: "µs", mask: 0x0FFF_FF00),
        entry("biginfo.pto", "PTO", .decimal, mask: 0xF000_0000),
    ]
    static let bigSpacingBits = [
        entry("biginfo.bis_spacing", "BIS_Spacing", .decimal, unit: "µs", mask: 0x0F_FFFF),
        entry("biginfo.irc", "IRC", .decimal, mask: 0xF0_0000),
    ]
    static let bigMaxPDU = entry("biginfo.max_pdu", "Max_PDU", .decimal, unit: "bytes")
    static let bigReserved = entry("biginfo.rfu", "Reserved", .decimal)
    static let bigSeedAccessAddress = entry("biginfo.seed_access_address", "Seed Access Address", .hex(8))
    static let bigSDUBits = [
        entry("biginfo.sdu_interval", "SDU_Interval", .decimal, unit: "µs", mask: 0x0F_FFFF),
        entry("biginfo.max_sdu", "Max_SDU", .decimal, unit: "bytes", mask: 0xFFF0_0000),
    ]
    static let bigBaseCRCInit = entry("biginfo.base_crc_init", "BaseCRCInit", .hex(4))
    static let bigChannelMap = entry("biginfo.channel_map", "Channel Map", .hex(16), mask: 0x1F_FFFF_FFFF)
    static let bigPHY = entry(
        "biginfo.phy", "PHY", .decimal, mask: 0xE0_0000_0000,
        names: ValueNames([0: "LE 1M", 1: "LE 2M", 2: "LE Coded"]))
    static let bigCounterBits = [
        entry("biginfo.bis_payload_count", "bisPayloadCount", .decimal, mask: 0x7F_FFFF_FFFF),
        Field(
            "btcommon.eir_ad.entry.biginfo.framing", "Framing", .boolean, mask: 0x80_0000_0000,
            names: ValueNames([0: "Unframed", 1: "Framed"])),
    ]
    static let bigGIV = entry("biginfo.giv", "GIV", .bytes)
    static let bigGSKD = entry("biginfo.gskd", "GSKD", .bytes)
    static let broadcastCode = entry("broadcast_code", "Broadcast Code", .bytes, isSecret: true)
    static let isochronous: [Field] =
        [
            bigChannelMap, bigPHY, bigMaxPDU, bigReserved, bigSeedAccessAddress, bigBaseCRCInit, bigGIV, bigGSKD,
            broadcastCode,
        ]
        + bigOffsetBits + bigSubeventBits + bigSpacingBits + bigSDUBits + bigCounterBits

    // MARK: Indoor positioning

    static let positionFlags = entry("ips.flags", "Indoor Positioning Configuration", .hex(2))
    static let positionFlagBits = [
        bits("ips.flags.reserved", "Reserved", 0x80),
        flag("ips.flags.location_name", "Location Name", 0x40),
        flag("ips.flags.uncertainty", "Uncertainty", 0x20),
        flag("ips.flags.floor_number", "Floor Number", 0x10),
        flag("ips.flags.altitude", "Altitude", 0x08),
        flag("ips.flags.tx_power", "Tx Power", 0x04),
        bits(
            "ips.flags.coordinate_system", "Coordinate System", 0x02,
            names: ValueNames([0: "WGS84 Coordinate System", 1: "Local Coordinate System"])),
        flag("ips.flags.coordinates", "Coordinates", 0x01),
    ]
    static let latitude = entry("ips.latitude", "Latitude", .signed, size: 4)
    static let longitude = entry("ips.longitude", "Longitude", .signed, size: 4)
    static let localNorth = entry("ips.local_north_coordinate", "Local North Coordinate", .signed, unit: "dm", size: 2)
    static let localEast = entry("ips.local_east_coordinate", "Local East Coordinate", .signed, unit: "dm", size: 2)
    static let positionTxPower = entry("ips.tx_power_level", "Tx Power Level", .signed, unit: "dBm", size: 1)
    static let altitude = entry("ips.altitude", "Altitude", .decimal)
    static let floorNumber = entry("ips.floor_number", "Floor Number", .decimal)
    static let uncertainty = entry("ips.uncertainty", "Uncertainty", .hex(2))
    static let uncertaintyBits = [
        bits("ips.uncertainty.reserved", "Reserved", 0x80),
        bits(
            "ips.uncertainty.precision", "Precision", 0x70,
            names: ValueNames([
                0: "less than 0.1 m", 1: "0.1 to 1 m", 2: "1 to 2 m", 3: "2 to 5 m", 4: "5 to 10 m",
                5: "10 to 50 m", 6: "more than 50 m", 7: "not available",
            ])),
        bits(
            "ips.uncertainty.update_time", "Update Time", 0x0E,
            names: ValueNames([
                0: "up to 3 s", 1: "up to 4 s", 2: "up to 6 s", 3: "up to 12 s", 4: "up to 28 s", 5: "up to 89 s",
                6: "up to 426 s", 7: "3541 s",
            ])),
        bits("ips.uncertainty.stationary", "Stationary", 0x01, names: ValueNames([0: "Stationary", 1: "Mobile"])),
    ]
    static let positioning: [Field] =
        [
            positionFlags, latitude, longitude, localNorth, localEast, positionTxPower, altitude, floorNumber,
            uncertainty,
        ] + positionFlagBits + uncertaintyBits

    // MARK: Transport discovery

    static let organization = entry(
        "tds.organization_id", "Organization ID", .hex(2),
        names: ValueNames([
            1: "Bluetooth SIG", 2: "Wi-Fi Alliance Neighbor Awareness Networking",
            3: "Wi-Fi Alliance Service Advertisement",
        ]))
    static let transportFlags = entry("tds.flags", "Flags", .hex(2))
    static let transportFlagBits = [
        bits("tds.flags.reserved", "Reserved", 0xE0),
        bits(
            "tds.flags.transport_state", "Transport State", 0x18,
            names: ValueNames([0: "Off", 1: "On", 2: "Temporarily Unavailable"])),
        flag("tds.flags.transport_data_incomplete", "Transport Data Incomplete", 0x04),
        bits(
            "tds.flags.role", "Role", 0x03,
            names: ValueNames([
                0: "Not Specified", 1: "Seeker Only", 2: "Provider Only", 3: "Both Seeker and Provider",
            ])),
    ]
    static let transportDataLength = entry("tds.data_length", "Data Length", .decimal, unit: "bytes")
    static let transportData = entry("tds.data", "Data", .bytes)

    // MARK: Mesh, 3D, sets, periodic advertising with responses

    static let meshMessage = entry("mesh_msg", "Mesh message content", .bytes)
    static let meshProvisioning = entry("mesh_pbadv", "Mesh PB-ADV message content", .bytes)
    static let meshBeacon = entry("mesh_beacon", "Mesh Beacon message content", .bytes)
    static let bits3D = [
        flag("3ds.factory_test_mode", "3DS Factory Test Mode", 0x80),
        flag("3ds.reserved", "3DS Reserved", 0x78),
        flag("3ds.send_battery_level_report_on_startup", "3DS Send Battery Level Report on Startup", 0x04),
        flag("3ds.battery_level_reporting", "3DS Battery Level Reporting", 0x02),
        flag("3ds.association_notification", "3DS Association Notification", 0x01),
    ]
    static let pathLossThreshold = entry("3ds.path_loss_threshold", "3DS Path Loss Threshold", .decimal, unit: "dB")
    static let setHash = entry("rsi.hash", "Resolvable Set Identifier Hash", .hex(6))
    static let setRandom = entry("rsi.prand", "Resolvable Set Identifier Random Part", .hex(6))
    static let encryptionRandomizer = entry("ead.randomizer", "Randomizer", .bytes)
    static let encryptedPayload = entry("ead.payload", "Encrypted Payload", .bytes)
    static let encryptionMIC = entry("ead.mic", "Message Integrity Check", .bytes)
    static let responseAccessAddress = entry("pawr.rsp_aa", "RspAA", .hex(8))
    static let subeventCount = entry("pawr.num_subevents", "Number of Subevents", .decimal)
    static let subeventInterval = entry(
        "pawr.subevent_interval", "Subevent Interval", .decimal, unit: "ms", scale: 1.25)
    static let responseSlotDelay = entry(
        "pawr.response_slot_delay", "Response Slot Delay", .decimal, unit: "ms", scale: 1.25)
    static let responseSlotSpacing = entry(
        "pawr.response_slot_spacing", "Response Slot Spacing", .decimal, unit: "ms", scale: 0.125)
    static let shelfLabel = entry("esl", "Electronic Shelf Label", .bytes)
    static let others: [Field] =
        [
            organization, transportFlags, transportDataLength, transportData, meshMessage, meshProvisioning,
            meshBeacon, pathLossThreshold, setHash, setRandom, encryptionRandomizer, encryptedPayload, encryptionMIC,
            responseAccessAddress, subeventCount, subeventInterval, responseSlotDelay, responseSlotSpacing,
            shelfLabel,
        ] + transportFlagBits + bits3D
}
