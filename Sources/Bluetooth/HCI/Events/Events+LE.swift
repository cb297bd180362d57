import Bytes

extension HCI.LEEventRow {
    /// Connections (Vol 4, Part E, 7.7.65).
    static let leConnections: [Self] = [
        event(0x01, "LE Connection Complete", [.parameters(HCI.LEConnectionComplete.self)]),
        event(0x03, "LE Connection Update Complete", [.parameters(HCI.LEConnectionUpdateComplete.self)]),
        event(0x04, "LE Read Remote Features Complete", [.status, .connectionHandle, .leFeatures]),
        event(0x05, "LE Long Term Key Request", [.parameters(HCI.LELongTermKeyRequest.self)]),
        event(
            0x06, "LE Remote Connection Parameter Request",
            [.parameters(HCI.LERemoteConnectionParameterRequest.self)]),
        event(0x07, "LE Data Length Change", [.parameters(HCI.LEDataLengthChange.self)]),
        event(
            0x08, "LE Read Local P-256 Public Key Complete",
            [.status, .bytes(64, "le_local_p_256_public_key", "P-256 Public Key")]),
        event(
            0x09, "LE Generate DHKey Complete", [.status, .bytes(32, "dhkey", "DH Key", secret: true)]),
        event(0x0A, "LE Enhanced Connection Complete [v1]", [.parameters(HCI.LEEnhancedConnectionComplete.self)]),
        event(0x0C, "LE PHY Update Complete", [.parameters(HCI.LEPHYUpdateComplete.self)]),
        event(
            0x14, "LE Channel Selection Algorithm",
            [
                .connectionHandle,
                .x8("channel_selection_algorithm", "Channel Selection Algorithm", ["Algorithm #1", "Algorithm #2"]),
            ]),
        event(
            0x16, "LE Connection IQ Report",
            [
                .connectionHandle, .leRxPHY, .channelIndex, .cteRSSI, .antennaID, .cteType, .slotDurations,
                .packetStatus, .eventCounter, .iqSamples,
            ]),
        event(0x17, "LE CTE Request Failed", [.status, .connectionHandle]),
        event(
            0x1F, "LE Request Peer SCA Complete",
            [
                .status, .connectionHandle,
                .x8("peer_clock_accuracy", "Peer Clock Accuracy", .clockAccuracies),
            ]),
        event(
            0x20, "LE Path Loss Threshold",
            [
                .connectionHandle, .u8("current_path_loss", "Current Path Loss", .dB, [0xFF: "Unavailable"]),
                .x8(
                    "zone_entered", "Zone Entered",
                    ["Entered low zone", "Entered middle zone", "Entered high zone"]),
            ]),
        event(
            0x21, "LE Transmit Power Reporting",
            [
                .status, .connectionHandle,
                .x8(
                    "power_report_reason", "Reason",
                    [
                        "Local transmit power changed", "Remote transmit power changed",
                        "LE Read Remote Transmit Power Level command completed",
                    ]),
                .phyAndCoding, .txPowerLevel,
                .bits(
                    1, "power_level_flags", "TX Power Level Flags",
                    [
                        .part(0x01, "transmit_power_level_flags.minimum_power", "At Minimum Level"),
                        .part(0x02, "transmit_power_level_flags.maximum_power", "At Maximum Level"),
                    ]),
                .i8("power_level_delta", "Delta", .dB),
            ]),
        event(
            0x23, "LE Subrate Change",
            [
                .status, .connectionHandle, .subrateFactor, .leMaxLatency, .continuationNumber, .leSupervisionTimeout,
            ]),
        event(
            0x29, "LE Enhanced Connection Complete [v2]", [.parameters(HCI.LEEnhancedConnectionCompleteV2.self)]),
        event(
            0x2B, "LE Read All Remote Features Complete",
            [
                .status, .connectionHandle, .u8("max_remote_page", "Max Remote Page"), .maxValidPage,
            ] + HCI.Parameter.leFeaturePages),
        event(
            0x35, "LE Frame Space Update Complete",
            [
                .status, .connectionHandle,
                .x8("initiator", "Initiator", ["Local host", "Local controller", "Peer"]),
                .u16("frame_space", "Frame Space", .microseconds), .framePHYs, .spacingTypes,
            ]),
        event(
            0x37, "LE Connection Rate Change",
            [
                .status, .connectionHandle, .u16("rate_interval", "Connection Interval", .eighthMilliseconds),
                .subrateFactor, .leMaxLatency, .continuationNumber, .leSupervisionTimeout,
            ]),
    ]

