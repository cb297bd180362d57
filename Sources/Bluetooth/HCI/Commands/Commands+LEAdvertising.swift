import Bytes

extension HCI.CommandRow {
    /// Extended advertising (Vol 4, Part E, 7.8.52 to 7.8.60, 7.8.122).
    static let leExtendedAdvertising: [Self] = [
        command(0x2035, "LE Set Advertising Set Random Address", [.advertisingHandle, .bdAddr], .complete),
        command(
            0x2036, "LE Set Extended Advertising Parameters [v1]", extendedParameters,
            .returns([.status, .selectedTxPower])),
        command(
            0x2037, "LE Set Extended Advertising Data",
            [.advertisingHandle, .dataOperation, .fragmentPreference, .extendedData], .complete),
        command(
            0x2038, "LE Set Extended Scan Response Data",
            [.advertisingHandle, .dataOperation, .fragmentPreference, .extendedScanResponse], .complete),
        command(
            0x2039, "LE Set Extended Advertising Enable",
            [
                .leAdvertisingEnable,
                .list(
                    .u8("adv_num_sets", "Num Sets"), of: "le_adv_set", "Advertising Set",
                    [
                        .advertisingHandle, .u16("adv_duration", "Duration", .tenMilliseconds),
                        .u8("max_extended_advertising_events", "Max Extended Advertising Events"),
                    ]),
            ], .complete),
        command(
            0x203A, "LE Read Maximum Advertising Data Length",
            .returns([.status, .u16("max_adv_data_length", "Max Advertising Data Length", .bytes)])),
        command(
            0x203B, "LE Read Number of Supported Advertising Sets",
            .returns([.status, .u8("num_supported_adv_sets", "Num Supported Advertising Sets")])),
        command(0x203C, "LE Remove Advertising Set", [.advertisingHandle], .complete),
        command(0x203D, "LE Clear Advertising Sets", .complete),
        command(
            0x207C, "LE Set Data Related Address Changes",
            [
                .advertisingHandle,
                .bits(
                    1, "addr_change_reasons", "Change Reasons",
                    [
                        .part(0x01, "addr_change_reasons.adv_data", "Advertising Data Changed"),
                        .part(0x02, "addr_change_reasons.scan_rsp_data", "Scan Response Data Changed"),
                    ]),
            ], .complete),
        command(
            0x207F, "LE Set Extended Advertising Parameters [v2]",
            extendedParameters + [
                .x8("primary_advertising_phy_options", "Primary Advertising PHY Options", .phyOptions),
                .x8("secondary_advertising_phy_options", "Secondary Advertising PHY Options", .phyOptions),
            ], .returns([.status, .selectedTxPower])),
    ]

    private static let extendedParameters: [HCI.Parameter] = [
        .advertisingHandle, .advertisingProperties, .primaryIntervalMin, .primaryIntervalMax,
        .leAdvertisingChannelMap, .leOwnAddressType, .lePeerAddressType, .bdAddr, .leAdvertisingFilterPolicy,
        .advertisingTxPower, .primaryAdvertisingPHY, .secondaryMaxSkip, .secondaryAdvertisingPHY, .advertisingSID,
        .scanRequestNotification,
    ]

    /// Extended scanning and initiating (Vol 4, Part E, 7.8.64 to 7.8.66).
    static let leScanning: [Self] = [
        command(
            0x2041, "LE Set Extended Scan Parameters",
            [
                .leOwnAddressType, .leScanFilterPolicy,
                .perBit(
                    .bits(1, "le_scan_phys", "Scanning PHYs", HCI.Parameter.scanPHYParts),
                    of: "le_scan_phy_param", "Scanning PHY", [.leScanType, .leScanInterval, .leScanWindow]),
            ], .complete),
        command(
            0x2042, "LE Set Extended Scan Enable",
            [
                .leScanEnable, .leFilterDuplicates, .u16("scan_duration", "Duration", .tenMilliseconds),
                .u16("scan_period", "Period", .inquiryTime),
            ], .complete),
        command(0x2043, "LE Extended Create Connection [v1]", createConnection, .status),
        command(
            0x2085, "LE Extended Create Connection [v2]",
            [.advertisingHandle, .subevent] + createConnection, .status),
    ]

    private static let createConnection: [HCI.Parameter] = [
        .leInitiatorFilterPolicy, .leOwnAddressType, .lePeerAddressType, .bdAddr,
        .perBit(
            .bits(1, "le_init_phys", "Initiating PHYs", HCI.Parameter.phyParts), of: "le_init_phy_param",
            "Initiating PHY",
            [
                .leScanInterval, .leScanWindow, .leConnIntervalMin, .leConnIntervalMax, .leMaxLatency,
                .leSupervisionTimeout, .leMinCELength, .leMaxCELength,
            ]),
    ]

