import Bytes

extension HCI.CommandRow {
    /// Controller and baseband: pairing, LE support, coexistence, broadcast (Vol 4, Part E, 7.3).
    static let basebandFeatures: [Self] = [
        command(
            0x0C51, "Read Extended Inquiry Response", .returns([.status, .fecRequired, .extendedInquiryResponse])),
        command(
            0x0C52, "Write Extended Inquiry Response", [.fecRequired, .extendedInquiryResponse], .complete),
        command(0x0C55, "Read Simple Pairing Mode", .returns([.status, simplePairingMode])),
        command(0x0C56, "Write Simple Pairing Mode", [simplePairingMode], .complete),
        command(0x0C57, "Read Local OOB Data", .returns([.status, .hashC, .randomizerR])),
        command(0x0C58, "Read Inquiry Response Transmit Power Level", .returns([.status, inquiryPowerLevel])),
        command(0x0C59, "Write Inquiry Transmit Power Level", [inquiryPowerLevel], .complete),
        command(0x0C5A, "Read Default Erroneous Data Reporting", .returns([.status, dataReporting])),
        command(0x0C5B, "Write Default Erroneous Data Reporting", [dataReporting], .complete),
        command(0x0C60, "Send Keypress Notification", [.bdAddr, .notificationType], .returns([.status, .bdAddr])),
        command(0x0C61, "Read Logical Link Accept Timeout", .returns([.status, .timeout])),
        command(0x0C62, "Write Logical Link Accept Timeout", [.timeout], .complete),
        command(0x0C64, "Read Location Data", .returns([.status] + location)),
        command(0x0C65, "Write Location Data", location, .complete),
        command(0x0C66, "Read Flow Control Mode", .returns([.status, flowControlMode])),
        command(0x0C67, "Write Flow Control Mode", [flowControlMode], .complete),
        command(0x0C6C, "Read LE Host Support", .returns([.status, leSupportedHost, leSimultaneousHost])),
        command(0x0C6D, "Write LE Host Support", [leSupportedHost, leSimultaneousHost], .complete),
        command(
            0x0C6E, "Set MWS Channel Parameters",
            [
                .x8("mws_channel", "MWS Channel Enable", .disabledEnabled),
                .u16("mws_rx_center_frequency", "MWS RX Center Frequency", .megahertz),
                .u16("mws_tx_center_frequency", "MWS TX Center Frequency", .megahertz),
                .u16("mws_rx_channel_bandwidth", "MWS RX Channel Bandwidth", .kilohertz),
                .u16("mws_tx_channel_bandwidth", "MWS TX Channel Bandwidth", .kilohertz),
                .x8("mws_channel_type", "MWS Channel Type"),
            ], .complete),
        command(
            0x0C6F, "Set External Frame Configuration",
            [
                .u16("external_frame.duration", "MWS Frame Duration", .microseconds),
                .i16("external_frame.sync_assert.offset", "MWS Frame Sync Assert Offset", .microseconds),
                .u16("external_frame.sync_assert.jitter", "MWS Frame Sync Assert Jitter", .microseconds),
                .list(
                    .u8("external_frame.number_of_periods", "MWS Num Periods"), of: "external_frame.period", "Period",
                    [
                        .u16("external_frame.period.duration", "Period Duration", .microseconds),
                        .x8(
                            "external_frame.period.type", "Period Type",
                            ["Downlink", "Uplink", "Bi-Directional", "Guard Period"]),
                    ]),
            ], .complete),
        command(
            0x0C70, "Set MWS Signaling", signalsOfMWS,
            .returns([.status] + signalsOfBluetooth)),
        command(
            0x0C71, "Set MWS Transport Layer",
            [
                .x8("mws.transport_layer", "Transport Layer", .transportLayers),
                .u32("mws.to_baud_rate", "To MWS Baud Rate"), .u32("mws.from_baud_rate", "From MWS Baud Rate"),
            ], .complete),
        command(
            0x0C72, "Set MWS Scan Frequency Table",
            [
                .list(
                    .u8("mws.number_of_frequencies", "Num Scan Frequencies"), of: "mws.scan_frequency_table.item",
                    "Scan Frequency",
                    [
                        .u16("mws.scan_frequency_table.item.low", "Scan Frequency Low", .megahertz),
                        .u16("mws.scan_frequency_table.item.high", "Scan Frequency High", .megahertz),
                    ])
            ], .complete),
        command(
            0x0C73, "Set MWS_PATTERN Configuration",
            [
                .u8("mws_pattern.index", "MWS_PATTERN Index"),
                .list(
                    .u8("mws_pattern.number_of_intervals", "MWS_PATTERN Num Intervals"), of: "mws_pattern.pattern",
                    "Interval",
                    [
                        .u16("mws_pattern.pattern.duration", "Interval Duration", .microseconds),
                        .x8("mws_pattern.pattern.type", "Interval Type"),
                    ]),
            ], .complete),
        command(0x0C74, "Set Reserved LT_ADDR", [.ltAddr], .returns([.status, .ltAddr])),
        command(0x0C75, "Delete Reserved LT_ADDR", [.ltAddr], .returns([.status, .ltAddr])),
        command(
            0x0C76, "Set Connectionless Peripheral Broadcast Data",
            [
                .ltAddr,
                .x8(
                    "csb.fragment", "Fragment",
                    ["Continuation fragment", "Starting fragment", "Ending fragment", "No fragmentation"]),
                .sized(.u8("csb.data_length", "Data Length", .bytes), "csb.data", "Data"),
            ], .returns([.status, .ltAddr])),
        command(
            0x0C77, "Read Synchronization Train Parameters",
            .returns([.status, trainInterval, trainTimeout, .trainServiceData])),
        command(
            0x0C78, "Write Synchronization Train Parameters",
            [.intervalMin, .intervalMax, trainTimeout, .trainServiceData], .returns([.status, trainInterval])),
        command(0x0C79, "Read Secure Connections Host Support", .returns([.status, secureConnections])),
        command(0x0C7A, "Write Secure Connections Host Support", [secureConnections], .complete),
        command(
            0x0C7D, "Read Local OOB Extended Data",
            .returns([.status, .hashC192, .randomizerR192, .hashC256, .randomizerR256])),
        command(
            0x0C82, "Set Ecosystem Base Interval",
            [.u16("ecosystem_base_interval", "Interval", .doubleSlots)], .complete),
        command(
            0x0C83, "Configure Data Path",
            [
                .dataPathDirection, .dataPathID,
                .sized(
                    .u8("vendor_config_length", "Vendor-specific Config Length", .bytes), "vendor_config",
                    "Vendor-specific Config"),
            ], .complete),
        command(
            0x0C84, "Set Min Encryption Key Size",
            [.u8("min_encryption_key_size", "Min Encryption Key Size", .bytes)], .complete),
    ]

