import Bytes

/// Capabilities of Channel Sounding (Core 6.0, Vol 4, Part E, 7.7.65.39).
extension HCI.Parameter {
    static let csCapabilities: [Self] = [
        u8("num_config", "Num Config Supported"),
        u16(
            "max_consecutive_procedures", "Max Consecutive Procedures Supported", nil,
            [0: "Any number, or until terminated"]),
        u8("num_antennas", "Num Antennas Supported"),
        u8("max_antenna_paths", "Max Antenna Paths Supported"),
        csRoles,
        bits(1, "cs_modes_supported", "Modes Supported", [.part(0x01, "cs_modes_supported.3", "Mode-3")]),
        bits(
            1, "rtt_capability", "RTT Capability",
            [
                .part(0x01, "rtt_capability.coarse_precision", "10 ns With Access Address Only"),
                .part(0x02, "rtt_capability.sounding_precision", "10 ns With Sounding Sequence"),
                .part(0x04, "rtt_capability.random_precision", "10 ns With Random Sequence"),
            ]),
        u8("rtt_aa_only_n", "RTT AA Only N", nil, rttExchanges),
        u8("rtt_sounding_n", "RTT Sounding N", nil, rttExchanges),
        u8("rtt_random_n", "RTT Random Payload N", nil, rttExchanges),
        bits(
            2, "optional_nadm_sounding_capability", "NADM Sounding Capability",
            [.part(0x0001, "optional_nadm_sounding_capability.supported", "Phase-based NADM")]),
        bits(
            2, "optional_nadm_random_capability", "NADM Random Capability",
            [.part(0x0001, "optional_nadm_random_capability.supported", "Phase-based NADM")]),
        bits(
            1, "cs_sync_phys_supported", "CS_SYNC PHYs Supported",
            [
                .part(0x02, "cs_sync_phys_supported.2m", "LE 2M"),
                .part(0x04, "cs_sync_phys_supported.2m2bt", "LE 2M 2BT"),
            ]),
        bits(
            2, "optional_cs_subfeatures", "Subfeatures Supported",
            [
                .part(0x0001, "optional_cs_subfeatures.companion_signal", "Companion Signal"),
                .part(0x0002, "optional_cs_subfeatures.freq_actuation_error", "No Frequency Actuation Error"),
                .part(0x0004, "optional_cs_subfeatures.channel_selection_3c", "Channel Selection Algorithm #3c"),
                .part(0x0008, "optional_cs_subfeatures.pbr_from_rtt", "Phase-based Ranging From RTT Sounding Sequence"),
                .part(0x0010, "optional_cs_subfeatures.ipt_reflector", "IPT In The Reflector"),
            ]),
        bits(2, "tip1_times_supported", "T_IP1 Times Supported", interludeTimes),
        bits(2, "tip2_times_supported", "T_IP2 Times Supported", interludeTimes),
        bits(
            2, "tfcs_times_supported", "T_FCS Times Supported",
            times([15, 20, 30, 40, 50, 60, 80, 100, 120], "tfcs_times_supported")),
        bits(2, "tpm_times_supported", "T_PM Times Supported", times([10, 20], "tpm_times_supported")),
        u8("tsw_time_supported", "T_SW Time Supported", .microseconds),
        bits(
            1, "tx_snr_capability", "TX SNR Capability",
            [18, 21, 24, 27, 30].enumerated().map { bit, level in
                .part(1 << UInt64(bit), "tx_snr_capability_\(level)dB", "\(level) dB")
            }),
    ]

    /// The capabilities of version 2, which adds the inline phase transfer (Core 6.2).
    static let csCapabilitiesV2: [Self] =
        csCapabilities + [
            bits(2, "tip2_ipt_times_supported", "T_IP2 IPT Times Supported", interludeTimes),
            u8("tsw_ipt_time_supported", "T_SW IPT Time Supported", .microseconds),
        ]

    private static let rttExchanges: Names = [0: "Not supported"]
    private static let interludeTimes = times([10, 20, 30, 40, 50, 60, 80], "tip_times_supported")

    /// Times in microseconds, one bit each.
    private static func times(_ times: [Int], _ name: String) -> [Name] {
        times.enumerated().map { bit, time in .part(1 << UInt64(bit), "\(name)_\(time)us", "\(time) µs") }
    }
}

