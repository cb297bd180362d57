package import Bluetooth
import Bytes
import Host
import PluginKit
import Profile

/// A client of one device: the logic of an app, and what it asks of the device one thing after the other. It has no host of
/// its own: `steps` are what its owner does.
package struct ClientSession: Sendable {
    /// Where the client stands.
    enum Stage: Hashable, Sendable {
        case idle
        /// Listens for the device until the time.
        case scanning(until: Timestamp)
        case connecting
        /// Learns the server's attributes.
        case discovering(ConnectionHandle)
        case connected(ConnectionHandle)
    }

    /// What the owner does, in order.
    enum Step: Sendable {
        /// Listens for advertisements, also while other clients do.
        case scan
        case request(Host.Request)
        case tell(EmulationEvent)
    }

    /// A characteristic of the server.
    struct Remote: Hashable, Sendable {
        var handle: Handle
        var indicates: Bool
    }

    var client: any DeviceClient
    let definition: Profile
    /// The device to connect to without looking for it; nil for one that shows the profile's signs.
    let address: DeviceAddress?
    var stage = Stage.idle
    package var finder: DeviceFinder
    /// Devices of earlier runs: a search takes no other one in its first 5 s.
    package var knownDevices: Set<Address> = []
    /// When a search may take a device that is not known.
    var strangersTime = Timestamp(nanoseconds: 0)
    /// Characteristics of the server, by their names in the profile.
    var characteristics: [String: Remote] = [:]
    var names: [Handle: String] = [:]
    /// Whether its owner has a store and answers `EmulationEvent.commit`; without, nothing outlasts the client.
    var hasStore = false
    /// The server's attributes, as discovered in the last connection.
    package internal(set) var serverTable: GATT.Table?
    /// The server of the last connection.
    package internal(set) var serverAddress: DeviceAddress?
    /// Its name, as it was advertised.
    package internal(set) var serverName: String?
    /// Those whose name was waited for.
    var namelessServers: Set<DeviceAddress> = []
    /// Whether the controller is up: what the client wants waits for it.
    var isUp = false
    /// What the client wants done, in order.
    var wishes = FIFO<ClientAction>()
    /// The request that is out.
    var request: ClientAction?
    var steps: [Step] = []
    private var alarm = RateLimitedTimer()

    /// How long the device is looked for.
    static let searchTime = Duration.seconds(30)
    /// How long only known devices are looked for.
    static let knownDevicesTime = Duration.seconds(5)
    /// Wishes that may wait; a client that has more is not heard.
    static let capacity = 4096

    init(_ profile: Profile, client: any DeviceClient, address: DeviceAddress?) {
        definition = profile
        self.client = client
        self.address = address
        finder = DeviceFinder(profile)
    }

    /// When the client wants to be told that time has passed; nil when nothing waits for it.
    var deadline: Timestamp? {
        guard case .scanning(let until) = stage else { return clientDeadline }
        return clientDeadline.map { min($0, until) } ?? until
    }

    /// Whether it has done what its user wanted, and waits for nothing.
    var isIdle: Bool { stage == .idle && wishes.isEmpty && request == nil && client.deadline == nil }

    private var clientDeadline: Timestamp? { alarm.due(client.deadline) }

    /// The connection that it has.
    var connection: ConnectionHandle? {
        switch stage {
        case .idle, .scanning, .connecting: nil
        case .discovering(let handle), .connected(let handle): handle
        }
    }

    var isScanning: Bool { if case .scanning = stage { true } else { false } }

    mutating func tell(_ event: EmulationEvent) { steps.append(.tell(event)) }
    mutating func ask(_ request: Host.Request) { steps.append(.request(request)) }

    mutating func expire(at now: Timestamp) {
        if case .scanning(let until) = stage, until <= now {
            stage = .idle
            ask(.stopScanning)
            tell(.note(TwinNote("not_found")))
            feed(.disconnected, at: now)
        }
        guard let deadline = clientDeadline, deadline <= now else { return }
        feed(.time, at: now)
        alarm.fired(at: now, next: client.deadline)
    }

    mutating func feed(_ input: ClientInput, at now: Timestamp) {
        for action in client.handle(input, at: now) where wishes.count < Self.capacity {
            switch action {
            case .tell(let note): tell(.note(note))
            case .commit(let changes) where hasStore: tell(.commit(changes))
            case .commit(let changes): feed(.committed(.success(changes.reduce(0) { $0 + $1.added })), at: now)
            default: wishes.append(action)
            }
        }
        proceed(at: now)
    }
}
