import Bytes

extension HCI.EventRow {
    /// Connections, modes, commands and flow control (Vol 4, Part E, 7.7).
    static let connections: [Self] = [
        HCI.event(0x03, "Connection Complete", [.parameters(HCI.ConnectionComplete.self)]),
        HCI.event(0x04, "Connection Request", [.bdAddr, .classOfDevice, .linkType]),
        HCI.event(0x05, "Disconnection Complete", [.parameters(HCI.DisconnectionComplete.self)]),
        HCI.event(
            0x0D, "QoS Setup Complete",
            [
                .status, .connectionHandle, .flags, .serviceType, .tokenRate, .peakBandwidth, .latency, .delayVariation,
            ]),
        HCI.event(0x0E, "Command Complete", [.parameters(HCI.CommandComplete.self)]),
        HCI.event(0x0F, "Command Status", [.parameters(HCI.CommandStatus.self)]),
        HCI.event(0x10, "Hardware Error", [.x8("hardware_code", "Hardware Code")]),
        HCI.event(0x11, "Flush Occurred", [.connectionHandle]),
        HCI.event(0x12, "Role Change", [.status, .bdAddr, .role]),
        HCI.event(0x13, "Number Of Completed Packets", [.parameters(HCI.NumberOfCompletedPackets.self)]),
        HCI.event(0x14, "Mode Change", [.status, .connectionHandle, .currentMode, .interval]),
        HCI.event(0x19, "Loopback Command", [.rest("loopback_command", "HCI Command Packet")]),
        HCI.event(0x1A, "Data Buffer Overflow", [.linkType]),
        HCI.event(0x1B, "Max Slots Change", [.connectionHandle, .u8("max_slots", "LMP Max Slots")]),
        HCI.event(0x1C, "Read Clock Offset Complete", [.status, .connectionHandle, .clockOffset]),
        HCI.event(0x1D, "Connection Packet Type Changed", [.status, .connectionHandle, .packetType]),
        HCI.event(0x1E, "QoS Violation", [.connectionHandle]),
        HCI.event(
            0x21, "Flow Specification Complete",
            [
                .status, .connectionHandle, .flags,
                .u8("flow_direction", "Flow Direction", names: HCI.Parameter.flowDirectionNames), .serviceType,
                .tokenRate, .tokenBucketSize,
                .peakBandwidth, .latency,
            ]),
        HCI.event(
            0x2C, "Synchronous Connection Complete",
            [
                .status, .connectionHandle, .bdAddr,
                .x8("sync_link_type", "Link Type", [0: "SCO", 2: "eSCO"]), .transmissionInterval, .retransmissionWindow,
                .rxPacketLength, .txPacketLength, .airMode,
            ]),
        HCI.event(
            0x2D, "Synchronous Connection Changed",
            [
                .status, .connectionHandle, .transmissionInterval, .retransmissionWindow, .rxPacketLength,
                .txPacketLength,
            ]),
        HCI.event(
            0x2E, "Sniff Subrating",
            [
                .status, .connectionHandle, .u16("max_tx_latency", "Max TX Latency", .slots),
                .u16("max_rx_latency", "Max RX Latency", .slots),
                .u16("min_remote_timeout", "Min Remote Timeout", .slots),
                .u16("min_local_timeout", "Min Local Timeout", .slots),
            ]),
        HCI.event(
            0x38, "Link Supervision Timeout Changed",
            [
                .connectionHandle, .u16("link_supervision_timeout", "Link Supervision Timeout", .slots),
            ]),
        HCI.event(0x39, "Enhanced Flush Complete", [.connectionHandle]),
        HCI.event(0x3E, "LE Meta"),
        HCI.event(
            0x4E, "Triggered Clock Capture",
            [
                .connectionHandle, .x8("which_clock", "Which Clock", HCI.Parameter.clockNames), .clock32,
                .u16("slot_offset", "Slot Offset", .microseconds),
            ]),
        HCI.event(0x57, "Authenticated Payload Timeout Expired", [.connectionHandle]),
        HCI.event(
            0x58, "SAM Status Change",
            [
                .connectionHandle, .x8("local_sam_index", "Local SAM Index"),
                .u8("local_sam_tx_availability", "Local SAM TX Availability"),
                .u8("local_sam_rx_availability", "Local SAM RX Availability"),
                .x8("remote_sam_index", "Remote SAM Index"),
                .u8("remote_sam_tx_availability", "Remote SAM TX Availability"),
                .u8("remote_sam_rx_availability", "Remote SAM RX Availability"),
            ]),
        HCI.event(0xFF, "Vendor Specific", [.rest("vendor_parameter", "Vendor Parameter")]),
    ]

