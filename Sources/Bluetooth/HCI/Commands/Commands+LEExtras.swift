import Bytes

extension HCI.CommandRow {
    /// Direction finding and the tests with constant tone extensions (Vol 4, Part E, 7.8.28, 7.8.29, 7.8.80 to 7.8.87).
    static let leDirection: [Self] = [
        command(
            0x204F, "LE Receiver Test [v3]",
            [
                .testRxChannel, .testPHY, .modulationIndex, .cteLength, .cteType, .slotDurations, .antennas,
            ], .complete),
        command(0x2050, "LE Transmitter Test [v3]", transmitterTest, .complete),
        command(
            0x2051, "LE Set Connectionless CTE Transmit Parameters",
            [.advertisingHandle, .cteLength, .cteType, .u8("cte_count", "CTE Count"), .antennas], .complete),
        command(
            0x2052, "LE Set Connectionless CTE Transmit Enable", [.advertisingHandle, .cteEnable], .complete),
        command(
            0x2053, "LE Set Connectionless IQ Sampling Enable",
            [
                .syncHandle, .iqSamplingEnable, .slotDurations, .u8("max_sampled_ctes", "Max Sampled CTEs"), .antennas,
            ], .returns([.status, .syncHandle])),
        command(
            0x2054, "LE Set Connection CTE Receive Parameters",
            [.connectionHandle, .iqSamplingEnable, .slotDurations, .antennas],
            .returns([.status, .connectionHandle])),
        command(
            0x2055, "LE Set Connection CTE Transmit Parameters",
            [
                .connectionHandle,
                .bits(
                    1, "cte_types", "CTE Types",
                    [
                        .part(0x01, "cte_types.aoa", "Allow AoA CTE Response"),
                        .part(0x02, "cte_types.aod_1us", "Allow AoD CTE Response With 1 µs Slots"),
                        .part(0x04, "cte_types.aod_2us", "Allow AoD CTE Response With 2 µs Slots"),
                    ]), .antennas,
            ], .returns([.status, .connectionHandle])),
        command(
            0x2056, "LE Connection CTE Request Enable",
            [
                .connectionHandle, .cteEnable, .u16("cte_request_interval", "CTE Request Interval"), .cteLength,
                .cteType,
            ], .returns([.status, .connectionHandle])),
        command(
            0x2057, "LE Connection CTE Response Enable", [.connectionHandle, .cteEnable],
            .returns([.status, .connectionHandle])),
        command(
            0x2058, "LE Read Antenna Information",
            .returns([
                .status,
                .bits(
                    1, "supported_switching_sample_rates", "Supported Switching Sampling Rates",
                    [
                        .part(
                            0x01, "supported_switching_sample_rates.1us_switching_aod_tx",
                            "1 µs Switching For AoD Transmission"),
                        .part(
                            0x02, "supported_switching_sample_rates.1us_sampling_aod_rx",
                            "1 µs Sampling For AoD Reception"),
                        .part(
                            0x04, "supported_switching_sample_rates.1us_switching_and_sampling_aoa_rx",
                            "1 µs Switching And Sampling For AoA Reception"),
                    ]), .u8("number_antennae", "Num Antennae"),
                .u8("max_length_antenna_switching_pattern", "Max Switching Pattern Length"),
                .u8("max_cte_length", "Max CTE Length", .toneExtensions),
            ])),
        command(
            0x207B, "LE Transmitter Test [v4]", transmitterTest + [.i8("tx_power_level", "TX Power Level", .dBm)],
            .complete),
    ]

    private static let transmitterTest: [HCI.Parameter] = [
        .testTxChannel, .testDataLength, .testPayload, .testPHY, .cteLength, .cteType, .antennas,
    ]

