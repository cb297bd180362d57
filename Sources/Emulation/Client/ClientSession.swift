package import Bluetooth
import Bytes
import Host
package import PluginKit
import Profile

/// A session with one device: the client's logic, and its requests to the device one after the other. The session has
/// no host; its owner performs its `steps`.
package struct ClientSession: Sendable {
    enum Stage: Hashable, Sendable {
        case idle
        /// Scans for the device until the given time.
        case scanning(until: Timestamp)
        /// Waits for the next look of a connection request left with the system.
        case pausing(until: Timestamp)
        case connecting
        case discovering(ConnectionHandle)
        case connected(ConnectionHandle)
    }

    enum Step: Sendable {
        /// Scans for advertisements, possibly together with other sessions.
        case scan
        case request(Host.Request)
        case event(EmulationEvent)
    }

    struct Remote: Hashable, Sendable {
        var handle: Handle
        var properties: GATT.Properties

        /// Whether its values are indicated, not notified.
        var indicates: Bool { properties.contains(.indicate) && !properties.contains(.notify) }
    }

    var client: any DeviceClient
    let definition: Profile
    /// The device to connect to without scanning; nil to look for a device that shows the profile's signs.
    let address: DeviceAddress?
    var stage = Stage.idle
    /// The connection request left with the system; nil for none.
    var systemRequest: SystemRequest?
    package var finder: DeviceFinder
    /// The devices that a search accepts.
    package var peers = PeerSelection.any()
    /// Start of the last search.
    var searchStart = Timestamp(nanoseconds: 0)
    /// The server's characteristics, by profile name.
    var characteristics: [String: Remote] = [:]
    var names: [Handle: String] = [:]
    /// The device's dialect: as recognized in the last connection, else as assumed; nil if the user has named it or the
    /// profile has none.
    var dialect: String?
    /// Tasks for devices of a dialect, which the client receives once, after the first discovery.
    var dialectTasks: [String: [Stimulus]] = [:]
    /// Tasks of `dialectTasks` that the client received at the last discovery.
    package private(set) var addedTasks: [Stimulus] = []
    /// Whether the owner has a store and answers `EmulationEvent.commit`. Without a store, nothing outlives the client.
    var hasStore = false
    /// The server's attributes, as discovered in the last connection.
    package internal(set) var serverTable: GATT.Table?
    /// The server of the last connection.
    package internal(set) var serverAddress: DeviceAddress?
    /// The server's advertised name.
    package internal(set) var serverName: String?
    /// Devices whose scan response was waited for once, for their name.
    var namelessServers: Set<DeviceAddress> = []
    /// Whether the controller is up; until then, the client's actions wait.
    var isUp = false
    /// Actions of the client that are still to be performed, in order.
    var wishes = FIFO<ClientAction>()
    /// The outstanding request.
    var request: ClientAction?
    /// Whether the client, or the session itself, has decided to disconnect.
    var isLeaving = false
    var changes = ServerChanges()
    /// Whether the session subscribes to Service Changed.
    var watchesServices = false
    /// Whether the session pairs when the device demands it.
    var pairsOnDemand = false
    /// The error with which the device demanded pairing for the outstanding request, while the connection is being
    /// encrypted; nil otherwise.
    var pairingDemand: ATT.ErrorCode?
    /// Whether pairing was tried on this connection.
    var hasTriedPairing = false
    var steps: [Step] = []
    private var alarm = RateLimitedTimer()

    /// Duration of a search for the device.
    static let searchTime = Duration.seconds(30)
    /// Maximum number of waiting actions; further ones are dropped.
    static let capacity = 4096

    init(_ profile: Profile, client: any DeviceClient, address: DeviceAddress?) {
        definition = profile
        self.client = client
        self.address = address
        finder = DeviceFinder(profile)
    }

    /// The time at which `expire` is to be called; nil if the session waits for no time.
    var deadline: Timestamp? {
        switch stage {
        case .scanning(let until), .pausing(let until): clientDeadline.map { min($0, until) } ?? until
        case .idle, .connecting, .discovering, .connected: clientDeadline
        }
    }

    /// Whether the session has finished its tasks and waits for nothing.
    var isIdle: Bool { stage == .idle && wishes.isEmpty && request == nil && client.deadline == nil }

    private var clientDeadline: Timestamp? { alarm.due(client.deadline) }

    var connection: ConnectionHandle? {
        switch stage {
        case .idle, .scanning, .pausing, .connecting: nil
        case .discovering(let handle), .connected(let handle): handle
        }
    }

    var isScanning: Bool { if case .scanning = stage { true } else { false } }

    mutating func emit(_ event: EmulationEvent) { steps.append(.event(event)) }
    mutating func ask(_ request: Host.Request) { steps.append(.request(request)) }

    mutating func expire(at now: Timestamp) {
        switch stage {
        case .scanning(let until) where until <= now && systemRequest != nil: endLook(at: now)
        case .scanning(let until) where until <= now:
            stage = .idle
            ask(.stopScanning)
            emit(.note(TwinNote("not_found")))
            feed(.disconnected, at: now)
        case .pausing(let until) where until <= now: look(at: now)
        case .idle, .scanning, .pausing, .connecting, .discovering, .connected: break
        }
        guard let deadline = clientDeadline, deadline <= now else { return }
        feed(.time, at: now)
        alarm.fired(at: now, next: client.deadline)
    }

    /// Selects the dialect that fits the discovered attributes, and gives the client the tasks for it.
    mutating func selectDialect(at now: Timestamp) {
        addedTasks = []
        guard let assumed = dialect else { return }
        let found = serverTable.flatMap { definition.dialect(of: $0) } ?? assumed
        if found != assumed {
            dialect = found
            client.select(dialect: found)
            emit(.note(TwinNote("dialect_recognized", ["dialect": .text(found)])))
        }
        addedTasks = dialectTasks[found] ?? []
        dialectTasks = [:]
        for task in addedTasks { feed(.task(task), at: now) }
    }

    mutating func feed(_ input: ClientInput, at now: Timestamp) {
        for action in client.handle(input, at: now) where wishes.count < Self.capacity {
            switch action {
            case .event(let note): emit(.note(note))
            case .commit(let changes) where hasStore: emit(.commit(changes))
            case .commit(let changes): feed(.committed(.success(changes.reduce(0) { $0 + $1.added })), at: now)
            default:
                if action == .disconnect { isLeaving = true }
                wishes.append(action)
            }
        }
        proceed(at: now)
    }
}