    /// Inquiry, and what remote devices tell of themselves (Vol 4, Part E, 7.7).
    static let remoteDevices: [Self] = [
        HCI.event(0x01, "Inquiry Complete", [.status]),
        HCI.event(
            0x02, "Inquiry Result",
            [
                .list(
                    .numResponses, of: response,
                    [
                        .bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .pageScanMode, .classOfDevice,
                        .clockOffset,
                    ])
            ]),
        HCI.event(
            0x07, "Remote Name Request Complete",
            [
                .status, .bdAddr, .text(248, "remote_name", "Remote Name"),
            ]),
        HCI.event(0x0B, "Read Remote Supported Features Complete", [.status, .connectionHandle, .lmpFeaturesPage0]),
        HCI.event(
            0x0C, "Read Remote Version Information Complete",
            [
                .status, .connectionHandle, .lmpVersion, .manufacturer, .lmpSubversion,
            ]),
        HCI.event(0x1F, "Page Scan Mode Change", [.bdAddr, .pageScanMode]),
        HCI.event(0x20, "Page Scan Repetition Mode Change", [.bdAddr, .pageScanRepetitionMode]),
        HCI.event(
            0x22, "Inquiry Result with RSSI",
            [
                .list(
                    .numResponses, of: response,
                    [.bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .classOfDevice, .clockOffset, .rssi])
            ]),
        HCI.event(0x23, "Read Remote Extended Features Complete", [.status, .connectionHandle, .lmpFeaturesByPage]),
        HCI.event(
            0x2F, "Extended Inquiry Result",
            [
                .numResponses, .bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .classOfDevice, .clockOffset,
                .rssi,
                .extendedInquiryResponse,
            ]),
        HCI.event(0x3D, "Remote Host Supported Features Notification", [.bdAddr, .lmpFeaturesPage1]),
        HCI.event(0x56, "Inquiry Response Notification", [.lap, .rssi]),
    ]

    private static let response = HCI.Parameter.group("inquiry_response", "Response", [])

    /// Authentication, encryption and pairing (Vol 4, Part E, 7.7).
    static let pairing: [Self] = [
        HCI.event(0x06, "Authentication Complete", [.status, .connectionHandle]),
        HCI.event(0x08, "Encryption Change [v1]", [.parameters(HCI.EncryptionChange.self)]),
        HCI.event(0x09, "Change Connection Link Key Complete", [.status, .connectionHandle]),
        HCI.event(
            0x0A, "Link Key Type Changed",
            [
                .status, .connectionHandle,
                .x8("key_flag", "Key Flag", ["Using semi-permanent Link Key", "Using Temporary Link Key"]),
            ]),
        HCI.event(
            0x15, "Return Link Keys",
            [
                .list(.u8("num_keys", "Num Keys"), of: "stored_key", "Stored Key", [.bdAddr, .linkKey])
            ]),
        HCI.event(0x16, "PIN Code Request", [.bdAddr]),
        HCI.event(0x17, "Link Key Request", [.bdAddr]),
        HCI.event(0x18, "Link Key Notification", [.bdAddr, .linkKey, .keyType]),
        HCI.event(0x30, "Encryption Key Refresh Complete", [.status, .connectionHandle]),
        HCI.event(0x31, "IO Capability Request", [.bdAddr]),
        HCI.event(
            0x32, "IO Capability Response",
            [
                .bdAddr, .x8("io_capability", "IO Capability", HCI.Parameter.ioCapabilityNames), .oobDataPresent,
                .authenticationRequirements,
            ]),
        HCI.event(
            0x33, "User Confirmation Request",
            [
                .bdAddr, .u32("numeric_value", "Numeric Value", nil, secret: true),
            ]),
        HCI.event(0x34, "User Passkey Request", [.bdAddr]),
        HCI.event(0x35, "Remote OOB Data Request", [.bdAddr]),
        HCI.event(0x36, "Simple Pairing Complete", [.status, .bdAddr]),
        HCI.event(0x3B, "User Passkey Notification", [.bdAddr, .passkey]),
        HCI.event(0x3C, "Keypress Notification", [.bdAddr, .notificationType]),
        HCI.event(0x59, "Encryption Change [v2]", [.status, .connectionHandle, .encryptionEnable, .encryptionKeySize]),
    ]

    /// Connectionless peripheral broadcast (Vol 4, Part E, 7.7).
    static let broadcast: [Self] = [
        HCI.event(0x4F, "Synchronization Train Complete", [.status]),
        HCI.event(
            0x50, "Synchronization Train Received",
            [
                .status, .bdAddr, .clockOffset32, .afhChannelMap, .ltAddr, .instant,
                .broadcastInterval,
                .trainServiceData,
            ]),
        HCI.event(
            0x51, "Connectionless Peripheral Broadcast Receive",
            [
                .bdAddr, .ltAddr, .clock32, .clockOffset32,
                .x8("receive_status", "RX Status", ["Packet received successfully", "Packet not received"]),
                .x8(
                    "fragment", "Fragment",
                    ["Continuation fragment", "Starting fragment", "Ending fragment", "No fragmentation"]),
                .sized(.u8("broadcast_data_length", event: "data_length", "Data Length", .bytes), "data", "Data"),
            ]),
        HCI.event(0x52, "Connectionless Peripheral Broadcast Timeout", [.bdAddr, .ltAddr]),
        HCI.event(0x53, "Truncated Page Complete", [.status, .bdAddr]),
        HCI.event(0x54, "Peripheral Page Response Timeout"),
        HCI.event(0x55, "Connectionless Peripheral Broadcast Channel Map Change", [.afhChannelMap]),
    ]
}
