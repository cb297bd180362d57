package import Bluetooth
import Bytes
package import Captures
package import PluginKit

/// Something in the traffic, as rules of the specification see it. A PDU is parsed when the first rule asks for it, and
/// once for all.
///
/// One instance serves event after event: a rule reads it during the event and keeps no reference.
package final class TrafficEvent {
    package internal(set) var moment = FrameReference(frame: 0, time: .epoch)
    /// Who sent it: the host of the capture or the central (`sent`), or the other side.
    package internal(set) var direction = Direction.unknown
    package internal(set) var content = Content.signal
    /// The PDU: of ATT, SMP and signaling from its opcode or code on; of HCI the parameters; of link layer control from
    /// its opcode on; of advertisements the AD structures.
    package internal(set) var payload: ArraySlice<UInt8> = []
    /// The connection that it belongs to; one with number 0 for advertisements and for what concerns no connection.
    package internal(set) var link: ConnectionState
    /// The frame that it is of.
    package internal(set) var facts: FrameMetadata
    /// What the frame does that its credit-based channel does not allow.
    package internal(set) var channelFaults: [L2CAP.ChannelFault] = []
    /// The batch that the frame is of; empty between batches.
    package private(set) var view = BatchView(TrackedBatch())
    /// Whether something was missing in any connection so far.
    package internal(set) var followsLoss = false
    /// The plugins of the run, which name types of attributes.
    package var plugins = PluginSet.none
    /// Attributes that were looked up in this batch, by the binding and their handles.
    private var attributes = RecentValues<KnownAttribute?>(places: 256)
    /// The PDU of the frame, after a rule has asked for it.
    private var parsed: ParsedPDU?
    private var isParsed = false

    private enum ParsedPDU {
        case att((any ATT.PDU)?)
        case smp((any SMP.PDU)?)
        case control((any LL.ControlPDU)?)
        case signals([L2CAP.Signal])
        case structures([Advertisement.Structure], rest: Int)
    }

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
        /// The channel of an enhanced ATT bearer, which has this number, is closed.
        case bearerClosed(UInt8)
        case command(HCI.Opcode)
        /// The subevent of LE Meta events; nil for others.
        case event(HCI.EventCode, HCI.LESubevent?)
        case control(LL.ControlOpcode)
        /// Apart from the enum, which rules copy with every event.
        indirect case advertising(Advertisement)
    }

    init(_ facts: FrameMetadata, on link: ConnectionState) {
        self.facts = facts
        self.link = link
    }
}

/// An ATT PDU with what the conversation tells of it.
package struct ATTTraffic: Sendable {
    package let opcode: ATT.Opcode
    /// Nil for an unknown opcode.
    package let kind: ATT.PDUKind?
    /// The attribute that it is about, of a response that of its request; 0 for none.
    package let handle: Handle
    /// The request before it, of the same side, had no answer.
    package let isOverlapping: Bool
    /// It answers something that was not captured.
    package let isUnasked: Bool
    /// The bearer: 0 for the fixed channel, else the number of an enhanced one.
    package let bearer: UInt8
    /// The table of the server that it is about, as far as it is known by now; nil where the server is not known.
    package let binding: Int32

    /// The direction in which the server sends.
    package func server(_ event: TrafficEvent) -> Direction {
        switch kind {
        case .response, .notification, .indication: event.direction
        case .request, .command, .confirmation, nil: event.direction.opposite
        }
    }
}

/// A batch while its frames are read in order, shared without a copy.
package final class BatchView {
    package let batch: TrackedBatch
    /// Where those of the batch's `applications` begin that were not asked for.
    private var nextApplication = 0

    init(_ batch: TrackedBatch) {
        self.batch = batch
    }

    /// What was found out about a value; nil where it is not more than its bytes tell. Values are asked for in their order.
    package func application(of number: ApplicationFacts.ValueNumber) -> ApplicationFacts? {
        batch.applications.facts(of: number, from: &nextApplication)
    }
}

// MARK: - Frames

extension TrafficEvent {
    func turn(to facts: FrameMetadata) {
        self.facts = facts
        if !channelFaults.isEmpty { channelFaults = [] }
        forgetPDU()
    }

    /// What comes next is another PDU, perhaps of the same frame.
    func forgetPDU() {
        if isParsed { (parsed, isParsed) = (nil, false) }
    }

    func turn(to batch: borrowing TrackedBatch) {
        view = BatchView(copy batch)
        payload = []
        attributes.removeAll()
    }

    /// The attribute at a handle of a server; nil where its table does not describe it.
    func attribute(at handle: Handle, binding: Int32) -> KnownAttribute? {
        let key = UInt64(UInt32(bitPattern: binding)) << 16 | UInt64(handle.rawValue)
        if let known = attributes[key] { return known }
        let known = view.batch.bindings[binding].flatMap { KnownAttribute(at: handle, in: $0) }
        attributes[key] = .some(known)
        return known
    }

    func parseATT() -> (any ATT.PDU)? {
        if case .att(let pdu) = parsed { return pdu }
        let payload = payload
        var reader = payload.reader
        let pdu = (try? ATT.read(&reader)) ?? nil
        (parsed, isParsed) = (.att(pdu), true)
        return pdu
    }

    func parseSMP() -> (any SMP.PDU)? {
        if case .smp(let pdu) = parsed { return pdu }
        let payload = payload
        var reader = payload.reader
        let pdu = (try? SMP.read(&reader)) ?? nil
        (parsed, isParsed) = (.smp(pdu), true)
        return pdu
    }

    func parseControl() -> (any LL.ControlPDU)? {
        if case .control(let pdu) = parsed { return pdu }
        let payload = payload
        var reader = payload.reader
        let pdu = (try? LL.readControl(&reader)) ?? nil
        (parsed, isParsed) = (.control(pdu), true)
        return pdu
    }

    func parseSignals() -> [L2CAP.Signal] {
        if case .signals(let signals) = parsed { return signals }
        var signals: [L2CAP.Signal] = []
        let payload = payload
        var reader = payload.reader
        while !reader.isAtEnd, let signal = try? L2CAP.readSignal(&reader) { signals.append(signal) }
        (parsed, isParsed) = (.signals(signals), true)
        return signals
    }

    /// The AD structures of the event's advertisement, and how many bytes after them are none.
    package func structures(of advertisement: Advertisement) -> (all: [Advertisement.Structure], rest: Int) {
        if case .structures(let all, let rest) = parsed { return (all, rest) }
        let (all, rest) = advertisement.structures
        (parsed, isParsed) = (.structures(all, rest: rest), true)
        return (all, rest)
    }
}
