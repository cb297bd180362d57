extension HCI.CommandRow {
    /// Channel Sounding (Core 6.0, Vol 4, Part E, 7.8.130 to 7.8.143).
    static let leChannelSounding: [Self] = [
        command(
            0x2089, "LE CS Read Local Supported Capabilities [v1]",
            .returns([.status] + HCI.Parameter.csCapabilities)),
        command(0x208A, "LE CS Read Remote Supported Capabilities", [.connectionHandle], .status),
        command(
            0x208B, "LE CS Write Cached Remote Supported Capabilities [v1]",
            [.connectionHandle] + HCI.Parameter.csCapabilities, .returns([.status, .connectionHandle])),
        command(0x208C, "LE CS Security Enable", [.connectionHandle], .status),
        command(
            0x208D, "LE CS Set Default Settings",
            [.connectionHandle, .csRoles, .csSyncAntenna, .i8("max_tx_power", "Max TX Power", .dBm)],
            .returns([.status, .connectionHandle])),
        command(0x208E, "LE CS Read Remote FAE Table", [.connectionHandle], .status),
        command(
            0x208F, "LE CS Write Cached Remote FAE Table", [.connectionHandle, .csFAETable],
            .returns([.status, .connectionHandle])),
        command(
            0x2090, "LE CS Create Config",
            [
                .connectionHandle, .csConfigID,
                .x8("create_context", "Create Context", ["Local controller", "Local and remote controller"]),
            ] + HCI.Parameter.csConfig, .status),
        command(0x2091, "LE CS Remove Config", [.connectionHandle, .csConfigID], .status),
        command(
            0x2092, "LE CS Set Channel Classification",
            [.bytes(10, "channel_classification", "Channel Classification")], .complete),
        command(
            0x2093, "LE CS Set Procedure Parameters",
            [
                .connectionHandle, .csConfigID, .csMaxProcedureLength,
                .u16("min_procedure_interval", "Min Procedure Interval"),
                .u16("max_procedure_interval", "Max Procedure Interval"),
                .u16("max_procedure_count", "Max Procedure Count", nil, [0: "Until disabled"]),
                .u24("min_subevent_len", "Min Subevent Length", .microseconds),
                .u24("max_subevent_len", "Max Subevent Length", .microseconds), .csToneAntennas, .phyAndCoding,
                .i8("tx_power_delta", "TX Power Delta", .dB),
                .bits(
                    1, "preferred_peer_antenna", "Preferred Peer Antenna",
                    (0..<4).map { .part(1 << $0, "preferred_peer_antenna.\($0 + 1)", "Antenna \($0 + 1)") }),
                .csSNRInitiator, .csSNRReflector,
            ], .returns([.status, .connectionHandle])),
        command(
            0x2094, "LE CS Procedure Enable",
            [.connectionHandle, .csConfigID, .x8("procedure_enable", "Enable", .disabledEnabled)], .status),
        command(
            0x2095, "LE CS Test",
            [
                .csMainMode, .csSubMode, .csMainModeRepetition, .csMode0Steps, .csRole, .csRTTType, .csSyncPHY,
                .csSyncAntenna, .csSubeventLength, .csSubeventInterval,
                .u8("max_num_subevents", "Max Num Subevents"), .txPowerLevel,
            ] + HCI.Parameter.csTimes + [
                .u8("t_sw_time", "T_SW Time", .microseconds), .csToneAntennas, .csEnhancements, .csSNRInitiator,
                .csSNRReflector, .x16("drbg_nonce", "DRBG Nonce"), .csChannelMapRepetition,
                .x16("override_config", "Override Config"),
                .sized(
                    .u8("override_parameters_length", "Override Parameters Length", .bytes),
                    "override_parameters_data", "Override Parameters Data"),
            ], .complete),
        command(0x2096, "LE CS Test End", .status),
        command(
            0x20A5, "LE CS Read Local Supported Capabilities [v2]",
            .returns([.status] + HCI.Parameter.csCapabilitiesV2)),
        command(
            0x20A6, "LE CS Write Cached Remote Supported Capabilities [v2]",
            [.connectionHandle] + HCI.Parameter.csCapabilitiesV2, .returns([.status, .connectionHandle])),
    ]
}
