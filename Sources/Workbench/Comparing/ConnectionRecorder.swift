import Bluetooth
import Bytes
import Captures
import Conversation
import Output
import PluginKit
import Profile

/// Makes the outline of one connection from its events.
final class ConnectionRecorder {
    private let store: OutlineStore
    private(set) var outline: ConnectionOutline
    private var pairing = PairingRecorder()
    /// Requests that await their responses, and the last procedure of each client, by sender and bearer.
    private var clients: [ClientKey: Client] = [:]
    /// The table of each server when it was last taken, and the plugin that describes the server.
    private var taken: [FrameReference.Sender: TakenTable] = [:]

    private struct TakenTable {
        let version: TableVersion
        let entries: Int
        let contents: AttributeTableStore.Version
        let plugin: Int
    }

    private struct ClientKey: Hashable {
        let direction: Direction
        let bearer: UInt8
    }

    private struct Client {
        /// Open requests by frame number, with the indices of their procedures.
        var open: [(frame: Int, procedure: Int)] = []
        /// Index of the last procedure; nil for none, or if there was no room for it.
        var last: Int?
        /// Starting handle of the last request with a range of handles.
        var start: UInt16 = 0
    }

    /// Requests of one client that await their responses: more than ATT allows (Vol 3, Part F, 3.3.2).
    private static let openLimit = 8

    init(_ store: OutlineStore, _ outline: ConnectionOutline) {
        (self.store, self.outline) = (store, outline)
    }

    func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        switch event.content {
        case .att(let att): handle(att, event, frame, connection)
        case .smp(let opcode):
            pairing.record(opcode, event)
            takePairing()
        case .encryption(isOn: true): pairing.noteEncryption()
        case .closed(let closing): outline.end = end(closing, event, connection)
        default: break
        }
    }

    /// Ends the connection and returns its outline.
    func finish(_ connection: Connection) -> ConnectionOutline {
        pairing.finish()
        takePairing()
        for side in [FrameReference.Sender.peripheral, .central, .unknown] {
            if let table = taken[side] { outline.tables[side] = store.server(table.contents, plugin: table.plugin) }
        }
        outline.hasRoles = connection.central != .unknown
        outline.isBeginningCaptured = connection.isBeginningCaptured
        outline.lastGap = connection.lastGap
        outline.hasUnreadTraffic = connection.gaps[.encrypted] != nil
        // What has no response has none only if nothing is missing.
        for client in clients.values {
            for open in client.open where connection.lastGap > outline.procedures[open.procedure].first {
                outline.procedures[open.procedure].outcome = .unknown
            }
        }
        return outline
    }

    private func takePairing() {
        if let done = pairing.takeDone(), store.addPairing() { outline.pairings.append(done) }
    }

    /// The end of the connection: both views name the side that has ended it, and the reason as the other side gets it.
    private func end(_ closing: ConnectionClosing, _ event: Event, _ connection: Connection) -> ConnectionOutline.End? {
        guard case .reason(let code) = closing.cause else { return nil }
        var (side, reason) = (FrameReference.Sender.unknown, code)
        if outline.view == .air {
            if !closing.isLoss { side = event.moment.sender }
        } else if closing.isByLocalHost {
            // Connection Terminated by Local Host, which the peer gets as Remote User Terminated Connection.
            (side, reason) = (connection.sender(of: .sent), 0x13)
        } else if closing.isByRemote {
            side = connection.sender(of: .received)
        }
        let name = ControllerError(rawValue: reason).name ?? "reason 0x\(String(hex: reason, digits: 2))"
        return ConnectionOutline.End(
            text: side == .unknown ? name : "\(name), by the \(side)", frame: event.moment.frame,
            time: event.moment.time)
    }
}

// MARK: - ATT

extension ConnectionRecorder {
    private func handle(_ att: ATTTraffic, _ event: Event, _ frame: EventFrame, _ connection: Connection) {
        if outline.device.plugin == nil { outline.device.plugin = store.pluginID(frame) }
        switch att.kind {
        case .request, .command, .notification, .indication, nil: begin(att, event, frame, connection)
        case .response, .confirmation: complete(att, event, frame)
        }
        takeTable(att, event, frame, connection)
    }

    /// Begins a procedure, or continues the last one of the client.
    private func begin(_ att: ATTTraffic, _ event: Event, _ frame: EventFrame, _ connection: Connection) {
        let key = ClientKey(direction: event.direction, bearer: att.bearer)
        let awaitsResponse = att.kind == .request || att.kind == .indication
        let attribute = att.opcode.hasHandleRange ? -1 : store.attribute(at: att.handle, frame)
        let type = requestedType(event)
        let start = att.opcode.hasHandleRange ? event.bytes.u16(1) ?? 0 : 0
        var client = clients[key] ?? Client()
        defer { clients[key] = client }
        if let last = client.last, continues(outline.procedures[last], att.opcode, attribute, type, start, client.start)
        {
            outline.procedures[last].last = event.moment.frame
            if att.opcode == .executeWriteRequest, let value = store.value(frame) {
                outline.procedures[last].content = .value(value)
            }
            client.start = start
            add(event.moment.frame, last, to: &client)
            return
        }
        guard store.addProcedure() else {
            client.last = nil
            return
        }
        var procedure = ProcedureOutline(
            att.opcode, of: type, attribute: attribute, at: event.moment,
            outcome: awaitsResponse ? .unanswered : .sent, lastGap: connection.lastGap)
        if att.opcode == .exchangeMTURequest, let offered = event.bytes.u16(1) {
            procedure.content = .mtu(client: offered, server: nil)
        } else if att.opcode.operation != nil || att.opcode == .prepareWriteRequest, let value = store.value(frame) {
            procedure.content = .value(value)
        }
        outline.procedures.append(procedure)
        client.last = outline.procedures.count - 1
        client.start = start
        if awaitsResponse { add(event.moment.frame, outline.procedures.count - 1, to: &client) }
    }

