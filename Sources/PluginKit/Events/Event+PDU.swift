public import Bluetooth
import Bytes
import Captures
public import Profile

// The PDU of an event, parsed once for all rules.
extension Event {
    enum ParsedPDU {
        case att((any ATT.PDU)?)
        case smp((any SMP.PDU)?)
        case control((any LL.ControlPDU)?)
        case signals([L2CAP.Signal])
        case structures([Advertisement.Structure], rest: Int)
    }

    /// The ATT PDU, if it has this type and can be parsed.
    public func att<PDU: ATT.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .att(let att) = content, att.opcode == type.opcode else { return nil }
        return pdu as? PDU
    }

    /// The ATT PDU, if it can be parsed.
    public var pdu: (any ATT.PDU)? {
        guard case .att = content else { return nil }
        if case .att(let pdu) = parsed { return pdu }
        let payload = payload
        var reader = ByteReader(payload.span)
        let pdu = (try? ATT.read(&reader)) ?? nil
        parsed = .att(pdu)
        return pdu
    }

    /// The SMP command, if it has this type and can be parsed.
    public func smp<PDU: SMP.PDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .smp = content else { return nil }
        if case .smp(let pdu) = parsed { return pdu as? PDU }
        let payload = payload
        var reader = ByteReader(payload.span)
        let pdu = (try? SMP.read(&reader)) ?? nil
        parsed = .smp(pdu)
        return pdu as? PDU
    }

    /// The link layer control PDU, if it has this type and can be parsed.
    public func control<PDU: LL.ControlPDU>(_ type: PDU.Type = PDU.self) -> PDU? {
        guard case .control = content else { return nil }
        if case .control(let pdu) = parsed { return pdu as? PDU }
        let payload = payload
        var reader = ByteReader(payload.span)
        let pdu = (try? LL.readControl(&reader)) ?? nil
        parsed = .control(pdu)
        return pdu as? PDU
    }

    /// The commands of a signaling channel frame, up to the first that cannot be parsed.
    public var signals: [L2CAP.Signal] {
        guard case .signal = content else { return [] }
        if case .signals(let signals) = parsed { return signals }
        var signals: [L2CAP.Signal] = []
        let payload = payload
        var reader = ByteReader(payload.span)
        while !reader.isAtEnd, let signal = try? L2CAP.readSignal(&reader) { signals.append(signal) }
        parsed = .signals(signals)
        return signals
    }

    /// The AD structures of the event's advertisement, and the number of bytes after them that form no structure.
    package func structures(of advertisement: Advertisement) -> (all: [Advertisement.Structure], rest: Int) {
        if case .structures(let all, let rest) = parsed { return (all, rest) }
        let (all, rest) = advertisement.structures
        parsed = .structures(all, rest: rest)
        return (all, rest)
    }

    /// The PDU's bytes, to be read by offset.
    public var bytes: ValueBytes { ValueBytes(payload) }

    /// Whether the central sent it; nil where the capture does not show which side is the central.
    public var isFromCentral: Bool? {
        connection.central == .unknown || direction == .unknown ? nil : direction == connection.central
    }
}
