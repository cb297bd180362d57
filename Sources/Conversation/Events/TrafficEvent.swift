package import ATT
package import BluetoothTypes
import Bytes
package import Captures
package import HCI
package import L2CAP
package import LinkLayer
package import PluginKit
package import SMP

/// Something in the traffic, as rules of the specification see it. What a PDU says is read when the first rule asks, and
/// once for all.
package struct TrafficEvent {
    package let moment: FrameReference
    /// Who sent it: the host of the capture or the central (`sent`), or the other side.
    package let direction: Direction
    package let content: Content
    /// The PDU: of ATT, SMP and signaling from its opcode or code on; of HCI the parameters; of link layer control from
    /// its opcode on; of advertisements the AD structures.
    package let payload: ArraySlice<UInt8>
    /// The connection that it belongs to; `none` with number 0 for advertisements and for what concerns no connection.
    package let link: ConnectionState
    package let frame: TrafficFrame

    package enum Content {
        case opened(ConnectionOpening)
        case parameters(ConnectionParameters)
        case closed(ConnectionClosing)
        case gap(CaptureGap)
        case encryption(isOn: Bool)
        case att(ATTTraffic)
        case smp(SMP.Opcode)
        /// A frame of the signaling channel, with one command on LE.
        case signal
        /// A PDU of another L2CAP channel.
        case channel(L2CAP.ChannelID)
        case command(HCI.Opcode)
        /// The subevent of LE Meta events; nil for others.
        case event(HCI.EventCode, HCI.LESubevent?)
        case control(LL.ControlOpcode)
        case advertising(Advertisement)
    }
}

/// An ATT PDU with what the conversation tells of it.
package struct ATTTraffic {
    package let opcode: ATT.Opcode
    /// Nil for an unknown opcode.
    package let kind: ATT.PDUKind?
    /// The attribute that it is about, of a response that of its request; 0 for none.
    package let handle: Handle
    /// The request, or the indication, that it answers; nil for what answers nothing or whose request was not captured.
    package let request: RequestFacts?
    /// The request before it, of the same side, had no answer.
    package let isOverlapping: Bool
    /// It answers something that was not captured.
    package let isUnasked: Bool
    /// The table of the server that it is about, as far as it is known by now; nil where the server is not known.
    package let binding: Int32

    /// The direction in which the server sends.
    package func server(_ event: borrowing TrafficEvent) -> Direction {
        switch kind {
        case .response, .notification, .indication: event.direction
        case .request, .command, .confirmation, nil: event.direction.opposite
        }
    }
}

/// A batch while it is judged, where everybody can look at it without a copy.
package final class BatchView {
    package let batch: TrackedBatch

    init(_ batch: TrackedBatch) {
        self.batch = batch
    }
}

/// A frame while it is judged: what was read of it, and what is known of the server that it is about. It is used again
/// for the next frame; nobody keeps it.
package final class TrafficFrame {
    package internal(set) var facts: FrameMetadata
    /// What it does that its credit-based channel does not allow.
    package internal(set) var channelFaults: [L2CAP.ChannelFault] = []
    /// The batch that it is of; empty between batches.
    package private(set) var view = BatchView(TrackedBatch())
    /// Whether something was missing in any connection so far.
    package internal(set) var followsLoss = false
    /// The plugins of the run, which name types of attributes.
    package var plugins = PluginSet.none
    /// Characteristics that were looked up in this batch, by the binding and the handle of their values.
    private var characteristics: [UInt64: KnownCharacteristic?] = [:]
    private var lastCharacteristic: (key: UInt64, known: KnownCharacteristic?)?
    private var attPDU: (any ATT.PDU)??
    private var smpPDU: (any SMP.PDU)??
    private var controlPDU: (any LL.ControlPDU)??
    private var readSignals: [L2CAP.Signal]?

    init(_ facts: FrameMetadata) {
        self.facts = facts
    }

    func turn(to facts: FrameMetadata) {
        self.facts = facts
        if !channelFaults.isEmpty { channelFaults = [] }
        attPDU = nil
        smpPDU = nil
        controlPDU = nil
        readSignals = nil
    }

    func turn(to batch: borrowing TrackedBatch) {
        view = BatchView(copy batch)
        characteristics.removeAll(keepingCapacity: true)
        lastCharacteristic = nil
    }

    /// The characteristic whose value is at a handle of a server.
    func characteristic(at handle: Handle, binding: Int32) -> KnownCharacteristic? {
        let key = UInt64(UInt32(bitPattern: binding)) << 16 | UInt64(handle.rawValue)
        if let lastCharacteristic, lastCharacteristic.key == key { return lastCharacteristic.known }
        let known: KnownCharacteristic?
        if let before = characteristics[key] {
            known = before
        } else {
            known = view.batch.bindings[binding].flatMap { KnownCharacteristic(at: handle, in: $0) }
            characteristics[key] = .some(known)
        }
        lastCharacteristic = (key, known)
        return known
    }

    package func att(_ payload: ArraySlice<UInt8>) -> (any ATT.PDU)? {
        if let attPDU { return attPDU }
        var reader = payload.reader
        let pdu = (try? ATT.read(&reader)) ?? nil
        attPDU = .some(pdu)
        return pdu
    }

    func smp(_ payload: ArraySlice<UInt8>) -> (any SMP.PDU)? {
        if let smpPDU { return smpPDU }
        var reader = payload.reader
        let pdu = (try? SMP.read(&reader)) ?? nil
        smpPDU = .some(pdu)
        return pdu
    }

    func control(_ payload: ArraySlice<UInt8>) -> (any LL.ControlPDU)? {
        if let controlPDU { return controlPDU }
        var reader = payload.reader
        let pdu = (try? LL.readControl(&reader)) ?? nil
        controlPDU = .some(pdu)
        return pdu
    }

    func signals(_ payload: ArraySlice<UInt8>) -> [L2CAP.Signal] {
        if let readSignals { return readSignals }
        var signals: [L2CAP.Signal] = []
        var reader = payload.reader
        while !reader.isAtEnd, let signal = try? L2CAP.readSignal(&reader) { signals.append(signal) }
        readSignals = signals
        return signals
    }
}
