import Bytes

extension HCI.CommandRow {
    /// Informational parameters (Vol 4, Part E, 7.4).
    static let informational: [Self] = [
        command(
            0x1001, "Read Local Version Information",
            .returns([
                .status, .x8("hci_vers_nr", "HCI Version", .versions),
                .u16("hci_subversion", "HCI Subversion"), .lmpVersion, .manufacturer, .lmpSubversion,
            ])),
        command(
            0x1002, "Read Local Supported Commands",
            .returns([.status, .bytes(64, "local_supported_cmds", "Supported Commands")])),
        command(0x1003, "Read Local Supported Features", .returns([.status, .lmpFeaturesPage0])),
        command(
            0x1004, "Read Local Extended Features", [.pageNumber],
            .returns([.status, .lmpFeaturesByPage])),
        command(
            0x1005, "Read Buffer Size",
            .returns([
                .status, .u16("max_data_length_acl", "ACL Data Packet Length", .bytes),
                .u8("max_data_length_sco", "Synchronous Data Packet Length", .bytes),
                .u16("max_data_num_acl", "Total Num ACL Data Packets"),
                .u16("max_data_num_sco", "Total Num Synchronous Data Packets"),
            ])),
        command(
            0x1007, "Read Country Code",
            .returns([.status, .x8("country_code", "Country Code", ["North America, Europe, Japan", "France"])])),
        command(
            0x1009, "Read BD_ADDR", [.parameters(HCI.ReadBDADDR.self)],
            .returns([.parameters(HCI.ReadBDADDR.Returned.self)])),
        command(
            0x100A, "Read Data Block Size",
            .returns([
                .status, .x16("max_acl_data_packet_length", "Max ACL Data Packet Length"),
                .x16("data_block_length", "Data Block Length"),
                .totalNumDataBlocks,
            ])),
        command(
            0x100B, "Read Local Supported Codecs [v1]",
            .returns([
                .status, .list(numCodecs, of: .codecID),
                .list(numVendorCodecs, of: vendorCodec, [.manufacturer, vendorCodecID]),
            ])),
        command(
            0x100C, "Read Local Simple Pairing Options",
            .returns([
                .status,
                .bits(
                    1, "simple_pairing_options", "Simple Pairing Options",
                    [
                        .part(
                            0x01, "simple_pairing_options.remote_public_key_validation",
                            "Remote Public Key Validation Always Performed")
                    ]), .u8("max_encryption_key_size", "Max Encryption Key Size", .bytes),
            ])),
        command(
            0x100D, "Read Local Supported Codecs [v2]",
            .returns([
                .status, .list(numCodecs, of: "codecs", "Standard Codec", [.codecID, codecTransports]),
                .list(numVendorCodecs, of: vendorCodec, [.manufacturer, vendorCodecID, codecTransports]),
            ])),
        command(
            0x100E, "Read Local Supported Codec Capabilities",
            [.codingFormat, .logicalTransport, .dataPathDirection],
            .returns([
                .status,
                .list(
                    .u8("num_codec_capabilities", "Num Codec Capabilities"), of: "codec_capability_item",
                    "Codec Capability",
                    [
                        .sized(
                            .u8("codec_capability_length", "Codec Capability Length", .bytes), "codec_capability",
                            "Codec Capability")
                    ]),
            ])),
        command(
            0x100F, "Read Local Supported Controller Delay",
            [.codingFormat, .logicalTransport, .dataPathDirection, .codecConfiguration],
            .returns([
                .status, .u24("min_controller_delay", "Min Controller Delay", .microseconds),
                .u24("max_controller_delay", "Max Controller Delay", .microseconds),
            ])),
    ]

    private static let numCodecs = HCI.Parameter.u8("number_of_supported_codecs", "Num Supported Standard Codecs")
    private static let numVendorCodecs = HCI.Parameter.u8(
        "number_of_supported_vendor_codecs", "Num Supported Vendor-specific Codecs")
    private static let vendorCodec = HCI.Parameter.group("vendor_codecs", "Vendor-specific Codec", [])
    private static let vendorCodecID = HCI.Parameter.x16("vendor_codecs.item.codec_id", "Vendor-specific Codec ID")
    private static let codecTransports = HCI.Parameter.bits(
        1, "codec_transport", "Codec Transport",
        [
            .part(0x01, "codec_transport.acl", "BR/EDR ACL"),
            .part(0x02, "codec_transport.sco", "BR/EDR SCO and eSCO"),
            .part(0x04, "codec_transport.cis", "LE CIS"),
            .part(0x08, "codec_transport.bis", "LE BIS"),
        ])