    private static let simplePairingMode = HCI.Parameter.u8(
        "simple_pairing_mode", "Simple Pairing Mode", names: .disabledEnabled)
    private static let inquiryPowerLevel = HCI.Parameter.i8(
        "power_level", event: "transmit_power_level", "TX Power Level", .dBm)
    private static let dataReporting = HCI.Parameter.u8(
        "err_data_reporting", "Erroneous Data Reporting", names: .disabledEnabled)
    private static let flowControlMode = HCI.Parameter.x8(
        "flow_control_mode", "Flow Control Mode", ["Packet-based", "Data-block-based"])
    private static let leSupportedHost = HCI.Parameter.x8(
        "le_supported_host", "LE Supported Host", .disabledEnabled)
    /// Formerly Simultaneous LE Host.
    private static let leSimultaneousHost = HCI.Parameter.x8("le_simultaneous_host", "Unused")
    private static let location: [HCI.Parameter] = [
        .x8("location_domain_aware", "Location Domain Aware"), .text(2, "location_domain", "Location Domain"),
        .text(1, "location_domain_options", "Location Domain Options"), .x8("location_options", "Location Options"),
    ]
    private static let secureConnections = HCI.Parameter.x8(
        "secure_connection_host_support", "Secure Connections Host Support", .disabledEnabled)
    private static let trainInterval = HCI.Parameter.u16("sync_train_interval", "Sync Train Interval", .slots)
    private static let trainTimeout = HCI.Parameter.u32("sync_train_to", "Synchronization Train Timeout", .slots)

