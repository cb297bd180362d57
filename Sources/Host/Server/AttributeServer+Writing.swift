import Bluetooth
import Bytes

extension AttributeServer {
    mutating func write(
        _ request: ATT.WriteRequest, _ view: View, of connection: ConnectionHandle, at now: Timestamp
    ) throws(Halt) {
        try view.check(request.value, at: request.handle, .request)
        apply(request.value, at: request.handle, .request, by: connection)
        send(ATT.WriteResponse(), to: connection)
        followUp(request.handle, of: connection, at: now)
    }

    /// Processes or ignores a command; there is never a response (Vol 3, Part F, 3.4.5.3). Signed commands are ignored,
    /// because no bond has a signature key.
    mutating func command(_ bytes: [UInt8], from connection: ConnectionHandle) {
        guard let bearer = bearers[connection], bytes.count <= bearer.mtu, isInSync(connection) else { return }
        var reader = ByteReader(bytes.span)
        guard let command = try? ATT.read(&reader) as? ATT.WriteCommand else { return }
        let transaction = Transaction(opcode: .writeCommand, request: command)
        let view = View(database: database, bearer: bearer, transaction: transaction)
        guard (try? view.check(command.value, at: command.handle)) != nil else { return }
        apply(command.value, at: command.handle, .command, by: connection)
    }

    /// Adds a part to the prepare queue (Vol 3, Part F, 3.4.6.1).
    mutating func prepare(
        _ request: ATT.PrepareWriteRequest, _ view: View, of connection: ConnectionHandle
    ) throws(Halt) {
        guard let attribute = view.database[request.handle] else { throw .error(.invalidHandle, request.handle) }
        if let code = attribute.write.refusal(view.bearer.security, denied: .writeNotPermitted) {
            throw .error(code, request.handle)
        }
        let bytes = view.bearer.prepared.reduce(0) { $0 + $1.value.count }
        guard view.bearer.prepared.count < limits.preparedParts, bytes + request.value.count <= limits.preparedBytes
        else { throw .error(.prepareQueueFull, request.handle) }
        bearers[connection]?.prepared.append(request)
        send(
            ATT.PrepareWriteResponse(handle: request.handle, offset: request.offset, value: request.value),
            to: connection)
    }

    /// Writes the prepare queue completely or, if any part is invalid, not at all (Vol 3, Part F, 3.4.6.3).
    mutating func execute(
        _ request: ATT.ExecuteWriteRequest, _ view: View, of connection: ConnectionHandle, at now: Timestamp
    ) throws(Halt) {
        guard request.flags <= 1 else { throw .error(.invalidPDU, 0) }
        var writes: [(handle: Handle, value: [UInt8])] = []
        if request.flags == 1 {
            do throws(Halt) {
                writes = try view.assembled()
            } catch {
                if case .error = error { bearers[connection]?.prepared = [] }
                throw error
            }
        }
        bearers[connection]?.prepared = []
        for write in writes { apply(write.value, at: write.handle, .long, by: connection) }
        send(ATT.ExecuteWriteResponse(), to: connection)
        for write in writes { followUp(write.handle, of: connection, at: now) }
    }

    /// Stores a checked value and reports it to the owner.
    private mutating func apply(
        _ value: [UInt8], at handle: Handle, _ kind: WriteKind, by connection: ConnectionHandle
    ) {
        guard let attribute = database[handle] else { return }
        switch attribute.kind {
        case .stored: _ = database.setValue(value, at: handle)
        case .asked, .databaseHash: break
        case .clientFeatures: bearers[connection]?.client.features = value
        case .clientConfiguration:
            let bits = UInt16(value[0]) | UInt16(value[1]) << 8
            let before = bearers[connection]?.client.configurations[handle] ?? 0
            bearers[connection]?.client.configurations[handle] = bits == 0 ? nil : bits
            bearers[connection]?.configured.insert(handle)
            if bits != before, let valueHandle = valueHandle(ofDescriptor: handle) {
                actions.append(.event(.subscribed(valueHandle, Subscription(rawValue: bits), by: connection)))
            }
            return
        }
        actions.append(.event(.written(handle, value, by: connection, kind)))
    }