/// Configurations and procedures of Channel Sounding.
extension HCI.Parameter {
    static let csConfigID = u8("config_id", "Config ID")
    static let csRoles = bits(
        1, "cs_roles", "Roles",
        [.part(0x01, "cs_roles.initiator", "Initiator"), .part(0x02, "cs_roles.reflector", "Reflector")])
    static let csMainMode = x8("main_mode_type", "Main Mode Type", csModes)
    static let csSubMode = x8("sub_mode_type", "Sub Mode Type", csModes)
    static let csMainModeRepetition = u8("main_mode_repetition", "Main Mode Repetition")
    static let csMode0Steps = u8("mode0_steps", "Mode-0 Steps")
    static let csRole = x8("cs_role", "Role", ["Initiator", "Reflector"])
    static let csRTTType = x8(
        "rtt_type", "RTT Type",
        [
            "Access address only", "32-bit sounding sequence", "96-bit sounding sequence", "32-bit random sequence",
            "64-bit random sequence", "96-bit random sequence", "128-bit random sequence",
        ])
    static let csSyncPHY = x8("cs_sync_phy", "CS_SYNC PHY", [1: "LE 1M", 2: "LE 2M", 3: "LE 2M 2BT"])
    static let csChannelMapRepetition = u8("channel_map_repetition", "Channel Map Repetition")
    static let csEnhancements = bits(
        1, "cs_enhancements_1", "CS Enhancements 1",
        [.part(0x01, "cs_enhancements_1.ipt_reflector", "IPT In The Reflector")])
    static let csSyncAntenna = x8(
        "cs_sync_antenna_selection", "CS_SYNC Antenna Selection",
        [
            1: "Antenna 1", 2: "Antenna 2", 3: "Antenna 3", 4: "Antenna 4", 0xFE: "Repetitive order",
            0xFF: "No recommendation",
        ])
    static let csToneAntennas = u8("tone_antenna_selection", "Tone Antenna Config Selection")
    static let csSNRInitiator = x8("snr_control_initiator", "SNR Control Initiator", csSNRLevels)
    static let csSNRReflector = x8("snr_control_reflector", "SNR Control Reflector", csSNRLevels)
    static let csSubeventLength = u24("cs_subevent_len", "Subevent Length", .microseconds)
    static let csSubeventInterval = u16("cs_subevent_interval", "Subevent Interval", .slots)
    static let csMaxProcedureLength = u16("max_procedure_len", "Max Procedure Length", .slots)
    static let csFAETable = bytes(72, "remote_fae_table", "Remote FAE Table")

    /// A configuration, as in LE CS Create Config and LE CS Config Complete.
    static let csConfig: [Self] = [
        csMainMode, csSubMode, u8("min_main_mode_steps", "Min Main Mode Steps"),
        u8("max_main_mode_steps", "Max Main Mode Steps"), csMainModeRepetition, csMode0Steps, csRole, csRTTType,
        csSyncPHY, bytes(10, "channel_map", "Channel Map"), csChannelMapRepetition,
        x8("channel_selection_type", "Channel Selection Type", ["Algorithm #3b", "Algorithm #3c"]),
        x8("ch3c_shape", "Ch3c Shape", ["Hat", "X"]), u8("ch3c_jump", "Ch3c Jump"), csEnhancements,
    ]

    static let csTimes: [Self] = [
        u8("t_ip1_time", "T_IP1 Time", .microseconds), u8("t_ip2_time", "T_IP2 Time", .microseconds),
        u8("t_fcs_time", "T_FCS Time", .microseconds), u8("t_pm_time", "T_PM Time", .microseconds),
    ]

    private static let csModes: Names = [1: "Mode-1", 2: "Mode-2", 3: "Mode-3", 0xFF: "Unused"]
    private static let csSNRLevels: Names = [
        0: "18 dB", 1: "21 dB", 2: "24 dB", 3: "27 dB", 4: "30 dB", 0xFF: "Not applied",
    ]
}

