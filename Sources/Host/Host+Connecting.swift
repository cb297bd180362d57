package import Bluetooth
import Bytes

extension Host {
    /// Parameters of a connection that a central initiates.
    package struct ConnectSettings: Hashable, Sendable {
        package var peer: DeviceAddress
        package var timing: HCI.ConnectionTiming
        /// 4 to 0x4000, in units of 0.625 ms.
        package var scanInterval: UInt16 = 0x60
        /// 4 to the interval, in units of 0.625 ms.
        package var scanWindow: UInt16 = 0x60
        /// Timeout for connecting; nil for none.
        package var timeout: Duration? = .seconds(30)

        package init(
            _ peer: DeviceAddress,
            timing: HCI.ConnectionTiming = HCI.ConnectionTiming(
                intervalMin: 24, intervalMax: 40, supervisionTimeout: 500)
        ) {
            self.peer = peer
            self.timing = timing
        }
    }
}

/// State of connecting.
struct Initiator: Sendable {
    var isOn = false
    /// Time at which connecting is cancelled.
    var deadline: Timestamp?
}

extension Host {
    mutating func connect(_ settings: ConnectSettings, at now: Timestamp) {
        if initiator.isOn { return report(.refused(.connecting)) }
        initiator.isOn = true
        initiator.deadline = settings.timeout.map { now + $0 }
        let peerType = HCI.AddressType(rawValue: settings.peer.kind.rawValue)
        guard usesExtended else {
            return command(
                HCI.LECreateConnection(
                    scanInterval: settings.scanInterval, scanWindow: settings.scanWindow, peerType: peerType,
                    peer: settings.peer.address, ownType: ownAddressType, timing: settings.timing), for: .connect)
        }
        command(
            HCI.LEExtendedCreateConnection(
                scanInterval: settings.scanInterval, scanWindow: settings.scanWindow, peerType: peerType,
                peer: settings.peer.address, ownType: ownAddressType, timing: settings.timing), for: .connect)
    }

    /// Cancels connecting; the controller reports the end with LE Connection Complete.
    mutating func cancelConnecting() {
        initiator.deadline = nil
        guard initiator.isOn else { return }
        command(HCI.LECreateConnectionCancel(), for: .cancelConnecting)
    }

    mutating func connectionFailed(_ status: HCI.ErrorCode) {
        guard initiator.isOn else { return }
        initiator = Initiator()
        report(.connectionFailed(status))
    }

    mutating func connected(
        _ event: HCI.LEEnhancedConnectionComplete, at now: Timestamp
    ) {
        guard event.status == .success else {
            // Directed advertising that times out is reported in the same way.
            if event.role == .peripheral || event.status == .advertisingTimeout { return advertisingEnded() }
            // The controller reports a cancelled connection as Unknown Connection Identifier.
            let isCancelled = event.status == .unknownConnectionIdentifier
            return connectionFailed(isCancelled ? .operationCancelledByHost : event.status)
        }
        guard let kind = event.peerType.kind, links.count < Self.maximumConnections else { return }
        if event.role == .central { initiator = Initiator() } else { advertisingEnded() }
        if links[event.handle] != nil { drop(event.handle, reason: .unspecified) }
        let peer = DeviceAddress(event.peer, kind)
        let own = event.localResolvable.value == 0 ? ownAddress : DeviceAddress(event.localResolvable, .random)
        let bond = bonds.bond(at: peer)
        let connection = Connection(
            role: event.role, peer: peer, identity: bond?.peer,
            timing: Connection.Timing(
                interval: event.interval, latency: event.latency, supervisionTimeout: event.supervisionTimeout))
        let parties = Pairing.Parties(
            isInitiator: event.role == .central, own: own,
            peer: event.peerResolvable.value == 0 ? peer : DeviceAddress(event.peerResolvable, .random),
            ownIdentity: identityAddress, ownIdentityKey: ownIdentityKey())
        var link = Link(
            connection: connection, client: AttributeClient(confirmationDelay: configuration.confirmationDelay),
            signaling: SignalingChannel(role: event.role),
            pairing: Pairing(parties, settings: configuration.pairing))
        link.signaling.acceptsUpdates = configuration.acceptsTimings
        link.security.hasKey = bond?.key(asCentral: event.role == .central) != nil
        if let bond {
            link.client.table = bond.table
            link.client.databaseHash = bond.databaseHash
        }
        links[event.handle] = link
        server.connect(event.handle)
        server.setSecurity(link.security, of: event.handle)
        report(.connected(event.handle, connection))
        if event.role == .central { prepare(event.handle, at: now) }
    }

    /// Maximum number of connections: the number of connection handles.
    private static let maximumConnections = 0x0F00

    /// Sets up a new connection automatically: data length and ATT_MTU.
    private mutating func prepare(_ handle: ConnectionHandle, at now: Timestamp) {
        if configuration.usesLongPackets, controller.supports(.setDataLength) {
            command(HCI.LESetDataLength(handle: handle, txOctets: 251, txTime: 2120))
        }
        if let mtu = configuration.clientMTU {
            start(.exchangeMTU(mtu), id: Self.ownProcedure, on: handle, at: now)
        }
    }

    mutating func disconnected(_ event: HCI.DisconnectionComplete) {
        guard event.status == .success, links[event.handle] != nil else { return }
        drop(event.handle, reason: event.reason)
        resumeAdvertising()
    }

    /// Ends all activity on a connection.
    mutating func drop(_ handle: ConnectionHandle, reason: HCI.ErrorCode) {
        guard var link = links[handle] else { return }
        perform(link.client.disconnected(), of: handle)
        for action in link.pairing.disconnected() {
            if case .failed(let failure) = action { report(.pairingFailed(handle, failure)) }
        }
        keepClient(of: handle)
        server.disconnect(handle)
        data.remove(handle)
        links[handle] = nil
        report(.disconnected(handle, reason))
    }
}

// MARK: - Changes of a connection

extension Host {
    mutating func changeTiming(
        of handle: ConnectionHandle, to timing: HCI.ConnectionTiming, at now: Timestamp
    ) {
        guard let link = links[handle] else { return }
        guard timing.isValid else { return report(.timingRefused(handle)) }
        if link.connection.role == .central {
            command(HCI.LEConnectionUpdate(handle: handle, timing: timing), for: .timing(handle))
        } else if let actions = links[handle]?.signaling.requestUpdate(timing, at: now) {
            perform(actions, of: handle)
        }
    }

    mutating func changePHY(of handle: ConnectionHandle, tx: UInt8, rx: UInt8) {
        guard controller.supports(.setPHY) else { return report(.refused(.unsupported)) }
        command(HCI.LESetPHY(handle: handle, tx: tx, rx: rx))
    }

    mutating func changeDataLength(of handle: ConnectionHandle, octets: UInt16) {
        guard controller.supports(.setDataLength) else { return report(.refused(.unsupported)) }
        let octets = min(max(octets, 27), 251)
        // LE 1M: preamble, access address, header, MIC and CRC take 14 bytes of 8 µs each (Vol 6, Part B, 4.5.10).
        command(HCI.LESetDataLength(handle: handle, txOctets: octets, txTime: (octets + 14) * 8))
    }

    mutating func timingChanged(_ event: HCI.LEConnectionUpdateComplete) {
        guard links[event.handle] != nil else { return }
        guard event.status == .success else { return report(.timingRefused(event.handle)) }
        let timing = Connection.Timing(
            interval: event.interval, latency: event.latency, supervisionTimeout: event.supervisionTimeout)
        links[event.handle]?.connection.timing = timing
        report(.timingChanged(event.handle, timing))
    }
}
