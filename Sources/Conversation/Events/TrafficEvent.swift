package import Bluetooth
import Bytes
package import Captures
package import PluginKit

/// A traffic event, as rules of the specification see it. Its PDU is parsed when the first rule requests it, once for
/// all rules.
///
/// One instance serves all events: a rule reads it during the event and keeps no reference.
package final class TrafficEvent {
    package internal(set) var moment = FrameReference(frame: 0, time: .epoch)
    /// The sending side: the host of the capture or the central (`sent`), or the other side (`received`).
    package internal(set) var direction = Direction.unknown
    package internal(set) var content = Content.signal
    /// The PDU: from its opcode or code on for ATT, SMP and signaling; the parameters for HCI; from its opcode on for
    /// link layer control; the AD structures for advertisements.
    package internal(set) var payload: ArraySlice<UInt8> = []
    /// The connection of the event, with number 0 for advertisements and other events outside connections.
    package internal(set) var link: ConnectionState
    /// The metadata of the event's frame.
    package internal(set) var metadata: FrameMetadata
    /// Violations of the rules for credit-based channels by the frame.
    package internal(set) var channelFaults: [L2CAP.ChannelFault] = []
    /// The batch of the frame; empty between batches.
    package private(set) var view = BatchView(TrackedBatch())
    /// Whether any connection has had a gap so far.
    package internal(set) var followsLoss = false
    /// The plugins of the run, which name attribute types.
    package var plugins = PluginSet.none
    /// Attributes looked up in this batch, by table version and handle.
    private var attributes = RecentValues<ResolvedAttribute?>(places: 256)
    /// The parsed PDU of the frame, once a rule has requested it.
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
        /// The channel of the enhanced ATT bearer with this number was closed.
        case bearerClosed(UInt8)
        case command(HCI.Opcode)
        /// The subevent of LE Meta events; nil for others.
        case event(HCI.EventCode, HCI.LESubevent?)
        case control(LL.ControlOpcode)
        /// Stored outside the enum, which rules copy with every event.
        indirect case advertising(Advertisement)
    }

    init(_ metadata: FrameMetadata, on link: ConnectionState) {
        self.metadata = metadata
        self.link = link
    }
}

/// An ATT PDU with its context in the conversation.
package struct ATTTraffic: Sendable {
    package let opcode: ATT.Opcode
    /// Nil for an unknown opcode.
    package let kind: ATT.PDUKind?
    /// The attribute that it concerns, for a response that of its request; 0 for none.
    package let handle: Handle
    /// The previous request of the same side was still unanswered.
    package let isOverlapping: Bool
    /// It answers a request that was not captured.
    package let isUnasked: Bool
    /// The bearer: 0 for the fixed channel, else the number of an enhanced one.
    package let bearer: UInt8
    /// The table version of the server that it concerns; -1 where the server is not known.
    package let tableVersion: Int32

    /// The direction in which the server sends.
    package func server(_ event: TrafficEvent) -> Direction {
        switch kind {
        case .response, .notification, .indication: event.direction
        case .request, .command, .confirmation, nil: event.direction.opposite
        }
    }
}

/// A reference to a batch whose frames are read in order, which shares it without a copy.
package final class BatchView {
    package let batch: TrackedBatch
    /// Index of the first of the batch's `applications` that was not requested yet.
    private var nextApplication = 0

    init(_ batch: TrackedBatch) {
        self.batch = batch
    }

    /// The application tracking results for a value; nil if there are none. Values must be requested in order.
    package func application(of number: ApplicationFacts.ValueNumber) -> ApplicationFacts? {
        batch.applications.metadata(of: number, from: &nextApplication)
    }
}

// MARK: - Frames

extension TrafficEvent {
    func begin(_ metadata: FrameMetadata) {
        self.metadata = metadata
        if !channelFaults.isEmpty { channelFaults = [] }
        forgetPDU()
    }

    /// Discards the parsed PDU, as the next event has another PDU, perhaps of the same frame.
    func forgetPDU() {
        if isParsed { (parsed, isParsed) = (nil, false) }
    }

    func begin(_ batch: borrowing TrackedBatch) {
        view = BatchView(copy batch)
        payload = []
        attributes.removeAll()
    }

    /// The attribute at a handle of a server; nil where its table does not describe it.
    func attribute(at handle: Handle, tableVersion: Int32) -> ResolvedAttribute? {
        let key = UInt64(UInt32(bitPattern: tableVersion)) << 16 | UInt64(handle.rawValue)
        if let known = attributes[key] { return known }
        let known = view.batch.tableVersions[tableVersion].flatMap { ResolvedAttribute(at: handle, in: $0) }
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

    /// The AD structures of the event's advertisement, and the number of bytes after them that form no structure.
    package func structures(of advertisement: Advertisement) -> (all: [Advertisement.Structure], rest: Int) {
        if case .structures(let all, let rest) = parsed { return (all, rest) }
        let (all, rest) = advertisement.structures
        (parsed, isParsed) = (.structures(all, rest: rest), true)
        return (all, rest)
    }
}
