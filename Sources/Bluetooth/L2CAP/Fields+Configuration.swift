public import Bytes

extension L2CAP.Fields {
    public static let configurationFlags = Field("btl2cap.flags", "Flags", .hex(4))
    public static let configurationResult = Field(
        "btl2cap.conf_result", "Result", .hex(4),
        names: ValueNames { L2CAP.ConfigurationResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })
    public static let configurationOption = Field(
        "btl2cap.conf_param_option", "Configuration Parameter Option", .group)
    public static let optionType = Field("btl2cap.option_type", "Type", .hex(2), names: optionNames)
    public static let optionLength = Field("btl2cap.option_length", "Length", .decimal, unit: "bytes")

    /// Bit fields of a configuration command's flags (Vol 3, Part A, 4.4).
    public static let configurationFlagBits = [
        Field("btl2cap.flags.reserved", "Reserved", .hex(4), mask: 0xFFFE),
        Field("btl2cap.flags.continuation", "Continuation Flag", .boolean, mask: 0x0001),
    ]

    /// Bit fields of an option's type (Vol 3, Part A, 5).
    public static let optionTypeBits = [
        Field("btl2cap.option_type.hint", "Hint", .boolean, mask: 0x80)
    ]

    // Vol 3, Part A, 5.2, 5.5 and 5.7
    public static let flushTimeout = Field("btl2cap.option_flushto", "Flush Timeout", .decimal, unit: "ms")
    public static let frameCheckSequence = Field(
        "btl2cap.option_fcs", "FCS", .hex(4), names: ValueNames([0: "No FCS", 1: "16-bit FCS"]))
    public static let extendedWindowSize = Field("btl2cap.option_window", "Extended Window Size", .decimal)

    // Quality of service (Vol 3, Part A, 5.3)
    public static let serviceFlags = Field("btl2cap.option_flags", "Flags", .hex(2))
    public static let serviceType = Field(
        "btl2cap.option_servicetype", "Service Type", .hex(2),
        names: ValueNames([0: "No traffic", 1: "Best effort (Default)", 2: "Guaranteed"]))
    public static let tokenRate = Field("btl2cap.option_tokenrate", "Token Rate", .decimal, unit: "bytes/s")
    public static let tokenBucketSize = Field(
        "btl2cap.option_tokenbsize", "Token Bucket Size", .decimal, unit: "bytes")
    public static let peakBandwidth = Field(
        "btl2cap.option_peakbandwidth", "Peak Bandwidth", .decimal, unit: "bytes/s")
    public static let serviceLatency = Field("btl2cap.option_latency", "Latency", .decimal, unit: "µs")
    public static let delayVariation = Field("btl2cap.option_delayvar", "Delay Variation", .decimal, unit: "µs")

    // Retransmission and flow control (Vol 3, Part A, 5.4)
    public static let retransmissionMode = Field(
        "btl2cap.retransmissionmode", "Mode", .hex(2),
        names: ValueNames([
            0: "Basic Mode", 1: "Retransmission Mode", 2: "Flow Control Mode", 3: "Enhanced Retransmission Mode",
            4: "Streaming Mode",
        ]))
    public static let windowSize = Field("btl2cap.txwindow", "TxWindow Size", .decimal)
    public static let maximumTransmissions = Field("btl2cap.maxtransmit", "MaxTransmit", .decimal)
    public static let retransmissionTimeout = Field(
        "btl2cap.retransmittimeout", "Retransmission Timeout", .decimal, unit: "ms")
    public static let monitorTimeout = Field("btl2cap.monitortimeout", "Monitor Timeout", .decimal, unit: "ms")

    // Extended flow specification (Vol 3, Part A, 5.6)
    public static let flowIdentifier = Field("btl2cap.option_ident", "Identifier", .hex(2))
    public static let maximumSDUSize = Field(
        "btl2cap.option_sdu_size", "Maximum SDU Size", .decimal, unit: "bytes")
    public static let sduInterArrivalTime = Field(
        "btl2cap.option_sdu_arrival_time", "SDU Inter-arrival Time", .decimal, unit: "µs")
    public static let accessLatency = Field("btl2cap.option_access_latency", "Access Latency", .decimal, unit: "µs")
    public static let extendedFlushTimeout = Field("btl2cap.option_flushto", "Flush Timeout", .decimal, unit: "µs")

    static let configuration =
        [
            configurationFlags, configurationResult, configurationOption, optionType, optionLength, flushTimeout,
            frameCheckSequence, extendedWindowSize, serviceFlags, serviceType, tokenRate, tokenBucketSize,
            peakBandwidth, serviceLatency, delayVariation, retransmissionMode, windowSize, maximumTransmissions,
            retransmissionTimeout, monitorTimeout, flowIdentifier, maximumSDUSize, sduInterArrivalTime, accessLatency,
            extendedFlushTimeout,
        ] + configurationFlagBits + optionTypeBits

    private static let optionNames = ValueNames { type in
        let names: [UInt64: String] = [
            0x01: "Maximum Transmission Unit", 0x02: "Flush Timeout", 0x03: "Quality of Service",
            0x04: "Retransmission and Flow Control", 0x05: "FCS", 0x06: "Extended Flow Specification",
            0x07: "Extended Window Size",
        ]
        return names[type & 0x7F]
    }
}
