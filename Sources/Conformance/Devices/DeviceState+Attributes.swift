import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

// Conversion of the server's ATT PDUs into events.
extension DeviceState {
    func handle(_ event: TrafficEvent, _ att: ATTTraffic, on link: ConnectionState, _ view: BatchView, number: Int) {
        let connection = connection(of: link)
        updateMap(connection, to: att.tableVersion, view, number, at: event.moment)
        switch att.kind {
        case .request, .command: handleRequest(event, att, connection, view)
        case .response:
            // If something is missing since the request, the response may answer another request.
            let request = event.request
            let isAmbiguous = request?.isAmbiguous == true || link.lastGap > request?.frame ?? .max
            handleResponse(event, att, connection, view)
            if isAmbiguous { return }
        case .notification: emitTable(connection, at: event.moment)
        case .indication:
            emitTable(connection, at: event.moment)
            if ChangedRange.mayBeReported(by: event) { doubtTable(of: connection) }
            if let range = ChangedRange(event)?.handles {
                connection.discovery.forget(range, at: event.moment.frame)
                connection.changeBearer = att.bearer
            }
        case .confirmation:
            if att.bearer == connection.changeBearer { connection.discovery.confirmChange() }
            // An indication that was not captured may have been Service Changed.
            let indicatesChanges = view.batch.tableVersions[att.tableVersion]?.table.characteristics.contains {
                $0.type == .serviceChanged
            }
            if event.request == nil, indicatesChanges == true { doubtTable(of: connection) }
            return
        case nil: return
        }
        handleValue(event, att, connection, view)
    }

    /// Updates the roles of the server's attributes: once in each batch, and when the attribute table has changed.
    private func updateMap(
        _ connection: DeviceConnection, to tableVersion: Int32, _ view: BatchView, _ number: Int,
        at moment: FrameReference
    ) {
        let isChanged = connection.mapVersion != tableVersion
        guard isChanged || connection.mapBatch != number, let known = view.batch.tableVersions[tableVersion] else {
            return
        }
        if isChanged, connection.mapVersion >= 0 {
            // Pending values may be sent at handles that are not discovered yet.
            emit(.gap(CaptureGap(.changedTable)), at: moment, on: connection, ruleSet.interestIndex.all)
            connection.mayHaveChanged = false
        }
        connection.mapBatch = number
        connection.mapVersion = tableVersion
        connection.context.plugin = plugin(describing: known.device, tableVersion, view)
        if !isChanged, connection.map?.count == ServerMap.count(of: known) { return }
        let map = ServerMap(known, rules)
        connection.map = map
        connection.context.characteristics = map.characteristics
    }

