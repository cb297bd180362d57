package import Bluetooth
package import BluetoothCrypto
package import Bytes

/// A Bluetooth LE host: peripheral and central on one controller, with any number of connections.
///
/// The inputs are packets, requests and the passing of time; the outputs are packets and events, which the owner
/// performs. The host never waits or reads a clock, and takes random numbers only from its `RandomSource`.
package struct Host: Sendable {
    /// An input of the host.
    package enum Input: Hashable, Sendable {
        /// A packet from the controller, beginning with its packet indicator (Vol 4, Part A, 2).
        case packet([UInt8])
        case request(Request)
        /// Time has passed; required when `deadline` is reached.
        case time
    }

    /// An output of the host, in order.
    package enum Action: Hashable, Sendable {
        /// A packet to the controller, beginning with its packet indicator.
        case send([UInt8])
        case event(Event)
    }

    /// State of the controller.
    enum Stage: Hashable, Sendable {
        case off, starting, ready, failed
    }

    package let configuration: Configuration
    package internal(set) var controller = ControllerInformation()
    var stage = Stage.off
    var commands = CommandQueue<Purpose>()
    var data = DataQueue(packetLength: 27, packetCount: 1)
    package internal(set) var server: AttributeServer
    package internal(set) var bonds: BondStore
    var links: [ConnectionHandle: Link] = [:]
    var advertiser = Advertiser()
    var scanner = Scanner()
    var initiator = Initiator()
    /// Static random address, used as identity address.
    var staticAddress: Address?
    /// Generated identity key, if the configuration has none.
    var drawnIdentityKey: SecretKey?
    /// Random address currently in use by the controller.
    var randomAddress: Address?
    /// Time of the next private address change.
    var addressDeadline: Timestamp?
    var random: RandomSource
    var actions: [Action] = []

    package init(
        _ configuration: Configuration = Configuration(), database: AttributeDatabase = AttributeDatabase(),
        bonds: BondStore = BondStore(), random: RandomSource = .system
    ) {
        self.configuration = configuration
        self.random = random
        self.bonds = bonds
        server = AttributeServer(database, limits: configuration.serverLimits)
        for bond in bonds.all { server.remember(bond.client, of: bond.peer) }
    }

    /// Handles an input; returns the actions to perform.
    package mutating func handle(_ input: Input, at now: Timestamp) -> [Action] {
        switch input {
        case .packet(let packet): receive(packet, at: now)
        case .request(let request): perform(request, at: now)
        case .time: expire(at: now)
        }
        flush(at: now)
        defer { actions = [] }
        return actions
    }

    /// Time at which the host needs the next `time` input; nil if there is none.
    package var deadline: Timestamp? {
        ([commands.deadline, server.deadline, initiator.deadline, addressDeadline] + links.values.map(\.deadline))
            .compactMap { $0 }.min()
    }

    private mutating func expire(at now: Timestamp) {
        if let purpose = commands.expire(at: now) { answered(purpose, .none, at: now) }
        if commands.silence >= Self.toleratedSilence { giveUp(.controllerSilent) }
        perform(server.tick(at: now))
        for handle in connections {
            if let actions = links[handle]?.client.tick(at: now) { perform(actions, of: handle) }
            if let actions = links[handle]?.signaling.tick(at: now) { perform(actions, of: handle) }
            if let actions = links[handle]?.pairing.tick(at: now) { perform(actions, of: handle, at: now) }
        }
        if let deadline = initiator.deadline, deadline <= now { cancelConnecting() }
        if let deadline = addressDeadline, deadline <= now { changePrivateAddress(at: now) }
    }

    /// Number of consecutive commands without an answer, or not accepted, after which the controller is considered
    /// lost.
    static let toleratedSilence = 4

    /// Handles a fatal failure of the controller.
    mutating func giveUp(_ failure: ControllerFailure) {
        if stage == .failed { return }
        stage = .failed
        commands.clear()
        for handle in connections { drop(handle, reason: .connectionTimeout) }
        forgetRadioState()
        report(.failed(failure))
    }

    /// Clears the state that a reset of the controller discards.
    mutating func forgetRadioState() {
        advertiser = Advertiser()
        scanner = Scanner()
        initiator = Initiator()
        randomAddress = nil
        addressDeadline = nil
    }

    /// Sends the commands and data that the controller accepts now.
    private mutating func flush(at now: Timestamp) {
        if stage == .failed || stage == .off { return }
        while let packet = commands.takeSendable(at: now) { actions.append(.send(packet)) }
        for packet in data.takeSendable() { actions.append(.send(packet)) }
    }

    mutating func report(_ event: Event) {
        actions.append(.event(event))
    }
}

// MARK: - State

extension Host {
    /// Handles of all connections, in ascending order.
    package var connections: [ConnectionHandle] { links.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Whether the controller is ready.
    package var isReady: Bool { stage == .ready }

    /// Number of ACL data packets of a connection waiting for a controller buffer. An owner that sends a lot should do
    /// so only while this is small.
    package func queuedPackets(of connection: ConnectionHandle) -> Int { data.count(of: connection) }

    /// The client of a connection, with the known attributes of the peer.
    package func client(of connection: ConnectionHandle) -> AttributeClient? { links[connection]?.client }

    /// The current security of a connection.
    package func security(of connection: ConnectionHandle) -> LinkSecurity? { links[connection]?.security }

    /// Whether pairing is in progress, including key distribution.
    package func isPairing(_ connection: ConnectionHandle) -> Bool { links[connection]?.pairing.isActive == true }
}

extension Host {
    /// Identity and automatic behaviour of a host.
    package struct Configuration: Hashable, Sendable {
        /// Type of address used on the air.
        package enum Addressing: Hashable, Sendable {
            case `public`
            /// A static random address; generated if nil.
            case random(Address?)
            /// A resolvable private address that changes periodically; the identity is the static random address.
            case resolvablePrivate(Address?)
        }

        package var addressing = Addressing.random(nil)
        /// Identity resolving key, which generates this device's private addresses and is distributed to bonded peers.
        /// Generated if nil.
        package var identityKey: SecretKey?
        /// Lifetime of a private address (Vol 3, Part C, Appendix A recommends 15 minutes).
        package var privateAddressLifetime = Duration.seconds(900)
        package var pairing = PairingSettings()
        package var serverLimits = AttributeServer.Limits()
        /// ATT_MTU that the client requests after connecting; nil for no automatic request.
        package var clientMTU: UInt16? = 517
        /// Delay before the client confirms an indication; exposes servers that do not wait for the confirmation.
        package var confirmationDelay = Duration.zero
        /// Whether a central requests the maximum data length after connecting, if the controller supports it.
        package var usesLongPackets = true
        /// Whether to use the extended commands if the controller supports all of them.
        package var usesExtendedAdvertising = true
        /// Whether a central accepts timing changes requested by peripherals.
        package var acceptsTimings = true

        package init() {}
    }
}