    private func add(_ frame: Int, _ procedure: Int, to client: inout Client) {
        if client.open.count >= Self.openLimit { client.open.removeFirst() }
        client.open.append((frame, procedure))
    }

    /// The attribute type, or the service, that a request asks for.
    private func requestedType(_ event: Event) -> UUID? {
        switch event.pdu {
        case let request as ATT.ReadByTypeRequest: request.type
        case let request as ATT.ReadByGroupTypeRequest: request.type
        case let request as ATT.FindByTypeValueRequest:
            // Discover Primary Service by Service UUID (Vol 3, Part G, 4.4.2).
            UUID(wire: request.value) ?? UUID(UInt32(request.type))
        default: nil
        }
    }

    /// Whether a request continues a procedure: the discovery from the next handle on, the rest of a long value.
    private func continues(
        _ procedure: ProcedureOutline, _ opcode: ATT.Opcode, _ attribute: Int32, _ type: UUID?, _ start: UInt16,
        _ lastStart: UInt16
    ) -> Bool {
        switch opcode {
        case .readBlobRequest:
            return [.readRequest, .readBlobRequest].contains(procedure.opcode) && procedure.attribute == attribute
        case .prepareWriteRequest:
            return procedure.opcode == .prepareWriteRequest && procedure.attribute == attribute
        case .executeWriteRequest: return procedure.opcode == .prepareWriteRequest
        default:
            return opcode.hasHandleRange && procedure.opcode == opcode && procedure.type == type && start > lastStart
        }
    }

    /// Completes the procedure that a response or a confirmation belongs to.
    private func complete(_ att: ATTTraffic, _ event: Event, _ frame: EventFrame) {
        let key = ClientKey(direction: event.direction.opposite, bearer: att.bearer)
        guard let request = event.request,
            let place = clients[key]?.open.firstIndex(where: { $0.frame == request.frame }),
            let index = clients[key]?.open.remove(at: place).procedure
        else { return }
        outline.procedures[index].last = event.moment.frame
        outline.procedures[index].duration = event.moment.time - outline.procedures[index].start
        let wasCompleted = outline.procedures[index].outcome == .completed
        if att.opcode == .errorResponse {
            let code = event.bytes.u8(4) ?? 0
            if !wasCompleted || !Self.endsNormally(outline.procedures[index].opcode, ATT.ErrorCode(rawValue: code)) {
                outline.procedures[index].outcome = .failed(code)
            }
            return
        }
        outline.procedures[index].outcome = .completed
        if att.opcode == .exchangeMTUResponse, case .mtu(let client, _) = outline.procedures[index].content {
            outline.procedures[index].content = .mtu(client: client, server: event.bytes.u16(1))
        } else if att.opcode.operation == .read, let value = store.value(frame) {
            keep(value, of: index, frame)
        }
    }

    /// Keeps the value that was read: the first one, or the whole of a long value.
    private func keep(_ value: ProcedureOutline.Value, of index: Int, _ frame: EventFrame) {
        if case .value = outline.procedures[index].content, frame.metadata.longValue.place != .reassembled { return }
        outline.procedures[index].content = .value(value)
    }

    /// Whether an error after responses is the regular end of a procedure (Vol 3, Part G, 4.4.1 and 4.8.3).
    private static func endsNormally(_ opcode: ATT.Opcode, _ error: ATT.ErrorCode) -> Bool {
        switch opcode {
        case .readRequest, .readBlobRequest: error == .invalidOffset || error == .attributeNotLong
        default: opcode.hasHandleRange && error == .attributeNotFound
        }
    }

    /// Takes the table of the server when it is another one, and when discovery has extended it.
    private func takeTable(_ att: ATTTraffic, _ event: Event, _ frame: EventFrame, _ connection: Connection) {
        let side = connection.sender(of: att.server(event))
        if att.opcode == .readByGroupTypeRequest, requestedType(event) == .primaryService {
            outline.listedServers.insert(side)
        }
        guard let contents = frame.server else { return }
        let entries = OutlineStore.entries(of: contents)
        if let before = taken[side], before.version == frame.tableVersion, before.entries == entries { return }
        taken[side] = TakenTable(
            version: frame.tableVersion, entries: entries, contents: contents, plugin: store.plugin(frame))
    }
}
