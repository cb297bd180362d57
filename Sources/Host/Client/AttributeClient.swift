package import Bluetooth
package import Bytes

/// The client of one server: procedures one after the other, one request at a time (Vol 3, Part F, 3.3.2; Vol 3, Part G,
/// 4).
package struct AttributeClient: Sendable {
    /// What is to be done, in order.
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        case tell(Event)
    }

    /// What the owner may want to know.
    package enum Event: Hashable, Sendable {
        /// A procedure came to its end; `id` is what `start` was given.
        case finished(id: UInt64, Result<Outcome, Failure>)
        case notified(Handle, [UInt8])
        /// The confirmation was sent already, or waits for its time.
        case indicated(Handle, [UInt8])
        /// The server's attributes in a range have changed; the table has forgotten them (Vol 3, Part G, 7.1).
        case servicesChanged(ClosedRange<Handle>)
        /// The longest PDU on this connection has changed.
        case mtuChanged(Int)
    }

    /// What a procedure brought.
    package enum Outcome: Hashable, Sendable {
        case mtu(Int)
        case table(GATT.Table)
        case value([UInt8])
        /// Values by the handles that they were found at.
        case values([ATT.ReadByTypeResponse.Entry])
        case written
        /// The whole answer to a PDU that was sent as it stood.
        case response([UInt8])
    }

    /// Why a procedure failed.
    package enum Failure: Error, Hashable, Sendable {
        /// The server's error, for the attribute at a handle.
        case refused(ATT.ErrorCode, Handle)
        /// No answer in 30 s: this connection can do no more requests (Vol 3, Part F, 3.3.3).
        case timedOut
        case disconnected
        /// The server's answer breaks a rule.
        case invalidResponse(String)
        /// Too many procedures wait.
        case busy
        /// The table has no configuration for a value; discover the server first.
        case notConfigurable(Handle)
    }

    /// A procedure that waits for its turn.
    private struct Waiting: Sendable {
        var id: UInt64
        var procedure: any Procedure
    }

    /// A transaction that takes longer has failed (Vol 3, Part F, 3.3.3).
    static let transactionTimeout = Duration.seconds(30)
    /// Procedures that may wait for their turn.
    private static let capacity = 4096

    /// The server's attributes, as far as they were discovered or remembered.
    package var table = GATT.Table()
    /// The server's Database Hash at the time of the discovery; nil if it has none.
    package internal(set) var databaseHash: [UInt8]?
    /// Rules that responses to the last survey have broken, each once.
    package internal(set) var discoveryFaults: [String] = []
    /// Longest PDU of the connection.
    package internal(set) var mtu = ATT.defaultMTU
    private var current: Waiting?
    private var queue = FIFO<Waiting>()
    /// When the request that is out has failed.
    private var requestDeadline: Timestamp?
    /// How long indications wait for their confirmations.
    private let confirmationDelay: Duration
    /// When the confirmations of indications are due, in order.
    private var confirmations: [Timestamp] = []
    private var hasFailed = false
    private var actions: [Action] = []

    package init(confirmationDelay: Duration = .zero) {
        self.confirmationDelay = confirmationDelay
    }

    /// When a request has failed or a confirmation is due.
    package var deadline: Timestamp? { [requestDeadline, confirmations.first].compactMap(\.self).min() }

    /// Whether no procedure is under way.
    package var isIdle: Bool { current == nil }
}

extension AttributeClient {
    /// Begins a procedure, or lets it wait for those before it.
    package mutating func start(_ operation: Operation, id: UInt64, at now: Timestamp) -> [Action] {
        if hasFailed {
            finish(id, .failure(.timedOut))
        } else if queue.count >= Self.capacity {
            finish(id, .failure(.busy))
        } else if case .writeCommand(let handle, let value) = operation {
            // A command takes no turn: nothing answers it.
            send(ATT.encode(ATT.WriteCommand(handle: handle, value: Array(value.prefix(mtu - 3)))))
            finish(id, .success(.written))
        } else {
            queue.append(Waiting(id: id, procedure: operation.procedure))
            startNext(at: now)
        }
        return takeActions()
    }

