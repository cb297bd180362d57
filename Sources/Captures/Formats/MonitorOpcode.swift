public import Bytes

/// Record type of the Linux kernel's HCI monitor, numbered as in the kernel's `include/net/bluetooth/hci_mon.h`.
public struct MonitorOpcode: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let newIndex = Self(0)
    public static let deleteIndex = Self(1)
    public static let command = Self(2)
    public static let event = Self(3)
    public static let aclTransmitted = Self(4)
    public static let aclReceived = Self(5)
    public static let scoTransmitted = Self(6)
    public static let scoReceived = Self(7)
    public static let openIndex = Self(8)
    public static let closeIndex = Self(9)
    public static let indexInfo = Self(10)
    public static let vendorDiagnostic = Self(11)
    public static let systemNote = Self(12)
    public static let userLogging = Self(13)
    public static let controlOpen = Self(14)
    public static let controlClose = Self(15)
    public static let controlCommand = Self(16)
    public static let controlEvent = Self(17)
    public static let isoTransmitted = Self(18)
    public static let isoReceived = Self(19)

    /// The properties of a record type.
    public struct Row: Sendable {
        public let opcode: MonitorOpcode
        public let name: StaticString
        /// The H4 packet type of the record's body; nil if it is not an HCI packet.
        public let packetType: H4PacketType?
        public let direction: Direction
    }

    /// All record types in numeric order.
    public static let table: [Row] = [
        Row(.newIndex, "New Index"),
        Row(.deleteIndex, "Delete Index"),
        Row(.command, "HCI Command", .command, .sent),
        Row(.event, "HCI Event", .event, .received),
        Row(.aclTransmitted, "ACL TX", .acl, .sent),
        Row(.aclReceived, "ACL RX", .acl, .received),
        Row(.scoTransmitted, "SCO TX", .sco, .sent),
        Row(.scoReceived, "SCO RX", .sco, .received),
        Row(.openIndex, "Open Index"),
        Row(.closeIndex, "Close Index"),
        Row(.indexInfo, "Index Info"),
        Row(.vendorDiagnostic, "Vendor Diagnostic"),
        Row(.systemNote, "System Note"),
        Row(.userLogging, "User Logging"),
        Row(.controlOpen, "Control Open"),
        Row(.controlClose, "Control Close"),
        Row(.controlCommand, "Control Command"),
        Row(.controlEvent, "Control Event"),
        Row(.isoTransmitted, "ISO TX", .iso, .sent),
        Row(.isoReceived, "ISO RX", .iso, .received),
    ]

    var row: Row? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

    /// The record type's name, e.g. "New Index"; nil for a number that the kernel does not use.
    public var name: String? { row.map { "\($0.name)" } }

    /// The record type for an HCI packet; nil if there is none.
    init?(_ type: H4PacketType, _ direction: Direction) {
        guard let row = Self.table.first(where: { $0.packetType == type && $0.direction == direction }) else {
            return nil
        }
        self = row.opcode
    }
}

extension MonitorOpcode.Row {
    fileprivate init(
        _ opcode: MonitorOpcode, _ name: StaticString, _ packetType: H4PacketType? = nil,
        _ direction: Direction = .unknown
    ) {
        self.opcode = opcode
        self.name = name
        self.packetType = packetType
        self.direction = direction
    }
}
