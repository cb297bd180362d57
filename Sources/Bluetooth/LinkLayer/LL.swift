public import Bytes

/// The link layer (Vol 6, Part B): what is on the air, from the access address to the CRC, and what a sniffer knew
/// about it.
///
/// A packet is read in steps, because what comes next depends on what the reader of a capture knows:
/// `CaptureHeader` (the sniffer's pseudo-header), `PacketHeader` (access address), then by access address
/// `AdvertisingHeader` and `readAdvertising`, or `DataHeader` and `readControl`, and at the end `readCRC`.
public enum LL {
    /// The protocol layer in the field tree.
    public static let layer = Field("btle", "Bluetooth Low Energy Link Layer", .group)

    /// Which way a packet of a connection went.
    public enum Direction: UInt8, Sendable, Hashable {
        case unknown
        case centralToPeripheral
        case peripheralToCentral
    }

    /// What a sniffer says of a checksum.
    public enum Check: UInt8, Sendable, Hashable {
        /// Nobody checked it.
        case unknown
        case valid
        case invalid
    }

    /// How the bits are put on the air (Vol 6, Part A, 2), numbered as in an AuxPtr and in pseudo-headers.
    public struct PHY: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let le1M = Self(rawValue: 0)
        public static let le2M = Self(rawValue: 1)
        public static let leCoded = Self(rawValue: 2)

        public var name: String? {
            switch self {
            case .le1M: "LE 1M"
            case .le2M: "LE 2M"
            case .leCoded: "LE Coded"
            default: nil
            }
        }

        static let valueNames = ValueNames { Self(rawValue: UInt8(truncatingIfNeeded: $0)).name }
    }
}