    /// Id of the plugin that describes a server's device. If both ends of a link are recorded, the device occurs twice
    /// and is described once.
    private func plugin(describing device: Int32, _ tableVersion: Int32, _ view: BatchView) -> String? {
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
        _ event: TrafficEvent, _ att: ATTTraffic, _ connection: DeviceConnection, _ view: BatchView
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
            emitTable(connection, at: event.moment)
            request.valueLength = event.value?.count
        }
        var pending = DeviceConnection.Request(request: request, moment: event.moment)
        if case .configuration(let index)? = connection.map?.role(at: att.handle), request.opcode == .writeRequest,
            let bits = event.value?.configurationBits
        {
            pending.configuration = (index, bits)
        }
        if !ruleSet.interestIndex.requests.isEmpty {
            if case .value(let index)? = connection.map?.role(at: request.handle), request.end == nil {
                pending.request.characteristic = rules.characteristics[index].index
            }
            if request.opcode.hasHandle {
                pending.request.isKnown = isKnown(request.handle, connection, att.tableVersion, view)
            }
            emit(.request(pending.request), at: event.moment, on: connection, ruleSet.interestIndex.requests)
        }
        if att.kind == .request { connection.requests[att.bearer] = pending }
    }

    /// Whether the client may use an attribute (`AttributeRequest.isKnown`). Nil if it may know the attribute although
    /// its discovery was not captured: from before the capture, as with an imported table.
    private func isKnown(_ handle: Handle, _ connection: DeviceConnection, _ tableVersion: Int32, _ view: BatchView)
        -> Bool?
    {
        if connection.discovery.knows(handle) { return true }
        if connection.discovery.unconfirmed?.contains(handle) == true { return nil }
        let tableVersion = view.batch.tableVersions[tableVersion]
        guard connection.link.state.isComplete, tableVersion?.attribute(at: handle)?.1 != .imported else { return nil }
        let isRemembered = tableVersion?.earlier?.attribute(at: handle).map { $0.kind != .unknown } ?? false
        if connection.hasBond { return isRemembered ? true : nil }
        switch connection.hashVerdict {
        case .same: return isRemembered ? true : nil
        case .changed: return false
        case .unknown: return nil
        // The client may use the table of an earlier connection, and read the hash later.
        case .notRead: return isRemembered ? nil : false
        }
    }

    // MARK: - Responses

    private func handleResponse(
        _ event: TrafficEvent, _ att: ATTTraffic, _ connection: DeviceConnection, _ view: BatchView
    ) {
        guard let asked = event.request, let pending = connection.requests[att.bearer], !pending.isAnswered,
            pending.moment.frame == asked.frame
        else { return }
        connection.requests.update(att.bearer) { $0.isAnswered = true }
        let error = att.opcode == .errorResponse ? ValueBytes(event.payload).u8(4) : nil
        if pending.request.opcode.hasHandleRange {
            connection.discovery.learn(event.pdu, at: event.moment, to: pending.request, sent: pending.moment)
            if pending.request.type == .databaseHash { compareHash(event.att(), connection) }
        }
        if !ruleSet.interestIndex.requests.isEmpty {
            var response = AttributeResponse(to: pending.request, at: pending.moment, error: error)
            response.isAmbiguous = asked.isAmbiguous
            emit(.response(response), at: event.moment, on: connection, ruleSet.interestIndex.requests)
            if att.opcode == .exchangeMTUResponse, att.bearer == 0, let server = ValueBytes(event.payload).u16(1) {
                emit(
                    .mtu(MTUExchange(client: asked.offeredMTU, server: server)), at: event.moment, on: connection,
                    ruleSet.interestIndex.requests)
            }
        }
        if error == nil, !asked.isAmbiguous, let (index, bits) = pending.configuration,
            !ruleSet.interestIndex.subscriptions.isEmpty
        {
            let subscription = Subscription(
                characteristic: rules.characteristics[index].index, notifies: bits & 1 != 0, indicates: bits & 2 != 0)
            emit(.subscription(subscription), at: event.moment, on: connection, ruleSet.interestIndex.subscriptions)
        }
    }

    /// Compares the Database Hash that the client has read: the client may keep the table of an earlier connection with
    /// the same hash.
    private func compareHash(_ response: ATT.ReadByTypeResponse?, _ connection: DeviceConnection) {
        guard let hash = response?.entries.first?.value else { return }
        connection.hashVerdict = databaseHash.map { $0 == hash ? .same : .changed } ?? .unknown
        databaseHash = hash
    }

    // MARK: - Values

    private func handleValue(
        _ event: TrafficEvent, _ att: ATTTraffic, _ connection: DeviceConnection, _ view: BatchView
    ) {
        guard att.opcode.operation != nil else { return }
        if att.opcode.listsValues {
            let values = view.batch.listedValues(of: event.metadata, plugins: plugins)
            for (number, value) in values.enumerated() where !value.isPartial {
                guard let role = connection.map?.role(at: value.handle) else { continue }
                handleValue(value.piece, number, role, event, att, connection, view)
            }
        } else if let role = connection.map?.role(at: att.handle),
            let piece = view.batch.value(of: event.metadata) ?? partial(event.metadata, role)
        {
            handleValue(piece, 0, role, event, att, connection, view)
        }
    }

    /// Handles one value of a frame; `number` is its index among the frame's values.
    private func handleValue(
        _ piece: FrameMetadata.BufferRange, _ number: Int, _ role: ServerMap.Role, _ event: TrafficEvent,
        _ att: ATTTraffic, _ connection: DeviceConnection, _ view: BatchView
    ) {
        guard let operation = att.opcode.operation else { return }
        let bytes = ValueBytes(view.batch.bytes(of: piece))
        switch role {
        case .value(let index): emit(index, number, operation, bytes, event, att, connection, view)
        case .configuration(let index):
            let access = ConfigurationAccess(
                operation: operation, characteristic: rules.characteristics[index].index, bytes: bytes,
                outcome: event.outcome)
            check(
                CheckedValue(moment: event.moment, bytes: bytes, reading: nil, context: connection.context),
                of: .configuration(index, operation))
            emit(.configuration(access), at: event.moment, on: connection, ruleSet.interestIndex.subscriptions)
        case .firmware:
            guard operation == .read else { return }
            recordFirmware(bytes)
        case .deviceName:
            guard operation == .read else { return }
            emit(.deviceName(bytes.array), at: event.moment, on: connection, ruleSet.interestIndex.advertising)
        }
    }

    /// Records a written value. If writes may be missing, the last captured write may not be the latest one. If
    /// requests overlap, the write that a notification answers is unknown.
    private func recordWrite(
        _ bytes: ValueBytes, _ characteristic: String, _ event: TrafficEvent, _ att: ATTTraffic,
        _ connection: DeviceConnection
    ) {
        guard connection.link.state.isGapless, event.outcome?.isRefused == false else { return }
        let former = connection.context.written[characteristic]
        connection.requests.update(att.bearer) { if att.kind == .request { $0.former = (characteristic, former) } }
        let isAmbiguous = att.isOverlapping || connection.isWritePending(characteristic, besides: att.bearer)
        connection.context.written[characteristic] = isAmbiguous ? nil : bytes.array
    }

    /// A value that fills its response. It is complete if no longer value of its type exists.
    private func partial(_ metadata: FrameMetadata, _ role: ServerMap.Role) -> FrameMetadata.BufferRange? {
        guard case .value(let index) = role, metadata.attribute?.opcode == .readResponse,
            let piece = metadata.carriedValue,
            let reader = rules.characteristics[index].reader,
            reader.layouts(for: .read).contains(where: { $0.lengths.upperBound == piece.count })
        else { return nil }
        return piece
    }

    private func emit(
        _ index: Int, _ number: Int, _ operation: OperationKind, _ bytes: ValueBytes,
        _ event: TrafficEvent, _ att: ATTTraffic, _ connection: DeviceConnection, _ view: BatchView
    ) {
        let characteristic = rules.characteristics[index]
        if operation == .write { recordWrite(bytes, characteristic.name, event, att, connection) }
        // Application tracking uses the device's own plugin, whose types differ from those of a general plugin.
        let application =
            rules.isGeneral ? nil : view.application(of: .init(frame: event.moment.frame, value: number))
        let reading =
            characteristic.soleReading(of: operation, in: rules)
            ?? layout(of: bytes, characteristic, operation, application?.layout, connection).map {
                rules.reading(of: $0)
            }
        reading?.reset(to: bytes)
        connection.context.request = connection.link.state.isGapless ? application?.request : nil
        check(
            CheckedValue(
                moment: event.moment, bytes: bytes, reading: reading, context: connection.context,
                mayAnswerEarlier: mayAnswerEarlier(bytes, reading, characteristic, operation, connection)),
            of: .value(index, operation))
        let places = rules.places(ofValuesAt: index)
        if !places.isEmpty {
            let value = AttributeValue(operation, of: characteristic.index, bytes, reading)
            value.outcome = event.outcome
            if operation == .read, let request = event.request {
                value.requested = FrameReference(
                    frame: request.frame, time: request.time, connection: event.moment.connection)
            }
            emit(.value(value), at: event.moment, on: connection, places)
        }
        for message in application?.messages ?? [] { emit(message, event, connection, view) }
        connection.context.request = nil
    }

    /// The type of a value; `followed` is the type found by application tracking.
    private func layout(
        of bytes: ValueBytes, _ characteristic: CheckedCharacteristic, _ operation: OperationKind, _ followed: Layout?,
        _ connection: DeviceConnection
    ) -> Layout? {
        // If writes may be missing, `followed` may belong to an earlier request.
        if let followed, connection.link.state.isGapless || !characteristic.usesContext { return followed }
        return characteristic.reader.flatMap { reader in
            bytes.withBytes { reader.layout(for: operation, value: $0, in: connection.context) }
        }
    }

    /// Whether a value does not match the type that the last request asks for, but matches the type that the request
    /// before it asks for.
    private func mayAnswerEarlier(
        _ bytes: ValueBytes, _ reading: ValueReading?, _ characteristic: CheckedCharacteristic,
        _ operation: OperationKind, _ connection: DeviceConnection
    ) -> Bool {
        guard operation == .notify || operation == .indicate, characteristic.usesContext,
            let reader = characteristic.reader, let reading, reading.isFaulty || reading.bytesLeft > 0
        else { return false }
        return connection.formerWrites.contains { written, former in
            let context = connection.context.copy()
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
        _ message: AssembledMessage, _ event: TrafficEvent, _ connection: DeviceConnection, _ view: BatchView
    ) {
        let number = rules.messages[message.name]
        guard !ruleSet.interestIndex.messages.isEmpty || number != nil else { return }
        let sdu = view.batch.bytes(of: event.metadata.sdu)
        let whole = ValueBytes(sdu.dropFirst(message.place.lowerBound).prefix(message.place.count))
        let reading = rules.reading(of: message.layout)
        reading.reset(to: whole)
        connection.context.request = connection.link.state.isGapless ? message.request : nil
        if let number {
            check(
                CheckedValue(moment: event.moment, bytes: whole, reading: reading, context: connection.context),
                of: .message(number))
        }
        if ruleSet.interestIndex.messages.isEmpty { return }
        let content = AssembledContent(
            message: message.name, type: message.layout.name, bytes: whole,
            value: try? message.layout.decode(whole.array), frames: message.frames, reading: reading)
        emit(.message(content), at: event.moment, on: connection, ruleSet.interestIndex.messages)
    }
}
