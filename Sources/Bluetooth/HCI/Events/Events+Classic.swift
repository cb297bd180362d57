import Bytes

extension HCI.EventRow {
    /// Connections, modes, commands and flow control (Vol 4, Part E, 7.7).
    static let connections: [Self] = [
        event(0x03, "Connection Complete", [.parameters(HCI.ConnectionComplete.self)]),
        event(0x04, "Connection Request", [.bdAddr, .classOfDevice, .linkType]),
        event(0x05, "Disconnection Complete", [.parameters(HCI.DisconnectionComplete.self)]),
        event(
            0x0D, "QoS Setup Complete",
            [
                .status, .connectionHandle, .flags, .serviceType, .tokenRate, .peakBandwidth, .latency, .delayVariation,
            ]),
        event(0x0E, "Command Complete", [.parameters(HCI.CommandComplete.self)]),
        event(0x0F, "Command Status", [.parameters(HCI.CommandStatus.self)]),
        event(0x10, "Hardware Error", [.x8("hardware_code", "Hardware Code")]),
        event(0x11, "Flush Occurred", [.connectionHandle]),
        event(0x12, "Role Change", [.status, .bdAddr, .role]),
        event(0x13, "Number Of Completed Packets", [.parameters(HCI.NumberOfCompletedPackets.self)]),
        event(0x14, "Mode Change", [.status, .connectionHandle, .currentMode, .interval]),
        event(0x19, "Loopback Command", [.rest("loopback_command", "HCI Command Packet")]),
        event(0x1A, "Data Buffer Overflow", [.linkType]),
        event(0x1B, "Max Slots Change", [.connectionHandle, .u8("max_slots", "LMP Max Slots")]),
        event(0x1C, "Read Clock Offset Complete", [.status, .connectionHandle, .clockOffset]),
        event(0x1D, "Connection Packet Type Changed", [.status, .connectionHandle, .packetType]),
        event(0x1E, "QoS Violation", [.connectionHandle]),
        event(
            0x21, "Flow Specification Complete",
            [
                .status, .connectionHandle, .flags,
                .u8("flow_direction", "Flow Direction", names: .flowDirections), .serviceType,
                .tokenRate, .tokenBucketSize,
                .peakBandwidth, .latency,
            ]),
        event(
            0x2C, "Synchronous Connection Complete",
            [
                .status, .connectionHandle, .bdAddr,
                .x8("sync_link_type", "Link Type", [0: "SCO", 2: "eSCO"]), .transmissionInterval, .retransmissionWindow,
                .rxPacketLength, .txPacketLength, .airMode,
            ]),
        event(
            0x2D, "Synchronous Connection Changed",
            [
                .status, .connectionHandle, .transmissionInterval, .retransmissionWindow, .rxPacketLength,
                .txPacketLength,
            ]),
        event(
            0x2E, "Sniff Subrating",
            [
                .status, .connectionHandle, .u16("max_tx_latency", "Max TX Latency", .slots),
                .u16("max_rx_latency", "Max RX Latency", .slots),
                .u16("min_remote_timeout", "Min Remote Timeout", .slots),
                .u16("min_local_timeout", "Min Local Timeout", .slots),
            ]),
        event(
            0x38, "Link Supervision Timeout Changed",
            [
                .connectionHandle, .u16("link_supervision_timeout", "Link Supervision Timeout", .slots),
            ]),
        event(0x39, "Enhanced Flush Complete", [.connectionHandle]),
        event(0x3E, "LE Meta"),
        event(
            0x4E, "Triggered Clock Capture",
            [
                .connectionHandle, .x8("which_clock", "Which Clock", .clocks), .clock32,
                .u16("slot_offset", "Slot Offset", .microseconds),
            ]),
        event(0x57, "Authenticated Payload Timeout Expired", [.connectionHandle]),
        event(
            0x58, "SAM Status Change",
            [
                .connectionHandle, .x8("local_sam_index", "Local SAM Index"),
                .u8("local_sam_tx_availability", "Local SAM TX Availability"),
                .u8("local_sam_rx_availability", "Local SAM RX Availability"),
                .x8("remote_sam_index", "Remote SAM Index"),
                .u8("remote_sam_tx_availability", "Remote SAM TX Availability"),
                .u8("remote_sam_rx_availability", "Remote SAM RX Availability"),
            ]),
        event(0xFF, "Vendor Specific", [.rest("vendor_parameter", "Vendor Parameter")]),
    ]

