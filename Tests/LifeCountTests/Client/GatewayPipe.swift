import Bytes
import PluginKit

@testable import LifeCount

/// A gateway and a counter connected by a perfect link, in virtual time: only packets in transit are lost when the link
/// drops.
struct GatewayPipe {
    /// An event at the gateway, as its host would record it.
    enum PuckEvent {
        case connected
        /// The link is lost, or the counter disconnects; otherwise the gateway does.
        case disconnected(isLost: Bool)
        case read(String, [UInt8])
        case written(String, [UInt8], error: UInt8?)
        case subscribed(String)
        case notified(String, [UInt8])
    }

    private(set) var counter: CounterTwin
    private(set) var gateway: CounterGateway
    private(set) var now: Timestamp
    /// The gateway's events; recorded only on request.
    private(set) var sights: [(time: Timestamp, sight: PuckEvent)] = []
    /// The changes that the gateway committed; recorded only on request.
    private(set) var commits: [StoreChange] = []
    private(set) var counterNotes: [TwinNote] = []
    private(set) var gatewayNotes: [TwinNote] = []
    /// Times of the gateway's connection attempts.
    private(set) var attempts: [Timestamp] = []
    var keepsSights = false
    /// Seconds from connecting until the link drops, for each coming connection.
    var drops: [Double] = []
    /// The fault of the gateway's store; nil while it is writable.
    var storeFault: StoreFault?
    /// Whether the counter is in radio range.
    var isInReach = true

    private var values: [String: [UInt8]] = [:]
    private var subscribed: Set<String> = []
    private var isAdvertising = false
    private var isSought = false
    private var isConnected = false
    /// The gateway's requests; the first one is in progress.
    private var requests = FIFO<ClientAction>()
    private var parcels: [Parcel] = []
    /// Arrival of the counter's last value: later values do not overtake it.
    private var lastReply = Timestamp(nanoseconds: 0)

    private struct Parcel {
        var time: Timestamp
        var content: Content

        enum Content {
            case request(ClientAction)
            case answer(ClientInput, PuckEvent?)
            case indication(String, [UInt8])
            case notification(String, [UInt8])
            case connect, drop
        }
    }

    private static let latency = Duration.milliseconds(10)
    private static let notificationTime = Duration.milliseconds(7)
    private static let connecting = Duration.milliseconds(100)
    private static let client = TwinClient(1)

