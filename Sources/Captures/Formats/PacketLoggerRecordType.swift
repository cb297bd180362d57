import Bytes

/// Type of a record in an Apple PacketLogger file.
///
/// Apple documents none of them; the numbers are those that Wireshark (`packet-packetlogger.c`), BlueZ
/// (`src/shared/btsnoop.c`: ISO) and BTstack (`hci_dump.c`: ISO, second pair) agree on or observed.
package struct PacketLoggerRecordType: WireInteger {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let command = Self(0x00)
    package static let event = Self(0x01)
    package static let aclSent = Self(0x02)
    package static let aclReceived = Self(0x03)
    package static let scoSent = Self(0x08)
    package static let scoReceived = Self(0x09)
    package static let lmpSent = Self(0x0A)
    package static let lmpReceived = Self(0x0B)
    package static let isoSentByBTstack = Self(0x0C)
    package static let isoReceivedByBTstack = Self(0x0D)
    package static let isoSent = Self(0x12)
    package static let isoReceived = Self(0x13)
    package static let syslog = Self(0xF7)
    package static let kernel = Self(0xF8)
    package static let kernelDebug = Self(0xF9)
    package static let error = Self(0xFA)
    package static let power = Self(0xFB)
    package static let note = Self(0xFC)
    package static let config = Self(0xFD)
    package static let newController = Self(0xFE)

    /// What the body of a record is.
    package enum Content: Sendable, Hashable {
        /// An HCI packet without its type byte.
        case hci(H4PacketType)
        /// A PDU of the BR/EDR link manager.
        case linkManager
        /// Text for people.
        case text
        /// Something that Apple writes and nobody has described. It may be key material: whoever prints the record
        /// prints its length, not its bytes.
        case undocumented
    }

    /// What is known of a record type.
    package struct Row: Sendable {
        package let type: PacketLoggerRecordType
        package let name: StaticString
        package let content: Content
        package let direction: Direction
    }

    /// Every record type with a known meaning.
    package static let table: [Row] = [
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

    /// Position in `table` of every type; one past the end for a type that it does not have.
    private static let positions: [Int] = {
        var positions = [Int](repeating: table.count, count: 256)
        for (position, row) in table.enumerated() { positions[Int(row.type.rawValue)] = position }
        return positions
    }()

    var row: Row? {
        let position = Self.positions[Int(rawValue)]
        return position < Self.table.count ? Self.table[position] : nil
    }

    /// Its name, e.g. "Sent ACL Data"; nil for a type that nobody has described.
    package var name: String? { row.map { "\($0.name)" } }

    /// What a record of the type holds.
    package var content: Content { row?.content ?? .undocumented }

    /// The record type for an HCI packet; nil where there is none.
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
