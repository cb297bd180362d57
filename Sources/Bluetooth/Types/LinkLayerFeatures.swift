/// Feature set of a Link Layer, one bit per feature (Vol 6, Part B, 4.6).
public struct LinkLayerFeatures: Hashable, Sendable {
    /// Bit n is feature n, 0 to 63.
    public var bits: UInt64

    public init(bits: UInt64) {
        self.bits = bits
    }

    /// Whether the feature with this number is supported.
    public func contains(_ number: Int) -> Bool {
        (0..<64).contains(number) && bits >> UInt64(number) & 1 == 1
    }

    /// Names of the supported features, in order; "Feature n" for features without a name.
    public var names: [String] {
        (0..<64).filter(contains).map { $0 < Self.names.count ? Self.names[$0] ?? "Feature \($0)" : "Feature \($0)" }
    }

    /// The specification's names in bit order; nil for reserved bits.
    public static let names: [String?] = [
        "LE Encryption",
        "Connection Parameters Request Procedure",
        "Extended Reject Indication",
        "Peripheral-initiated Features Exchange",
        "LE Ping",
        "LE Data Packet Length Extension",
        "LL Privacy",
        "Extended Scanning Filter Policies",
        "LE 2M PHY",
        "Stable Modulation Index - Transmitter",
        "Stable Modulation Index - Receiver",
        "LE Coded PHY",
        "LE Extended Advertising",
        "LE Periodic Advertising",
        "Channel Selection Algorithm #2",
        "LE Power Class 1",
        "Minimum Number of Used Channels Procedure",
        "Connection CTE Request",
        "Connection CTE Response",
        "Connectionless CTE Transmitter",
        "Connectionless CTE Receiver",
        "Antenna Switching During CTE Transmission (AoD)",
        "Antenna Switching During CTE Reception (AoA)",
        "Receiving Constant Tone Extensions",
        "Periodic Advertising Sync Transfer - Sender",
        "Periodic Advertising Sync Transfer - Recipient",
        "Sleep Clock Accuracy Updates",
        "Remote Public Key Validation",
        "Connected Isochronous Stream - Central",
        "Connected Isochronous Stream - Peripheral",
        "Isochronous Broadcaster",
        "Synchronized Receiver",
        "Connected Isochronous Stream (Host Support)",
        "LE Power Control Request",
        "LE Power Control Request (second bit)",
        "LE Path Loss Monitoring",
        "Periodic Advertising ADI support",
        "Connection Subrating",
        "Connection Subrating (Host Support)",
        "Channel Classification",
        "Advertising Coding Selection",
        "Advertising Coding Selection (Host Support)",
        nil,
        "Periodic Advertising with Responses - Advertiser",
        "Periodic Advertising with Responses - Scanner",
    ]
}
