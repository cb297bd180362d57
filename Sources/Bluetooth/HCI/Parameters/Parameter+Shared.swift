import Bytes

/// Common parameters of all rows.
extension HCI.Parameter {
    static let status = x8("status", "Status", Names(HCI.ErrorCode.valueNames))
    static let reason = x8("reason", "Reason", Names(HCI.ErrorCode.valueNames))
    static let connectionHandle = x16("connection_handle", "Connection Handle")
    static let numHandles = u8("num_handles", "Number of Connection Handles")
    static let numCompletedPackets = u16("num_compl_packets", "Number of Completed Packets")
    static let bdAddr = address("bd_addr", "BD_ADDR")
    static let role = x8("role", "Role", .roles)
    static let padding = rest("padding", "Padding")
}

/// Common parameters of LE rows.
extension HCI.Parameter {
    static let leAddressType = x8("le_address_type", "Address Type", .addressTypes)
    static let lePeerAddressType = x8("le_peer_address_type", "Peer Address Type", .addressTypes)
    static let leOwnAddressType = x8(
        "le_own_address_type", "Own Address Type",
        [
            "Public Device Address", "Random Device Address", "Resolvable Private Address, else public",
            "Resolvable Private Address, else random",
        ])
    static let lePeerIdentityAddressType = x8(
        "le_peer_identity_address_type", "Peer Identity Address Type", .addressTypes)

    static let leDataLength = u8("le_data_length", event: "data_length", "Data Length", .bytes)
    static let leScanInterval = u16("le_scan_interval", "Scan Interval", .slots)
    static let leScanWindow = u16("le_scan_window", "Scan Window", .slots)
    static let leScanType = x8("le_scan_type", "Scan Type", ["Passive Scanning", "Active Scanning"])
    static let leScanFilterPolicy = x8(
        "le_scan_filter_policy", "Scanning Filter Policy",
        [
            "Basic unfiltered", "Basic filtered", "Extended unfiltered", "Extended filtered",
        ])
    static let leScanEnable = x8("le_scan_enable", "Scan Enable", .disabledEnabled)
    static let leFilterDuplicates = x8(
        "le_filter_duplicates", "Filter Duplicates", ["Disabled", "Enabled", "Enabled, reset each scan period"])
    static let leInitiatorFilterPolicy = x8(
        "le_initiator_filter_policy", "Initiator Filter Policy",
        ["Peer Address", "Filter Accept List", "Peer Address, decision PDUs", "Filter Accept List, decision PDUs"])
    static let leConnIntervalMin = u16(
        "le_con_interval_min", event: "le_min_interval", "Connection Interval Min", .doubleSlots)
    static let leConnIntervalMax = u16(
        "le_con_interval_max", event: "le_max_interval", "Connection Interval Max", .doubleSlots)
    static let leMaxLatency = u16("le_con_latency", "Max Latency")
    static let leConnInterval = u16("le_con_interval", "Connection Interval", .doubleSlots)
    static let leSupervisionTimeout = u16("le_supv_timeout", "Supervision Timeout", .tenMilliseconds)
    static let leMinCELength = u16("le_min_ce_length", "Min CE Length", .slots)
    static let leMaxCELength = u16("le_max_ce_length", "Max CE Length", .slots)
    static let leClockAccuracy = x8(
        "le_central_clock_accuracy", event: "le_master_clock_accuracy", "Central Clock Accuracy", .clockAccuracies)
    static let lePeerRPA = address("le_peer_rpa", "Peer Resolvable Private Address")
    static let leLocalRPA = address("le_local_rpa", "Local Resolvable Private Address")
    static let leTxOctets = u16("le_tx_octets", "TX Octets", .bytes)
    static let leTxTime = u16("le_tx_time", "TX Time", .microseconds)
    static let maxTxOctets = u16("max_tx_octets", "Max TX Octets", .bytes)
    static let maxTxTime = u16("max_tx_time", "Max TX Time", .microseconds)
    static let maxRxOctets = u16("max_rx_octets", "Max RX Octets", .bytes)
    static let maxRxTime = u16("max_rx_time", "Max RX Time", .microseconds)
    static let leRandomNumber = bytes(8, "le_random_number", "Random Number")
    static let leEncryptedDiversifier = x16("le_encrypted_diversifier", "Encrypted Diversifier")
    static let leLongTermKey = bytes(16, "le_long_term_key", "Long Term Key", secret: true)
    static let lePeerIRK = bytes(16, "le_peer_irk", "Peer IRK", secret: true)
    static let leLocalIRK = bytes(16, "le_local_irk", "Local IRK", secret: true)
    static let leTxPHY = x8("tx_phy", event: "le_tx_phy", "TX PHY", .phys)
    static let leRxPHY = x8("rx_phy", event: "le_rx_phy", "RX PHY", .phys)
    static let advertisingHandle = x8("advertising_handle", event: "adv_handle", "Advertising Handle")
    static let syncHandle = x16("sync_handle", "Sync Handle")
    static let advertisingSID = x8("advertising_sid", "Advertising SID")
    static let advertisingData = rest("advertising_data", "Advertising Data")
    static let scanResponseData = rest("scan_response_data", "Scan Response Data")