    /// Isochronous streams (Vol 4, Part E, 7.8.2, 7.8.96 to 7.8.116).
    static let leIsochronous: [Self] = [
        command(
            0x2060, "LE Read Buffer Size [v2]",
            .returns([
                .status, .leAclDataPacketLength, .leTotalNumAclDataPackets,
                .u16("iso_data_pkt_len", "ISO Data Packet Length", .bytes),
                .u8("total_num_iso_data_pkts", "Total Num ISO Data Packets"),
            ])),
        command(
            0x2061, "LE Read ISO TX Sync", [.streamHandle],
            .returns([
                .status, .streamHandle, .u16("sdu_packet_seq_num", "Packet Sequence Number"),
                .u32("sdu_packet_timestamp", "TX Time Stamp", .microseconds),
                .u24("sdu_packet_offset", "Time Offset", .microseconds),
            ])),
        command(
            0x2062, "LE Set CIG Parameters",
            [
                .cigID, .sduIntervalCToP, .sduIntervalPToC, .worstCaseClockAccuracy, .packing, .framing,
                .u16("max_transport_latency_m_to_s", "Max Transport Latency C To P", .milliseconds),
                .u16("max_transport_latency_s_to_m", "Max Transport Latency P To C", .milliseconds),
                .list(
                    cisCount, of: cisParameters,
                    [
                        .cisID, .maxSDUCToP, .maxSDUPToC, .physCToP, .physPToC, .retransmissionsCToP,
                        .retransmissionsPToC,
                    ]),
            ], .returns(createdCIG)),
        command(
            0x2063, "LE Set CIG Parameters Test",
            [
                .cigID, .sduIntervalCToP, .sduIntervalPToC, .u8("ft_m_to_s", "FT C To P"),
                .u8("ft_s_to_m", "FT P To C"),
                .isoInterval, .worstCaseClockAccuracy, .packing, .framing,
                .list(
                    cisCount, of: cisParameters,
                    [
                        .cisID, .nse, .maxSDUCToP, .maxSDUPToC, .maxPDUCToP, .maxPDUPToC, .physCToP, .physPToC,
                        .burstNumberCToP, .burstNumberPToC,
                    ]),
            ], .returns(createdCIG)),
        command(
            0x2064, "LE Create CIS", [.list(cisCount, of: cisParameters, [.cisHandle, .connectionHandle])], .status),
        command(0x2065, "LE Remove CIG", [.cigID], .returns([.status, .cigID])),
        command(0x2066, "LE Accept CIS Request", [.cisHandle], .status),
        command(0x2067, "LE Reject CIS Request", [.connectionHandle, .reason], .returns([.status, .cisHandle])),
        command(
            0x2068, "LE Create BIG",
            [
                .bigHandle, .advertisingHandle, .numBIS, .sduInterval, .maxSDU,
                .u16("max_transport_latency", "Max Transport Latency", .milliseconds), .u8("rtn", "RTN"), .streamPHYs,
                .packing, .framing, .encryption, .broadcastCode,
            ], .status),
        command(
            0x2069, "LE Create BIG Test",
            [
                .bigHandle, .advertisingHandle, .numBIS, .sduInterval, .isoInterval, .nse, .maxSDU, .maxPDU,
                .streamPHYs, .packing, .framing, .burstNumber, .repetitionCount, .preTransmissionOffset, .encryption,
                .broadcastCode,
            ], .status),
        command(0x206A, "LE Terminate BIG", [.bigHandle, .reason], .status),
        command(
            0x206B, "LE BIG Create Sync",
            [
                .bigHandle, .syncHandle, .encryption, .broadcastCode, .u8("mse", "MSE"), .syncTimeout,
                .list(.numBIS, of: .u8("bis_index", "BIS")),
            ], .status),
        command(0x206C, "LE BIG Terminate Sync", [.bigHandle], .returns([.status, .bigHandle])),
        command(0x206D, "LE Request Peer SCA", [.connectionHandle], .status),
        command(
            0x206E, "LE Setup ISO Data Path",
            [
                .streamHandle, .dataPathDirection, .dataPathID, .codingFormat,
                .u24("controller_delay", "Controller Delay", .microseconds), .codecConfiguration,
            ], .returns([.status, .streamHandle])),
        command(
            0x206F, "LE Remove ISO Data Path",
            [
                .streamHandle,
                .bits(
                    1, "data_path_direction", "Data Path Direction",
                    [
                        .part(0x01, "data_path_direction.input", "Remove Input Data Path"),
                        .part(0x02, "data_path_direction.output", "Remove Output Data Path"),
                    ]),
            ], .returns([.status, .streamHandle])),
        command(
            0x2070, "LE ISO Transmit Test", [.streamHandle, .isoPayloadType], .returns([.status, .streamHandle])),
        command(
            0x2071, "LE ISO Receive Test", [.streamHandle, .isoPayloadType], .returns([.status, .streamHandle])),
        command(
            0x2072, "LE ISO Read Test Counters", [.streamHandle], .returns(HCI.Parameter.isoTestCounters)),
        command(0x2073, "LE ISO Test End", [.streamHandle], .returns(HCI.Parameter.isoTestCounters)),
        command(
            0x2075, "LE Read ISO Link Quality", [.streamHandle],
            .returns([
                .status, .streamHandle, .u32("pkt_count_tx_unacked", "TX UnACKed Packets"),
                .u32("pkt_count_tx_flushed", "TX Flushed Packets"),
                .u32("pkt_count_tx_last_subevent", "TX Last Subevent Packets"),
                .u32("pkt_count_tx_retransmitted", "Retransmitted Packets"),
                .u32("pkt_count_rx_crc_error", "CRC Error Packets"),
                .u32("pkt_count_rx_unreceived", "RX Unreceived Packets"),
                .u32("pkt_count_rx_duplicate", "Duplicate Packets"),
            ])),
    ]

