import Bytes

/// Common parameters of BR/EDR rows.
extension HCI.Parameter {
    static let lap = x24(
        "lap", event: "iac_lap", "LAP",
        [0x9E8B33: "General/Unlimited Inquiry Access Code", 0x9E8B00: "Limited Dedicated Inquiry Access Code"])
    static let inquiryLength = u8("inq_length", "Inquiry Length", .inquiryTime)
    static let numResponses = u8("num_responses", "Num Responses")
    static let pageScanRepetitionMode = x8(
        "page_scan_repetition_mode", "Page Scan Repetition Mode", ["R0", "R1", "R2"])
    /// Formerly the page scan mode.
    static let pageScanMode = x8("page_scan_mode", "Reserved")
    /// Formerly the page scan period mode.
    static let pageScanPeriodMode = x8("page_scan_period_mode", "Reserved")
    static let clockOffset = bits(
        2, "clock_offset_field", "Clock Offset",
        [
            .part(0x7FFF, "clock_offset", "Clock Offset", .hex(4)),
            .part(0x8000, "clock_offset_valid", "Clock Offset Valid Flag", .decimal),
        ])
    static let classOfDevice = x24("class_of_device", "Class of Device")
    static let classOfDeviceMask = x24("class_of_device_mask", "Class of Device Mask")
    static let packetType = bits(
        2, "packet_type", "Packet Type",
        [
            .part(0x0002, "packet_type.2dh1", "2-DH1 shall not be used"),
            .part(0x0004, "packet_type.3dh1", "3-DH1 shall not be used"),
            .part(0x0008, "packet_type.dm1", "DM1 may be used"), .part(0x0010, "packet_type.dh1", "DH1 may be used"),
            .part(0x0100, "packet_type.2dh3", "2-DH3 shall not be used"),
            .part(0x0200, "packet_type.3dh3", "3-DH3 shall not be used"),
            .part(0x0400, "packet_type.dm3", "DM3 may be used"), .part(0x0800, "packet_type.dh3", "DH3 may be used"),
            .part(0x1000, "packet_type.2dh5", "2-DH5 shall not be used"),
            .part(0x2000, "packet_type.3dh5", "3-DH5 shall not be used"),
            .part(0x4000, "packet_type.dm5", "DM5 may be used"), .part(0x8000, "packet_type.dh5", "DH5 may be used"),
        ])
    static let linkKey = bytes(16, "link_key", "Link Key", secret: true)
    static let hashC = bytes(16, "hash_c", "C", secret: true)
    static let randomizerR = bytes(16, "randomizer_r", "R", secret: true)
    static let hashC192 = bytes(16, "c192", "C_192", secret: true)
    static let randomizerR192 = bytes(16, "r192", "R_192", secret: true)
    static let hashC256 = bytes(16, "c256", "C_256", secret: true)
    static let randomizerR256 = bytes(16, "r256", "R_256", secret: true)
    static let oobDataPresent = u8(
        "oob_data_present", "OOB Data Present",
        names: ["Not present", "P-192 present", "P-256 present", "P-192 and P-256 present"])
    static let authenticationRequirements = u8(
        "auth_requirements", "Authentication Requirements",
        names: [
            "MITM Protection Not Required, No Bonding", "MITM Protection Required, No Bonding",
            "MITM Protection Not Required, Dedicated Bonding", "MITM Protection Required, Dedicated Bonding",
            "MITM Protection Not Required, General Bonding", "MITM Protection Required, General Bonding",
        ])
    static let passkey = u32("passkey", "Passkey", secret: true)
    static let notificationType = u8(
        "notification_type", "Notification Type",
        names: [
            "Passkey entry started", "Passkey digit entered", "Passkey digit erased", "Passkey cleared",
            "Passkey entry completed",
        ])
    static let ltAddr = x8("lt_addr", "LT_ADDR")
    static let afhChannelMap = bytes(10, "afh_channel_map", "AFH Channel Map")
    static let interval = u16("interval", "Interval", .slots)
    static let intervalMin = u16("interval.min", "Interval Min", .slots)
    static let intervalMax = u16("interval.max", "Interval Max", .slots)
    static let window = u16("window", "Window", .slots)
    static let timeout = u16("timeout", "Timeout", .slots)
    static let currentMode = x8(
        "current_mode", "Current Mode", ["Active Mode", "Hold Mode", "Sniff Mode", "Park State"])
    static let fecRequired = u8("fec_required", "FEC Required", names: ["Not required", "Required"])
    static let extendedInquiryResponse = advertisingData(
        240, "extended_inquiry_response", "Extended Inquiry Response")
    static let clock32 = x32("clock", "Clock")
    static let clockOffset32 = x32("clock_offset_32", "Clock Offset")

