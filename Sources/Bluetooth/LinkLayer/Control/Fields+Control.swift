public import Bytes

/// The fields of control PDUs.
extension LL.Fields {
    public static let controlOpcode = Field(
        "btle.control_opcode", "Control Opcode", .hex(2), names: LL.ControlOpcode.valueNames)
    static let bigControlOpcode = Field(
        "btle.big_control_opcode", "BIG Control Opcode", .hex(2),
        names: ValueNames([0: "BIG_CHANNEL_MAP_IND", 1: "BIG_TERMINATE_IND"]))
    static let errorCode = control("error_code", "Error Code", .hex(2), names: ControllerError.valueNames)
    static let unknownType = control("unknown_type", "Unknown Type", .hex(2), names: LL.ControlOpcode.valueNames)
    static let rejectOpcode = control("reject_opcode", "Reject Opcode", .hex(2), names: LL.ControlOpcode.valueNames)

    // MARK: Connection

    static let windowSize = milliseconds("btle.control.window_size", "Window Size", 1.25)
    static let windowOffset = milliseconds("btle.control.window_offset", "Window Offset", 1.25)
    static let interval = milliseconds("btle.control.interval", "Interval", 1.25)
    static let latency = control("latency", "Latency", .decimal)
    static let timeout = milliseconds("btle.control.timeout", "Timeout", 10)
    static let instant = control("instant", "Instant", .decimal)
    static let channelMap = control("channel_map", "Channel Map", .bytes)
    static let intervalMinimum = milliseconds("btle.control.interval.min", "Interval Min", 1.25)
    static let intervalMaximum = milliseconds("btle.control.interval.max", "Interval Max", 1.25)
    static let preferredPeriodicity = milliseconds(
        "btle.control.preferred_periodicity", "Preferred Periodicity", 1.25)
    static let referenceEventCount = control(
        "reference_connection_event_count", "Reference Connection Event Count", .decimal)
    static let offsets = (0..<6).map { milliseconds("btle.control.offset.\($0)", "Offset \($0)", 1.25) }
    static let subrateFactorMinimum = control("subrate_factor_min", "Subrate Factor Min", .decimal)
    static let subrateFactorMaximum = control("subrate_factor_max", "Subrate Factor Max", .decimal)
    static let subrateMaximumLatency = control("subrate_max_latency", "Max Latency", .decimal)
    static let continuationNumber = control("continuation_number", "Continuation Number", .decimal)
    static let subrateFactor = control("subrate_factor", "Subrate Factor", .decimal)
    static let subrateBaseEvent = control("subrate_base_event", "Subrate Base Event", .decimal)
    private static let connection: [Field] =
        [
            windowSize, windowOffset, interval, latency, timeout, instant, channelMap, intervalMinimum,
            intervalMaximum, preferredPeriodicity, referenceEventCount, subrateFactorMinimum, subrateFactorMaximum,
            subrateMaximumLatency, continuationNumber, subrateFactor, subrateBaseEvent,
        ] + offsets

    // MARK: Encryption

    static let random = control("random_number", "Random Number", .decimal)
    static let encryptedDiversifier = control("encrypted_diversifier", "Encrypted Diversifier", .decimal)
    static let centralKeyDiversifier = control(
        "master_session_key_diversifier", "Central Session Key Diversifier", .decimal)
    static let peripheralKeyDiversifier = control(
        "slave_session_key_diversifier", "Peripheral Session Key Diversifier", .decimal)
    static let centralVector = control(
        "master_session_initialization_vector", "Central Session Initialization Vector", .decimal)
    static let peripheralVector = control(
        "slave_session_initialization_vector", "Peripheral Session Initialization Vector", .decimal)
    private static let encryption = [
        random, encryptedDiversifier, centralKeyDiversifier, peripheralKeyDiversifier, centralVector,
        peripheralVector,
    ]

    // MARK: Capabilities

    static let featureSet = control("feature_set", "Feature Set", .hex(16))
    /// Feature bit fields, by feature number.
    static let featureBits: [Field] = (0..<64)
        .map { number in
            let label = number < LinkLayerFeatures.names.count ? LinkLayerFeatures.names[number] : nil
            let name = number < featureNames.count ? featureNames[number] : "feature_\(number)"
            return control(
                "feature_set." + name, label ?? "Reserved", .boolean, mask: 1 << UInt64(number % 8))
        }
    private static let featureNames = [
        "le_encryption", "connection_parameters_request_procedure", "extended_reject_indication",
        "slave_initiated_features_exchange", "le_ping", "le_pkt_len_ext", "le_privacy", "ext_scan_flt_pol", "le_2m_phy",
        "st_mod_idx_tx", "st_mod_idx_rx", "le_coded_phy", "le_extended_adv", "periodic_adv", "ch_sel_2",
        "le_power_class_1", "min_num_used_ch_proc",
    ]
    static let versionNumber = control(
        "version_number", "Version Number", .hex(2), names: CoreVersion.valueNames)
    static let companyID = control(
        "company_id", "Company Id", .hex(4),
        names: ValueNames { AssignedNumbers.company(UInt16(truncatingIfNeeded: $0)) })
    static let subversionNumber = control("subversion_number", "Subversion Number", .hex(4))
    private static let capabilities: [Field] = [featureSet, versionNumber, companyID, subversionNumber] + featureBits

