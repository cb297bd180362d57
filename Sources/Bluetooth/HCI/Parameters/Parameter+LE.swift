import Bytes

/// Extended and periodic advertising.
extension HCI.Parameter {
    static let advertisingProperties = bits(
        2, "advertising_properties", "Advertising Event Properties",
        [
            .part(0x0001, "adv_properties.connectable", "Connectable Advertising"),
            .part(0x0002, "adv_properties.scannable", "Scannable Advertising"),
            .part(0x0004, "adv_properties.directed", "Directed Advertising"),
            .part(
                0x0008, "adv_properties.hdc_connectable_directed", "High Duty Cycle Directed Connectable Advertising"),
            .part(0x0010, "adv_properties.legacy_adv", "Use Legacy Advertising PDUs"),
            .part(0x0020, "adv_properties.anonymous_adv", "Omit Advertiser's Address"),
            includeTxPower,
        ])
    static let periodicProperties = bits(
        2, "periodic_adv_properties", "Periodic Advertising Properties", [includeTxPower])
    private static let includeTxPower = Name.part(0x0040, "adv_properties.txpower", "Include TX Power")
    static let primaryIntervalMin = Self.integer(leAdvertisingIntervalMin.name, size: 3)
    static let primaryIntervalMax = Self.integer(leAdvertisingIntervalMax.name, size: 3)
    static let advertisingTxPower = i8(
        "power_level", "Advertising TX Power", .dBm, [127: "Host has no preference"])
    static let selectedTxPower = i8("transmit_power_level", "Selected TX Power", .dBm)
    static let primaryAdvertisingPHY = x8("primary_advertising_phy", "Primary Advertising PHY", .phys)
    static let secondaryMaxSkip = u8("secondary_advertising_max_skip", "Secondary Advertising Max Skip")
    static let secondaryAdvertisingPHY = x8("secondary_advertising_phy", "Secondary Advertising PHY", .phys)
    static let scanRequestNotification = x8(
        "scan_request_notification_enable", "Scan Request Notification Enable", .disabledEnabled)
    static let dataOperation = x8(
        "adv_data_operation", "Operation",
        ["Intermediate fragment", "First fragment", "Last fragment", "Complete data", "Unchanged data"])
    static let fragmentPreference = x8(
        "adv_fragment_preference", "Fragment Preference",
        ["The Controller may fragment all data", "The Controller should not fragment data"])
    static let extendedData = advertisingData(leDataLength, advertisingData)
    static let extendedScanResponse = advertisingData(leDataLength, scanResponseData)
    static let periodicData = advertisingData(leDataLength, "periodic_advertising_data", event: "data", "Data")
    static let dataStatus = x8(
        "data_status", "Data Status",
        [0: "Complete", 1: "Incomplete, more data to come", 2: "Incomplete, data truncated", 0xFF: "Failed to receive"])
    static let periodicIntervalMin = u16(
        "le_advts_interval_min", "Periodic Advertising Interval Min", .doubleSlots)
    static let periodicIntervalMax = u16(
        "le_advts_interval_max", "Periodic Advertising Interval Max", .doubleSlots)
    static let advertiserPHY = x8("adv_phy", "Advertiser PHY", .phys)
    static let advertiserClockAccuracy = x8(
        "adv_clock_accuracy", "Advertiser Clock Accuracy", .clockAccuracies)
    static let skip = u16("skip", "Skip")
    static let syncTimeout = u16("sync_timeout", "Sync Timeout", .tenMilliseconds)
    static let periodicSyncTimeout = u16("le_supv_timeout", "Sync Timeout", .tenMilliseconds)
    static let syncMode = x8(
        "sync_mode", "Mode",
        [
            "No attempt to synchronize", "Synchronize, reports disabled", "Synchronize, reports enabled",
            "Synchronize, reports enabled, duplicates filtered",
        ])
    static let servicePAST = x16("service_data_past", "Service Data")
    static let numSubevents = u8("num_subevents", "Num Subevents")
    static let subevent = u8("subevent", "Subevent")
    static let subeventInterval = u8("subevent_interval", "Subevent Interval", .doubleSlots)
    static let responseSlotDelay = u8("response_slot_delay", "Response Slot Delay", .doubleSlots)
    static let responseSlotSpacing = u8(
        "response_slot_spacing", "Response Slot Spacing", .eighthMilliseconds)
    static let responseSlot = u8("response_slot", "Response Slot")
    static let scanPHYParts: [Name] = [
        .part(0x01, "le_scan_phys.le_1m", "LE 1M"), .part(0x04, "le_scan_phys.le_coded", "LE Coded"),
    ]
}

