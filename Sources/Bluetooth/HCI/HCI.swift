public import Bytes

/// The Host Controller Interface (Vol 4, Part E): commands, events, and the headers of ACL, synchronous and
/// isochronous data.
///
/// What a command or an event holds is data: a row of a table names its parameters in the order of the wire, and one
/// interpreter reads and writes them. Where other modules work with the values, the row points at a struct instead.
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
    /// The packet indicator that a UART transport sends first (Vol 4, Part A, 2).
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

        /// Short name, as "HCI Command".
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

    /// What a reader of commands and events leaves to others.
    public struct Hooks: Sendable {
        /// Decodes advertising data, or extended inquiry response data, from where the reader stands to its end.
        public var advertisingData: (@Sendable (inout ByteReader) throws(DecodeError) -> Void)?

        /// Whether it is asked for data of no bytes, too: they may be the last part of others.
        public var readsEmptyData = false

        public init(advertisingData: (@Sendable (inout ByteReader) throws(DecodeError) -> Void)? = nil) {
            self.advertisingData = advertisingData
        }

        /// Advertising data stays bytes.
        public static var none: Hooks { Hooks() }
    }
}

extension HCI {
    /// The parameters of a command, of an event or of a Command Complete, where a struct holds them.
    public protocol Parameters: WireFormat {
        /// Reads the parameters; those with advertising data inside hand it to the hook.
        init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError)

        /// Reads the parameters for what they leave in the recorder.
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

    /// The parameters of an LE event, after the subevent code.
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
