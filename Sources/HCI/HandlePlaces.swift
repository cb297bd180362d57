public import BluetoothTypes
import Bytes

extension HCI {
    /// Offsets of connection handles in the parameters of events, commands and return parameters, as their rows list them.
    private struct HandlePlaces: Sendable {
        /// By code; 0 where the row has no connection handle.
        let events: [Place]
        /// By subevent code.
        let leEvents: [Place]
        let commands: [Opcode: Place]
        let returns: [Opcode: Place]

        /// Offset of the handle plus 1, and of the number of handles in a list plus 1; 0 for none.
        struct Place: Sendable {
            var handle: UInt8 = 0
            var count: UInt8 = 0
        }

        static let table = HandlePlaces()

        private init() {
            var events = [Place](repeating: Place(), count: 256)
            for row in EventRow.table.rows where row.code != .leMeta && row.code != .commandComplete {
                events[Int(row.code.rawValue)] = Self.place(in: row.parameters, .event)
            }
            var leEvents = [Place](repeating: Place(), count: 256)
            for row in LEEventRow.table.rows {
                leEvents[Int(row.subevent.rawValue)] = Self.place(in: row.parameters, .event)
            }
            var (commands, returns): ([Opcode: Place], [Opcode: Place]) = ([:], [:])
            for row in CommandRow.table.rows {
                commands[row.opcode] = Self.place(in: row.parameters, .command)
                if case .returns(let layout) = row.answer { returns[row.opcode] = Self.place(in: layout, .event) }
            }
            (self.events, self.leEvents, self.commands, self.returns) = (events, leEvents, commands, returns)
        }

        /// Reads a row's parameters from zeros and, for the first element of a list, from ones: the recorder holds the place
        /// of each.
        private static func place(in layout: [Parameter], _ side: Side) -> Place {
            for byte: UInt8 in [0, 1] {
                let recorder = FieldRecorder()
                let bytes = [UInt8](repeating: byte, count: 64)
                var reader = ByteReader(bytes.span, recorder: recorder)
                var layoutReader = LayoutReader(side, hooks: .none)
                // What comes before a fault is recorded.
                try? layoutReader.read(layout, from: &reader)
                let fields = recorder.fields
                guard let handle = fields.first(where: { $0.field == Parameter.connectionHandle.name[side] }) else {
                    continue
                }
                let count = fields.first { $0.field == Parameter.numHandles.name[side] }
                // Where another number says how many elements a list has, it is not known whether there is one handle.
                if byte == 1, count == nil { break }
                return Place(
                    handle: UInt8(truncatingIfNeeded: handle.offset + 1),
                    count: count.map { UInt8(truncatingIfNeeded: $0.offset + 1) } ?? 0)
            }
            return Place()
        }
    }

    /// The connection handle in an event, which begins with its code; nil for an event without one, or with several.
    public static func connectionHandle(inEvent event: RawSpan) -> ConnectionHandle? {
        guard event.byteCount > 2 else { return nil }
        switch EventCode(rawValue: event.byte(at: 0)) {
        case .leMeta: return handle(at: HandlePlaces.table.leEvents[Int(event.byte(at: 2))], in: event, from: 3)
        case .commandComplete:
            guard event.byteCount >= 5 else { return nil }
            let place = HandlePlaces.table.returns[Opcode(rawValue: event.littleEndian(at: 3))]
            return place.flatMap { handle(at: $0, in: event, from: 5) }
        case let code: return handle(at: HandlePlaces.table.events[Int(code.rawValue)], in: event, from: 2)
        }
    }

    /// The connection handle in a command, which begins with its opcode; nil for a command without one, or with several.
    public static func connectionHandle(inCommand command: RawSpan) -> ConnectionHandle? {
        guard command.byteCount > 3 else { return nil }
        let place = HandlePlaces.table.commands[Opcode(rawValue: command.littleEndian(at: 0))]
        return place.flatMap { handle(at: $0, in: command, from: 3) }
    }

    private static func handle(
        at place: HandlePlaces.Place, in packet: RawSpan, from start: Int
    ) -> ConnectionHandle? {
        if place.handle == 0 { return nil }
        if place.count > 0 {
            let count = start + Int(place.count) - 1
            guard count < packet.byteCount, packet.byte(at: count) == 1 else { return nil }
        }
        let offset = start + Int(place.handle) - 1
        guard offset + 2 <= packet.byteCount else { return nil }
        return ConnectionHandle(packet.littleEndian(at: offset, as: UInt16.self) & 0x0FFF)
    }
}
