public import Bytes

extension LL {
    /// Identifies the packets of a physical link (Vol 6, Part B, 2.1.2).
    public struct AccessAddress: WireInteger {
        public var rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The access address of advertising on primary and secondary channels, except for periodic advertising.
        public static let advertising = Self(rawValue: 0x8E89_BED6)

        /// Number of bits that differ from another access address.
        public func distance(to other: Self) -> Int { (rawValue ^ other.rawValue).nonzeroBitCount }

        /// Whether the access address is valid for a connection on LE 1M and LE 2M. It differs from the advertising
        /// access address in more than one bit. It has at most six equal consecutive bits, four octets that are not all
        /// equal, at most 24 transitions, and at least two transitions in its six most significant bits.
        public var isValidForConnection: Bool {
            guard distance(to: .advertising) > 1, rawValue != (rawValue & 0xFF) * 0x0101_0101 else { return false }
            let transitions = (rawValue ^ rawValue >> 1) & 0x7FFF_FFFF
            guard transitions.nonzeroBitCount <= 24, (transitions >> 26).nonzeroBitCount >= 2 else { return false }
            // Six consecutive missing transitions are seven equal bits.
            let equal = ~transitions & 0x7FFF_FFFF
            return (0..<6).reduce(equal) { $0 & equal >> $1 } == 0
        }

        /// The access address of a broadcast isochronous stream, derived from the group's Seed Access Address; for
        /// stream 0, of the group's control channel.
        public init(seed: UInt32, stream: UInt8) {
            let diversifier = (35 * UInt32(stream) + 42) & 0x7F
            func bit(_ place: UInt32) -> UInt32 { diversifier >> place & 1 }
            var word = bit(0) == 0 ? 0 : 0xFC00_0000 as UInt32
            word |= bit(1) << 25 | bit(6) << 24 | bit(1) << 23 | bit(5) << 21
            word |= bit(4) << 20 | bit(3) << 18 | bit(2) << 17
            rawValue = seed ^ word
        }
    }

    /// A channel by index: 0 to 36 are general-purpose channels, 37 to 39 primary advertising channels (Vol 6, Part B,
    /// 1.4.1).
    public struct Channel: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The channel with this index, 0 to 39; nil for other numbers.
        public init?(index: Int) {
            guard (0...39).contains(index) else { return nil }
            rawValue = UInt8(index)
        }

        /// The channel with this RF channel number: k has 2402 + 2k MHz. Nil above 39.
        public init?(radioChannel: UInt8) {
            switch radioChannel {
            case 0: rawValue = 37
            case 1...11: rawValue = radioChannel - 1
            case 12: rawValue = 38
            case 13...38: rawValue = radioChannel - 2
            case 39: rawValue = 39
            default: return nil
            }
        }

        /// The channel at a frequency in MHz; nil for none.
        public init?(frequency: UInt16) {
            guard (2402...2480).contains(frequency), frequency.isMultiple(of: 2) else { return nil }
            self.init(radioChannel: UInt8((frequency - 2402) / 2))
        }

        /// RF channel number, 0 to 39.
        public var radioChannel: UInt8 {
            switch rawValue {
            case 0...10: rawValue + 1
            case 11...36: rawValue + 2
            case 37: 0
            case 38: 12
            default: 39
            }
        }

        /// Frequency in MHz.
        public var frequency: Int { 2402 + 2 * Int(radioChannel) }

        /// Whether it is one of the three primary advertising channels.
        public var isPrimary: Bool { rawValue >= 37 }

        /// E.g. "2402 MHz, primary advertising channel 37".
        public var description: String {
            "\(frequency) MHz, \(isPrimary ? "primary advertising" : "general-purpose") channel \(rawValue)"
        }
    }
}
