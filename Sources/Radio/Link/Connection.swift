import Bluetooth
import BluetoothCrypto
import Bytes

/// One end of a connection (Vol 6, Part B, 4.5).
struct Connection: Sendable {
    let handle: ConnectionHandle
    let link: LinkID
    let role: HCI.Role
    /// Who is at the other end, by its identity where that is known.
    let peer: DeviceAddress
    var timing: LinkTiming
    var channelMap: ChannelMap
    /// Strength of what was heard last, in dBm.
    var rssi: Int8

    /// What this end can send and receive at most.
    var ownLengths: LL.DataLengths
    /// What holds for both.
    var lengths = LL.DataLengths.minimum
    var phys: (tx: HCI.PHY, rx: HCI.PHY)

    var peerVersion: LL.VersionInd?
    var hasSentVersion = false
    var peerFeatures: LinkLayerFeatures?

    /// The link layer procedure that this end has begun.
    var procedure: Procedure?
    /// Procedures that wait for it.
    var waiting: [Procedure] = []
    /// Tells the running procedure's time-out from those of earlier ones.
    var procedureSerial: UInt64 = 0
    /// Whether the host was asked for consent to the peer's connection parameters.
    var asksForParameters = false
    var encryption = Encryption()

    /// For each PDU that the peer has not confirmed, the oldest first: whether it ends a packet of the host.
    var sent = FIFO<Bool>()
    /// PDUs that wait until encryption has been started.
    var held = FIFO<(pdu: LinkPDU.Content, endsPacket: Bool)>()
    /// Packets of the host that are not completed.
    var packets = 0
    /// Why the connection is ending, once that is sent.
    var endReason: HCI.ErrorCode?

    init(
        handle: ConnectionHandle, link: LinkID, role: HCI.Role, peer: DeviceAddress, request: ConnectRequest,
        rssi: Int8, ownLengths: LL.DataLengths
    ) {
        self.handle = handle
        self.link = link
        self.role = role
        self.peer = peer
        timing = request.timing
        channelMap = request.channelMap
        self.rssi = rssi
        self.ownLengths = ownLengths
        phys = (request.phy, request.phy)
    }
}

/// A link layer procedure that the host, or the controller for it, has asked for (Vol 6, Part B, 5.1).
enum Procedure: Sendable {
    case features
    case version
    case dataLength(LL.DataLengths)
    case phys(LL.PHYReq)
    /// The central sets a timing.
    case timing(LinkTiming)
    /// The peripheral asks for a timing.
    case parameters(LL.ConnectionParameters)
    case channelMap(ChannelMap)
    case encryption(EncryptionKey)
    case end

    /// Whether both begin the same kind of procedure.
    func isSameKind(as other: Procedure) -> Bool {
        switch (self, other) {
        case (.features, .features), (.version, .version), (.dataLength, .dataLength), (.phys, .phys),
            (.timing, .timing), (.parameters, .parameters), (.channelMap, .channelMap), (.encryption, .encryption),
            (.end, .end):
            true
        default: false
        }
    }

    /// Whether a host may ask for another one before this one is over. The controller begins these on its own too, and
    /// their commands set a preference for which no completion event is owed (Vol 4, Part E, 7.8.19 and 7.8.33).
    var isRepeatable: Bool {
        switch self {
        case .dataLength, .channelMap: true
        default: false
        }
    }
}

extension LL.DataLengths {
    /// What every controller can.
    static let minimum = LL.DataLengths(maxRxOctets: 27, maxRxTime: 328, maxTxOctets: 27, maxTxTime: 328)
    /// What the specification allows at most, on any PHY.
    static let maximum = LL.DataLengths(maxRxOctets: 251, maxRxTime: 17040, maxTxOctets: 251, maxTxTime: 17040)
}

extension VirtualController {
    /// Where a connection with this handle is.
    func index(of handle: ConnectionHandle) throws(Refusal) -> Int {
        guard let index = state.connections.firstIndex(where: { $0.handle == handle }) else { throw .unknownConnection }
        return index
    }

    func index(of link: LinkID) -> Int? { state.connections.firstIndex { $0.link == link } }

