package import Bluetooth
package import Bytes

/// ATT and GATT client of one server: runs procedures in sequence, one request at a time (Vol 3, Part F, 3.3.2; Vol 3,
/// Part G, 4).
package struct AttributeClient: Sendable {
    /// An action for the owner to perform, in order.
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        case event(Event)
    }

    /// An event reported to the owner.
    package enum Event: Hashable, Sendable {
        /// A procedure ended; `id` is the identifier passed to `start`.
        case finished(id: UInt64, Result<Outcome, Failure>)
        case notified(Handle, [UInt8])
        /// An indication. The confirmation is already sent or scheduled.
        case indicated(Handle, [UInt8])
        /// The server's attributes in a range have changed and were removed from the table (Vol 3, Part G, 7.1).
        case servicesChanged(ClosedRange<Handle>)
        /// ATT_MTU has changed.
        case mtuChanged(Int)
    }

    /// Result of a procedure.
    package enum Outcome: Hashable, Sendable {
        case mtu(Int)
        case table(GATT.Table)
        case value([UInt8])
        /// Values with their handles.
        case values([ATT.ReadByTypeResponse.Entry])
        case written
        /// The complete response to a raw PDU.
        case response([UInt8])
    }

    /// Why a procedure failed.
    package enum Failure: Error, Hashable, Sendable {
        /// The server returned an error for the attribute at a handle.
        case refused(ATT.ErrorCode, Handle)
        /// No response in 30 s: no more requests are possible on this connection (Vol 3, Part F, 3.3.3).
        case timedOut
        case disconnected
        /// The server's response violates the specification.
        case invalidResponse(String)
        /// Too many procedures are queued.
        case busy
        /// The table has no Client Characteristic Configuration for the value; discover the server first.
        case notConfigurable(Handle)
    }

    /// A queued procedure.
    private struct Waiting: Sendable {
        var id: UInt64
        var procedure: any Procedure
    }

    /// Transaction timeout (Vol 3, Part F, 3.3.3).
    static let transactionTimeout = Duration.seconds(30)
    /// Maximum number of queued procedures.
    private static let capacity = 4096

    /// The server's attributes, as discovered or restored from a bond.
    package var table = GATT.Table()
    /// The server's Database Hash at the time of discovery; nil if it has none.
    package internal(set) var databaseHash: [UInt8]?
    /// Violations found in the responses to the last survey, without duplicates.
    package internal(set) var discoveryFaults: [String] = []
    /// ATT_MTU of the connection.
    package internal(set) var mtu = ATT.defaultMTU
    private var current: Waiting?
    private var queue = FIFO<Waiting>()
    /// Timeout of the outstanding request.
    private var requestDeadline: Timestamp?
    /// Delay before indications are confirmed.
    private let confirmationDelay: Duration
    /// Times of the pending confirmations, in order.
    private var confirmations: [Timestamp] = []
    private var hasFailed = false
    private var actions: [Action] = []

    package init(confirmationDelay: Duration = .zero) {
        self.confirmationDelay = confirmationDelay
    }

    /// Time of the next timeout or confirmation.
    package var deadline: Timestamp? { [requestDeadline, confirmations.first].compactMap(\.self).min() }

    /// Whether no procedure is running.
    package var isIdle: Bool { current == nil }
}

extension AttributeClient {
    /// Starts a procedure, or queues it behind earlier ones.
    package mutating func start(_ operation: Operation, id: UInt64, at now: Timestamp) -> [Action] {
        if hasFailed {
            finish(id, .failure(.timedOut))
        } else if queue.count >= Self.capacity {
            finish(id, .failure(.busy))
        } else if case .writeCommand(let handle, let value) = operation {
            // A command has no response, so it need not be queued.
            send(ATT.encode(ATT.WriteCommand(handle: handle, value: Array(value.prefix(mtu - 3)))))
            finish(id, .success(.written))
        } else {
            queue.append(Waiting(id: id, procedure: operation.procedure))
            startNext(at: now)
        }
        return takeActions()
    }

    /// Handles a PDU from the server: a response, a notification or an indication.
    package mutating func handle(_ pdu: [UInt8], at now: Timestamp) -> [Action] {
        guard let first = pdu.first else { return [] }
        switch ATT.Opcode.table.shape(of: ATT.Opcode(rawValue: first))?.kind {
        case .notification, .indication: receiveUpdate(pdu, at: now)
        case .response: answered(pdu, at: now)
        default: break
        }
        return takeActions()
    }

    /// Sends pending confirmations and handles a request timeout.
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

    /// Ends all procedures after a disconnection.
    package mutating func disconnected() -> [Action] {
        confirmations = []
        endAll(.disconnected)
        return takeActions()
    }

    /// Sets the ATT_MTU negotiated by the server role of this device.
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
        // Unsolicited responses are ignored.
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
            actions.append(.event(.notified(notification.handle, notification.value)))
        case let notification as ATT.MultipleHandleValueNotification:
            for entry in notification.entries { actions.append(.event(.notified(entry.handle, entry.value))) }
        case let indication as ATT.HandleValueIndication:
            if confirmationDelay > .zero {
                confirmations.append(now + confirmationDelay)
            } else {
                send(ATT.encode(ATT.HandleValueConfirmation()))
            }
            actions.append(.event(.indicated(indication.handle, indication.value)))
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
        actions.append(.event(.servicesChanged(start...end)))
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
        actions.append(.event(.mtuChanged(mtu)))
    }

    private mutating func finish(_ id: UInt64, _ result: Result<Outcome, Failure>) {
        actions.append(.event(.finished(id: id, result)))
    }

    private mutating func send(_ pdu: [UInt8]) {
        actions.append(.send(pdu))
    }

    private mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
