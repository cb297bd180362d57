package import Bluetooth
package import Bytes

/// ATT server: one database, any number of clients (Vol 3, Part F; Vol 3, Part G).
///
/// The server responds directly from its stored values. For attributes of kind `asked`, it asks its owner, who responds
/// with `answer`; until then the request stays pending, which delays only its client.
package struct AttributeServer: Sendable {
    /// ATT_MTU and per-client limits.
    package struct Limits: Hashable, Sendable {
        /// ATT_MTU that the server offers, 23 to 517.
        package var mtu: UInt16 = 517
        /// Maximum number of parts of a long write.
        package var preparedParts = 128
        /// Maximum total size of the parts of a long write, in bytes.
        package var preparedBytes = 4096
        /// Maximum number of indications queued behind an unconfirmed one.
        package var waitingIndications = 256

        package init() {}
    }

    /// An action for the owner to perform, in order.
    package enum Action: Hashable, Sendable {
        case send([UInt8], to: ConnectionHandle)
        case event(Event)
    }

    /// An event reported to the owner.
    package enum Event: Hashable, Sendable {
        /// A request that the owner must answer.
        case asked(PendingRequest)
        /// A client wrote a value.
        case written(Handle, [UInt8], by: ConnectionHandle, WriteKind)
        /// A client changed its subscription to the value at this handle.
        case subscribed(Handle, Subscription, by: ConnectionHandle)
        /// A client confirmed the indication of this value.
        case confirmed(Handle, by: ConnectionHandle)
        /// ATT_MTU of a connection has changed.
        case mtuChanged(Int, ConnectionHandle)
        /// A client did not confirm an indication within 30 s: nothing more may be sent (Vol 3, Part F, 3.3.3).
        case indicationTimedOut(ConnectionHandle)
    }

    /// How a value was written.
    package enum WriteKind: Hashable, Sendable {
        case request, command, long
    }

    /// A client's subscription (Vol 3, Part G, 3.3.3.3).
    package struct Subscription: OptionSet, Hashable, Sendable {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package static let notifications = Self(rawValue: 0x0001)
        package static let indications = Self(rawValue: 0x0002)
    }

    /// Transaction timeout (Vol 3, Part F, 3.3.3).
    static let transactionTimeout = Duration.seconds(30)

    package internal(set) var database: AttributeDatabase
    package internal(set) var limits: Limits
    var bearers: [ConnectionHandle: Bearer] = [:]
    /// State of bonded clients that are not connected, by identity address.
    package internal(set) var bondedClients: [DeviceAddress: ClientState] = [:]
    /// Errors for the next requests, regardless of their content: a fault of an emulated device.
    private var refusals: [(handle: Handle?, code: ATT.ErrorCode, count: Int)] = []
    var nextTicket: UInt64 = 1
    var actions: [Action] = []

    package init(_ database: AttributeDatabase, limits: Limits = Limits()) {
        self.database = database
        self.limits = limits
    }

    /// Handles a PDU from a client: a request, a command or a confirmation.
    package mutating func handle(
        _ pdu: [UInt8], from connection: ConnectionHandle, at now: Timestamp
    ) -> [Action] {
        if bearers[connection] != nil { receive(pdu, from: connection, at: now) }
        return takeActions()
    }

    /// Rejects the next `count` reads and writes of a value, or of all attributes if `handle` is nil.
    package mutating func refuse(_ handle: Handle?, _ code: ATT.ErrorCode, count: Int) {
        refusals.append((handle, code, count))
    }

    /// The error set by `refuse` for a request; consumes one use.
    mutating func takeRefusal(of request: any ATT.PDU) -> (handle: Handle, code: ATT.ErrorCode)? {
        let handle: Handle
        switch request {
        case let request as ATT.ReadRequest: handle = request.handle
        case let request as ATT.ReadBlobRequest: handle = request.handle
        case let request as ATT.WriteRequest: handle = request.handle
        case let request as ATT.PrepareWriteRequest: handle = request.handle
        default: return nil
        }
        guard let index = refusals.firstIndex(where: { $0.handle == nil || $0.handle == handle }) else { return nil }
        defer {
            refusals[index].count -= 1
            if refusals[index].count == 0 { refusals.remove(at: index) }
        }
        return (handle, refusals[index].code)
    }

    /// Time at which `tick` must be called.
    package var deadline: Timestamp? { bearers.values.compactMap(\.confirmationDeadline).min() }

    /// Handles confirmation timeouts.
    package mutating func tick(at now: Timestamp) -> [Action] {
        for (connection, bearer) in bearers {
            guard let deadline = bearer.confirmationDeadline, deadline <= now else { continue }
            bearers[connection]?.fail()
            actions.append(.event(.indicationTimedOut(connection)))
        }
        return takeActions()
    }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}

// MARK: - Connections

extension AttributeServer {
    /// Adds a connection; its client is unknown until `identify`.
    package mutating func connect(_ connection: ConnectionHandle) {
        bearers[connection] = Bearer()
    }