    // MARK: Radio

    static let maxRxOctets = control("max_rx_octets", "Max RX octets", .decimal, unit: "bytes")
    static let maxRxTime = control("max_rx_time", "Max RX time", .decimal, unit: "µs")
    static let maxTxOctets = control("max_tx_octets", "Max TX octets", .decimal, unit: "bytes")
    static let maxTxTime = control("max_tx_time", "Max TX time", .decimal, unit: "µs")
    static let txPHYs = control("tx_phys", "TX PHYs", .hex(2))
    static let rxPHYs = control("rx_phys", "RX PHYs", .hex(2))
    static let phys = control("phys", "PHYs", .hex(2))
    static let preferredPHYBits = phyBits("btle.control.phys", "Sender prefers to use the ")
    static let centralPHY = control("m_to_s_phy", "Central to Peripheral PHY", .hex(2))
    static let centralPHYBits = phyBits("btle.control.m_to_s_phy", "")
    static let peripheralPHY = control("s_to_m_phy", "Peripheral to Central PHY", .hex(2))
    static let peripheralPHYBits = phyBits("btle.control.s_to_m_phy", "")
    static let minUsedChannels = control("min_used_channels", "Minimum Used Channels", .decimal)
    static let cteRequestBits = [
        control("cte.min_len_req", "MinCTELenReq", .decimal, unit: "µs", scale: 8, mask: 0x1F),
        control("cte.rfu", "Reserved", .decimal, mask: 0x20),
        control("cte.type_req", "CTETypeReq", .decimal, mask: 0xC0, names: cteTypes),
    ]
    static let clockAccuracy = control(
        "sleep_clock_accuracy", "Sleep Clock Accuracy", .decimal, names: LL.SleepClockAccuracy.valueNames)
    static let powerPHY = control("pwr_phy", "Power PHY", .hex(2))
    static let powerPHYBits = [
        bit("btle.control.pwr_phy.le_1m_phy", "LE 1M PHY", 0x01),
        bit("btle.control.pwr_phy.le_2m_phy", "LE 2M PHY", 0x02),
        bit("btle.control.pwr_phy.le_coded_s8_phy", "LE Coded S=8 PHY", 0x04),
        bit("btle.control.pwr_phy.le_coded_s2_phy", "LE Coded S=2 PHY", 0x08),
        control("pwr_phy.reserved", "Reserved", .decimal, mask: 0xF0),
    ]
    static let powerDelta = control("delta", "Delta", .signed, unit: "dB", size: 1)
    static let txPower = control("txpower", "TxPower", .signed, unit: "dBm", size: 1)
    static let powerFlags = control("pwrflags", "Power Flags", .hex(2))
    static let powerFlagBits = [
        bit("btle.control.min", "Min", 0x01), bit("btle.control.max", "Max", 0x02),
        control("pwrctrl.reserved", "Reserved", .decimal, mask: 0xFC),
    ]
    static let acceptablePowerReduction = control(
        "acceptable_power_reduction", "Acceptable Power Reduction", .decimal, unit: "dB")
    static let reportingEnable = control(
        "channel_reporting.enable", "Enable", .decimal, names: ValueNames([0: "Disabled", 1: "Enabled"]))
    static let reportingSpacing = milliseconds("btle.control.channel_reporting.min_spacing", "Min Spacing", 200)
    static let reportingDelay = milliseconds("btle.control.channel_reporting.max_delay", "Max Delay", 200)
    static let channelClassification = control("channel_classification", "Channel Classification", .bytes)
    private static let radio: [Field] = [
        [
            maxRxOctets, maxRxTime, maxTxOctets, maxTxTime, txPHYs, rxPHYs, phys, centralPHY, peripheralPHY,
            minUsedChannels, clockAccuracy, powerPHY, powerDelta, txPower, powerFlags, acceptablePowerReduction,
            reportingEnable, reportingSpacing, reportingDelay, channelClassification,
        ],
        preferredPHYBits, centralPHYBits, peripheralPHYBits, cteRequestBits, powerPHYBits, powerFlagBits,
    ]
    .flatMap(\.self)

    /// All fields of control PDUs.
    static let control: [Field] = [
        [controlOpcode, bigControlOpcode, errorCode, unknownType, rejectOpcode], connection, encryption, capabilities,
        radio, isochronous, periodic,
    ]
    .flatMap(\.self)

    // MARK: Field factories

    static func control(
        _ name: String, _ label: String, _ format: Field.Format, unit: String? = nil, scale: Double = 1,
        mask: UInt64 = 0, size: Int = 0, names: ValueNames? = nil
    ) -> Field {
        Field("btle.control." + name, label, format, unit: unit, scale: scale, mask: mask, size: size, names: names)
    }

    private static func phyBits(_ name: String, _ prefix: String) -> [Field] {
        [
            bit(name + ".le_1m_phy", prefix + "LE 1M PHY", 0x01),
            bit(name + ".le_2m_phy", prefix + "LE 2M PHY", 0x02),
            bit(name + ".le_coded_phy", prefix + "LE Coded PHY", 0x04),
            Field(name + ".reserved", "Reserved", .decimal, mask: 0xF8),
        ]
    }
}
