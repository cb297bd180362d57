import Bytes

extension HCI {
    /// Finds connection handles in events, commands and return parameters from the layouts of their rows. Results are
    /// cached per row: walking a row takes longer than reading a packet.
    package struct HandlePlaces: Sendable {
        /// By code.
        private var events = [Place?](repeating: nil, count: 256)
        /// By subevent code.
        private var leEvents = [Place?](repeating: nil, count: 256)
        private var commands: [Opcode: Place] = [:]
        private var returns: [Opcode: Place] = [:]

        /// Offset of the handle plus 1, and offset of the handle count in a list plus 1; 0 for none.
        private struct Place {
            var handle: UInt8 = 0
            var count: UInt8 = 0
        }

        package init() {}

        /// The connection handle in an event, which begins with its event code; nil for no handle or several.
        package mutating func connectionHandle(inEvent event: RawSpan) -> ConnectionHandle? {
            guard event.byteCount > 2 else { return nil }
            switch EventCode(rawValue: event.byte(at: 0)) {
            case .leMeta:
                let subevent = LESubevent(rawValue: event.byte(at: 2))
                let place = Self.look(
                    &leEvents[Int(subevent.rawValue)], for: LEEventRow.table[subevent]?.parameters, .event)
                return Self.handle(at: place, in: event, from: 3)
            case .commandComplete:
                guard event.byteCount >= 5 else { return nil }
                let opcode = Opcode(rawValue: event.littleEndian(at: 3))
                let place = Self.look(&returns[opcode], for: CommandRow.table[opcode]?.returnParameters, .event)
                return Self.handle(at: place, in: event, from: 5)
            case let code:
                let place = Self.look(&events[Int(code.rawValue)], for: EventRow.table[code]?.parameters, .event)
                return Self.handle(at: place, in: event, from: 2)
            }
        }

        /// The connection handle in a command, which begins with its opcode; nil for no handle or several.
        package mutating func connectionHandle(inCommand command: RawSpan) -> ConnectionHandle? {
            guard command.byteCount > 3 else { return nil }
            let opcode = Opcode(rawValue: command.littleEndian(at: 0))
            let place = Self.look(&commands[opcode], for: CommandRow.table[opcode]?.parameters, .command)
            return Self.handle(at: place, in: command, from: 3)
        }

        /// The cached place of a row, computed on first use.
        private static func look(
            _ known: inout Place?, for layout: @autoclosure () -> [Parameter]?, _ side: Side
        ) -> Place {
            if let known { return known }
            let place = place(in: layout(), side)
            known = place
            return place
        }

        /// Reads a row's parameters from zeros, then, for the first element of a list, from ones. The recorder has the
        /// offset of each parameter.
        private static func place(in layout: [Parameter]?, _ side: Side) -> Place {
            guard let layout else { return Place() }
            for byte: UInt8 in [0, 1] {
                let recorder = FieldRecorder()
                let bytes = [UInt8](repeating: byte, count: 64)
                var reader = ByteReader(bytes.span, recorder: recorder)
                var layoutReader = LayoutReader(side, hooks: .none)
                // Parameters before a fault are recorded.
                try? layoutReader.read(layout, from: &reader)
                let fields = recorder.fields
                guard let handle = fields.first(where: { $0.field == Parameter.connectionHandle.name[side] }) else {
                    continue
                }
                let count = fields.first { $0.field == Parameter.numHandles.name[side] }
                // If the count of a list is elsewhere, the number of handles is unknown.
                if byte == 1, count == nil { break }
                return Place(
                    handle: UInt8(truncatingIfNeeded: handle.offset + 1),
                    count: count.map { UInt8(truncatingIfNeeded: $0.offset + 1) } ?? 0)
            }
            return Place()
        }

        private static func handle(at place: Place, in packet: RawSpan, from start: Int) -> ConnectionHandle? {
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
}
