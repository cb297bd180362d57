public import Bytes

/// The Link Layer (Vol 6, Part B): packets from access address to CRC, with the sniffer's metadata.
///
/// A packet is decoded in steps, because each step depends on the state of the capture's connections: `CaptureHeader`
/// (the sniffer's pseudo-header), then `PacketHeader` (access address). The access address determines the next step:
/// `AdvertisingHeader` and `readAdvertising`, or `DataHeader` and `readControl`. `readCRC` comes last.
public enum LL {
    /// The protocol layer in the field tree.
    public static let layer = Field("btle", "Bluetooth Low Energy Link Layer", .group)

    /// Direction of a packet on a connection.
    public enum Direction: UInt8, Sendable, Hashable {
        case unknown
        case centralToPeripheral
        case peripheralToCentral
    }

    /// A sniffer's result of checking a CRC or MIC.
    public enum Check: UInt8, Sendable, Hashable {
        /// Not checked.
        case unknown
        case valid
        case invalid
    }

    /// A physical layer (Vol 6, Part A, 2), numbered as in an AuxPtr and in pseudo-headers.
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
