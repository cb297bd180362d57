package import Bluetooth
import Bytes
import Captures
package import PluginKit
package import Profile

extension TrafficEvent {
    /// The ATT PDU, if it has this type and can be parsed.
    package func att<PDU: ATT.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .att(let att) = content, att.opcode == type.opcode else { return nil }
        return parseATT() as? PDU
    }

    /// The ATT PDU, if it can be parsed.
    package var pdu: (any ATT.PDU)? {
        guard case .att = content else { return nil }
        return parseATT()
    }

    /// The PDU's bytes, to be read by offset.
    package var bytes: ValueBytes { ValueBytes(payload) }

    /// The SMP command, if it has this type and can be parsed.
    package func smp<PDU: SMP.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .smp = content else { return nil }
        return parseSMP() as? PDU
    }

    /// The link layer control PDU, if it has this type and can be parsed.
    package func control<PDU: LL.ControlPDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .control = content else { return nil }
        return parseControl() as? PDU
    }

    /// The commands of a signaling channel frame, up to the first that cannot be parsed.
    package var signals: [L2CAP.Signal] {
        guard case .signal = content else { return [] }
        return parseSignals()
    }

    /// The request or the indication that the PDU answers; nil if it answers none, or if the request was not captured.
    package var request: RequestFacts? {
        let index = metadata.att.request
        return index >= 0 ? view.batch.reassembly.requests[Int(index)] : nil
    }

    /// The outcome of the write in the ATT PDU; nil for other PDUs.
    package var outcome: WriteOutcome? { view.batch.outcome(of: metadata) }

    /// The attribute value in the ATT PDU; nil for PDUs without one.
    package var value: ValueBytes? {
        guard case .att(let att) = content, let offset = ATT.Opcode.table.shape(of: att.opcode)?.valueOffset,
            payload.count >= offset
        else { return nil }
        return ValueBytes(payload.dropFirst(offset))
    }

    /// The attribute that the ATT PDU concerns, as far as its server's table is known.
    package var attribute: ResolvedAttribute? {
        guard case .att(let att) = content, att.handle.rawValue != 0 else { return nil }
        return attribute(at: att.handle, tableVersion: att.tableVersion)
    }

    /// The characteristic whose value the ATT PDU concerns, as far as its server's table is known.
    package var characteristic: ResolvedCharacteristic? { attribute?.characteristic }

    /// Whether the central sent it; nil where the capture does not show which side is the central.
    package var isFromCentral: Bool? {
        link.central == .unknown || direction == .unknown ? nil : direction == link.central
    }
}

extension ArraySlice<UInt8> {
    var reader: ByteReader {
        @_lifetime(borrow self)
        borrowing get { ByteReader(span) }
    }
}
