package import Bluetooth
package import Bytes
import Host
package import PluginKit
package import Profile

/// The clients of one or several devices on a controller: a host, and a session with each device.
///
/// Sessions take turns where a controller can do one thing at a time: while one connects, the others neither scan nor
/// connect. A device belongs to the session that found it; that session reconnects to no other device.
package struct ConnectedClient: Sendable, HostDriver {
    package enum Input: Hashable, Sendable {
        /// A controller is available and is brought up.
        case start
        /// A packet from the controller, its packet indicator first.
        case packet([UInt8])
        /// A task for each session.
        case task(Stimulus)
        /// The result of a session's commit: the rows are on disk, or cannot be written.
        case committed(Result<Int, StoreFault>, session: Int = 0)
        /// Time has passed; expected when `deadline` is reached.
        case time
    }

    var host: Host
    /// How the sessions pair with devices that demand it; nil for not at all.
    private let pairing: ClientPairing?
    package private(set) var sessions: [ClientSession]
    /// Number of started sessions; each further session starts when those before it have found their devices.
    private var begun = 1
    /// Tasks for single devices, given whenever the device is connected.
    package var deviceTasks: [Address: [Stimulus]] = [:]
    /// Tasks received before the first device was found, to be repeated for each device.
    private var firstTasks: [Stimulus] = []
    /// Whether the controller is up.
    private var isUp = false
    private var isScanning = false
    /// Tasks waiting for the controller to come up.
    private var waitingTasks: [Stimulus] = []
    var events = FIFO<Host.Event>()
    var outputs: [StationOutput] = []

    /// - Parameters:
    ///   - address: the device to connect to without scanning.
    ///   - seed: seed of the host's random numbers; nil for those of the system, as keys of real devices need.
    package init(
        _ profile: CompiledProfile, client: any DeviceClient, address: DeviceAddress? = nil, seed: UInt64? = 1,
        pairing: ClientPairing? = nil
    ) {
        var session = ClientSession(profile.profile, client: client, address: address)
        session.pairsOnDemand = pairing != nil
        sessions = [session]
        self.pairing = pairing
        var configuration = Host.Configuration()
        if pairing?.passkey != nil { configuration.pairing = .typingPasskey }
        host = Host(configuration, random: seed.map { RandomSource.seeded($0) } ?? .system)
    }

    /// Adds the client of another device.
    package mutating func add(_ client: any DeviceClient) {
        var session = ClientSession(sessions[0].definition, client: client, address: nil)
        session.pairsOnDemand = pairing != nil
        sessions.append(session)
    }

    /// Sets the devices that the sessions look for: one address each, and for further sessions any of `peers` with this
    /// name prefix.
    package mutating func look(for addresses: [Address], namePrefix: String?, peers: PeerSelection) {
        for index in sessions.indices {
            sessions[index].finder.address = addresses.indices.contains(index) ? addresses[index] : nil
            sessions[index].finder.namePrefix = namePrefix
            sessions[index].peers = peers
        }
        begun = max(begun, min(addresses.count + 1, sessions.count))
    }

    /// Makes the sessions recognize the dialect of each device after discovery.
    ///
    /// - Parameters:
    ///   - assumed: the dialect of the clients' settings, which a device of no recognizable dialect is assumed to speak;
    ///     nil for a profile without dialects.
    ///   - tasks: tasks that each session gives its client once, by dialect.
    package mutating func recognizeDialects(assuming assumed: String?, tasks: [String: [Stimulus]] = [:]) {
        for index in sessions.indices {
            sessions[index].dialect = assumed
            sessions[index].dialectTasks = tasks
        }
    }

    /// Whether the owner has a store and answers `EmulationEvent.commit`.
    package var hasStore: Bool {
        get { sessions[0].hasStore }
        set { for index in sessions.indices { sessions[index].hasStore = newValue } }
    }

    /// Whether the sessions subscribe to Service Changed, as a client should that waits for values and makes no requests.
    package var watchesServices: Bool {
        get { sessions[0].watchesServices }
        set { for index in sessions.indices { sessions[index].watchesServices = newValue } }
    }

    /// The time at which `.time` is to be passed in; nil if the client waits for no time.
    package var deadline: Timestamp? {
        var first = host.deadline
        for session in sessions[..<begun] {
            if let time = session.deadline { first = first.map { min($0, time) } ?? time }
        }
        return first
    }

    /// Whether all started sessions have finished their tasks and wait for nothing.
    package var isIdle: Bool { isUp && waitingTasks.isEmpty && sessions[..<begun].allSatisfy(\.isIdle) }

    /// Known handles of the profile's characteristics on the first device.
    package var table: [String: Handle] { sessions[0].characteristics.mapValues(\.handle) }

    /// Handles an input; returns the resulting outputs.
    package mutating func handle(_ input: Input, at now: Timestamp) -> [StationOutput] {
        for index in 0..<begun { work(index, at: now) { $0.expire(at: now) } }
        switch input {
        case .start:
            isUp = false
            isScanning = false
            for index in sessions.indices { sessions[index].isUp = false }
            run(.request(.start), at: now)
        case .packet(let packet): run(.packet(packet), at: now)
        case .task(let task): if isUp { give(task, at: now) } else { waitingTasks.append(task) }
        case .committed(let outcome, let index): work(index, at: now) { $0.feed(.committed(outcome), at: now) }
        case .time: run(.time, at: now)
        }
        return finish(at: now)
    }
}

// MARK: - The host