    init(seed: UInt64 = 1, storage: [UInt8]? = CounterFixture.storage) throws {
        now = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)
        counter = try CounterTwin(TwinSettings(seed: seed, storage: storage))
        gateway = try CounterGateway(TwinSettings(seed: seed))
        emit(.powerOn)
    }

    // MARK: - Test actions

    mutating func happen(_ name: String, _ amount: Double? = nil) { emit(.stimulus(Stimulus(name, amount))) }
    mutating func click(_ count: Int = 1) { for _ in 0..<count { happen("click_in") } }
    mutating func want(_ task: String, _ amount: Double? = nil) { give(.task(Stimulus(task, amount))) }

    /// Drops the link, if there is one.
    mutating func drop() { lose(isLost: true) }

    mutating func wait(_ seconds: Double) {
        let end = now.advanced(nanoseconds: Int64(seconds * 1e9))
        while let next = nextTime, next <= end {
            now = max(now, next)
            step()
        }
        now = end
    }

    /// The numbers in one side's notes of events.
    static func numbers(_ notes: [TwinNote], _ name: String) -> [Int] {
        notes.filter { $0.name == name }.compactMap { $0.number("sequence_number") }
    }
    var counted: [Int] { Self.numbers(counterNotes, "counted") }
    var stored: [Int] { Self.numbers(gatewayNotes, "event_stored") }
    func reported(_ name: String) -> [TwinNote] { gatewayNotes.filter { $0.name == name } }

    // MARK: - Time

    private var nextTime: Timestamp? {
        [parcels.first?.time, counter.deadline, gateway.deadline].compactMap { $0 }.min()
    }

    private mutating func step() {
        if let parcel = parcels.first, parcel.time <= now {
            parcels.removeFirst()
            return deliver(parcel.content)
        }
        if let due = counter.deadline, due <= now { return emit(.time) }
        give(.time)
    }

    private mutating func post(_ content: Parcel.Content, at time: Timestamp) {
        let place = parcels.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        parcels.insert(Parcel(time: time, content: content), at: place)
    }

    /// Sends a value of the counter, which takes time.
    private mutating func reply(_ content: Parcel.Content, taking time: Duration = .zero) {
        lastReply = max(now + Self.latency, lastReply + time)
        post(content, at: lastReply)
    }

    // MARK: - The two ends

    private mutating func emit(_ input: TwinInput) {
        for action in counter.handle(input, at: now) { perform(action) }
    }

    private mutating func give(_ input: ClientInput) {
        for action in gateway.handle(input, at: now) { perform(action) }
    }

    private mutating func perform(_ action: TwinAction) {
        switch action {
        case .set(let name, let bytes): values[name] = bytes
        case .notify(let name, let bytes, _):
            if subscribed.contains(name) { reply(.notification(name, bytes), taking: Self.notificationTime) }
        case .indicate(let name, let bytes, _):
            if subscribed.contains(name) { reply(.indication(name, bytes), taking: Self.notificationTime) }
        case .answer(_, let answer): finish(answer)
        case .advertise:
            isAdvertising = true
            meet()
        case .stopAdvertising: isAdvertising = false
        case .disconnect, .fallSilent:
            isAdvertising = false
            lose(isLost: true)
        case .store, .secure: break
        case .event(let note): counterNotes.append(note)
        }
    }

    private mutating func perform(_ action: ClientAction) {
        switch action {
        case .connect, .search, .requestConnection:
            attempts.append(now)
            isSought = true
            meet()
        case .disconnect:
            isSought = false
            lose(isLost: false)
        case .event(let note): gatewayNotes.append(note)
        case .commit(let changes):
            if keepsSights { commits += changes }
            give(.committed(storeFault.map { .failure($0) } ?? .success(changes.count)))
        case .read, .write, .writeCommand, .subscribe:
            requests.append(action)
            if requests.count == 1 { post(.request(action), at: now + Self.latency) }
        }
    }

    // MARK: - The link

    /// Connects if the gateway seeks and the counter advertises.
    mutating func meet() {
        if isSought, isAdvertising, isInReach, !isConnected { post(.connect, at: now + Self.connecting) }
    }

    private mutating func lose(isLost: Bool) {
        guard isConnected else { return }
        isConnected = false
        subscribed = []
        requests.removeAll()
        parcels = []
        lastReply = now
        handle(.disconnected(isLost: isLost))
        emit(.disconnected(Self.client))
        give(.disconnected)
    }

    private mutating func deliver(_ content: Parcel.Content) {
        switch content {
        case .connect:
            guard isSought, isAdvertising, isInReach, !isConnected else { return }
            (isConnected, isSought, isAdvertising) = (true, false, false)
            handle(.connected)
            if !drops.isEmpty { post(.drop, at: now.advanced(nanoseconds: Int64(drops.removeFirst() * 1e9))) }
            emit(.connected(Self.client))
            give(.connected(capacity: 244))
        case .drop: lose(isLost: true)
        case .request(let action): serve(action)
        case .answer(let input, let sight):
            requests.popFirst()
            if let sight { handle(sight) }
            if let next = requests.first { post(.request(next), at: now + Self.latency) }
            give(input)
        case .notification(let name, let bytes):
            handle(.notified(name, bytes))
            give(.notified(name, bytes))
        case .indication(let name, let bytes):
            handle(.notified(name, bytes))
            give(.notified(name, bytes))
            emit(.confirmed(name, Self.client))
        }
    }

    /// Performs a request at the counter.
    private mutating func serve(_ action: ClientAction) {
        switch action {
        case .read(let name):
            if counter.answered.contains(name) { return emit(.read(name, Self.client, TwinTicket(1))) }
            finish(.value(values[name] ?? []))
        case .write(let name, let bytes): emit(.write(name, bytes, Self.client, TwinTicket(1)))
        case .subscribe(let name, let isOn):
            if isOn { subscribed.insert(name) } else { subscribed.remove(name) }
            reply(.answer(.written(name, nil), .subscribed(name)))
            let kind: TwinSubscription = name == "control_point" ? .indications : .notifications
            emit(.subscribed(name, isOn ? kind : [], Self.client))
        default: break
        }
    }

    /// Answers the request in progress.
    private mutating func finish(_ answer: TwinAnswer) {
        switch (requests.first, answer) {
        case (.read(let name), .value(let bytes)):
            reply(.answer(.read(name, .success(bytes)), .read(name, bytes)))
        case (.write(let name, let bytes), .accepted):
            reply(.answer(.written(name, nil), .written(name, bytes, error: nil)))
        case (.write(let name, let bytes), .refused(let code)):
            reply(.answer(.written(name, .refused(code)), .written(name, bytes, error: code)))
        default: break
        }
    }

    private mutating func handle(_ sight: PuckEvent) {
        if keepsSights { sights.append((now, sight)) }
    }
}