    private static let signalsOfMWS: [HCI.Parameter] = [
        .i16("mws.rx_assert.offset", "MWS RX Assert Offset", .microseconds),
        .u16("mws.rx_assert.jitter", "MWS RX Assert Jitter", .microseconds),
        .i16("mws.rx_deassert.offset", "MWS RX Deassert Offset", .microseconds),
        .u16("mws.rx_deassert.jitter", "MWS RX Deassert Jitter", .microseconds),
        .i16("mws.tx_assert.offset", "MWS TX Assert Offset", .microseconds),
        .u16("mws.tx_assert.jitter", "MWS TX Assert Jitter", .microseconds),
        .i16("mws.tx_deassert.offset", "MWS TX Deassert Offset", .microseconds),
        .u16("mws.tx_deassert.jitter", "MWS TX Deassert Jitter", .microseconds),
        .i16("mws.pattern_assert.offset", "MWS Pattern Assert Offset", .microseconds),
        .u16("mws.pattern_assert.jitter", "MWS Pattern Assert Jitter", .microseconds),
        .i16("mws.inactivity_duration_assert.offset", "MWS Inactivity Duration Assert Offset", .microseconds),
        .u16("mws.inactivity_duration_assert.jitter", "MWS Inactivity Duration Assert Jitter", .microseconds),
        .i16("mws.scan_frequency_assert.offset", "MWS Scan Frequency Assert Offset", .microseconds),
        .u16("mws.scan_frequency_assert.jitter", "MWS Scan Frequency Assert Jitter", .microseconds),
        .u16("mws.priority_assert_offset_request", "MWS Priority Assert Offset Request", .microseconds),
    ]

    private static let signalsOfBluetooth: [HCI.Parameter] = [
        .i16("mws.bt.rx_priority.assert.offset", "Bluetooth RX Priority Assert Offset", .microseconds),
        .u16("mws.bt.rx_priority.assert.jitter", "Bluetooth RX Priority Assert Jitter", .microseconds),
        .i16("mws.bt.rx_priority.deassert.offset", "Bluetooth RX Priority Deassert Offset", .microseconds),
        .u16("mws.bt.rx_priority.deassert.jitter", "Bluetooth RX Priority Deassert Jitter", .microseconds),
        .i16("mws.802.rx_priority.assert.offset", "802 RX Priority Assert Offset", .microseconds),
        .u16("mws.802.rx_priority.assert.jitter", "802 RX Priority Assert Jitter", .microseconds),
        .i16("mws.802.rx_priority.deassert.offset", "802 RX Priority Deassert Offset", .microseconds),
        .u16("mws.802.rx_priority.deassert.jitter", "802 RX Priority Deassert Jitter", .microseconds),
        .i16("mws.bt.tx_priority.assert.offset", "Bluetooth TX On Assert Offset", .microseconds),
        .u16("mws.bt.tx_priority.assert.jitter", "Bluetooth TX On Assert Jitter", .microseconds),
        .i16("mws.bt.tx_priority.deassert.offset", "Bluetooth TX On Deassert Offset", .microseconds),
        .u16("mws.bt.tx_priority.deassert.jitter", "Bluetooth TX On Deassert Jitter", .microseconds),
        .i16("mws.802.tx_priority.assert.offset", "802 TX On Assert Offset", .microseconds),
        .u16("mws.802.tx_priority.assert.jitter", "802 TX On Assert Jitter", .microseconds),
        .i16("mws.802.tx_priority.deassert.offset", "802 TX On Deassert Offset", .microseconds),
        .u16("mws.802.tx_priority.deassert.jitter", "802 TX On Deassert Jitter", .microseconds),
    ]
}
