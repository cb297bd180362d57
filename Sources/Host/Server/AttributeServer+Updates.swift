package import Bluetooth
package import Bytes

/// Notifications, indications and changes of the database.
extension AttributeServer {
    /// How the server sends a value without a request.
    package enum ValueUpdate: Hashable, Sendable {
        case notification, indication
    }

    /// Sends a value to a client or to all subscribers. If `kind` is nil, each client gets the kind it subscribed to;
    /// otherwise only subscribers of that kind get the value. A value longer than ATT_MTU − 3 is truncated.
    package mutating func sendUpdate(
        _ value: [UInt8], at handle: Handle, as kind: ValueUpdate? = nil, to connection: ConnectionHandle? = nil,
        now: Timestamp
    ) -> [Action] {
        let connections = connection.map { [$0] } ?? bearers.keys.sorted { $0.rawValue < $1.rawValue }
        for connection in connections where maySendUpdate(of: handle, to: connection) {
            let wanted = subscription(of: connection, to: handle)
            if kind != .indication, wanted.contains(.notifications) {
                notify(value, at: handle, to: connection)
            } else if kind != .notification, wanted.contains(.indications) {
                indicate(value, at: handle, to: connection, at: now)
            }
        }
        return takeActions()
    }

    /// Replaces a stored value without an update; returns false if there is no such attribute, or if the value exceeds
    /// 512 bytes.
    package mutating func setValue(_ value: [UInt8], at handle: Handle) -> Bool {
        database.setValue(value, at: handle)
    }

    /// Replaces the database. Clients that know the old one get Service Changed, bonded clients on reconnection (Vol 3,
    /// Part G, 7.1). A subscription is kept while its characteristic keeps its handles.
    package mutating func replace(_ new: AttributeDatabase, at now: Timestamp) -> [Action] {
        let range = changedRange(from: database, to: new)
        let old = database
        database = new
        guard let range else { return [] }
        func isKept(_ configuration: Handle) -> Bool {
            let declaration = old.declaration(ofConfiguration: configuration)
            return declaration != nil && declaration == new.declaration(ofConfiguration: configuration)
        }
        for connection in bearers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            bearers[connection]?.prepared = []
            bearers[connection]?.hasBeenWarned = false
            bearers[connection]?.client.note(changed: range, keepingConfigurations: isKept)
            let configured = bearers[connection]?.configured.filter(isKept)
            bearers[connection]?.configured = configured ?? []
            bearers[connection]?.isIndicatingChanges = false
            let waiting = bearers[connection]?.waiting.filter {
                maySendUpdate(of: $0.handle, to: connection)
                    && subscription(of: connection, to: $0.handle).contains(.indications)
            }
            bearers[connection]?.waiting = waiting ?? []
            indicateChanges(to: connection, at: now)
        }
        for identity in bondedClients.keys {
            bondedClients[identity]?.note(changed: range, keepingConfigurations: isKept)
        }
        return takeActions()
    }

    /// Whether a client may get a value update: a change-unaware client with robust caching gets only Service Changed
    /// (Vol 3, Part G, 2.5.2.1).
    private func maySendUpdate(of handle: Handle, to connection: ConnectionHandle) -> Bool {
        isInSync(connection) || database[handle]?.type == .serviceChanged
    }

    private mutating func notify(_ value: [UInt8], at handle: Handle, to connection: ConnectionHandle) {
        guard let bearer = bearers[connection], !bearer.hasFailed else { return }
        send(
            ATT.HandleValueNotification(handle: handle, value: Array(value.prefix(bearer.mtu - 3))), to: connection)
    }

    private mutating func indicate(
        _ value: [UInt8], at handle: Handle, to connection: ConnectionHandle, at now: Timestamp
    ) {
        guard let bearer = bearers[connection], !bearer.hasFailed,
            bearer.waiting.count < limits.waitingIndications
        else { return }
        bearers[connection]?.waiting.append(ATT.HandleValueIndication(handle: handle, value: value))
        sendNextIndication(to: connection, at: now)
    }

    private mutating func sendNextIndication(to connection: ConnectionHandle, at now: Timestamp) {
        guard var bearer = bearers[connection], bearer.unconfirmed == nil, !bearer.waiting.isEmpty else { return }
        var indication = bearer.waiting.removeFirst()
        indication.value = Array(indication.value.prefix(bearer.mtu - 3))
        bearer.unconfirmed = indication
        bearer.confirmationDeadline = now + Self.transactionTimeout
        bearers[connection] = bearer
        send(indication, to: connection)
    }

    /// The client has received the indication (Vol 3, Part F, 3.4.7.3).
    mutating func confirm(_ connection: ConnectionHandle, at now: Timestamp) {
        guard let indication = bearers[connection]?.unconfirmed else { return }
        bearers[connection]?.unconfirmed = nil
        bearers[connection]?.confirmationDeadline = nil
        // The client stays change-unaware if a later change has not been indicated or its indication is queued.
        if database[indication.handle]?.type == .serviceChanged, bearers[connection]?.isIndicatingChanges == true,
            bearers[connection]?.waiting.contains(where: { $0.handle == indication.handle }) == false
        {
            bearers[connection]?.isIndicatingChanges = false
            bearers[connection]?.client.changes = nil
            bearers[connection]?.client.isChangeAware = true
        }
        actions.append(.event(.confirmed(indication.handle, by: connection)))
        sendNextIndication(to: connection, at: now)
        indicateChanges(to: connection, at: now)
    }
}

