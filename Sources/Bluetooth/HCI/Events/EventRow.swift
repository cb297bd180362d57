public import Bytes

extension HCI {
    /// The specification's definition of an event.
    public struct EventRow: Sendable {
        public let code: EventCode
        /// The specification's name without its HCI prefix.
        public let name: String
        public let parameters: [Parameter]
    }

    /// The specification's definition of an LE event.
    public struct LEEventRow: Sendable {
        public let subevent: LESubevent
        /// The specification's name without its HCI prefix.
        public let name: String
        public let parameters: [Parameter]
    }
}

extension HCI.EventRow {
    /// All events of the specification, and events of earlier versions that occur in old captures.
    public static let table = Table([connections, remoteDevices, pairing, broadcast, highSpeed])

    static func event(_ code: UInt8, _ name: String, _ parameters: [HCI.Parameter] = []) -> Self {
        Self(code: HCI.EventCode(code), name: name, parameters: parameters)
    }

    /// The rows, indexed by event code.
    public struct Table: Sendable {
        public let rows: [HCI.EventRow]
        private let index: [UInt8]

        fileprivate init(_ groups: [[HCI.EventRow]]) {
            rows = Array(groups.joined())
            index = HCI.index(rows.map(\.code.rawValue))
        }

        public subscript(code: HCI.EventCode) -> HCI.EventRow? {
            let position = Int(index[Int(code.rawValue)])
            return position < rows.count ? rows[position] : nil
        }
    }
}

extension HCI.LEEventRow {
    /// All LE events of the specification.
    public static let table = Table([leConnections, leAdvertising, leIsochronous, leChannelSounding])

    static func event(_ subevent: UInt8, _ name: String, _ parameters: [HCI.Parameter] = []) -> Self {
        Self(subevent: HCI.LESubevent(subevent), name: name, parameters: parameters)
    }

    /// The rows, indexed by subevent code.
    public struct Table: Sendable {
        public let rows: [HCI.LEEventRow]
        private let index: [UInt8]

        fileprivate init(_ groups: [[HCI.LEEventRow]]) {
            rows = Array(groups.joined())
            index = HCI.index(rows.map(\.subevent.rawValue))
        }

        public subscript(subevent: HCI.LESubevent) -> HCI.LEEventRow? {
            let position = Int(index[Int(subevent.rawValue)])
            return position < rows.count ? rows[position] : nil
        }
    }
}

extension HCI {
    /// Position of each code in a list of fewer than 255 codes; 255 for a code not in the list.
    fileprivate static func index(_ codes: [UInt8]) -> [UInt8] {
        var index = [UInt8](repeating: .max, count: 256)
        for (position, code) in codes.enumerated() { index[Int(code)] = UInt8(truncatingIfNeeded: position) }
        return index
    }

    /// Reads and records an event packet without its packet indicator: header and parameters. Bytes after the length in
    /// the header stay unread.
    @discardableResult
    public static func readEvent(_ reader: inout ByteReader, hooks: Hooks = .none) throws(DecodeError) -> EventCode {
        let code = try reader.read(Fields.eventCode, as: EventCode.self)
        let length: UInt8 = try reader.read(Fields.eventLength)
        try reader.readParameters(Int(length), Fields.eventLength) { body throws(DecodeError) in
            if code == .leMeta {
                try readLEEvent(&body, hooks)
            } else if let row = EventRow.table[code] {
                try body.read(row.parameters, .event, hooks, unexpected: Fields.unexpectedEventParameter)
            } else {
                body.skipRest(Fields.eventParameter)
            }
        }
        return code
    }

    private static func readLEEvent(_ reader: inout ByteReader, _ hooks: Hooks) throws(DecodeError) {
        let subevent = try reader.read(Fields.subevent, as: LESubevent.self)
        guard let row = LEEventRow.table[subevent] else { return reader.skipRest(Fields.eventParameter) }
        try reader.read(row.parameters, .event, hooks, unexpected: Fields.unexpectedEventParameter)
    }
}