    /// A handle that no connection has, 0x0040 to 0x0EFF.
    private mutating func freeHandle() -> ConnectionHandle {
        repeat {
            state.lastHandle = state.lastHandle >= 0x0EFF ? 0x0040 : state.lastHandle + 1
        } while state.connections.contains { $0.handle.rawValue == state.lastHandle }
        return ConnectionHandle(rawValue: state.lastHandle)
    }

    /// A connection begins.
    mutating func open(_ link: LinkID, _ request: ConnectRequest, role: HCI.Role, _ reception: Reception) {
        let address = role == .central ? request.advertiser : request.initiator
        let own = role == .central ? request.initiator : request.advertiser
        let identity = resolved(address)
        var lengths = LL.DataLengths.minimum
        if configuration.features.contains(.dataLength) {
            lengths = .maximum
            lengths.maxTxOctets = state.suggestedDataLength.octets
            lengths.maxTxTime = state.suggestedDataLength.time
        }
        let connection = Connection(
            handle: freeHandle(), link: link, role: role, peer: identity, request: request, rssi: reception.rssi,
            ownLengths: lengths)
        state.connections.append(connection)
        sendConnectionComplete(
            HCI.LEEnhancedConnectionComplete(
                status: .success, handle: connection.handle, role: role,
                peerType: eventType(of: identity, seenAs: address), peer: identity.address,
                localResolvable: Self.private(own),
                peerResolvable: identity == address ? Address(value: 0) : Self.private(address),
                interval: request.timing.interval, latency: request.timing.latency,
                supervisionTimeout: request.timing.timeout,
                centralClockAccuracy: role == .peripheral ? request.clockAccuracy : 0))
        send(
            .channelSelectionAlgorithm,
            ["connection_handle": .number(UInt64(connection.handle.rawValue)), "channel_selection_algorithm": 1])
        if lengths.maxTxOctets > 27 { try? begin(.dataLength(lengths), at: state.connections.count - 1) }
    }

    /// A resolvable private address as events report it; zero for any other.
    private static func `private`(_ address: DeviceAddress) -> Address {
        address.kind == .random && address.address.randomKind == .resolvablePrivate
            ? address.address : Address(value: 0)
    }

    /// No connection came about.
    mutating func sendConnectionComplete(failure: HCI.ErrorCode, role: HCI.Role) {
        let none = Address(value: 0)
        sendConnectionComplete(
            HCI.LEEnhancedConnectionComplete(
                status: failure, handle: ConnectionHandle(rawValue: 0), role: role, peerType: .publicDevice, peer: none,
                localResolvable: none, peerResolvable: none, interval: 0, latency: 0, supervisionTimeout: 0,
                centralClockAccuracy: 0))
    }

    /// The enhanced event if the host wants it, else the plain one (Vol 4, Part E, 7.7.65.1).
    private mutating func sendConnectionComplete(_ event: HCI.LEEnhancedConnectionComplete) {
        if wants(.enhancedConnectionComplete) { return send(event) }
        send(
            HCI.LEConnectionComplete(
                status: event.status, handle: event.handle, role: event.role, peerType: event.peerType,
                peer: event.peer,
                interval: event.interval, latency: event.latency, supervisionTimeout: event.supervisionTimeout,
                centralClockAccuracy: event.centralClockAccuracy))
    }

    /// A connection has ended for this end; the host learns why.
    mutating func end(_ link: LinkID, reason: HCI.ErrorCode) {
        guard let index = index(of: link) else { return }
        let connection = state.connections.remove(at: index)
        state.freeBuffers += connection.packets
        actions.append(.leave(link))
        failOutstanding(of: connection, reason)
        send(HCI.DisconnectionComplete(handle: connection.handle, reason: reason))
    }

    /// What the host still waits for on a connection that has ended gets its event.
    private mutating func failOutstanding(of connection: Connection, _ reason: HCI.ErrorCode) {
        for procedure in [connection.procedure].compactMap({ $0 }) + connection.waiting {
            fail(procedure, of: connection, reason)
        }
    }
}