    /// A decimal number with named values.
    static func u8(_ name: String, event: String? = nil, _ label: String, names: Names) -> Self {
        u8(name, event: event, label, nil, names)
    }
}

/// Quality of service.
extension HCI.Parameter {
    static let flags = x8("flags", "Unused")
    static let serviceType = x8("service_type", "Service Type", ["No Traffic", "Best Effort", "Guaranteed"])
    static let tokenRate = u32("token_rate", "Token Rate", .bytesPerSecond)
    static let tokenBucketSize = u32("token_bucket_size", "Token Bucket Size", .bytes)
    static let peakBandwidth = u32("peak_bandwidth", "Peak Bandwidth", .bytesPerSecond)
    static let latency = u32("latency", "Latency", .microseconds)
    static let delayVariation = u32("delay_variation", "Delay Variation", .microseconds)
}

/// Synchronous connections and their audio.
extension HCI.Parameter {
    static let txBandwidth = u32("tx_bandwidth", "Transmit Bandwidth", .bytesPerSecond)
    static let rxBandwidth = u32("rx_bandwidth", "Receive Bandwidth", .bytesPerSecond)
    static let maxLatency = u16("max_latency_ms", "Max Latency", .milliseconds)
    static let retransmissionEffort = u8(
        "retransmission_effort", "Retransmission Effort",
        names: [
            0: "No retransmissions", 1: "At least one, optimize for power", 2: "At least one, optimize for quality",
            0xFF: "Don't care",
        ])
    static let synchronousPacketType = bits(
        2, "sco_packet_type", "Packet Type",
        [
            .part(0x0001, "sco_packet_type.hv1", "HV1 may be used"),
            .part(0x0002, "sco_packet_type.hv2", "HV2 may be used"),
            .part(0x0004, "sco_packet_type.hv3", "HV3 may be used"),
            .part(0x0008, "sco_packet_type.ev3", "EV3 may be used"),
            .part(0x0010, "sco_packet_type.ev4", "EV4 may be used"),
            .part(0x0020, "sco_packet_type.ev5", "EV5 may be used"),
            .part(0x0040, "sco_packet_type.2ev3", "2-EV3 shall not be used"),
            .part(0x0080, "sco_packet_type.3ev3", "3-EV3 shall not be used"),
            .part(0x0100, "sco_packet_type.2ev5", "2-EV5 shall not be used"),
            .part(0x0200, "sco_packet_type.3ev5", "3-EV5 shall not be used"),
        ])
    static let voiceSetting = bits(
        2, "voice_setting", "Voice Setting",
        [
            .part(0x0300, "voice.input_coding", "Input Coding", .decimal, ["Linear", "µ-law", "A-law"]),
            .part(
                0x00C0, "voice.input_data_format", "Input Data Format", .decimal,
                ["1's complement", "2's complement", "Sign-Magnitude", "Unsigned"]),
            .part(0x0020, "voice.input_sample_size", "Input Sample Size", .decimal, ["8 bit", "16 bit"]),
            .part(0x001C, "voice.linear_pcm_bit_pos", "Linear PCM Bit Position", .decimal),
            .part(
                0x0003, "voice.air_coding_format", "Air Coding Format", .decimal,
                ["CVSD", "µ-law", "A-law", "Transparent Data"]),
            .part(0xFC00, "voice.unused", "Reserved", .hex(4)),
        ])
    static let codecID = x8("codec_id", "Coding Format", .codecs)
    static let companyID = x16("company_id", "Company ID")
    static let vendorCodecID = x16("vendor_codec_id", "Vendor-specific Codec ID")
    static let codecOfFormat = [codecID, companyID, vendorCodecID]
    static let codingFormat = group("coding_format", "Codec ID", codecOfFormat)
    static let codecConfiguration = sized(
        u8("codec_config_length", "Codec Configuration Length", .bytes), "codec_config", "Codec Configuration")
    static let logicalTransport = x8(
        "logical_transport_type", "Logical Transport Type", ["BR/EDR ACL", "BR/EDR SCO or eSCO", "LE CIS", "LE BIS"])