    /// Removes a connection. Queued writes are discarded; the state of a bonded client is kept.
    package mutating func disconnect(_ connection: ConnectionHandle) {
        guard let bearer = bearers.removeValue(forKey: connection), let identity = bearer.identity else { return }
        bondedClients[identity] = bearer.client
    }

    /// Associates an encrypted connection with a bonded client. A new bond starts with the state set on this
    /// connection; for an existing bond, that state is merged into the stored one.
    package mutating func identify(
        _ connection: ConnectionHandle, as identity: DeviceAddress, isNewBond: Bool = false, at now: Timestamp
    ) -> [Action] {
        guard var bearer = bearers[connection] else { return [] }
        if bearer.identity != identity {
            bearer.identity = identity
            if !isNewBond, var kept = bondedClients[identity] {
                kept.update(with: bearer.client, configured: bearer.configured)
                bearer.client = kept
                bearer.isIndicatingChanges = false
            }
            bearers[connection] = bearer
        }
        indicateChanges(to: connection, at: now)
        return takeActions()
    }

    /// Restores a bonded client's state, as stored with the bond.
    package mutating func remember(_ client: ClientState, of identity: DeviceAddress) {
        bondedClients[identity] = client
    }

    /// Removes the state of a client whose bond was deleted.
    package mutating func forget(_ identity: DeviceAddress) {
        bondedClients[identity] = nil
        for (connection, bearer) in bearers where bearer.identity == identity { bearers[connection]?.identity = nil }
    }

    /// The state of a bonded client, connected or not.
    package func client(_ identity: DeviceAddress) -> ClientState? {
        bearers.values.first { $0.identity == identity }?.client ?? bondedClients[identity]
    }

    /// Updates the security of a connection.
    package mutating func setSecurity(_ security: LinkSecurity, of connection: ConnectionHandle) {
        bearers[connection]?.security = security
    }

    /// Whether a client has exchanged the MTU.
    package func hasExchangedMTU(with connection: ConnectionHandle) -> Bool {
        bearers[connection]?.hasExchangedMTU ?? false
    }

    /// Sets the ATT_MTU negotiated by the client role of this device.
    package mutating func setMTU(_ mtu: Int, of connection: ConnectionHandle) {
        bearers[connection]?.mtu = mtu
    }

    /// A client's subscription to the value at a handle.
    package func subscription(of connection: ConnectionHandle, to handle: Handle) -> Subscription {
        guard let descriptor = configurationHandle(of: handle), let bearer = bearers[connection] else { return [] }
        return Subscription(rawValue: bearer.client.configurations[descriptor] ?? 0)
    }

    /// Handle of the Client Characteristic Configuration for the value at `handle`.
    func configurationHandle(of handle: Handle) -> Handle? {
        for attribute in database[handle.next...Handle(.max)] {
            switch attribute.type {
            case .clientCharacteristicConfiguration: return attribute.handle
            case .primaryService, .secondaryService, .characteristic, .include: return nil
            default: continue
            }
        }
        return nil
    }

    /// Handle of the value that a descriptor belongs to.
    func valueHandle(ofDescriptor handle: Handle) -> Handle? {
        let declaration = database[Handle(1)...handle].last { $0.type == .characteristic }
        return declaration.flatMap { try? GATT.CharacteristicDeclaration(decoding: $0.value) }?.valueHandle
    }
}

/// Server-side state of a connection.
struct Bearer: Sendable {
    /// Identity of a bonded client, once the connection is encrypted.
    var identity: DeviceAddress?
    var security = LinkSecurity()
    var mtu = ATT.defaultMTU
    /// Whether the client has exchanged its MTU, which is allowed once.
    var hasExchangedMTU = false
    var client = ClientState()
    /// Client Characteristic Configurations written on this connection.
    var configured: Set<Handle> = []
    /// The request in progress.
    var transaction: AttributeServer.Transaction?
    /// Parts of long writes, in order of arrival.
    var prepared: [ATT.PrepareWriteRequest] = []
    /// The unconfirmed indication.
    var unconfirmed: ATT.HandleValueIndication?
    /// Timeout of the unconfirmed indication.
    var confirmationDeadline: Timestamp?
    var waiting: [ATT.HandleValueIndication] = []
    /// Whether Service Changed with all of the client's `changes` is sent or queued, but not confirmed.
    var isIndicatingChanges = false
    /// An indication timed out: nothing more is sent or answered.
    var hasFailed = false
    /// Whether a change-unaware client has received Database Out Of Sync or read the Database Hash; its next request
    /// makes it change-aware (Vol 3, Part G, 2.5.2.1).
    var hasBeenWarned = false

    /// Marks the bearer as failed: nothing more is sent or answered.
    mutating func fail() {
        hasFailed = true
        confirmationDeadline = nil
        waiting = []
        unconfirmed = nil
        transaction = nil
    }
}