/// Connections and their PHYs.
extension HCI.Parameter {
    static let txPowerLevel = i8("transmit_power_level", "TX Power Level", .dBm)
    static let allPHYs = bits(
        1, "all_phys", "All PHYs",
        [
            .part(0x01, "all_phys.tx_preference", "No Preference For Transmitter PHY"),
            .part(0x02, "all_phys.rx_preference", "No Preference For Receiver PHY"),
        ])
    static let txPHYs = bits(1, "tx_phys", "TX PHYs", preferredPHYs)
    static let rxPHYs = bits(1, "rx_phys", "RX PHYs", preferredPHYs)
    private static let preferredPHYs: [Name] = [
        .part(0x01, "phys_pref.le_1m", "Prefers LE 1M"), .part(0x02, "phys_pref.le_2m", "Prefers LE 2M"),
        .part(0x04, "phys_pref.le_coded", "Prefers LE Coded"),
    ]
    static let phyParts: [Name] = [
        .part(0x01, "le_phys.le_1m", "LE 1M"), .part(0x02, "le_phys.le_2m", "LE 2M"),
        .part(0x04, "le_phys.le_coded", "LE Coded"),
    ]
    static let framePHYs = bits(1, "le_phys", "PHYs", phyParts)
    static let spacingTypes = bits(
        2, "spacing_types", "Spacing Types",
        [
            .part(0x0001, "spacing_types.tifs_acl_cp", "T_IFS_ACL_CP"),
            .part(0x0002, "spacing_types.tifs_acl_pc", "T_IFS_ACL_PC"),
            .part(0x0004, "spacing_types.tmces", "T_MCES"), .part(0x0008, "spacing_types.tifs_cis", "T_IFS_CIS"),
            .part(0x0010, "spacing_types.tmss_cis", "T_MSS_CIS"),
        ])
    static let phyAndCoding = x8(
        "phy_and_coding", "PHY", [1: "LE 1M", 2: "LE 2M", 3: "LE Coded, S=8", 4: "LE Coded, S=2"])
    static let leChannelMap = bytes(5, "le_channel_map", "Channel Map")
    static let suggestedMaxTxOctets = u16(
        "le_suggested_max_tx_octets", event: "suggested_max_tx_octets", "Suggested Max TX Octets", .bytes)
    static let suggestedMaxTxTime = u16(
        "le_suggested_max_tx_time", event: "suggested_max_tx_time", "Suggested Max TX Time", .microseconds)
    static let subrateFactor = u16("subrate_factor", "Subrate Factor")
    static let subrateMin = u16("subrate_min", "Subrate Min")
    static let subrateMax = u16("subrate_max", "Subrate Max")
    static let continuationNumber = u16("continuation_number", "Continuation Number")
    static let remoteP256PublicKey = bytes(64, "le_remote_p_256_public_key", "Remote P-256 Public Key")
    static let testRxChannel = u8("rx_frequency", "RX Channel")
    static let testTxChannel = u8("tx_frequency", "TX Channel")
    static let testDataLength = u8("le_test_data_length", "Test Data Length", .bytes)
    static let testPayload = x8(
        "le_test_payload", "Packet Payload",
        ["PRBS9", "11110000", "10101010", "PRBS15", "11111111", "00000000", "00001111", "01010101"])
    static let testPHY = x8(
        "phy", "PHY", [1: "LE 1M", 2: "LE 2M", 3: "LE Coded, S=8 (receiver: any)", 4: "LE Coded, S=2"])
    static let modulationIndex = x8("modulation_index", "Modulation Index", ["Standard", "Stable"])
}

/// Direction finding.
extension HCI.Parameter {
    static let cteLength = u8("cte_length", "CTE Length", .toneExtensions)
    static let cteType = x8(
        "cte_type", "CTE Type",
        [0: "AoA CTE", 1: "AoD CTE with 1 µs slots", 2: "AoD CTE with 2 µs slots", 0xFF: "No CTE"])
    static let slotDurations = x8(
        "slot_durations", "Slot Durations",
        [1: "Switching and sampling slots are 1 µs", 2: "Switching and sampling slots are 2 µs"])
    static let antennaID = u8("antenna_id", "Antenna ID")
    static let antennas = list(
        u8("antenna_switching_pattern_length", "Switching Pattern Length"), of: antennaID)
    static let iqSamplingEnable = x8("iq_sampling_enable", "Sampling Enable", .disabledEnabled)
    static let cteEnable = x8("cte_enable", "CTE Enable", .disabledEnabled)
    static let channelIndex = u8("channel_index", "Channel Index")
    static let cteRSSI = i16("cte_rssi", "RSSI", .tenthsOfdBm)
    static let packetStatus = x8(
        "packet_status", "Packet Status",
        [
            0: "CRC was correct", 1: "CRC was incorrect, length used for CTE",
            2: "CRC was incorrect, CTE found some other way", 0xFF: "Insufficient resources",
        ])
    static let eventCounter = x16("event_counter", "Event Counter")
    static let iqSamples = list(
        u8("sample_count", "Sample Count"), of: leReport, [i8("i_sample", "I"), i8("q_sample", "Q")])
    static let syncCTEType = bits(
        1, "sync_cte_type", "Sync CTE Type",
        [
            .part(0x01, "sync_cte_type.no_sync_aoa", "Do Not Sync To Packets With An AoA CTE"),
            .part(0x02, "sync_cte_type.no_sync_aod_1us", "Do Not Sync To Packets With An AoD CTE With 1 µs Slots"),
            .part(0x04, "sync_cte_type.no_sync_aod_2us", "Do Not Sync To Packets With An AoD CTE With 2 µs Slots"),
            .part(0x08, "sync_cte_type.no_sync_type_3", "Do Not Sync To Packets With A Type 3 CTE"),
            .part(0x10, "sync_cte_type.sync_only_with_cte", "Do Not Sync To Packets Without A CTE"),
        ])
}