    /// Periodic advertising (Vol 4, Part E, 7.8.61 to 7.8.63, 7.8.67 to 7.8.73, 7.8.88 to 7.8.92, 7.8.125 to 7.8.127).
    static let lePeriodic: [Self] = [
        command(
            0x203E, "LE Set Periodic Advertising Parameters [v1]",
            [.advertisingHandle, .periodicIntervalMin, .periodicIntervalMax, .periodicProperties], .complete),
        command(
            0x203F, "LE Set Periodic Advertising Data", [.advertisingHandle, .dataOperation, .periodicData], .complete),
        command(
            0x2040, "LE Set Periodic Advertising Enable", [.leAdvertisingEnable, .advertisingHandle], .complete),
        command(
            0x2044, "LE Periodic Advertising Create Sync",
            [
                .bits(
                    1, "le_sync_filter_policy", "Options",
                    [
                        .part(0x01, "le_sync_filter_policy.use_list", "Use Periodic Advertiser List"),
                        .part(
                            0x02, "le_sync_filter_policy.reporting_disabled", "Reporting Initially Disabled"),
                        .part(
                            0x04, "le_sync_filter_policy.filter_duplicates", "Duplicate Filtering Initially Enabled"),
                    ]), .advertisingSID, .lePeerAddressType, .bdAddr, .skip, .periodicSyncTimeout, .syncCTEType,
            ], .status),
        command(0x2045, "LE Periodic Advertising Create Sync Cancel", .complete),
        command(0x2046, "LE Periodic Advertising Terminate Sync", [.syncHandle], .complete),
        command(
            0x2047, "LE Add Device To Periodic Advertiser List", [.lePeerAddressType, .bdAddr, .advertisingSID],
            .complete),
        command(
            0x2048, "LE Remove Device From Periodic Advertiser List", [.lePeerAddressType, .bdAddr, .advertisingSID],
            .complete),
        command(0x2049, "LE Clear Periodic Advertiser List", .complete),
        command(
            0x204A, "LE Read Periodic Advertiser List Size",
            .returns([.status, .u8("le_periodic_adv_list_size", "Periodic Advertiser List Size")])),
        command(
            0x2059, "LE Set Periodic Advertising Receive Enable",
            [
                .syncHandle,
                .bits(
                    1, "reporting_enable", "Enable",
                    [
                        .part(0x01, "reporting_enable.reporting", "Reporting Enabled"),
                        .part(0x02, "reporting_enable.filter_duplicates", "Duplicate Filtering Enabled"),
                    ]),
            ], .complete),
        command(
            0x205A, "LE Periodic Advertising Sync Transfer", [.connectionHandle, .servicePAST, .syncHandle],
            .returns([.status, .connectionHandle])),
        command(
            0x205B, "LE Periodic Advertising Set Info Transfer", [.connectionHandle, .servicePAST, .advertisingHandle],
            .returns([.status, .connectionHandle])),
        command(
            0x205C, "LE Set Periodic Advertising Sync Transfer Parameters",
            [.connectionHandle, .syncMode, .skip, .periodicSyncTimeout, .syncCTEType],
            .returns([.status, .connectionHandle])),
        command(
            0x205D, "LE Set Default Periodic Advertising Sync Transfer Parameters",
            [.syncMode, .skip, .periodicSyncTimeout, .syncCTEType], .complete),
        command(
            0x2082, "LE Set Periodic Advertising Subevent Data",
            [
                .advertisingHandle,
                .list(
                    .numSubevents, of: "subevent_data", "Subevent Data",
                    [
                        .subevent, .u8("response_slot_start", "Response Slot Start"),
                        .u8("response_slot_count", "Response Slot Count"), .periodicData,
                    ]),
            ], .returns([.status, .advertisingHandle])),
        command(
            0x2083, "LE Set Periodic Advertising Response Data",
            [
                .syncHandle, .u16("request_event", "Request Event"), .u8("request_subevent", "Request Subevent"),
                .u8("response_subevent", "Response Subevent"), .responseSlot, .periodicData,
            ], .returns([.status, .syncHandle])),
        command(
            0x2084, "LE Set Periodic Sync Subevent",
            [.syncHandle, .periodicProperties, .list(.numSubevents, of: .subevent)],
            .returns([.status, .syncHandle])),
        command(
            0x2086, "LE Set Periodic Advertising Parameters [v2]",
            [
                .advertisingHandle, .periodicIntervalMin, .periodicIntervalMax, .periodicProperties, .numSubevents,
                .subeventInterval, .responseSlotDelay, .responseSlotSpacing,
                .u8("num_response_slots", "Num Response Slots"),
            ], .returns([.status, .advertisingHandle])),
    ]
}