extension ConnectedClient {
    mutating func take(_ event: Host.Event, at now: Timestamp) {
        switch event {
        case .ready: started(at: now)
        case .failed(let failure): outputs.append(.event(.failed(failure)))
        case .advertisement(let advertisement): heard(advertisement, at: now)
        case .connected(let handle, let connection):
            guard let index = sessions.firstIndex(where: { $0.stage == .connecting }) else { break }
            work(index, at: now) { $0.connected(handle, to: connection.peer) }
            found(connection.peer.address, by: index, at: now)
            for task in deviceTasks[connection.peer.address] ?? [] {
                work(index, at: now) { $0.feed(.task(task), at: now) }
            }
            scanAgain(at: now)
        case .connectionFailed(let reason):
            guard let index = sessions.firstIndex(where: { $0.stage == .connecting }) else { break }
            work(index, at: now) { $0.disconnected(reason, at: now) }
            scanAgain(at: now)
        case .disconnected(let handle, let reason):
            guard let index = index(of: handle) else { break }
            work(index, at: now) { $0.disconnected(reason, at: now) }
        case .client(let handle, let event):
            guard let index = index(of: handle), let mtu = host.client(of: handle)?.mtu else { break }
            work(index, at: now) { $0.take(event, mtu: mtu, at: now) }
        case .pairingPrompt, .securityChanged, .pairingFailed, .encryptionFailed: handleSecurity(event, at: now)
        default: break
        }
    }

    private mutating func handleSecurity(_ event: Host.Event, at now: Timestamp) {
        switch event {
        case .pairingPrompt(let handle, .enterPasskey):
            let answer: Pairing.Answer = if let digits = pairing?.passkey { .passkey(digits) } else { .no }
            run(.request(.answerPairing(handle, answer)), at: now)
        case .pairingPrompt(let handle, .compare): run(.request(.answerPairing(handle, .no)), at: now)
        case .securityChanged(let handle, let security):
            guard security.level > .open, let index = index(of: handle) else { break }
            work(index, at: now) { $0.secured(at: now) }
        case .encryptionFailed(let handle, .pinOrKeyMissing):
            // The device has lost its bond.
            run(.request(.pair(handle)), at: now)
        case .encryptionFailed(let handle, let code):
            guard let index = index(of: handle) else { break }
            let reason = code.name ?? "error 0x" + String(hex: code.rawValue, digits: 2)
            work(index, at: now) { $0.securingFailed(reason, at: now) }
        case .pairingFailed(let handle, let failure):
            guard let index = index(of: handle) else { break }
            work(index, at: now) { $0.securingFailed(failure.words, at: now) }
        default: break
        }
    }

    private func index(of handle: ConnectionHandle) -> Int? { sessions.firstIndex { $0.connection == handle } }

    private mutating func started(at now: Timestamp) {
        isUp = true
        for index in sessions.indices {
            sessions[index].isUp = true
            // All clients see the same run: sessions that start later observe its start now too.
            if index > 0 { work(index, at: now) { $0.feed(.time, at: now) } }
        }
        let tasks = waitingTasks
        waitingTasks = []
        for task in tasks { give(task, at: now) }
        for index in 0..<begun { work(index, at: now) { $0.proceed(at: now) } }
        // A search outlives a restart of the controller.
        scanAgain(at: now)
    }

    private mutating func give(_ task: Stimulus, at now: Timestamp) {
        if sessions.count > 1, sessions[0].serverAddress == nil { firstTasks.append(task) }
        for index in 0..<begun { work(index, at: now) { $0.feed(.task(task), at: now) } }
    }

    private mutating func heard(_ advertisement: Host.Advertisement, at now: Timestamp) {
        // The advertisement was in transit when a connection was requested.
        if sessions.contains(where: { $0.stage == .connecting }) { return }
        let device = advertisement.address
        let owner = sessions.firstIndex { $0.serverAddress == device || $0.finder.address == device.address }
        for index in 0..<begun where owner == nil || owner == index {
            guard sessions[index].wants(advertisement, at: now) else { continue }
            return work(index, at: now) { $0.connect(to: device) }
        }
    }

    /// Binds a device to the session that found it, and starts the next session.
    private mutating func found(_ device: Address, by index: Int, at now: Timestamp) {
        guard sessions.count > 1 || sessions[index].peers.isBinding else { return }
        sessions[index].finder.address = device
        guard begun < sessions.count, sessions[..<begun].allSatisfy({ $0.finder.address != nil }) else { return }
        begun += 1
        for task in firstTasks { work(begun - 1, at: now) { $0.feed(.task(task), at: now) } }
    }

    private mutating func scanAgain(at now: Timestamp) {
        if !isScanning, sessions[..<begun].contains(where: \.isScanning) { scan(at: now) }
    }

    private mutating func scan(at now: Timestamp) {
        isScanning = true
        var settings = Host.ScanSettings()
        settings.filtersDuplicates = false
        run(.request(.scan(settings)), at: now)
    }

    /// Runs a session and performs its steps as far as the other sessions permit.
    private mutating func work(_ index: Int, at now: Timestamp, _ body: (inout ClientSession) -> Void) {
        body(&sessions[index])
        let steps = sessions[index].steps
        sessions[index].steps.removeAll(keepingCapacity: true)
        for step in steps {
            switch step {
            case .event(let event): outputs.append(.event(event, session: index))
            case .scan: if !isScanning, !sessions.contains(where: { $0.stage == .connecting }) { scan(at: now) }
            case .request(.stopScanning):
                let isWanted = sessions[..<begun].contains(where: \.isScanning)
                if !isScanning || isWanted && sessions[index].stage != .connecting { break }
                isScanning = false
                run(.request(.stopScanning), at: now)
            case .request(let request): run(.request(request), at: now)
            }
        }
    }
}
