import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

// Conversion of the server's ATT PDUs into events.
extension FollowedDevice {
    /// Handles an ATT PDU; `batch` is the number of its batch.
    func handle(_ event: Event, _ att: ATTTraffic, of frame: EventFrame, on connection: Connection, batch: Int) {
        let server = server(on: connection)
        let view = frame.view
        updateRoles(server, to: frame.tableVersion, view, batch, at: event.moment)
        switch att.kind {
        case .request, .command: handleRequest(event, att, frame, server)
        case .response:
            // If something is missing since the request, the response may answer another request.
            let request = frame.request
            let isAmbiguous = request?.isAmbiguous == true || connection.lastGap > request?.frame ?? .max
            handleResponse(event, att, frame, server)
            if isAmbiguous { return }
        case .notification: emitTable(server, at: event.moment)
        case .indication:
            emitTable(server, at: event.moment)
            if ChangedRange.mayBeReported(by: event) { doubtTable(of: server) }
            if let range = ChangedRange(event)?.handles {
                server.discovery.forget(range, at: event.moment.frame)
                server.changeBearer = att.bearer
            }
        case .confirmation:
            if att.bearer == server.changeBearer { server.discovery.confirmChange() }
            // An indication that was not captured may have been Service Changed.
            let indicatesChanges = frame.server?.table.characteristics.contains {
                $0.type == .serviceChanged
            }
            if frame.request == nil, indicatesChanges == true { doubtTable(of: server) }
            return
        case nil: return
        }
        handleValue(event, att, frame, server)
    }

    /// Updates the roles of the server's attributes: once in each batch, and when the attribute table has changed.
    private func updateRoles(
        _ server: ConnectedServer, to tableVersion: TableVersion, _ view: BatchView, _ number: Int,
        at moment: FrameReference
    ) {
        let isChanged = server.rolesVersion != tableVersion
        guard isChanged || server.rolesBatch != number, let known = view.batch.tableVersions[tableVersion] else {
            return
        }
        if isChanged, server.rolesVersion.isKnown {
            // Pending values may be sent at handles that are not discovered yet.
            emit(.gap(CaptureGap(.changedTable)), at: moment, on: server)
            server.mayHaveChanged = false
        }
        server.rolesBatch = number
        server.rolesVersion = tableVersion
        server.context.plugin = plugin(describing: known.device, tableVersion, view)
        if !isChanged, server.roles?.count == AttributeRoles.count(of: known) { return }
        let roles = AttributeRoles(known, rules)
        server.roles = roles
        server.context.characteristics = roles.characteristics
    }

    /// Id of the plugin that describes a server's device. If both ends of a link are recorded, the device occurs twice
    /// and is described once.
    private func plugin(describing device: Int32, _ tableVersion: TableVersion, _ view: BatchView) -> String? {
        let match: PluginMatch?
        if device < 0 {
            match = view.batch.matches[tableVersion]
        } else if let own = view.batch.deviceMatches[device] {
            match = own
        } else {
            guard let address = view.batch.devices[device]?.address else { return nil }
            match = view.batch.deviceMatches.first { view.batch.devices[$0.key]?.address == address }?.value
        }
        return match.flatMap { $0.plugin >= 0 ? plugins.plugins[$0.plugin].id : nil }
    }

    // MARK: - Requests

    private func handleRequest(
        _ event: Event, _ att: ATTTraffic, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        var request = AttributeRequest(att.opcode, handle: att.handle)
        if request.opcode.hasHandleRange {
            let payload = ValueBytes(event.payload)
            request.handle = Handle(payload.u16(1) ?? 0)
            request.end = payload.u16(3).map { Handle($0) }
            if request.opcode != .findInformationRequest {
                let isFind = request.opcode == .findByTypeValueRequest
                request.type = UUID(
                    wire: Array(isFind ? event.payload.dropFirst(5).prefix(2) : event.payload.dropFirst(5)))
            }
        } else {
            emitTable(server, at: event.moment)
            request.valueLength = event.attributeValue?.count
        }
        var pending = ConnectedServer.Request(request: request, moment: event.moment)
        if case .configuration(let index)? = server.roles?.role(at: att.handle), request.opcode == .writeRequest,
            let bits = event.attributeValue?.configurationBits
        {
            pending.configuration = (index, bits)
        }
        if !rules.interests[.requests].isEmpty {
            if case .value(let index)? = server.roles?.role(at: request.handle), request.end == nil {
                pending.request.characteristic = rules.characteristics[index].index
            }
            if request.opcode.hasHandle {
                pending.request.isKnown = isKnown(request.handle, server, frame.server)
            }
            emit(.request(pending.request), at: event.moment, on: server)
        }
        if att.kind == .request { server.requests[att.bearer] = pending }
    }