    /// Inquiry, and properties of remote devices (Vol 4, Part E, 7.7).
    static let remoteDevices: [Self] = [
        event(0x01, "Inquiry Complete", [.status]),
        event(
            0x02, "Inquiry Result",
            [
                .list(
                    .numResponses, of: response,
                    [
                        .bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .pageScanMode, .classOfDevice,
                        .clockOffset,
                    ])
            ]),
        event(
            0x07, "Remote Name Request Complete",
            [
                .status, .bdAddr, .text(248, "remote_name", "Remote Name"),
            ]),
        event(0x0B, "Read Remote Supported Features Complete", [.status, .connectionHandle, .lmpFeaturesPage0]),
        event(
            0x0C, "Read Remote Version Information Complete",
            [
                .status, .connectionHandle, .lmpVersion, .manufacturer, .lmpSubversion,
            ]),
        event(0x1F, "Page Scan Mode Change", [.bdAddr, .pageScanMode]),
        event(0x20, "Page Scan Repetition Mode Change", [.bdAddr, .pageScanRepetitionMode]),
        event(
            0x22, "Inquiry Result with RSSI",
            [
                .list(
                    .numResponses, of: response,
                    [.bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .classOfDevice, .clockOffset, .rssi])
            ]),
        event(0x23, "Read Remote Extended Features Complete", [.status, .connectionHandle, .lmpFeaturesByPage]),
        event(
            0x2F, "Extended Inquiry Result",
            [
                .numResponses, .bdAddr, .pageScanRepetitionMode, .pageScanPeriodMode, .classOfDevice, .clockOffset,
                .rssi,
                .extendedInquiryResponse,
            ]),
        event(0x3D, "Remote Host Supported Features Notification", [.bdAddr, .lmpFeaturesPage1]),
        event(0x56, "Inquiry Response Notification", [.lap, .rssi]),
    ]

    private static let response = HCI.Parameter.group("inquiry_response", "Response", [])

    /// Authentication, encryption and pairing (Vol 4, Part E, 7.7).
    static let pairing: [Self] = [
        event(0x06, "Authentication Complete", [.status, .connectionHandle]),
        event(0x08, "Encryption Change [v1]", [.parameters(HCI.EncryptionChange.self)]),
        event(0x09, "Change Connection Link Key Complete", [.status, .connectionHandle]),
        event(
            0x0A, "Link Key Type Changed",
            [
                .status, .connectionHandle,
                .x8("key_flag", "Key Flag", ["Using semi-permanent Link Key", "Using Temporary Link Key"]),
            ]),
        event(
            0x15, "Return Link Keys",
            [
                .list(.u8("num_keys", "Num Keys"), of: "stored_key", "Stored Key", [.bdAddr, .linkKey])
            ]),
        event(0x16, "PIN Code Request", [.bdAddr]),
        event(0x17, "Link Key Request", [.bdAddr]),
        event(0x18, "Link Key Notification", [.bdAddr, .linkKey, .keyType]),
        event(0x30, "Encryption Key Refresh Complete", [.status, .connectionHandle]),
        event(0x31, "IO Capability Request", [.bdAddr]),
        event(
            0x32, "IO Capability Response",
            [
                .bdAddr, .x8("io_capability", "IO Capability", .ioCapabilities), .oobDataPresent,
                .authenticationRequirements,
            ]),
        event(
            0x33, "User Confirmation Request",
            [
                .bdAddr, .u32("numeric_value", "Numeric Value", nil, secret: true),
            ]),
        event(0x34, "User Passkey Request", [.bdAddr]),
        event(0x35, "Remote OOB Data Request", [.bdAddr]),
        event(0x36, "Simple Pairing Complete", [.status, .bdAddr]),
        event(0x3B, "User Passkey Notification", [.bdAddr, .passkey]),
        event(0x3C, "Keypress Notification", [.bdAddr, .notificationType]),
        event(0x59, "Encryption Change [v2]", [.status, .connectionHandle, .encryptionEnable, .encryptionKeySize]),
    ]

    /// Connectionless peripheral broadcast (Vol 4, Part E, 7.7).
    static let broadcast: [Self] = [
        event(0x4F, "Synchronization Train Complete", [.status]),
        event(
            0x50, "Synchronization Train Received",
            [
                .status, .bdAddr, .clockOffset32, .afhChannelMap, .ltAddr, .instant,
                .broadcastInterval,
                .trainServiceData,
            ]),
        event(
            0x51, "Connectionless Peripheral Broadcast Receive",
            [
                .bdAddr, .ltAddr, .clock32, .clockOffset32,
                .x8("receive_status", "RX Status", ["Packet received successfully", "Packet not received"]),
                .x8(
                    "fragment", "Fragment",
                    ["Continuation fragment", "Starting fragment", "Ending fragment", "No fragmentation"]),
                .sized(.u8("broadcast_data_length", event: "data_length", "Data Length", .bytes), "data", "Data"),
            ]),
        event(0x52, "Connectionless Peripheral Broadcast Timeout", [.bdAddr, .ltAddr]),
        event(0x53, "Truncated Page Complete", [.status, .bdAddr]),
        event(0x54, "Peripheral Page Response Timeout"),
        event(0x55, "Connectionless Peripheral Broadcast Channel Map Change", [.afhChannelMap]),
    ]
}
