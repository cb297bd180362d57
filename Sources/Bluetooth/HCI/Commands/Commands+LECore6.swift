extension HCI.CommandRow {
    /// Decision-based advertising filtering and monitored advertisers (Core 6.0, Vol 4, Part E, 7.8.144 to 7.8.150).
    static let leAdvertiserFilters: [Self] = [
        command(
            0x2080, "LE Set Decision Data",
            [
                .advertisingHandle,
                .bits(
                    1, "decision_type_flags", "Decision Type Flags",
                    [.part(0x01, "decision_type_flags.resolvable_tag", "Resolvable Tag Present")]),
                .sized(.u8("decision_data_length", "Decision Data Length", .bytes), "decision_data", "Decision Data"),
            ], .complete),
        command(
            0x2081, "LE Set Decision Instructions",
            [
                .list(
                    .u8("num_tests", "Num Tests"), of: "decision_test", "Test",
                    [
                        .x8("test_flags", "Test Flags"), .x8("test_field", "Test Field"),
                        .bytes(16, "test_parameters", "Test Parameters"),
                    ])
            ], .complete),
        command(
            0x2098, "LE Add Device To Monitored Advertisers List",
            [
                .leAddressType, .bdAddr, .i8("rssi_threshold_low", "RSSI Threshold Low", .dBm),
                .i8("rssi_threshold_high", "RSSI Threshold High", .dBm),
                .u8("monitoring_timeout", "Timeout", .seconds),
            ], .complete),
        command(0x2099, "LE Remove Device From Monitored Advertisers List", [.leAddressType, .bdAddr], .complete),
        command(0x209A, "LE Clear Monitored Advertisers List", .complete),
        command(
            0x209B, "LE Read Monitored Advertisers List Size",
            .returns([.status, .u8("monitoring_adv_list_size", "Monitored Advertisers List Size")])),
        command(
            0x209C, "LE Enable Monitoring Advertisers", [.x8("monitoring_enable", "Enable", .disabledEnabled)],
            .complete),
    ]

    /// The extended feature set, the frame space and short connection intervals (Core 6.0, Vol 4, Part E, 7.8.128,
    /// 7.8.129, 7.8.151; Core 6.2, 7.8.154 to 7.8.156).
    static let leExtendedFeatures: [Self] = [
        command(
            0x2087, "LE Read All Local Supported Features",
            .returns([.status, .maxValidPage] + HCI.Parameter.leFeaturePages)),
        command(
            0x2088, "LE Read All Remote Features",
            [.connectionHandle, .u8("pages_requested", "Pages Requested")], .status),
        command(
            0x2097, "LE Set Host Feature [v2]",
            [.u16("feature_bit_number", "Bit Number"), .featureBitValue], .complete),
        command(
            0x209D, "LE Frame Space Update",
            [
                .connectionHandle, .u16("frame_space_min", "Frame Space Min", .microseconds),
                .u16("frame_space_max", "Frame Space Max", .microseconds), .framePHYs, .spacingTypes,
            ], .status),
        command(
            0x209E, "LE Set Resolvable Private Address Timeout [v2]",
            [
                .u16("rpa_timeout_min", "RPA Timeout Min", .seconds),
                .u16("rpa_timeout_max", "RPA Timeout Max", .seconds),
            ],
            .complete),
        command(0x20A1, "LE Connection Rate Request", [.connectionHandle] + rates, .status),
        command(0x20A2, "LE Set Default Rate Parameters", rates, .complete),
        command(
            0x20A3, "LE Read Minimum Supported Connection Interval",
            .returns([
                .status, .u8("min_supported_interval", "Minimum Supported Connection Interval", .eighthMilliseconds),
                .list(
                    .u8("num_groups", "Num Groups"), of: "interval_group", "Group",
                    [
                        .u16("group_min", "Group Min", .eighthMilliseconds),
                        .u16("group_max", "Group Max", .eighthMilliseconds),
                        .u16("group_stride", "Group Stride", .eighthMilliseconds),
                    ]),
            ])),
    ]

    private static let rates: [HCI.Parameter] = [
        .u16("rate_interval_min", "Connection Interval Min", .eighthMilliseconds),
        .u16("rate_interval_max", "Connection Interval Max", .eighthMilliseconds), .subrateMin, .subrateMax,
        .leMaxLatency, .continuationNumber, .leSupervisionTimeout,
        .u16("rate_min_ce_length", "Min CE Length", .eighthMilliseconds),
        .u16("rate_max_ce_length", "Max CE Length", .eighthMilliseconds),
    ]
}
