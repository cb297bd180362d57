public import Bytes

/// Record type of an Apple PacketLogger file.
///
/// Apple documents none of them. The numbers are those on which Wireshark (`packet-packetlogger.c`), BlueZ
/// (`src/shared/btsnoop.c`: ISO) and BTstack (`hci_dump.c`: ISO, second pair) agree, or which were observed.
public struct PacketLoggerRecordType: WireInteger {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let command = Self(0x00)
    public static let event = Self(0x01)
    public static let aclSent = Self(0x02)
    public static let aclReceived = Self(0x03)
    public static let scoSent = Self(0x08)
    public static let scoReceived = Self(0x09)
    public static let lmpSent = Self(0x0A)
    public static let lmpReceived = Self(0x0B)
    public static let isoSentByBTstack = Self(0x0C)
    public static let isoReceivedByBTstack = Self(0x0D)
    public static let isoSent = Self(0x12)
    public static let isoReceived = Self(0x13)
    public static let syslog = Self(0xF7)
    public static let kernel = Self(0xF8)
    public static let kernelDebug = Self(0xF9)
    public static let error = Self(0xFA)
    public static let power = Self(0xFB)
    public static let note = Self(0xFC)
    public static let config = Self(0xFD)
    public static let newController = Self(0xFE)

    /// The content of a record's body.
    public enum Content: Sendable, Hashable {
        /// An HCI packet without its type byte.
        case hci(H4PacketType)
        /// A PDU of the BR/EDR link manager.
        case linkManager
        /// Human-readable text.
        case text
        /// Undocumented content written by Apple. It may be key material: output shows its length, not its bytes.
        case undocumented
    }

    /// The properties of a record type.
    public struct Row: Sendable {
        public let type: PacketLoggerRecordType
        public let name: StaticString
        public let content: Content
        public let direction: Direction
    }

    /// All record types with a known meaning.
    public static let table: [Row] = [
        Row(.command, "HCI Command", .hci(.command), .sent),
        Row(.event, "HCI Event", .hci(.event), .received),
        Row(.aclSent, "Sent ACL Data", .hci(.acl), .sent),
        Row(.aclReceived, "Recv ACL Data", .hci(.acl), .received),
        Row(.scoSent, "Sent SCO Data", .hci(.sco), .sent),
        Row(.scoReceived, "Recv SCO Data", .hci(.sco), .received),
        Row(.lmpSent, "Sent LMP Data", .linkManager, .sent),
        Row(.lmpReceived, "Recv LMP Data", .linkManager, .received),
        Row(.isoSent, "Sent ISO Data", .hci(.iso), .sent),
        Row(.isoReceived, "Recv ISO Data", .hci(.iso), .received),
        Row(.isoSentByBTstack, "Sent ISO Data", .hci(.iso), .sent),
        Row(.isoReceivedByBTstack, "Recv ISO Data", .hci(.iso), .received),
        Row(.syslog, "Syslog", .text),
        Row(.kernel, "Kernel", .text),
        Row(.kernelDebug, "Kernel Debug", .text),
        Row(.error, "Error", .text),
        Row(.power, "Power", .text),
        Row(.note, "Note", .text),
        Row(.config, "Config", .undocumented),
        Row(.newController, "New Controller", .text),
    ]

    /// Index into `table` for each type; one past the end for an unknown type.
    private static let positions: [Int] = {
        var positions = [Int](repeating: table.count, count: 256)
        for (position, row) in table.enumerated() { positions[Int(row.type.rawValue)] = position }
        return positions
    }()

    var row: Row? {
        let position = Self.positions[Int(rawValue)]
        return position < Self.table.count ? Self.table[position] : nil
    }

    /// The record type's name, e.g. "Sent ACL Data"; nil for an undocumented type.
    public var name: String? { row.map { "\($0.name)" } }

    /// The content of the type's records.
    public var content: Content { row?.content ?? .undocumented }

    /// The record type for an HCI packet; nil if there is none.
    init?(_ type: H4PacketType, _ direction: Direction) {
        guard let row = Self.table.first(where: { $0.content == .hci(type) && $0.direction == direction }) else {
            return nil
        }
        self = row.type
    }
}

extension PacketLoggerRecordType.Row {
    fileprivate init(
        _ type: PacketLoggerRecordType, _ name: StaticString, _ content: PacketLoggerRecordType.Content,
        _ direction: Direction = .unknown
    ) {
        self.type = type
        self.name = name
        self.content = content
        self.direction = direction
    }
}
