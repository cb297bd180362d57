package import Bluetooth
import Bytes
import Captures
package import PluginKit
package import Profile

extension TrafficEvent {
    /// The ATT PDU, if it is this one and can be read.
    package func att<PDU: ATT.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .att(let att) = content, att.opcode == type.opcode else { return nil }
        return parseATT() as? PDU
    }

    /// The ATT PDU, if it can be read.
    package var pdu: (any ATT.PDU)? {
        guard case .att = content else { return nil }
        return parseATT()
    }

    /// The PDU's bytes, to be read by their offsets.
    package var bytes: ValueBytes { ValueBytes(payload) }

    /// The SMP command, if it is this one and can be read.
    package func smp<PDU: SMP.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .smp = content else { return nil }
        return parseSMP() as? PDU
    }

    /// The link layer control PDU, if it is this one and can be read.
    package func control<PDU: LL.ControlPDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .control = content else { return nil }
        return parseControl() as? PDU
    }

    /// The commands of a frame of the signaling channel, up to the first that cannot be read.
    package var signals: [L2CAP.Signal] {
        guard case .signal = content else { return [] }
        return parseSignals()
    }

    /// The request, or the indication, that it answers; nil for what answers nothing or whose request was not captured.
    package var request: RequestFacts? {
        let index = facts.att.request
        return index >= 0 ? view.batch.gathered.requests[Int(index)] : nil
    }

    /// The outcome of the write that the ATT PDU is; nil for other PDUs.
    package var outcome: WriteOutcome? { view.batch.outcome(of: facts) }

    /// The value of an attribute that the ATT PDU carries; nil for PDUs that carry none.
    package var value: ValueBytes? {
        guard case .att(let att) = content, let offset = ATT.Opcode.table.shape(of: att.opcode)?.valueOffset,
            payload.count >= offset
        else { return nil }
        return ValueBytes(payload.dropFirst(offset))
    }

    /// The attribute that the ATT PDU is about, as far as its server's table is known.
    package var attribute: KnownAttribute? {
        guard case .att(let att) = content, att.handle.rawValue != 0 else { return nil }
        return attribute(at: att.handle, binding: att.binding)
    }

    /// The characteristic whose value the ATT PDU is about, as far as its server's table is known.
    package var characteristic: KnownCharacteristic? { attribute?.characteristic }

    /// Whether the central sent it; nil where the capture does not tell who is the central.
    package var isFromCentral: Bool? {
        link.central == .unknown || direction == .unknown ? nil : direction == link.central
    }
}

extension ArraySlice<UInt8> {
    /// A reader of the bytes.
    var reader: ByteReader {
        @_lifetime(borrow self)
        borrowing get { ByteReader(span) }
    }
}
