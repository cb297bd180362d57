public import Bytes

extension HCI {
    /// What the specification says of one event.
    public struct EventRow: Sendable {
        public let code: EventCode
        /// The specification's name without its HCI prefix.
        public let name: String
        public let parameters: [Parameter]
    }

    /// What the specification says of one LE event.
    public struct LEEventRow: Sendable {
        public let subevent: LESubevent
        /// The specification's name without its HCI prefix.
        public let name: String
        public let parameters: [Parameter]
    }
}

extension HCI.EventRow {
    /// Every event of the specification, and those of earlier versions that old captures hold.
    public static let table = Table([connections, remoteDevices, pairing, broadcast, highSpeed])

    /// A row of a table of events.
    static func event(_ code: UInt8, _ name: String, _ parameters: [HCI.Parameter] = []) -> Self {
        Self(code: HCI.EventCode(code), name: name, parameters: parameters)
    }

    /// The rows by code.
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
    /// Every LE event of the specification.
    public static let table = Table([leConnections, leAdvertising, leIsochronous, leChannelSounding])

    /// A row of a table of LE events.
    static func event(_ subevent: UInt8, _ name: String, _ parameters: [HCI.Parameter] = []) -> Self {
        Self(subevent: HCI.LESubevent(subevent), name: name, parameters: parameters)
    }

    /// The rows by subevent code.
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
    /// Where each code stands in a list of fewer than 255; 255 for one that is not in it.
    fileprivate static func index(_ codes: [UInt8]) -> [UInt8] {
        var index = [UInt8](repeating: .max, count: 256)
        for (position, code) in codes.enumerated() { index[Int(code)] = UInt8(truncatingIfNeeded: position) }
        return index
    }

    /// Reads an event packet after its packet indicator: header and parameters, recording all of them. Bytes beyond
    /// the length in the header stay unread.
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
