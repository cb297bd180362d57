package import Bluetooth
package import BluetoothCrypto
package import Bytes

/// A Bluetooth LE host: peripheral and central over one controller, any number of connections.
///
/// Packets, requests and the passing of time go in, packets and events come out; the owner performs them. Nothing in
/// here waits, reads a clock or draws a random number of its own.
package struct Host: Sendable {
    /// What goes in.
    package enum Input: Hashable, Sendable {
        /// A packet of the controller, its packet indicator first (Vol 4, Part A, 2).
        case packet([UInt8])
        case request(Request)
        /// Time has passed; due when `deadline` is reached.
        case time
    }

    /// What comes out, in order.
    package enum Action: Hashable, Sendable {
        /// A packet to the controller, its packet indicator first.
        case send([UInt8])
        case tell(Event)
    }

    /// Where the controller stands.
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
    /// The random address that is this device's identity.
    var staticAddress: Address?
    /// The identity key, where the configuration gives none.
    var drawnIdentityKey: SecretKey?
    /// The random address that the controller uses now.
    var randomAddress: Address?
    /// When the private address is to be changed.
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

    /// When the host needs the next `time` input; nil when nothing waits for it.
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

    /// Commands in a row that are not answered, or not taken, after which the controller counts as gone.
    static let toleratedSilence = 4

    /// The controller is of no use any more.
    mutating func giveUp(_ failure: ControllerFailure) {
        if stage == .failed { return }
        stage = .failed
        commands.clear()
        for handle in connections { drop(handle, reason: .connectionTimeout) }
        forgetRadioState()
        report(.failed(failure))
    }

    /// What a reset undoes.
    mutating func forgetRadioState() {
        advertiser = Advertiser()
        scanner = Scanner()
        initiator = Initiator()
        randomAddress = nil
        addressDeadline = nil
    }

    /// Sends what the controller takes now.
    private mutating func flush(at now: Timestamp) {
        if stage == .failed || stage == .off { return }
        while let packet = commands.takeSendable(at: now) { actions.append(.send(packet)) }
        for packet in data.takeSendable() { actions.append(.send(packet)) }
    }

    mutating func report(_ event: Event) {
        actions.append(.tell(event))
    }
}

// MARK: - Looking at it

extension Host {
    /// The connections that there are, in the order of their handles.
    package var connections: [ConnectionHandle] { links.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Whether the controller is up.
    package var isReady: Bool { stage == .ready }

    /// ACL data packets of a connection that wait for a buffer of the controller. An owner that sends much does so only
    /// while this is small.
    package func queuedPackets(of connection: ConnectionHandle) -> Int { data.count(of: connection) }

    /// What is known of a peer's attributes.
    package func client(of connection: ConnectionHandle) -> AttributeClient? { links[connection]?.client }

    /// What protects a connection now.
    package func security(of connection: ConnectionHandle) -> LinkSecurity? { links[connection]?.security }

    /// Whether pairing has begun and its keys are not all distributed.
    package func isPairing(_ connection: ConnectionHandle) -> Bool { links[connection]?.pairing.isActive == true }
}

extension Host {
    /// How a host presents itself and what it does without being asked.
    package struct Configuration: Hashable, Sendable {
        /// Which address the device uses on the air.
        package enum Addressing: Hashable, Sendable {
            case `public`
            /// A static random address; one is drawn where none is given.
            case random(Address?)
            /// A resolvable private address that changes; the identity is the static random address.
            case resolvablePrivate(Address?)
        }

        package var addressing = Addressing.random(nil)
        /// Makes this device's private addresses; handed out to bonded peers. Drawn where none is given.
        package var identityKey: SecretKey?
        /// How long a private address is used (Vol 3, Part C, Appendix A recommends 15 minutes).
        package var privateAddressLifetime = Duration.seconds(900)
        package var pairing = PairingSettings()
        package var serverLimits = AttributeServer.Limits()
        /// ATT_MTU that the client asks for as soon as it is connected; nil: it does not ask by itself.
        package var clientMTU: UInt16? = 517
        /// How long the client waits before it confirms an indication: it shows servers that do not wait for the confirmation.
        package var confirmationDelay = Duration.zero
        /// Whether a central asks for long packets as soon as it is connected, if the controller can.
        package var usesLongPackets = true
        /// Whether the extended commands are used where the controller has all of them.
        package var usesExtendedAdvertising = true
        /// Whether a central grants other timings to peripherals.
        package var acceptsTimings = true

        package init() {}
    }
}