/// Isochronous streams.
extension HCI.Parameter {
    static let cigID = x8("cig_id", "CIG ID")
    static let cisID = x8("cis_id", "CIS ID")
    static let cisHandle = x16("cis_handle", "CIS Connection Handle")
    static let streamHandle = x16("cis_bis_handle", "Connection Handle")
    static let bigHandle = x8("big_handle", "BIG Handle")
    static let bisHandle = x16("bis_handle", "Connection Handle")
    static let numBIS = u8("num_bis", "Num BIS")
    static let nse = u8("nse", "NSE")
    static let burstNumber = u8("bn", "BN")
    static let burstNumberCToP = u8("bn_m_to_s", "BN C To P")
    static let burstNumberPToC = u8("bn_s_to_m", "BN P To C")
    static let preTransmissionOffset = u8("pto", "PTO")
    static let repetitionCount = u8("irc", "IRC")
    static let maxPDU = u16("max_pdu", "Max PDU", .bytes)
    static let maxPDUCToP = u16("max_pdu_m_to_s", "Max PDU C To P", .bytes)
    static let maxPDUPToC = u16("max_pdu_s_to_m", "Max PDU P To C", .bytes)
    static let maxSDU = u16("max_sdu", "Max SDU", .bytes)
    static let maxSDUCToP = u16("max_sdu_m_to_s", "Max SDU C To P", .bytes)
    static let maxSDUPToC = u16("max_sdu_s_to_m", "Max SDU P To C", .bytes)
    static let isoInterval = u16("iso_interval", "ISO Interval", .doubleSlots)
    static let sduInterval = u24("sdu_interval", "SDU Interval", .microseconds)
    static let sduIntervalCToP = u24("sdu_interval_m_to_s", "SDU Interval C To P", .microseconds)
    static let sduIntervalPToC = u24("sdu_interval_s_to_m", "SDU Interval P To C", .microseconds)
    static let worstCaseClockAccuracy = x8("slaves_clock_accuracy", "Worst Case SCA", .clockAccuracies)
    static let packing = x8("packing", "Packing", ["Sequential", "Interleaved"])
    static let framing = x8("framing", "Framing", ["Unframed", "Framed"])
    static let encryption = x8("encryption", event: "encryption_mode", "Encryption", ["Unencrypted", "Encrypted"])
    static let broadcastCode = bytes(16, "broadcast_code", "Broadcast Code", secret: true)
    static let bigTransportLatency = u24("big_transport_latency", "Transport Latency BIG", .microseconds)
    static let leStreamPHY = x8("phy", "PHY", .phys)
    static let streamPHYs = bits(1, "phy", "PHY", phyParts)
    static let physCToP = bits(1, "phy_m_to_s", "PHY C To P", phyParts)
    static let physPToC = bits(1, "phy_s_to_m", "PHY P To C", phyParts)
    static let retransmissionsCToP = u8("rtn_m_to_s", "RTN C To P")
    static let retransmissionsPToC = u8("rtn_s_to_m", "RTN P To C")
    static let dataPathDirection = x8(
        "data_path_direction", "Data Path Direction", ["Input (Host to Controller)", "Output (Controller to Host)"])
    static let dataPathID = x8("data_path_id", "Data Path ID", [0: "HCI"])
    static let isoPayloadType = x8(
        "payload_type", "Payload Type", ["Zero length", "Variable length", "Maximum length"])
    static let isoTestCounters: [Self] = [
        status, streamHandle, u32("received_packet_counter", "Received SDU Count"),
        u32("missed_packet_counter", "Missed SDU Count"), u32("failed_packet_counter", "Failed SDU Count"),
    ]
}