/// Results of Channel Sounding, in subevents made up of steps (Core 6.0, Vol 4, Part E, 7.7.65.44).
extension HCI.Parameter {
    static let csStartEvent = u16("start_acl_conn_event", "Start ACL Connection Event Counter")
    static let csProcedureCounter = u16("procedure_counter", "Procedure Counter")
    static let csFrequencyCompensation = i16(
        "freq_compensation", "Frequency Compensation", .hundredthsOfPPM, [UInt64(bitPattern: -0x4000): "Not available"])
    static let csReferencePower = i8(
        "ref_power_level", "Reference Power Level", .dBm, [0x7F: "Not available"])
    static let csProcedureDone = x8("procedure_done_status", "Procedure Done Status", csDone)
    static let csSubeventDone = x8("subevent_done_status", "Subevent Done Status", csDone)
    static let csAbortReason = bits(
        1, "cs_abort_reason", "Abort Reason",
        [
            .part(
                0x0F, "cs_abort_reason_procedure", "Procedure Abort Reason", .hex(1),
                [
                    0: "No abort", 1: "Local host or remote request", 2: "Filtered channel map below 15 channels",
                    3: "Instant of the channel map has passed", 15: "Unspecified",
                ]),
            .part(
                0xF0, "cs_abort_reason_subevent", "Subevent Abort Reason", .hex(1),
                [
                    0: "No abort", 1: "Local host or remote request", 2: "No CS_SYNC received",
                    3: "Scheduling conflict or limited resources", 15: "Unspecified",
                ]),
        ])
    static let csAntennaPaths = u8("num_antenna_paths", "Num Antenna Paths")
    static let csStepCount = u8("num_steps_reported", "Num Steps Reported")
    static let csStep = group("cs_step", "Step", [])
    static let csStepMode = u8("step_mode", "Step Mode")
    static let csStepChannel = u8("step_channel", "Step Channel")
    static let csStepDataLength = u8("step_data_length", "Step Data Length", .bytes)

    static let csPacketQuality = bits(
        1, "packet_quality", "Packet Quality",
        [
            .part(
                0x0F, "packet_quality.aa_check", "Access Address Check", .hex(1),
                ["Correct", "With bit errors", "Not found"]),
            .part(0xF0, "packet_quality.bit_errors", "Bit Errors", .decimal),
        ])
    static let csMeasuredFrequencyOffset = i16(
        "measured_freq_offset", "Measured Frequency Offset", .hundredthsOfPPM,
        [UInt64(bitPattern: -0x4000): "Not available"])
    static let csNADM = x8(
        "nadm_attack_chance", "Packet NADM",
        [
            0: "Attack is extremely unlikely", 1: "Attack is very unlikely", 2: "Attack is unlikely",
            3: "Attack is possible", 4: "Attack is likely", 5: "Attack is very likely",
            6: "Attack is extremely likely", 0xFF: "Unknown",
        ])
    /// ToA − ToD of an initiator, ToD − ToA of a reflector: the event does not contain the role.
    static let csTimeDifference = i16(
        "toa_tod_time", "ToA_ToD Of The Initiator Or ToD_ToA Of The Reflector", .halfNanoseconds,
        [UInt64(bitPattern: -0x8000): "Not available"])
    static let csPCT1 = x32("pct1", "Packet PCT1")
    static let csPCT2 = x32("pct2", "Packet PCT2")
    static let csAntennaPermutation = u8("antenna_permutation_index", "Antenna Permutation Index")
    static let csTones = repeated(
        of: "cs_tone", "Tone",
        [
            bits(
                3, "tone_pct", "Tone PCT",
                [
                    .part(0x000FFF, "pct_i_sample", "I Sample", .hex(3)),
                    .part(0xFFF000, "pct_q_sample", "Q Sample", .hex(3)),
                ]),
            bits(
                1, "tone_quality_indicator", "Tone Quality Indicator",
                [
                    .part(
                        0x0F, "tone_quality", "Tone Quality", .hex(1), ["High", "Medium", "Low", "Not available"]),
                    .part(
                        0xF0, "tone_extension_presence", "Tone Extension", .hex(1),
                        ["No tone extension slot", "Not expected to be present", "Expected to be present"]),
                ]),
        ])

    private static let csDone: Names = [0: "Complete", 1: "Partial, more to follow", 15: "Aborted"]
}