// MARK: - Change-unaware clients

extension AttributeServer {
    /// Indicates the changed handles to a client that has subscribed to Service Changed. They are kept until the client
    /// confirms, so that a bonded client gets them again on its next connection.
    mutating func indicateChanges(to connection: ConnectionHandle, at now: Timestamp) {
        guard let bearer = bearers[connection], !bearer.isIndicatingChanges, !bearer.hasFailed,
            let range = bearer.client.changes, bearer.waiting.count < limits.waitingIndications,
            let attribute = database.attributes.first(where: { $0.type == .serviceChanged }),
            subscription(of: connection, to: attribute.handle).contains(.indications)
        else { return }
        bearers[connection]?.isIndicatingChanges = true
        let value = ByteWriter.bytes {
            $0.write(range.lowerBound)
            $0.write(range.upperBound)
        }
        indicate(value, at: attribute.handle, to: connection, at: now)
    }

    /// Whether a client's PDUs may be processed: a client with robust caching must be change-aware.
    func isInSync(_ connection: ConnectionHandle) -> Bool {
        guard let client = bearers[connection]?.client else { return false }
        return client.isChangeAware || !client.usesRobustCaching
    }

    /// The handle for the error Database Out Of Sync if the request must be rejected, otherwise nil. Also records that
    /// the client becomes change-aware with its next request (Vol 3, Part G, 2.5.2.1).
    mutating func refusedAsOutOfSync(_ request: any ATT.PDU, from connection: ConnectionHandle) -> Handle? {
        if isInSync(connection) { return nil }
        if bearers[connection]?.hasBeenWarned == true {
            bearers[connection]?.hasBeenWarned = false
            bearers[connection]?.client.isChangeAware = true
            return nil
        }
        bearers[connection]?.hasBeenWarned = true
        switch request {
        case let request as ATT.ReadByTypeRequest:
            return request.type == .databaseHash ? nil : request.start
        case let request as ATT.ReadByGroupTypeRequest: return request.start
        case let request as ATT.FindInformationRequest: return request.start
        case let request as ATT.FindByTypeValueRequest: return request.start
        case let request as ATT.ReadRequest: return request.handle
        case let request as ATT.ReadBlobRequest: return request.handle
        case let request as ATT.WriteRequest: return request.handle
        case let request as ATT.PrepareWriteRequest: return request.handle
        case is ATT.ExchangeMTURequest:
            bearers[connection]?.hasBeenWarned = false
            return nil
        default: return 0
        }
    }
}