    /// Takes a PDU that the server has sent: a response, a notification or an indication.
    package mutating func handle(_ pdu: [UInt8], at now: Timestamp) -> [Action] {
        guard let first = pdu.first else { return [] }
        switch ATT.Opcode.table.shape(of: ATT.Opcode(rawValue: first))?.kind {
        case .notification, .indication: receiveUpdate(pdu, at: now)
        case .response: answered(pdu, at: now)
        default: break
        }
        return takeActions()
    }

    /// Sends the confirmations that are due, and looks after a request that has waited too long.
    package mutating func tick(at now: Timestamp) -> [Action] {
        while let due = confirmations.first, due <= now {
            confirmations.removeFirst()
            send(ATT.encode(ATT.HandleValueConfirmation()))
        }
        if let requestDeadline, requestDeadline <= now {
            hasFailed = true
            endAll(.timedOut)
        }
        return takeActions()
    }

    /// The connection ended: so does every procedure.
    package mutating func disconnected() -> [Action] {
        confirmations = []
        endAll(.disconnected)
        return takeActions()
    }

    /// The longest PDU of the connection, as the server side of this device has agreed on it.
    package mutating func setMTU(_ mtu: Int) {
        self.mtu = mtu
    }

    private mutating func startNext(at now: Timestamp) {
        while current == nil, var waiting = queue.popFirst() {
            let step = waiting.procedure.begin(with: &self)
            current = waiting
            follow(step, at: now)
        }
    }

    private mutating func answered(_ pdu: [UInt8], at now: Timestamp) {
        // What nobody asked for is passed over.
        guard var waiting = current, requestDeadline != nil else { return }
        requestDeadline = nil
        let step = waiting.procedure.proceed(with: pdu, of: &self)
        current = waiting
        follow(step, at: now)
        startNext(at: now)
    }

    private mutating func follow(_ step: ProcedureStep, at now: Timestamp) {
        switch step {
        case .request(let pdu):
            send(pdu)
            requestDeadline = now + Self.transactionTimeout
        case .finish(let result):
            guard let id = current?.id else { return }
            current = nil
            finish(id, result)
        }
    }

    private mutating func receiveUpdate(_ pdu: [UInt8], at now: Timestamp) {
        var reader = ByteReader(pdu.span)
        switch try? ATT.read(&reader) {
        case let notification as ATT.HandleValueNotification:
            actions.append(.tell(.notified(notification.handle, notification.value)))
        case let notification as ATT.MultipleHandleValueNotification:
            for entry in notification.entries { actions.append(.tell(.notified(entry.handle, entry.value))) }
        case let indication as ATT.HandleValueIndication:
            if confirmationDelay > .zero {
                confirmations.append(now + confirmationDelay)
            } else {
                send(ATT.encode(ATT.HandleValueConfirmation()))
            }
            actions.append(.tell(.indicated(indication.handle, indication.value)))
            noteServiceChanged(indication)
        default: break
        }
    }

    private mutating func noteServiceChanged(_ indication: ATT.HandleValueIndication) {
        let value = indication.value
        guard table.attribute(at: indication.handle)?.type == .serviceChanged, value.count == 4 else { return }
        let start = Handle(UInt16(value[0]) | UInt16(value[1]) << 8)
        let end = Handle(UInt16(value[2]) | UInt16(value[3]) << 8)
        guard start <= end else { return }
        table.forget(start...end)
        databaseHash = nil
        actions.append(.tell(.servicesChanged(start...end)))
    }

    private mutating func endAll(_ failure: Failure) {
        requestDeadline = nil
        if let current { finish(current.id, .failure(failure)) }
        current = nil
        while let waiting = queue.popFirst() { finish(waiting.id, .failure(failure)) }
    }

    mutating func changeMTU(_ mtu: Int) {
        if mtu == self.mtu { return }
        self.mtu = mtu
        actions.append(.tell(.mtuChanged(mtu)))
    }

    private mutating func finish(_ id: UInt64, _ result: Result<Outcome, Failure>) {
        actions.append(.tell(.finished(id: id, result)))
    }

    private mutating func send(_ pdu: [UInt8]) {
        actions.append(.send(pdu))
    }

    private mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
