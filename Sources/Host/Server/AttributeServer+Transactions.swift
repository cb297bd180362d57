package import Bluetooth
package import Bytes

extension AttributeServer {
    /// A request that the server's owner must answer.
    package struct PendingRequest: Hashable, Sendable {
        /// Kind of request.
        package enum Kind: Hashable, Sendable {
            /// Provide the complete value, at most 512 bytes.
            case read
            /// Decide whether this value may be written.
            case write([UInt8], WriteKind)
        }

        /// Identifies the request in the answer.
        package var ticket: UInt64
        package var connection: ConnectionHandle
        package var handle: Handle
        package var kind: Kind
    }

    /// The owner's answer.
    package enum Answer: Hashable, Sendable {
        /// The requested value.
        case value([UInt8])
        /// The write is permitted.
        case accepted
        case refused(ATT.ErrorCode)
    }

    /// A request in progress. Its handler is rerun after each answer of the owner and changes nothing until it has all
    /// of them.
    struct Transaction: Sendable {
        var opcode: ATT.Opcode
        var request: any ATT.PDU
        /// Answers to reads, by handle.
        var values: [Handle: Answer] = [:]
        /// Answers to writes, by handle.
        var verdicts: [Handle: Answer] = [:]
        var pending: PendingRequest?
    }

    /// Reason for not sending the regular response to a request.
    enum Halt: Error {
        case error(ATT.ErrorCode, Handle)
        /// The owner must answer first.
        case pending(PendingRequest.Kind, Handle)
    }

    /// Handles the owner's answer; a late one is ignored.
    package mutating func answer(_ ticket: UInt64, _ answer: Answer, at now: Timestamp) -> [Action] {
        for (connection, bearer) in bearers {
            guard let pending = bearer.transaction?.pending, pending.ticket == ticket else { continue }
            switch pending.kind {
            case .read: bearers[connection]?.transaction?.values[pending.handle] = answer
            case .write: bearers[connection]?.transaction?.verdicts[pending.handle] = answer
            }
            bearers[connection]?.transaction?.pending = nil
            proceed(connection, at: now)
        }
        return takeActions()
    }

    /// Dispatches a PDU by its kind.
    mutating func receive(_ bytes: [UInt8], from connection: ConnectionHandle, at now: Timestamp) {
        guard let bearer = bearers[connection], !bearer.hasFailed, let first = bytes.first else { return }
        let opcode = ATT.Opcode(rawValue: first)
        switch ATT.Opcode.table.shape(of: opcode)?.kind {
        case .confirmation: confirm(connection, at: now)
        case .command: command(bytes, from: connection)
        case .request: request(bytes, opcode, from: connection, at: now)
        case .response, .notification, .indication: break
        case nil: if !opcode.isCommand { refuse(opcode, .requestNotSupported, to: connection) }
        }
    }

    private mutating func request(
        _ bytes: [UInt8], _ opcode: ATT.Opcode, from connection: ConnectionHandle, at now: Timestamp
    ) {
        // A client must not send a second request before the first is answered.
        guard let bearer = bearers[connection], bearer.transaction == nil else { return }
        guard bytes.count <= max(bearer.mtu, ATT.defaultMTU) else {
            return refuse(opcode, .invalidPDU, to: connection)
        }
        var reader = ByteReader(bytes.span)
        guard let request = try? ATT.read(&reader), reader.isAtEnd else {
            return refuse(opcode, .invalidPDU, to: connection)
        }
        if let handle = refusedAsOutOfSync(request, from: connection) {
            return send(
                ATT.ErrorResponse(requestOpcode: opcode, handle: handle, errorCode: .databaseOutOfSync),
                to: connection)
        }
        if let (handle, code) = takeRefusal(of: request) {
            return send(ATT.ErrorResponse(requestOpcode: opcode, handle: handle, errorCode: code), to: connection)
        }
        bearers[connection]?.transaction = Transaction(opcode: opcode, request: request)
        proceed(connection, at: now)
    }

    /// Responds to the pending request of a connection, or asks the owner.
    private mutating func proceed(_ connection: ConnectionHandle, at now: Timestamp) {
        guard let transaction = bearers[connection]?.transaction, transaction.pending == nil else { return }
        do throws(Halt) {
            try respond(to: transaction, of: connection, at: now)
            bearers[connection]?.transaction = nil
        } catch {
            switch error {
            case .error(let code, let handle):
                bearers[connection]?.transaction = nil
                send(
                    ATT.ErrorResponse(requestOpcode: transaction.opcode, handle: handle, errorCode: code),
                    to: connection)
            case .pending(let kind, let handle):
                let pending = PendingRequest(ticket: nextTicket, connection: connection, handle: handle, kind: kind)
                nextTicket += 1
                bearers[connection]?.transaction?.pending = pending
                actions.append(.event(.asked(pending)))
            }
        }
    }

    /// Runs the handler of a request.
    private mutating func respond(
        to transaction: Transaction, of connection: ConnectionHandle, at now: Timestamp
    ) throws(Halt) {
        guard let bearer = bearers[connection] else { return }
        let view = View(database: database, bearer: bearer, transaction: transaction)
        switch transaction.request {
        case let request as ATT.ExchangeMTURequest: exchangeMTU(request, with: connection)
        case let request as ATT.FindInformationRequest: send(try view.find(request), to: connection)
        case let request as ATT.FindByTypeValueRequest: send(try view.find(request), to: connection)
        case let request as ATT.ReadByTypeRequest: send(try view.read(request), to: connection)
        case let request as ATT.ReadByGroupTypeRequest: send(try view.read(request), to: connection)
        case let request as ATT.ReadRequest: send(try view.read(request), to: connection)
        case let request as ATT.ReadBlobRequest: send(try view.read(request), to: connection)
        case let request as ATT.ReadMultipleRequest: send(try view.read(request), to: connection)
        case let request as ATT.ReadMultipleVariableRequest: send(try view.read(request), to: connection)
        case let request as ATT.WriteRequest: try write(request, view, of: connection, at: now)
        case let request as ATT.PrepareWriteRequest: try prepare(request, view, of: connection)
        case let request as ATT.ExecuteWriteRequest: try execute(request, view, of: connection, at: now)
        default: throw .error(.requestNotSupported, 0)
        }
    }

    private mutating func exchangeMTU(_ request: ATT.ExchangeMTURequest, with connection: ConnectionHandle) {
        send(ATT.ExchangeMTUResponse(serverRxMTU: limits.mtu), to: connection)
        guard let bearer = bearers[connection], !bearer.hasExchangedMTU else { return }
        let mtu = max(ATT.defaultMTU, Int(min(request.clientRxMTU, limits.mtu)))
        bearers[connection]?.hasExchangedMTU = true
        if mtu == bearer.mtu { return }
        bearers[connection]?.mtu = mtu
        actions.append(.event(.mtuChanged(mtu, connection)))
    }

    private mutating func refuse(_ opcode: ATT.Opcode, _ code: ATT.ErrorCode, to connection: ConnectionHandle) {
        send(ATT.ErrorResponse(requestOpcode: opcode, handle: 0, errorCode: code), to: connection)
    }

    mutating func send(_ pdu: some ATT.PDU, to connection: ConnectionHandle) {
        actions.append(.send(ATT.encode(pdu), to: connection))
    }
}