    private static let cisCount = HCI.Parameter.u8("cis_count", "CIS Count")
    private static let cisParameters = HCI.Parameter.group("cis_params", "CIS Parameters", [])
    private static let createdCIG: [HCI.Parameter] = [.status, .cigID, .list(cisCount, of: .cisHandle)]

    /// Power control, subrating and others (Vol 4, Part E, 7.8.74 to 7.8.76, 7.8.94, 7.8.115 and 7.8.117 to
    /// 7.8.124).
    static let lePower: [Self] = [
        command(
            0x204B, "LE Read Transmit Power",
            .returns([
                .status, .i8("min_tx_power", "Min TX Power", .dBm), .i8("max_tx_power", "Max TX Power", .dBm),
            ])),
        command(0x204C, "LE Read RF Path Compensation", .returns([.status, txCompensation, rxCompensation])),
        command(0x204D, "LE Write RF Path Compensation", [txCompensation, rxCompensation], .complete),
        command(
            0x205F, "LE Modify Sleep Clock Accuracy",
            [.x8("sca_action", "Action", ["Switch to a more accurate clock", "Switch to a less accurate clock"])],
            .complete),
        command(
            0x2074, "LE Set Host Feature",
            [
                .u8("feature_bit_number", "Bit Number"), .featureBitValue,
            ], .complete),
        command(
            0x2076, "LE Enhanced Read Transmit Power Level", [.connectionHandle, .phyAndCoding],
            .returns([
                .status, .connectionHandle, .phyAndCoding, .txPowerLevel,
                .i8("max_transmit_power_level", "Max TX Power Level", .dBm),
            ])),
        command(
            0x2077, "LE Read Remote Transmit Power Level", [.connectionHandle, .phyAndCoding], .status),
        command(
            0x2078, "LE Set Path Loss Reporting Parameters",
            [
                .connectionHandle, .u8("high_threshold", "High Threshold", .dB),
                .u8("high_hysteresis", "High Hysteresis", .dB), .u8("low_threshold", "Low Threshold", .dB),
                .u8("low_hysteresis", "Low Hysteresis", .dB), .u16("min_time_spent", "Min Time Spent"),
            ], .returns([.status, .connectionHandle])),
        command(
            0x2079, "LE Set Path Loss Reporting Enable",
            [.connectionHandle, .x8("reporting_enable", "Enable", .disabledEnabled)],
            .returns([.status, .connectionHandle])),
        command(
            0x207A, "LE Set Transmit Power Reporting Enable",
            [
                .connectionHandle, .x8("local_reporting_enable", "Local Enable", .disabledEnabled),
                .x8("remote_reporting_enable", "Remote Enable", .disabledEnabled),
            ], .returns([.status, .connectionHandle])),
        command(0x207D, "LE Set Default Subrate", subrate, .complete),
        command(0x207E, "LE Subrate Request", [.connectionHandle] + subrate, .status),
    ]

    private static let txCompensation = HCI.Parameter.i16(
        "rf_tx_path_compensation_value", "RF TX Path Compensation Value", .tenthsOfdB)
    private static let rxCompensation = HCI.Parameter.i16(
        "rf_rx_path_compensation_value", "RF RX Path Compensation Value", .tenthsOfdB)
    private static let subrate: [HCI.Parameter] = [
        .subrateMin, .subrateMax, .leMaxLatency, .continuationNumber, .leSupervisionTimeout,
    ]
}
