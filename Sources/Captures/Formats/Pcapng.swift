import Bytes

/// The pcapng format (draft-ietf-opsawg-pcapng): blocks with their length at both ends, in sections with their own byte
/// order and interfaces.
enum Pcapng {
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    /// Bytes of the type and length before a block's body and of the length after it.
    static let blockOverhead = 12
    static let bodyOffset = 8

    struct BlockType: WireInteger {
        var rawValue: UInt32

        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        static let sectionHeader = Self(rawValue: 0x0A0D_0D0A)
        static let interfaceDescription = Self(rawValue: 1)
        static let obsoletePacket = Self(rawValue: 2)
        static let simplePacket = Self(rawValue: 3)
        static let enhancedPacket = Self(rawValue: 6)
        static let journal = Self(rawValue: 9)
        static let custom = Self(rawValue: 0x0BAD)
        static let customNotToBeCopied = Self(rawValue: 0x4000_0BAD)

        /// Whether the block's content is read; other blocks are skipped.
        var isRead: Bool {
            switch self {
            case .sectionHeader, .interfaceDescription, .obsoletePacket, .simplePacket, .enhancedPacket: true
            default: false
            }
        }

        /// Whether Wireshark gives the block a frame number although it is not a packet.
        var countsAsFrame: Bool { self == .journal || self == .custom || self == .customNotToBeCopied }

        /// The draft's name of a skipped block.
        var name: String {
            switch rawValue {
            case 4: "Name Resolution Block"
            case 5: "Interface Statistics Block"
            case 9: "systemd Journal Export Block"
            case 10: "Decryption Secrets Block"
            case 0x0BAD, 0x4000_0BAD: "Custom Block"
            default: "block of an unknown type"
            }
        }
    }

    /// Option codes. The codes above `comment` have different meanings in different blocks.
    enum Option {
        static let end: UInt16 = 0
        static let comment: UInt16 = 1
        static let interfaceName: UInt16 = 2
        static let interfaceDescription: UInt16 = 3
        static let timeResolution: UInt16 = 9
        static let timeOffset: UInt16 = 14
        static let packetFlags: UInt16 = 2
        static let dropCount: UInt16 = 4
    }

    /// `count` rounded up to a multiple of four.
    static func padded(_ count: Int) -> Int { (count + 3) & ~3 }
}

extension Pcapng {
    /// The time resolution and offset of an interface.
    struct Clock: Hashable {
        private(set) var unitsPerSecond: UInt64 = 1_000_000
        /// Nanoseconds per unit; 0 if that is not an integer.
        private var nanosecondsPerUnit: UInt64 = 1000
        /// Seconds to add (`if_tsoffset`).
        var offset: Int64 = 0

        /// The default: microseconds since 1970.
        init() {}

        /// Sets the resolution from option `if_tsresol`: 10 or, with the top bit set, 2 to the power of minus its
        /// value. Returns false if the units per second exceed 64 bits.
        mutating func setResolution(_ option: UInt8) -> Bool {
            let base: UInt64 = option & 0x80 == 0 ? 10 : 2
            var units: UInt64 = 1
            for _ in 0..<(option & 0x7F) {
                let (product, overflow) = units.multipliedReportingOverflow(by: base)
                if overflow { return false }
                units = product
            }
            unitsPerSecond = units
            nanosecondsPerUnit = 1_000_000_000 % units == 0 ? 1_000_000_000 / units : 0
            return true
        }

        /// Whether a unit is shorter than a microsecond.
        var isFinerThanMicroseconds: Bool { unitsPerSecond > 1_000_000 }

        /// The time for `units`, truncated to nanoseconds.
        func time(_ units: UInt64) -> Timestamp {
            if nanosecondsPerUnit != 0, offset == 0, units <= UInt64(Int64.max) / nanosecondsPerUnit {
                return Timestamp(nanoseconds: Int64(units * nanosecondsPerUnit))
            }
            let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
            let product = rest.multipliedFullWidth(by: 1_000_000_000)
            let nanoseconds = unitsPerSecond.dividingFullWidth(product).quotient
            let (sum, overflow) = Int64(clamping: seconds).addingReportingOverflow(offset)
            return Timestamp(seconds: overflow ? .max : sum, nanoseconds: Int64(nanoseconds))
        }
    }
}
