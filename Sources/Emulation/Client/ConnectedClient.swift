package import BluetoothTypes
package import Bytes
import Host
package import PluginKit
package import Profile

/// A client of a plugin's device on a controller: the logic of an app, and a host that finds the device, connects, learns
/// its attributes and asks one thing after the other.
package struct ConnectedClient: Sendable, HostOwner {
    /// What goes in.
    package enum Input: Hashable, Sendable {
        /// A controller is there: it is brought up.
        case start
        /// A packet of the controller, its packet indicator first.
        case packet([UInt8])
        /// What the client's user wants.
        case task(Stimulus)
        /// Time has passed; due when `deadline` is reached.
        case time
    }

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

    var client: any DeviceClient
    var host: Host
    let definition: Profile
    /// The device to connect to; nil for the first that shows the profile's signs.
    let address: DeviceAddress?
    var stage = Stage.idle
    var finder: DeviceFinder
    /// Characteristics of the server, by their names in the profile.
    var characteristics: [String: Remote] = [:]
    var names: [Handle: String] = [:]
    /// Whether the controller is up.
    var isUp = false
    /// What waits until the controller is up.
    private var waitingTasks: [Stimulus] = []
    /// What the client wants done, in order.
    var wishes = FIFO<ClientAction>()
    /// The request that is out.
    var request: ClientAction?
    var events = FIFO<Host.Event>()
    var outputs: [StationOutput] = []
    private var alarm = RateLimitedTimer()

    /// A characteristic of the server.
    struct Remote: Hashable, Sendable {
        var handle: Handle
        var indicates: Bool
    }

    /// How long the device is looked for.
    static let searchTime = Duration.seconds(30)
    /// Wishes that may wait; a client that has more is not heard.
    static let capacity = 4096

    package init(
        _ profile: CompiledProfile, client: any DeviceClient, address: DeviceAddress? = nil, seed: UInt64 = 1
    ) {
        definition = profile.profile
        self.client = client
        self.address = address
        finder = DeviceFinder(profile.profile)
        host = Host(random: .seeded(seed))
    }

    /// When the client wants to be told that time has passed; nil when nothing waits for it.
    package var deadline: Timestamp? {
        var times = [host.deadline, clientDeadline]
        if case .scanning(let until) = stage { times.append(until) }
        return times.compactMap { $0 }.min()
    }

    /// Whether it has done what its user wanted, and waits for nothing.
    package var isIdle: Bool {
        isUp && stage == .idle && wishes.isEmpty && request == nil && waitingTasks.isEmpty && client.deadline == nil
    }

    private var clientDeadline: Timestamp? { alarm.due(client.deadline) }

    /// What the server's attributes are, as far as they are known.
    package var table: [String: Handle] { characteristics.mapValues(\.handle) }

    /// Takes what has come, and tells what is to be done.
    package mutating func handle(_ input: Input, at now: Timestamp) -> [StationOutput] {
        expire(at: now)
        switch input {
        case .start:
            isUp = false
            run(.request(.start), at: now)
        case .packet(let packet): run(.packet(packet), at: now)
        case .task(let task): if isUp { feed(.task(task), at: now) } else { waitingTasks.append(task) }
        case .time: run(.time, at: now)
        }
        return finish(at: now)
    }

    private mutating func expire(at now: Timestamp) {
        if case .scanning(let until) = stage, until <= now {
            stage = .idle
            run(.request(.stopScanning), at: now)
            tell(.note(TwinNote("not_found")))
            feed(.disconnected, at: now)
        }
        guard let deadline = clientDeadline, deadline <= now else { return }
        feed(.time, at: now)
        alarm.fired(at: now, next: client.deadline)
    }

    mutating func started(at now: Timestamp) {
        isUp = true
        let tasks = waitingTasks
        waitingTasks = []
        for task in tasks { feed(.task(task), at: now) }
        proceed(at: now)
    }

    mutating func feed(_ input: ClientInput, at now: Timestamp) {
        for action in client.handle(input, at: now) where wishes.count < Self.capacity {
            if case .tell(let note) = action { tell(.note(note)) } else { wishes.append(action) }
        }
        proceed(at: now)
    }
}
