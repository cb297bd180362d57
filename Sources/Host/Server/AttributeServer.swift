package import Bluetooth
package import Bytes

/// The server of the Attribute Protocol: one database, any number of clients (Vol 3, Part F; Vol 3, Part G).
///
/// It answers by itself from the values that it keeps. Of an attribute of kind `asked` it asks its owner, who answers
/// by `answer`; until then the request stays open, which delays nobody but its client.
package struct AttributeServer: Sendable {
    /// How long a PDU the server takes, and how much it keeps for a client.
    package struct Limits: Hashable, Sendable {
        /// ATT_MTU that the server offers, 23 to 517.
        package var mtu: UInt16 = 517
        /// Parts of a long write.
        package var preparedParts = 128
        /// Bytes of all parts of a long write.
        package var preparedBytes = 4096
        /// Indications that wait for the client to confirm an earlier one.
        package var waitingIndications = 256

        package init() {}
    }

    /// What is to be done, in order.
    package enum Action: Hashable, Sendable {
        case send([UInt8], to: ConnectionHandle)
        case tell(Event)
    }

    /// What the owner may want to know.
    package enum Event: Hashable, Sendable {
        /// The owner has to answer.
        case asked(PendingRequest)
        /// A client wrote a value.
        case written(Handle, [UInt8], by: ConnectionHandle, WriteKind)
        /// A client changed its subscription to the value at this handle.
        case subscribed(Handle, Subscription, by: ConnectionHandle)
        /// A client confirmed the indication of this value.
        case confirmed(Handle, by: ConnectionHandle)
        /// The longest PDU on this connection has changed.
        case mtuChanged(Int, ConnectionHandle)
        /// A client did not confirm an indication in 30 s: nothing more may be sent (Vol 3, Part F, 3.3.3).
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

    /// A transaction that takes longer has failed (Vol 3, Part F, 3.3.3).
    static let transactionTimeout = Duration.seconds(30)

    package internal(set) var database: AttributeDatabase
    package internal(set) var limits: Limits
    var bearers: [ConnectionHandle: Bearer] = [:]
    /// What is kept of bonded clients that are not connected, by identity address.
    package internal(set) var bondedClients: [DeviceAddress: ClientState] = [:]
    /// Errors with which the next requests are refused, whatever they ask for: a fault of an emulated device.
    private var refusals: [(handle: Handle?, code: ATT.ErrorCode, count: Int)] = []
    var nextTicket: UInt64 = 1
    var actions: [Action] = []

    package init(_ database: AttributeDatabase, limits: Limits = Limits()) {
        self.database = database
        self.limits = limits
    }

    /// Takes a PDU that a client has sent: a request, a command or a confirmation.
    package mutating func handle(
        _ pdu: [UInt8], from connection: ConnectionHandle, at now: Timestamp
    ) -> [Action] {
        if bearers[connection] != nil { receive(pdu, from: connection, at: now) }
        return takeActions()
    }

    /// Refuses the next reads and writes of a value, or of all attributes.
    package mutating func refuse(_ handle: Handle?, _ code: ATT.ErrorCode, count: Int) {
        refusals.append((handle, code, count))
    }

    /// The error of `refuse` for a request, of which one use is gone.
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

    /// When `tick` has to be called.
    package var deadline: Timestamp? { bearers.values.compactMap(\.confirmationDeadline).min() }

    /// Looks after what has waited too long.
    package mutating func tick(at now: Timestamp) -> [Action] {
        for (connection, bearer) in bearers {
            guard let deadline = bearer.confirmationDeadline, deadline <= now else { continue }
            bearers[connection]?.fail()
            actions.append(.tell(.indicationTimedOut(connection)))
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
    /// A connection was made; its client is unknown until `identify`.
    package mutating func connect(_ connection: ConnectionHandle) {
        bearers[connection] = Bearer()
    }

    /// A connection ended. What its client had queued is forgotten, what a bonded client had set is kept.
    package mutating func disconnect(_ connection: ConnectionHandle) {
        guard let bearer = bearers.removeValue(forKey: connection), let identity = bearer.identity else { return }
        bondedClients[identity] = bearer.client
    }

    /// The connection is encrypted with the key of a bond: its client is this one. A new bond begins with what the client
    /// has set on this connection; with an earlier one, that is added to what was kept.
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

    /// Keeps what a bonded client had set, as it was stored with the bond.
    package mutating func remember(_ client: ClientState, of identity: DeviceAddress) {
        bondedClients[identity] = client
    }

    /// Forgets a client whose bond is deleted.
    package mutating func forget(_ identity: DeviceAddress) {
        bondedClients[identity] = nil
        for (connection, bearer) in bearers where bearer.identity == identity { bearers[connection]?.identity = nil }
    }

    /// What is kept of a bonded client, whether or not it is connected.
    package func client(_ identity: DeviceAddress) -> ClientState? {
        bearers.values.first { $0.identity == identity }?.client ?? bondedClients[identity]
    }

    /// The connection's protection has changed.
    package mutating func setSecurity(_ security: LinkSecurity, of connection: ConnectionHandle) {
        bearers[connection]?.security = security
    }

    /// Whether a client has exchanged the MTU.
    package func hasExchangedMTU(with connection: ConnectionHandle) -> Bool {
        bearers[connection]?.hasExchangedMTU ?? false
    }

    /// The longest PDU of a connection, as the client side of this device has agreed on it.
    package mutating func setMTU(_ mtu: Int, of connection: ConnectionHandle) {
        bearers[connection]?.mtu = mtu
    }

    /// A client's subscription to the value at a handle.
    package func subscription(of connection: ConnectionHandle, to handle: Handle) -> Subscription {
        guard let descriptor = configurationHandle(of: handle), let bearer = bearers[connection] else { return [] }
        return Subscription(rawValue: bearer.client.configurations[descriptor] ?? 0)
    }

    /// Handle of the Client Characteristic Configuration that belongs to the value at `handle`.
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

/// The side of a connection where the client's PDUs come in.
struct Bearer: Sendable {
    /// Of a bonded client, once the connection is encrypted.
    var identity: DeviceAddress?
    var security = LinkSecurity()
    var mtu = ATT.defaultMTU
    /// Whether the client has exchanged its MTU; it may do so once.
    var hasExchangedMTU = false
    var client = ClientState()
    /// Client Characteristic Configurations that were written on this connection.
    var configured: Set<Handle> = []
    /// The request that is being answered.
    var transaction: AttributeServer.Transaction?
    /// Parts of long writes, in the order in which they came.
    var prepared: [ATT.PrepareWriteRequest] = []
    /// The indication that the client has not confirmed.
    var unconfirmed: ATT.HandleValueIndication?
    /// When an unconfirmed indication has failed.
    var confirmationDeadline: Timestamp?
    var waiting: [ATT.HandleValueIndication] = []
    /// Whether Service Changed with all of the client's `changes` is sent or waits, and is not confirmed.
    var isIndicatingChanges = false
    /// An indication has failed: nothing is sent or answered any more.
    var hasFailed = false
    /// What a client that does not know the database was told or has read since (Vol 3, Part G, 2.5.2.1).
    var hasBeenWarned = false

    /// Nothing more is sent or answered.
    mutating func fail() {
        hasFailed = true
        confirmationDeadline = nil
        waiting = []
        unconfirmed = nil
        transaction = nil
    }
}