    /// Advertising, periodic advertising and scanning (Vol 4, Part E, 7.7.65).
    static let leAdvertising: [Self] = [
        event(0x02, "LE Advertising Report", [.parameters(HCI.LEAdvertisingReport.self)]),
        event(
            0x0B, "LE Directed Advertising Report",
            [
                .list(
                    .u8("number_of_reports", "Num Reports"), of: .leReport,
                    [
                        .x8("event_type", "Event Type", [1: "ADV_DIRECT_IND"]), .leAddressType, .bdAddr,
                        .directAddressType, .directAddress,
                        .leRSSI,
                    ])
            ]),
        event(0x0D, "LE Extended Advertising Report", [.parameters(HCI.LEExtendedAdvertisingReport.self)]),
        event(0x0E, "LE Periodic Advertising Sync Established [v1]", periodicSync),
        event(
            0x0F, "LE Periodic Advertising Report [v1]",
            [.syncHandle, .txPower, .rssi, .cteType, .dataStatus, .periodicData]),
        event(0x10, "LE Periodic Advertising Sync Lost", [.syncHandle]),
        event(0x11, "LE Scan Timeout"),
        event(
            0x12, "LE Advertising Set Terminated",
            [
                .status, .advertisingHandle, .connectionHandle,
                .u8("num_compl_ext_adv_events", "Num Completed Extended Advertising Events"),
            ]),
        event(0x13, "LE Scan Request Received", [.advertisingHandle, .leAddressType, .bdAddr]),
        event(
            0x15, "LE Connectionless IQ Report",
            [
                .syncHandle, .channelIndex, .cteRSSI, .antennaID, .cteType, .slotDurations, .packetStatus,
                .eventCounter, .iqSamples,
            ]),
        event(0x18, "LE Periodic Advertising Sync Transfer Received [v1]", periodicTransfer),
        event(
            0x24, "LE Periodic Advertising Sync Established [v2]",
            periodicSync + [.numSubevents, .subeventInterval, .responseSlotDelay, .responseSlotSpacing]),
        event(
            0x25, "LE Periodic Advertising Report [v2]",
            [
                .syncHandle, .txPower, .rssi, .cteType, .eventCounter, .subevent, .dataStatus, .periodicData,
            ]),
        event(
            0x26, "LE Periodic Advertising Sync Transfer Received [v2]",
            periodicTransfer + [.numSubevents, .subeventInterval, .responseSlotDelay, .responseSlotSpacing]),
        event(
            0x27, "LE Periodic Advertising Subevent Data Request",
            [
                .advertisingHandle, .u8("subevent_start", "Subevent Start"),
                .u8("subevent_data_count", "Subevent Data Count"),
            ]),
        event(
            0x28, "LE Periodic Advertising Response Report",
            [
                .advertisingHandle, .subevent,
                .x8("tx_status", "TX Status", ["AUX_SYNC_SUBEVENT_IND sent", "AUX_SYNC_SUBEVENT_IND not sent"]),
                .list(
                    .numResponses, of: "response", "Response",
                    [
                        .txPower, .leRSSI, .cteType, .u8("response_slot", "Response Slot"), .dataStatus, .periodicData,
                    ]),
            ]),
        event(
            0x34, "LE Monitored Advertisers Report",
            [
                .leAddressType, .bdAddr,
                .x8(
                    "monitoring_condition", "Condition",
                    [
                        "Not received above the low threshold within the timeout",
                        "Received at the high threshold or above",
                    ]
                ),
            ]),
    ]

    private static let periodicSync: [HCI.Parameter] = [
        .status, .syncHandle, .advertisingSID, .lePeerAddressType, .bdAddr, .advertiserPHY, .periodicInterval,
        .advertiserClockAccuracy,
    ]

    private static let periodicTransfer: [HCI.Parameter] = [
        .status, .connectionHandle, .servicePAST, .syncHandle, .advertisingSID, .lePeerAddressType, .bdAddr,
        .advertiserPHY, .periodicInterval, .advertiserClockAccuracy,
    ]

    /// Isochronous streams (Vol 4, Part E, 7.7.65).
    static let leIsochronous: [Self] = [
        event(0x19, "LE CIS Established [v1]", cisEstablished),
        event(
            0x2A, "LE CIS Established [v2]",
            cisEstablished + [
                .u24("sub_interval", "Sub Interval", .microseconds), .maxSDUCToP, .maxSDUPToC, .sduIntervalCToP,
                .sduIntervalPToC, .framing,
            ]),
        event(0x1A, "LE CIS Request", [.connectionHandle, .cisHandle, .cigID, .cisID]),
        event(
            0x1B, "LE Create BIG Complete",
            [
                .status, .bigHandle, .u24("big_sync_delay", "BIG Sync Delay", .microseconds), .bigTransportLatency,
                .leStreamPHY, .nse, .burstNumber, .preTransmissionOffset, .repetitionCount, .maxPDU, .isoInterval,
                .list(.numBIS, of: .bisHandle),
            ]),
        event(0x1C, "LE Terminate BIG Complete", [.bigHandle, .reason]),
        event(
            0x1D, "LE BIG Sync Established",
            [
                .status, .bigHandle, .bigTransportLatency, .nse, .burstNumber, .preTransmissionOffset,
                .repetitionCount, .maxPDU, .isoInterval, .list(.numBIS, of: .bisHandle),
            ]),
        event(0x1E, "LE BIG Sync Lost", [.bigHandle, .reason]),
        event(
            0x22, "LE BIGInfo Advertising Report",
            [
                .syncHandle, .numBIS, .nse, .isoInterval, .burstNumber, .preTransmissionOffset, .repetitionCount,
                .maxPDU, .sduInterval, .maxSDU, .leStreamPHY, .framing, .encryption,
            ]),
    ]

    private static let cisEstablished: [HCI.Parameter] = [
        .status, .cisHandle, .u24("cig_sync_delay", "CIG Sync Delay", .microseconds),
        .u24("cis_sync_delay", "CIS Sync Delay", .microseconds),
        .u24("transport_latency_m_to_s", "Transport Latency C To P", .microseconds),
        .u24("transport_latency_s_to_m", "Transport Latency P To C", .microseconds),
        .x8("phy_m_to_s", "PHY C To P", .phys),
        .x8("phy_s_to_m", "PHY P To C", .phys), .nse, .burstNumberCToP, .burstNumberPToC,
        .u8("ft_m_to_s", "FT C To P"), .u8("ft_s_to_m", "FT P To C"), .maxPDUCToP, .maxPDUPToC, .isoInterval,
    ]
}