    /// Follow-up after the response to a write: a client that has subscribed to Service Changed gets pending changes.
    private mutating func followUp(_ handle: Handle, of connection: ConnectionHandle, at now: Timestamp) {
        if database[handle]?.kind == .clientConfiguration { indicateChanges(to: connection, at: now) }
    }
}

extension AttributeServer.View {
    /// Checks whether a value may be written; asks the owner if the attribute requires it.
    func check(
        _ value: [UInt8], at handle: Handle, _ kind: AttributeServer.WriteKind
    ) throws(AttributeServer.Halt) {
        guard try check(value, at: handle).kind == .asked else { return }
        switch transaction.verdicts[handle] {
        case .accepted, .value: return
        case .refused(let code): throw .error(code, handle)
        case nil: throw .pending(.write(value, kind), handle)
        }
    }

    /// Checks whether a client may write a value, without asking the owner; returns the attribute.
    @discardableResult
    func check(
        _ value: [UInt8], at handle: Handle
    ) throws(AttributeServer.Halt) -> AttributeDatabase.Attribute {
        guard let attribute = database[handle] else { throw .error(.invalidHandle, handle) }
        if let code = attribute.write.refusal(bearer.security, denied: .writeNotPermitted) {
            throw .error(code, attribute.handle)
        }
        guard attribute.lengths.contains(value.count), value.count <= ATT.maximumValueLength else {
            throw .error(.invalidAttributeValueLength, attribute.handle)
        }
        // A client may not clear a feature that it has set (Vol 3, Part G, 7.2).
        if attribute.kind == .clientFeatures {
            let kept = zip(bearer.client.features, value).allSatisfy { $0 & ~$1 == 0 }
            guard !value.isEmpty, value.count >= bearer.client.features.count, kept else {
                throw .error(.valueNotAllowed, attribute.handle)
            }
        }
        if attribute.type == .clientCharacteristicConfiguration { try checkConfiguration(value, at: handle) }
        return attribute
    }

    /// A client may enable only updates that the characteristic's properties allow.
    private func checkConfiguration(_ value: [UInt8], at handle: Handle) throws(AttributeServer.Halt) {
        guard let declaration = database[Handle(1)...handle].last(where: { $0.type == .characteristic }),
            let characteristic = try? GATT.CharacteristicDeclaration(decoding: declaration.value)
        else { return }
        let wanted = AttributeServer.Subscription(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
        let refused =
            (wanted.contains(.notifications) && !characteristic.properties.contains(.notify))
            || (wanted.contains(.indications) && !characteristic.properties.contains(.indicate))
        if refused { throw .error(.cccdImproperlyConfigured, handle) }
    }

    /// The values assembled from the prepare queue, one per attribute, in order of their first part.
    fileprivate func assembled() throws(AttributeServer.Halt) -> [(handle: Handle, value: [UInt8])] {
        var order: [Handle] = []
        var values: [Handle: [UInt8]] = [:]
        for part in bearer.prepared {
            guard let attribute = database[part.handle] else { throw .error(.invalidHandle, part.handle) }
            if values[part.handle] == nil {
                order.append(part.handle)
                // A long write starts a new value unless its first offset lies within the old one.
                values[part.handle] = part.offset == 0 || attribute.kind != .stored ? [] : attribute.value
            }
            let offset = Int(part.offset)
            guard var value = values[part.handle], offset <= value.count else {
                throw .error(.invalidOffset, part.handle)
            }
            value.replaceSubrange(offset..<min(value.count, offset + part.value.count), with: part.value)
            guard value.count <= ATT.maximumValueLength else {
                throw .error(.invalidAttributeValueLength, part.handle)
            }
            values[part.handle] = value
        }
        let writes = order.map { (handle: $0, value: values[$0] ?? []) }
        // The owner is asked last, because it may act on a write as soon as it accepts it.
        for write in writes { try check(write.value, at: write.handle) }
        for write in writes { try check(write.value, at: write.handle, .long) }
        return writes
    }
}
