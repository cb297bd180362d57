import Bytes

/// Commands and events of High Speed (AMP), which Core 5.3 removed; captures of earlier devices contain them (Core 5.2,
/// Vol 4, Part E).
extension HCI.CommandRow {
    static let highSpeed: [Self] = [
        command(0x0435, "Create Physical Link", physicalLink, .status),
        command(0x0436, "Accept Physical Link", physicalLink, .status),
        command(0x0437, "Disconnect Physical Link", [.physicalLinkHandle, .reason], .status),
        command(0x0438, "Create Logical Link", [.physicalLinkHandle] + flowSpecifications, .status),
        command(0x0439, "Accept Logical Link", [.physicalLinkHandle] + flowSpecifications, .status),
        command(0x043A, "Disconnect Logical Link", [.logicalLinkHandle], .status),
        command(
            0x043B, "Logical Link Cancel", [.physicalLinkHandle, .flowSpecificationID],
            .returns([.status, .physicalLinkHandle, .flowSpecificationID])),
        command(0x043C, "Flow Spec Modify", [.connectionHandle] + flowSpecifications, .status),
        command(
            0x0C69, "Read Best Effort Flush Timeout", [.logicalLinkHandle], .returns([.status, .bestEffortTimeout])),
        command(
            0x0C6A, "Write Best Effort Flush Timeout", [.logicalLinkHandle, .bestEffortTimeout], .complete),
        command(
            0x0C6B, "Short Range Mode",
            [.physicalLinkHandle, .x8("short_range_mode", "Short Range Mode", .disabledEnabled)], .status),
        command(
            0x140A, "Read Local AMP ASSOC",
            [.physicalLinkHandle, .lengthSoFar, .u16("amp_assoc_length", "Max Remote AMP ASSOC Length", .bytes)],
            .returns([.status, .physicalLinkHandle, .remainingLength, .fragment])),
        command(
            0x140B, "Write Remote AMP ASSOC", [.physicalLinkHandle, .lengthSoFar, .remainingLength, .fragment],
            .returns([.status, .physicalLinkHandle])),
        command(
            0x1807, "Enable AMP Receiver Reports",
            [
                .x8("enable_amp_recv_reports", "Enable", .disabledEnabled),
                .u8("amp_recv_report_interval", "Interval", .seconds),
            ], .complete),
        command(0x1808, "AMP Test End", .status),
        command(0x1809, "AMP Test", [.rest("amp_test_parameters", "Test Parameters")], .status),
    ]

    private static let physicalLink: [HCI.Parameter] = [
        .physicalLinkHandle, .u8("dedicated_amp_key_length", "Dedicated AMP Key Length", .bytes),
        .u8("dedicated_amp_key_type", "Dedicated AMP Key Type"),
        .rest("dedicated_amp_key", "Dedicated AMP Key", secret: true),
    ]

    private static let flowSpecifications: [HCI.Parameter] = [
        .group("tx_flow_spec", "TX Flow Spec", flowSpecification),
        .group("rx_flow_spec", "RX Flow Spec", flowSpecification),
    ]

    private static let flowSpecification: [HCI.Parameter] = [
        .x8("ident", "Identifier"), .x8("servicetype", "Service Type"),
        .u16("sdu_size", "Maximum SDU Size", .bytes), .u32("sdu_arrival_time", "SDU Inter-arrival Time", .microseconds),
        .u32("access_latency", "Access Latency", .microseconds), .bestEffortTimeout,
    ]
}

extension HCI.EventRow {
    static let highSpeed: [Self] = [
        event(0x40, "Physical Link Complete", [.status, .physicalLinkHandle]),
        event(0x41, "Channel Selected", [.physicalLinkHandle]),
        event(0x42, "Disconnection Physical Link Complete", [.status, .physicalLinkHandle, .reason]),
        event(
            0x43, "Physical Link Loss Early Warning",
            [.physicalLinkHandle, .x8("link_loss_reason", "Link Loss Reason")]),
        event(0x44, "Physical Link Recovery", [.physicalLinkHandle]),
        event(
            0x45, "Logical Link Complete",
            [.status, .logicalLinkHandle, .physicalLinkHandle, .flowSpecificationID]),
        event(0x46, "Disconnection Logical Link Complete", [.status, .logicalLinkHandle, .reason]),
        event(0x47, "Flow Spec Modify Complete", [.status, .connectionHandle]),
        event(
            0x48, "Number Of Completed Data Blocks",
            [
                .totalNumDataBlocks,
                .list(
                    .numHandles, of: "completed_blocks", "Completed Blocks",
                    [.connectionHandle, .numCompletedPackets, .u16("num_compl_blocks", "Num Completed Blocks")]),
            ]),
        event(0x49, "AMP Start Test", [.status, .testScenario]),
        event(0x4A, "AMP Test End", [.status, .testScenario]),
        event(
            0x4B, "AMP Receiver Report",
            [
                .controllerType, .x8("report_reason", "Reason"),
                .x8("report_event_type", "Event Type"), .u16("num_frames", "Number Of Frames"),
                .u16("num_error_frames", "Number Of Error Frames"), .u32("num_bits", "Number Of Bits"),
                .u32("num_error_bits", "Number Of Error Bits"),
            ]),
        event(
            0x4C, "Short Range Mode Change Complete",
            [.status, .physicalLinkHandle, .x8("short_range_mode_state", "Short Range Mode State")]),
        event(0x4D, "AMP Status Change", [.status, .ampStatus]),
    ]
}

extension HCI.Parameter {
    fileprivate static let physicalLinkHandle = x8("physical_link_handle", "Physical Link Handle")
    fileprivate static let logicalLinkHandle = x16("logical_link_handle", "Logical Link Handle")
    fileprivate static let flowSpecificationID = x8("flow_spec_id", "TX Flow Spec ID")
    fileprivate static let bestEffortTimeout = u32("flushto", "Flush Timeout", .microseconds)
    fileprivate static let lengthSoFar = u16("length_so_far", "Length So Far", .bytes)
    fileprivate static let remainingLength = u16("amp_remaining_assoc_length", "AMP ASSOC Remaining Length", .bytes)
    fileprivate static let fragment = rest("amp_assoc_fragment", "AMP ASSOC Fragment")
    fileprivate static let testScenario = x8("test_scenario", "Test Scenario")
}