    /// Whether the client may use an attribute (`AttributeRequest.isKnown`). Nil if it may know the attribute although
    /// its discovery was not captured: from before the capture, as with an imported table.
    private func isKnown(
        _ handle: Handle, _ server: ConnectedServer, _ contents: AttributeTableStore.Version?
    ) -> Bool? {
        if server.discovery.knows(handle) { return true }
        if server.discovery.unconfirmed?.contains(handle) == true { return nil }
        guard server.connection.isComplete, contents?.attribute(at: handle)?.1 != .imported else { return nil }
        let isRemembered = contents?.earlier?.attribute(at: handle).map { $0.kind != .unknown } ?? false
        if server.connection.mayBeBonded { return isRemembered ? true : nil }
        switch server.hashVerdict {
        case .same: return isRemembered ? true : nil
        case .changed: return false
        case .unknown: return nil
        // The client may use the table of an earlier connection, and read the hash later.
        case .notRead: return isRemembered ? nil : false
        }
    }

    // MARK: - Responses

    private func handleResponse(
        _ event: Event, _ att: ATTTraffic, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        guard let asked = frame.request, let pending = server.requests[att.bearer], !pending.isAnswered,
            pending.moment.frame == asked.frame
        else { return }
        server.requests.update(att.bearer) { $0.isAnswered = true }
        let error = att.opcode == .errorResponse ? ValueBytes(event.payload).u8(4) : nil
        if pending.request.opcode.hasHandleRange {
            server.discovery.learn(event.pdu, at: event.moment, to: pending.request, sent: pending.moment)
            if pending.request.type == .databaseHash { compareHash(event.att(), server) }
        }
        if !rules.interests[.requests].isEmpty {
            var response = AttributeResponse(to: pending.request, at: pending.moment, error: error)
            response.isAmbiguous = asked.isAmbiguous
            emit(.response(response), at: event.moment, on: server)
            if att.opcode == .exchangeMTUResponse, att.bearer == 0, let offered = ValueBytes(event.payload).u16(1) {
                emit(.mtu(MTUExchange(client: asked.offeredMTU, server: offered)), at: event.moment, on: server)
            }
        }
        if error == nil, !asked.isAmbiguous, let (index, bits) = pending.configuration {
            let subscription = Subscription(
                characteristic: rules.characteristics[index].index, notifies: bits & 1 != 0, indicates: bits & 2 != 0)
            emit(.subscription(subscription), at: event.moment, on: server)
            server.subscriptions.apply(.subscription(subscription))
        }
    }

    /// Compares the Database Hash that the client has read: the client may keep the table of an earlier connection with
    /// the same hash.
    private func compareHash(_ response: ATT.ReadByTypeResponse?, _ server: ConnectedServer) {
        guard let hash = response?.entries.first?.value else { return }
        server.hashVerdict = databaseHash.map { $0 == hash ? .same : .changed } ?? .unknown
        databaseHash = hash
    }

    // MARK: - Values

    private func handleValue(
        _ event: Event, _ att: ATTTraffic, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        guard att.opcode.operation != nil else { return }
        if att.opcode.listsValues {
            let values = frame.view.batch.listedValues(of: frame.metadata, plugins: plugins)
            for (number, value) in values.enumerated() where !value.isPartial {
                guard let role = server.roles?.role(at: value.handle) else { continue }
                handleValue(value.piece, number, role, event, att, frame, server)
            }
        } else if let role = server.roles?.role(at: att.handle),
            let piece = frame.view.value(of: frame.metadata) ?? partial(frame.metadata, role)
        {
            handleValue(piece, 0, role, event, att, frame, server)
        }
    }

    /// Handles one value of a frame; `number` is its index among the frame's values.
    private func handleValue(
        _ piece: FrameMetadata.BufferRange, _ number: Int, _ role: AttributeRoles.Role, _ event: Event,
        _ att: ATTTraffic, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        guard let operation = att.opcode.operation else { return }
        let bytes = ValueBytes(frame.view.bytes(of: piece))
        switch role {
        case .value(let index): emit(index, number, operation, bytes, event, att, frame, server)
        case .configuration(let index):
            let access = ConfigurationAccess(
                operation: operation, characteristic: rules.characteristics[index].index, bytes: bytes,
                outcome: frame.outcome)
            check(
                CheckedValue(moment: event.moment, bytes: bytes, reading: nil, context: server.context),
                of: .configuration(index, operation))
            emit(.configuration(access), at: event.moment, on: server)
            server.subscriptions.apply(.configuration(access))
        case .firmware:
            guard operation == .read else { return }
            recordFirmware(bytes)
        case .deviceName:
            guard operation == .read else { return }
            emit(.deviceName(bytes.array), at: event.moment, on: server)
        }
    }

