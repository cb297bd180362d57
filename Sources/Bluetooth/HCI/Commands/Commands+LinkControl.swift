import Bytes

extension HCI.CommandRow {
    /// Link control: inquiry and connections (Vol 4, Part E, 7.1).
    static let linkControl: [Self] = [
        command(0x0401, "Inquiry", [.lap, .inquiryLength, .numResponses], .status),
        command(0x0402, "Inquiry Cancel", .complete),
        command(
            0x0403, "Periodic Inquiry Mode",
            [
                .u16("max_period_length", "Max Period Length", .inquiryTime),
                .u16("min_period_length", "Min Period Length", .inquiryTime), .lap, .inquiryLength, .numResponses,
            ], .complete),
        command(0x0404, "Exit Periodic Inquiry Mode", .complete),
        command(
            0x0405, "Create Connection",
            [
                .bdAddr, .packetType, .pageScanRepetitionMode, .pageScanMode, .clockOffset,
                .x8(
                    "allow_role_switch", "Allow Role Switch",
                    ["Stays central", "May become peripheral"]),
            ], .status),
        command(0x0406, "Disconnect", [.parameters(HCI.Disconnect.self)], .status),
        command(
            0x0407, "Add SCO Connection",
            [
                .connectionHandle,
                .bits(
                    2, "add_sco_packet_type", "Packet Type",
                    [
                        .part(0x0020, "packet_type_hv1", "Packet Type HV1", .decimal),
                        .part(0x0040, "packet_type_hv2", "Packet Type HV2", .decimal),
                        .part(0x0080, "packet_type_hv3", "Packet Type HV3", .decimal),
                    ]),
            ], .status),
        command(0x0408, "Create Connection Cancel", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x0409, "Accept Connection Request",
            [.bdAddr, .x8("acr.role", "Role", ["Become central", "Remain peripheral"])], .status),
        command(0x040A, "Reject Connection Request", [.bdAddr, .reason], .status),
        command(0x040F, "Change Connection Packet Type", [.connectionHandle, .packetType], .status),
        command(0x0411, "Authentication Requested", [.connectionHandle], .status),
        command(0x0413, "Set Connection Encryption", [.connectionHandle, .encryptionEnable], .status),
        command(0x0415, "Change Connection Link Key", [.connectionHandle], .status),
        command(
            0x0417, "Link Key Selection",
            [.x8("key_flag", "Key Flag", ["Use semi-permanent Link Keys", "Use Temporary Link Key"])], .status),
        command(
            0x0419, "Remote Name Request", [.bdAddr, .pageScanRepetitionMode, .pageScanMode, .clockOffset], .status),
        command(0x041A, "Remote Name Request Cancel", [.bdAddr], .returns([.status, .bdAddr])),
        command(0x041B, "Read Remote Supported Features", [.connectionHandle], .status),
        command(
            0x041C, "Read Remote Extended Features", [.connectionHandle, .pageNumber], .status),
        command(0x041D, "Read Remote Version Information", [.connectionHandle], .status),
        command(0x041F, "Read Clock Offset", [.connectionHandle], .status),
        command(
            0x0420, "Read LMP Handle", [.connectionHandle],
            .returns([
                .status, .connectionHandle, .x8("lmp_handle", "LMP Handle"), .x32("lmp_handle_reserved", "Reserved"),
            ])),
        command(
            0x0428, "Setup Synchronous Connection",
            [
                .connectionHandle, .txBandwidth, .rxBandwidth, .maxLatency, .voiceSetting, .retransmissionEffort,
                .synchronousPacketType,
            ], .status),
        command(
            0x0429, "Accept Synchronous Connection Request",
            [
                .bdAddr, .txBandwidth, .rxBandwidth, .maxLatency, .voiceSetting, .retransmissionEffort,
                .synchronousPacketType,
            ], .status),
        command(0x042A, "Reject Synchronous Connection Request", [.bdAddr, .reason], .status),
        command(
            0x043D, "Enhanced Setup Synchronous Connection", [.connectionHandle] + HCI.Parameter.enhancedAudio,
            .status),
        command(
            0x043E, "Enhanced Accept Synchronous Connection Request", [.bdAddr] + HCI.Parameter.enhancedAudio, .status),
        command(0x043F, "Truncated Page", [.bdAddr, .pageScanRepetitionMode, .clockOffset], .status),
        command(0x0440, "Truncated Page Cancel", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x0441, "Set Connectionless Peripheral Broadcast",
            [
                .x8("connectionless_slave_broadcast", "Enable", .disabledEnabled), .ltAddr, .lpoAllowed,
                .packetType, .intervalMin, .intervalMax, .broadcastSupervisionTimeout,
            ],
            .returns([
                .status, .ltAddr, .broadcastInterval,
            ])),
        command(
            0x0442, "Set Connectionless Peripheral Broadcast Receive",
            [
                .x8("connectionless_slave_broadcast_receive", "Enable", .disabledEnabled), .bdAddr, .ltAddr,
                .interval, .clockOffset32, .x32("next_csb_clock", "Next Connectionless Peripheral Broadcast Clock"),
                .broadcastSupervisionTimeout,
                .u8("remote_timing_accuracy", "Remote Timing Accuracy", .ppm), .u8("csb_skip", "Skip"), .packetType,
                .afhChannelMap,
            ], .returns([.status, .bdAddr, .ltAddr])),
        command(0x0443, "Start Synchronization Train", .status),
        command(
            0x0444, "Receive Synchronization Train",
            [.bdAddr, .u16("synchronization_scan_to", "Synchronization Scan Timeout", .slots), .window, .interval],
            .status),
    ]

    /// Link control: the host's replies in pairing (Vol 4, Part E, 7.1).
    static let linkControlReplies: [Self] = [
        command(0x040B, "Link Key Request Reply", [.bdAddr, .linkKey], .returns([.status, .bdAddr])),
        command(0x040C, "Link Key Request Negative Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x040D, "PIN Code Request Reply",
            [
                .bdAddr,
                .sized(
                    .u8("pin_code_length", "PIN Code Length", .bytes), "pin_code", "PIN Code", capacity: 16,
                    secret: true),
            ], .returns([.status, .bdAddr])),
        command(0x040E, "PIN Code Request Negative Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x042B, "IO Capability Request Reply",
            [
                .bdAddr, .u8("io_capability", "IO Capability", names: .ioCapabilities),
                .oobDataPresent, .authenticationRequirements,
            ], .returns([.status, .bdAddr])),
        command(0x042C, "User Confirmation Request Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(0x042D, "User Confirmation Request Negative Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(0x042E, "User Passkey Request Reply", [.bdAddr, .passkey], .returns([.status, .bdAddr])),
        command(0x042F, "User Passkey Request Negative Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x0430, "Remote OOB Data Request Reply", [.bdAddr, .hashC, .randomizerR], .returns([.status, .bdAddr])),
        command(0x0433, "Remote OOB Data Request Negative Reply", [.bdAddr], .returns([.status, .bdAddr])),
        command(
            0x0434, "IO Capability Request Negative Reply", [.bdAddr, .reason], .returns([.status, .bdAddr])),
        command(
            0x0445, "Remote OOB Extended Data Request Reply",
            [.bdAddr, .hashC192, .randomizerR192, .hashC256, .randomizerR256], .returns([.status, .bdAddr])),
    ]
}