    static let leAclDataPacketLength = u16("le_acl_data_pkt_len", "LE ACL Data Packet Length", .bytes)
    static let leTotalNumAclDataPackets = u8("le_total_num_acl_data_pkts", "Total Number LE ACL Data Packets")
}

/// Parameters of advertising reports.
extension HCI.Parameter {
    static let leNumReports = u8("le_num_reports", "Num Reports")
    static let leReport = group("report", "Report", [])
    static let leAdvertisingEventType = x8(
        "le_advts_event_type", "Event Type",
        ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP"])
    static let leExtendedEventType = bits(
        2, "le_ext_advts_event_type", "Event Type",
        [
            .part(0x0001, "le_ext_advts_event_type.connectable", "Connectable Advertising"),
            .part(0x0002, "le_ext_advts_event_type.scannable", "Scannable Advertising"),
            .part(0x0004, "le_ext_advts_event_type.directed", "Directed Advertising"),
            .part(0x0008, "le_ext_advts_event_type.scan_response", "Scan Response"),
            .part(0x0010, "le_ext_advts_event_type.legacy", "Legacy Advertising PDUs Used"),
            .part(0x0060, "le_ext_advts_event_type.data_status", "Data Status", .hex(4), .dataStatuses),
        ])
    static let leRSSI = i8("le_rssi", "RSSI", .dBm, [127: "RSSI is not available"])
    static let primaryPHY = x8("primary_phy", "Primary PHY", .phys)
    static let secondaryPHY = x8("secondary_phy", "Secondary PHY", .phys)
    static let txPower = i8("tx_power", "TX Power", .dBm, [127: "TX Power is not available"])
    static let periodicInterval = x16(
        "periodic_advertising_interval", "Periodic Advertising Interval", nil, .doubleSlots)
    static let directAddressType = x8(
        "le_direct_address_type", "Direct Address Type", .addressTypes)
    static let directAddress = address("direct_bd_addr", "Direct Address")
}

/// Parameters of legacy advertising commands.
extension HCI.Parameter {
    static let leAdvertisingIntervalMin = u16("le_advts_interval_min", "Advertising Interval Min", .slots)
    static let leAdvertisingIntervalMax = u16("le_advts_interval_max", "Advertising Interval Max", .slots)
    static let leAdvertisingType = x8(
        "le_advts_type", "Advertising Type",
        [
            "ADV_IND", "ADV_DIRECT_IND, high duty cycle", "ADV_SCAN_IND", "ADV_NONCONN_IND",
            "ADV_DIRECT_IND, low duty cycle",
        ])
    static let leAdvertisingChannelMap = bits(
        1, "le_advts_ch_map", "Advertising Channel Map",
        [
            .part(0x01, "le_advts_ch_map_1", "Channel 37", .hex(2)),
            .part(0x02, "le_advts_ch_map_2", "Channel 38", .hex(2)),
            .part(0x04, "le_advts_ch_map_3", "Channel 39", .hex(2)),
        ])
    static let leAdvertisingFilterPolicy = x8(
        "le_advts_filter_policy", "Advertising Filter Policy",
        [
            "Scan and connect: anyone", "Scan: Filter Accept List; connect: anyone",
            "Scan: anyone; connect: Filter Accept List", "Scan and connect: Filter Accept List",
        ])
    static let leAdvertisingEnable = x8("le_advts_enable", "Advertising Enable", .disabledEnabled)
}

/// Common parameters of BR/EDR rows.
extension HCI.Parameter {
    static let linkType = x8("link_type", "Link Type", ["SCO", "ACL", "eSCO"])
    static let encryptionMode = x8("encryption_mode", "Encryption Enabled", .disabledEnabled)
    static let encryptionEnable = x8(
        "encryption_enable", "Encryption Enabled", ["Off", "On (E0, or AES-CCM on LE)", "On (AES-CCM)"])
}