    /// Status parameters (Vol 4, Part E, 7.5).
    static let status: [Self] = [
        command(
            0x1401, "Read Failed Contact Counter", [.connectionHandle],
            .returns([.status, .connectionHandle, .u16("failed_contact_counter", "Failed Contact Counter")])),
        command(
            0x1402, "Reset Failed Contact Counter", [.connectionHandle], .returns([.status, .connectionHandle])),
        command(
            0x1403, "Read Link Quality", [.connectionHandle],
            .returns([.status, .connectionHandle, .u8("link_quality", "Link Quality")])),
        command(0x1405, "Read RSSI", [.connectionHandle], .returns([.status, .connectionHandle, .rssi])),
        command(
            0x1406, "Read AFH Channel Map", [.connectionHandle],
            .returns([
                .status, .connectionHandle, .u8("afh_mode", "AFH Mode", names: .disabledEnabled),
                .afhChannelMap,
            ])),
        command(
            0x1407, "Read Clock",
            [.connectionHandle, .whichClock],
            .returns([
                .status, .connectionHandle, .clock32,
                .x16("clock_accuracy", "Accuracy", nil, .clockTicks),
            ])),
        command(
            0x1408, "Read Encryption Key Size", [.connectionHandle],
            .returns([.status, .connectionHandle, .encryptionKeySize])),
        command(
            0x1409, "Read Local AMP Info",
            .returns([
                .status, .ampStatus, .u32("total_bandwidth", "Total Bandwidth"),
                .u32("max_guaranteed_bandwidth", "Max Guaranteed Bandwidth"),
                .u32("min_latency", "Min Latency", .microseconds), .u32("max_pdu_size", "Max PDU Size", .bytes),
                .controllerType,
                .x16("pal_capabilities", "PAL Capabilities"),
                .u16("max_amp_assoc_length", "AMP ASSOC Length", .bytes),
                .u32("max_flush_to", "Max Flush Timeout", .microseconds),
                .u32("best_effort_flush_to", "Best Effort Flush Timeout", .microseconds),
            ])),
        command(
            0x140C, "Get MWS Transport Layer Configuration",
            .returns([
                .status,
                .list(
                    .u8("mws.number_of_transports", "Num Transports"), of: "mws.transport_layers.item", "Transport",
                    [
                        .x8("mws.transport_layers.item.transport_layer", "Transport Layer", .transportLayers),
                        .u8("mws.number_of_baud_rates", "Num Baud Rates"),
                    ]),
                .repeated(of: "mws.baud_rates", "Baud Rates, To MWS first", [.u32("mws.baud_rate", "Baud Rate")]),
            ])),
        command(
            0x140D, "Set Triggered Clock Capture",
            [
                .connectionHandle, .x8("triggered_clock_capture", "Enable", .disabledEnabled),
                .whichClock, .lpoAllowed,
                .u8("number_of_clock_captures_to_filter", "Num Clock Captures To Filter"),
            ], .complete),
    ]

    /// Testing (Vol 4, Part E, 7.6).
    static let testing: [Self] = [
        command(0x1801, "Read Loopback Mode", .returns([.status, loopbackMode])),
        command(0x1802, "Write Loopback Mode", [loopbackMode], .complete),
        command(0x1803, "Enable Implementation Under Test Mode", .complete),
        command(
            0x1804, "Write Simple Pairing Debug Mode",
            [.u8("simple_pairing_debug_mode", "Simple Pairing Debug Mode", names: .disabledEnabled)],
            .complete),
        command(
            0x180A, "Write Secure Connections Test Mode",
            [
                .connectionHandle, .x8("dm1_acl_u_mode", "DM1 ACL-U Mode", .disabledEnabled),
                .x8("esco_loopback_mode", "eSCO Loopback Mode", .disabledEnabled),
            ], .returns([.status, .connectionHandle])),
    ]

    private static let loopbackMode = HCI.Parameter.x8(
        "loopback_mode", "Loopback Mode", ["No loopback", "Local loopback", "Remote loopback"])
}