    /// Audio parameters of an enhanced synchronous connection (Vol 4, Part E, 7.1.45).
    static let enhancedAudio: [Self] = [
        txBandwidth, rxBandwidth, group("transmit_coding_format", "Transmit Coding Format", codecOfFormat),
        group("receive_coding_format", "Receive Coding Format", codecOfFormat),
        u16("transmit_codec_frame_size", "Transmit Codec Frame Size", .bytes),
        u16("receive_codec_frame_size", "Receive Codec Frame Size", .bytes),
        u32("input_bandwidth", "Input Bandwidth", .bytesPerSecond),
        u32("output_bandwidth", "Output Bandwidth", .bytesPerSecond),
        group("input_coding_format", "Input Coding Format", codecOfFormat),
        group("output_coding_format", "Output Coding Format", codecOfFormat),
        u16("input_coded_data_size", "Input Coded Data Size"), u16("output_coded_data_size", "Output Coded Data Size"),
        x8("input_pcm_data_format", "Input PCM Data Format", .pcmFormats),
        x8("output_pcm_data_format", "Output PCM Data Format", .pcmFormats),
        u8("input_pcm_sample_payload_msb_position", "Input PCM Sample Payload MSB Position"),
        u8("output_pcm_sample_payload_msb_position", "Output PCM Sample Payload MSB Position"),
        u8("input_data_path", "Input Data Path", names: .audioDataPaths),
        u8("output_data_path", "Output Data Path", names: .audioDataPaths),
        u8("input_transport_unit_size", "Input Transport Unit Size"),
        u8("output_transport_unit_size", "Output Transport Unit Size"), maxLatency, synchronousPacketType,
        retransmissionEffort,
    ]
}

/// Properties of devices and links.
extension HCI.Parameter {
    static let lmpVersion = x8("lmp_vers_nr", "LMP Version", .versions)
    static let manufacturer = x16("comp_id", "Manufacturer Name")
    static let lmpSubversion = u16("lmp_sub_vers_nr", "LMP Subversion")
    static let rssi = i8("rssi", "RSSI", .dBm)
    static let encryptionKeySize = u8("enc_key_size", "Key Size", .bytes)
    static let controllerType = x8("controller_type", "Controller Type", ["BR/EDR or BR/EDR/LE", "802.11"])
    static let totalNumDataBlocks = x16("total_num_data_blocks", "Total Num Data Blocks")
    static let ampStatus = x8("amp_status", "AMP Status")
    static let pageNumber = u8("page_number", "Page Number")
    static let whichClock = u8("which_clock", "Which Clock", names: .clocks)
    static let broadcastInterval = u16(
        "connectionless_slave_broadcast_interval", "Connectionless Peripheral Broadcast Interval", .slots)
    static let broadcastSupervisionTimeout = u16("csb_supervision_to", "Supervision Timeout", .slots)
    static let trainServiceData = x8("service_data", "Service Data")
    static let lpoAllowed = x8("lpo_allowed", "LPO Allowed", ["Controller shall not sleep", "Controller may sleep"])
    static let keyType = x8(
        "key_type", "Key Type",
        [
            "Combination Key", "Local Unit Key", "Remote Unit Key", "Debug Combination Key",
            "Unauthenticated Combination Key (P-192)", "Authenticated Combination Key (P-192)",
            "Changed Combination Key", "Unauthenticated Combination Key (P-256)",
            "Authenticated Combination Key (P-256)",
        ])
    static let airMode = u8("air_mode", "Air Mode", names: ["µ-law log", "A-law log", "CVSD", "Transparent data"])
    static let transmissionInterval = u8("sync_tx_interval", "Transmission Interval", .slots)
    static let retransmissionWindow = u8("sync_rtx_window", "Retransmission Window", .slots)
    static let rxPacketLength = u16("sync_rx_pkt_len", "RX Packet Length", .bytes)
    static let txPacketLength = u16("sync_tx_pkt_len", "TX Packet Length", .bytes)
    static let instant = x32("next_broadcast_instant", "Next Broadcast Instant")
}
