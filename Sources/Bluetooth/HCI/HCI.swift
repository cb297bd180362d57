public import Bytes

/// The Host Controller Interface (Vol 4, Part E): commands, events, and the headers of ACL, synchronous and isochronous
/// data packets.
///
/// The formats of commands and events are data. A table row lists the parameters in wire order, and one interpreter
/// reads and writes them. Where other modules use the values, the row refers to a struct instead.
public enum HCI {
    /// The protocol layers in the field tree.
    public static let transportLayer = Field("hci_h4", "Bluetooth HCI H4", .group)
    public static let commandLayer = Field("bthci_cmd", "Bluetooth HCI Command", .group)
    public static let eventLayer = Field("bthci_evt", "Bluetooth HCI Event", .group)
    public static let aclLayer = Field("bthci_acl", "Bluetooth HCI ACL Packet", .group)
    public static let synchronousLayer = Field("bthci_sco", "Bluetooth HCI SCO Packet", .group)
    public static let isochronousLayer = Field("bthci_iso", "Bluetooth HCI ISO Packet", .group)
}

extension HCI {
    /// The packet indicator of the UART transport (Vol 4, Part A, 2).
    public struct PacketType: WireInteger {
        public var rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let command = Self(rawValue: 1)
        public static let aclData = Self(rawValue: 2)
        public static let synchronousData = Self(rawValue: 3)
        public static let event = Self(rawValue: 4)
        public static let isochronousData = Self(rawValue: 5)

        /// Short name, such as "HCI Command".
        public var name: String? {
            switch rawValue {
            case 1: "HCI Command"
            case 2: "ACL Data"
            case 3: "SCO Data"
            case 4: "HCI Event"
            case 5: "ISO Data"
            default: nil
            }
        }
    }

    /// Callbacks for nested formats in commands and events.
    public struct Hooks: Sendable {
        /// Decodes advertising data or extended inquiry response data, from the reader's position to its end.
        public var advertisingData: (@Sendable (inout ByteReader) throws(DecodeError) -> Void)?

        /// Whether the hook is also called for empty data, which may be the last fragment.
        public var readsEmptyData = false

        public init(advertisingData: (@Sendable (inout ByteReader) throws(DecodeError) -> Void)? = nil) {
            self.advertisingData = advertisingData
        }

        /// No hooks: advertising data is recorded as bytes.
        public static var none: Hooks { Hooks() }
    }
}

extension HCI {
    /// The parameters of a command, event or Command Complete, as a struct.
    public protocol Parameters: WireFormat {
        /// Reads the parameters. Advertising data in them is passed to the hook.
        init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError)

        /// Reads the parameters only to record their fields.
        static func read(_ reader: inout ByteReader, hooks: Hooks) throws(DecodeError)
    }

    /// The parameters of a command.
    public protocol Command: Parameters {
        static var opcode: Opcode { get }
    }

    /// The parameters of an event.
    public protocol Event: Parameters {
        static var code: EventCode { get }
    }

    /// The parameters of an LE event, without the subevent code.
    public protocol LEEvent: Parameters {
        static var subevent: LESubevent { get }
    }
}

extension HCI.Parameters {
    public init(reading reader: inout ByteReader, hooks: HCI.Hooks) throws(DecodeError) {
        self = try Self(reading: &reader)
    }

    public static func read(_ reader: inout ByteReader, hooks: HCI.Hooks) throws(DecodeError) {
        _ = try Self(reading: &reader, hooks: hooks)
    }
}
