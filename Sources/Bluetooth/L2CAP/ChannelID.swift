public import Bytes

extension L2CAP {
    /// A device's endpoint of a channel (Vol 3, Part A, 2.1).
    public struct ChannelID: WireInteger {
        public var rawValue: UInt16

        @inlinable
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public init(_ rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let null = Self(0x0000)
        public static let signaling = Self(0x0001)
        public static let connectionless = Self(0x0002)
        public static let ampManager = Self(0x0003)
        public static let att = Self(0x0004)
        public static let leSignaling = Self(0x0005)
        public static let smp = Self(0x0006)
        public static let bredrSMP = Self(0x0007)
        public static let ampTestManager = Self(0x003F)

        /// Whether the CID is allocated dynamically to an opened channel.
        public var isDynamic: Bool { rawValue >= 0x0040 }

        /// Whether it is a fixed LE channel that a specification other than Core assigns (Vol 3, Part A, 2.1).
        public var isAssignedByOthers: Bool { (0x0020...0x003E).contains(rawValue) }

        public var name: String? {
            if isDynamic { return "Dynamically Allocated Channel" }
            return Self.names[rawValue] ?? "Reserved"
        }

        private static let names: [UInt16: String] = [
            0x0000: "Null identifier", 0x0001: "L2CAP Signaling Channel", 0x0002: "Connectionless Channel",
            0x0003: "AMP Manager Protocol", 0x0004: "Attribute Protocol", 0x0005: "Low Energy L2CAP Signaling Channel",
            0x0006: "Security Manager Protocol", 0x0007: "BR/EDR Security Manager", 0x003F: "AMP Test Manager",
        ]
    }

    /// Protocol/Service Multiplexer: the protocol of a BR/EDR channel (Vol 3, Part A, 4.2; Assigned Numbers, 2.5).
    ///
    /// The specification allows more than 16 bits, but no such number is assigned.
    public struct PSM: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public init(_ rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let sdp = Self(0x0001)
        public static let rfcomm = Self(0x0003)
        public static let att = Self(0x001F)
        public static let eatt = Self(0x0027)

        /// The protocol's name; "Dynamically Allocated" from 0x1001 (Vol 3, Part A, 4.2).
        public var name: String? {
            Self.names[rawValue] ?? (rawValue > 0x1000 ? "Dynamically Allocated" : nil)
        }

        static let names: [UInt16: String] = [
            0x0001: "SDP", 0x0003: "RFCOMM", 0x0005: "TCS-BIN", 0x0007: "TCS-BIN-CORDLESS", 0x000F: "BNEP",
            0x0011: "HID-Control", 0x0013: "HID-Interrupt", 0x0015: "UPnP", 0x0017: "AVCTP-Control", 0x0019: "AVDTP",
            0x001B: "AVCTP-Browsing", 0x001D: "UDI_C-Plane", 0x001F: "ATT", 0x0021: "3DSP", 0x0023: "IPSP",
            0x0025: "OTS", 0x0027: "EATT",
        ]
    }

    /// Simplified Protocol/Service Multiplexer: the protocol of a credit-based channel (Vol 3, Part A, 4.22).
    public struct SPSM: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public init(_ rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let ipsp = Self(0x0023)
        public static let ots = Self(0x0025)
        public static let eatt = Self(0x0027)

        /// The protocol's name, or the name of the range.
        public var name: String? {
            switch rawValue {
            case 0x0023, 0x0025, 0x0027: PSM.names[rawValue]
            case 0x0001...0x007F: "Fixed, SIG Assigned"
            case 0x0080...0x00FF: "Dynamically Allocated"
            default: "Reserved"
            }
        }
    }
}
