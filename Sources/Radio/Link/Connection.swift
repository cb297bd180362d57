import Bluetooth
import BluetoothCrypto
import Bytes

/// One end of a connection (Vol 6, Part B, 4.5).
struct Connection: Sendable {
    let handle: ConnectionHandle
    let link: LinkID
    let role: HCI.Role
    /// The peer, by its identity address if known.
    let peer: DeviceAddress
    var timing: LinkTiming
    var channelMap: ChannelMap
    /// RSSI of the last packet received, in dBm.
    var rssi: Int8

    /// Maximum data lengths supported by this end.
    var ownLengths: LL.DataLengths
    /// Effective data lengths of the connection.
    var lengths = LL.DataLengths.minimum
    var phys: (tx: HCI.PHY, rx: HCI.PHY)

    var peerVersion: LL.VersionInd?
    var hasSentVersion = false
    var peerFeatures: LinkLayerFeatures?

    /// The link layer procedure started by this end.
    var procedure: Procedure?
    /// Queued procedures.
    var waiting: [Procedure] = []
    /// Distinguishes the running procedure's timeout from those of earlier ones.
    var procedureSerial: UInt64 = 0
    /// Whether the host must still accept or reject the peer's connection parameters.
    var asksForParameters = false
    var encryption = Encryption()

    /// For each unacknowledged PDU, oldest first: whether it completes a packet of the host.
    var sent = FIFO<Bool>()
    /// PDUs held back until encryption has started.
    var held = FIFO<(pdu: LinkPDU.Content, endsPacket: Bool)>()
    /// Number of packets of the host not yet completed.
    var packets = 0
    /// Reason of the disconnection, once the termination has been sent.
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

/// A link layer procedure requested by the host, or started by the controller itself (Vol 6, Part B, 5.1).
enum Procedure: Sendable {
    case features
    case version
    case dataLength(LL.DataLengths)
    case phys(LL.PHYReq)
    /// Connection update by the central.
    case timing(LinkTiming)
    /// Connection parameters request by the peripheral.
    case parameters(LL.ConnectionParameters)
    case channelMap(ChannelMap)
    case encryption(EncryptionKey)
    case end

    /// Whether both are of the same kind.
    func isSameKind(as other: Procedure) -> Bool {
        switch (self, other) {
        case (.features, .features), (.version, .version), (.dataLength, .dataLength), (.phys, .phys),
            (.timing, .timing), (.parameters, .parameters), (.channelMap, .channelMap), (.encryption, .encryption),
            (.end, .end):
            true
        default: false
        }
    }

    /// Whether the host may request another one before this one is complete. The controller also starts these
    /// procedures itself, and their commands set a preference without requiring a completion event (Vol 4, Part E,
    /// 7.8.19 and 7.8.33).
    var isRepeatable: Bool {
        switch self {
        case .dataLength, .channelMap: true
        default: false
        }
    }
}

extension LL.DataLengths {
    /// Minimum supported by every controller.
    static let minimum = LL.DataLengths(maxRxOctets: 27, maxRxTime: 328, maxTxOctets: 27, maxTxTime: 328)
    /// Maximum of the specification, on any PHY.
    static let maximum = LL.DataLengths(maxRxOctets: 251, maxRxTime: 17040, maxTxOctets: 251, maxTxTime: 17040)
}

extension VirtualController {
    /// Index of the connection with this handle.
    func index(of handle: ConnectionHandle) throws(Refusal) -> Int {
        guard let index = state.connections.firstIndex(where: { $0.handle == handle }) else { throw .unknownConnection }
        return index
    }

    func index(of link: LinkID) -> Int? { state.connections.firstIndex { $0.link == link } }

    /// An unused connection handle, 0x0040 to 0x0EFF.
    private mutating func freeHandle() -> ConnectionHandle {
        repeat {
            state.lastHandle = state.lastHandle >= 0x0EFF ? 0x0040 : state.lastHandle + 1
        } while state.connections.contains { $0.handle.rawValue == state.lastHandle }
        return ConnectionHandle(rawValue: state.lastHandle)
    }

    /// Opens a connection.
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
            [
                "connection_handle": .number(UInt64(connection.handle.rawValue)),
                "channel_selection_algorithm": request.usesAlgorithm2 ? 1 : 0,
            ])
        if lengths.maxTxOctets > 27 { try? begin(.dataLength(lengths), at: state.connections.count - 1) }
    }

    /// A resolvable private address for events; zero for any other address.
    private static func `private`(_ address: DeviceAddress) -> Address {
        address.kind == .random && address.address.randomKind == .resolvablePrivate
            ? address.address : Address(value: 0)
    }

    /// Reports a failed connection attempt.
    mutating func sendConnectionComplete(failure: HCI.ErrorCode, role: HCI.Role) {
        let none = Address(value: 0)
        sendConnectionComplete(
            HCI.LEEnhancedConnectionComplete(
                status: failure, handle: ConnectionHandle(rawValue: 0), role: role, peerType: .publicDevice, peer: none,
                localResolvable: none, peerResolvable: none, interval: 0, latency: 0, supervisionTimeout: 0,
                centralClockAccuracy: 0))
    }

    /// Sends the enhanced event if the host has enabled it, otherwise the plain one (Vol 4, Part E, 7.7.65.1).
    private mutating func sendConnectionComplete(_ event: HCI.LEEnhancedConnectionComplete) {
        if wants(.enhancedConnectionComplete) { return send(event) }
        send(
            HCI.LEConnectionComplete(
                status: event.status, handle: event.handle, role: event.role, peerType: event.peerType,
                peer: event.peer,
                interval: event.interval, latency: event.latency, supervisionTimeout: event.supervisionTimeout,
                centralClockAccuracy: event.centralClockAccuracy))
    }

    /// Ends a connection at this end and reports the reason to the host.
    mutating func end(_ link: LinkID, reason: HCI.ErrorCode) {
        guard let index = index(of: link) else { return }
        let connection = state.connections.remove(at: index)
        state.freeBuffers += connection.packets
        actions.append(.leave(link))
        failOutstanding(of: connection, reason)
        send(HCI.DisconnectionComplete(handle: connection.handle, reason: reason))
    }

    /// Reports the failure of all pending procedures of a connection that has ended.
    private mutating func failOutstanding(of connection: Connection, _ reason: HCI.ErrorCode) {
        for procedure in [connection.procedure].compactMap({ $0 }) + connection.waiting {
            fail(procedure, of: connection, reason)
        }
    }
}