    /// Records a written value. If writes may be missing, the last captured write may not be the latest one. If
    /// requests overlap, the write that a notification answers is unknown.
    private func recordWrite(
        _ bytes: ValueBytes, _ characteristic: String, _ att: ATTTraffic, _ outcome: WriteOutcome?,
        _ server: ConnectedServer
    ) {
        guard server.connection.isGapless, outcome?.isRefused == false else { return }
        let former = server.context.written[characteristic]
        server.requests.update(att.bearer) { if att.kind == .request { $0.former = (characteristic, former) } }
        let isAmbiguous = att.isOverlapping || server.isWritePending(characteristic, besides: att.bearer)
        server.context.written[characteristic] = isAmbiguous ? nil : bytes.array
    }

    /// A value that fills its response. It is complete if no longer value of its type exists.
    private func partial(_ metadata: FrameMetadata, _ role: AttributeRoles.Role) -> FrameMetadata.BufferRange? {
        guard case .value(let index) = role, metadata.attribute?.opcode == .readResponse,
            let piece = metadata.carriedValue,
            let reader = rules.characteristics[index].reader,
            reader.layouts(for: .read).contains(where: { $0.lengths.upperBound == piece.count })
        else { return nil }
        return piece
    }

    private func emit(
        _ index: Int, _ number: Int, _ operation: OperationKind, _ bytes: ValueBytes,
        _ event: Event, _ att: ATTTraffic, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        let characteristic = rules.characteristics[index]
        if operation == .write { recordWrite(bytes, characteristic.name, att, frame.outcome, server) }
        // Application tracking uses the device's own plugin, whose types differ from those of a general plugin.
        let application =
            rules.isGeneral ? nil : frame.view.application(of: .init(frame: event.moment.frame, value: number))
        let reading =
            characteristic.soleReading(of: operation, in: rules)
            ?? layout(of: bytes, characteristic, operation, application?.layout, server).map {
                rules.reading(of: $0)
            }
        reading?.reset(to: bytes)
        server.context.request = server.connection.isGapless ? application?.request : nil
        check(
            CheckedValue(
                moment: event.moment, bytes: bytes, reading: reading, context: server.context,
                mayAnswerEarlier: mayAnswerEarlier(bytes, reading, characteristic, operation, server)),
            of: .value(index, operation))
        if !rules.interests[.values(of: characteristic.index)].isEmpty {
            let value = AttributeValue(operation, of: characteristic.index, bytes, reading)
            value.outcome = frame.outcome
            if operation == .read, let request = frame.request {
                value.requested = FrameReference(
                    frame: request.frame, time: request.time, connection: event.moment.connection)
            }
            emit(.value(value), at: event.moment, on: server)
        }
        for message in application?.messages ?? [] { emit(message, event, frame, server) }
        server.context.request = nil
    }

    /// The type of a value; `followed` is the type found by application tracking.
    private func layout(
        of bytes: ValueBytes, _ characteristic: CheckedCharacteristic, _ operation: OperationKind, _ followed: Layout?,
        _ server: ConnectedServer
    ) -> Layout? {
        // If writes may be missing, `followed` may belong to an earlier request.
        if let followed, server.connection.isGapless || !characteristic.usesContext { return followed }
        return characteristic.reader.flatMap { reader in
            bytes.withBytes { reader.layout(for: operation, value: $0, in: server.context) }
        }
    }

    /// Whether a value does not match the type that the last request asks for, but matches the type that the request
    /// before it asks for.
    private func mayAnswerEarlier(
        _ bytes: ValueBytes, _ reading: ValueReading?, _ characteristic: CheckedCharacteristic,
        _ operation: OperationKind, _ server: ConnectedServer
    ) -> Bool {
        guard operation == .notify || operation == .indicate, characteristic.usesContext,
            let reader = characteristic.reader, let reading, reading.isFaulty || reading.bytesLeft > 0
        else { return false }
        return server.formerWrites.contains { written, former in
            let context = server.context.copy()
            context.written[written] = former
            return bytes.withBytes { value in
                guard let layout = reader.layout(for: operation, value: value, in: context),
                    layout.lengths.contains(bytes.count)
                else { return false }
                return (try? layout.decode(bytes.array)) != nil
            }
        }
    }

    /// Emits a message that is completed by a value.
    private func emit(
        _ message: AssembledMessage, _ event: Event, _ frame: EventFrame, _ server: ConnectedServer
    ) {
        let number = rules.messages[message.name]
        guard !rules.interests[.messages].isEmpty || number != nil else { return }
        let sdu = frame.view.bytes(of: frame.metadata.sdu)
        let whole = ValueBytes(sdu.dropFirst(message.place.lowerBound).prefix(message.place.count))
        let reading = rules.reading(of: message.layout)
        reading.reset(to: whole)
        server.context.request = server.connection.isGapless ? message.request : nil
        if let number {
            check(
                CheckedValue(moment: event.moment, bytes: whole, reading: reading, context: server.context),
                of: .message(number))
        }
        if rules.interests[.messages].isEmpty { return }
        let content = AssembledContent(
            message: message.name, type: message.layout.name, bytes: whole,
            value: try? message.layout.decode(whole.array), frames: message.frames, reading: reading)
        emit(.message(content), at: event.moment, on: server)
    }
}
