import Bluetooth
package import Bytes

/// Simulates virtual controllers, the air between them, and time.
///
/// A radio is a value without I/O and without a clock: the owner passes in the hosts' packets and the current time, and
/// receives the controllers' packets to their hosts. The same seed and inputs give the same output, byte for byte.
package struct Radio: Sendable {
    /// Timing of the exchange on the air.
    package enum Pace: Sendable, Hashable {
        /// Realistic: advertising intervals, connection events, air time of packets.
        case air
        /// Immediate: a listener receives the next advertisement at once, and connections exchange PDUs without waiting
        /// for the next event. Timeouts and durations are unchanged.
        case immediate
    }

    /// A packet from a controller to its host.
    package struct Output: Sendable, Hashable {
        /// Index of the controller.
        package var controller: Int
        /// Time of sending.
        package var time: Timestamp
        /// Begins with the H4 packet indicator.
        package var packet: [UInt8]
    }

    /// A scheduled event.
    enum Event: Sendable {
        case alarm(controller: Int, ControllerAlarm)
        case advertising(controller: Int, set: UInt8, serial: UInt64)
        case link(LinkID, LinkStep, serial: UInt64)
        case change(LinkID, LinkChange)
        /// A connection event that only a recording of the air has.
        case idle(LinkID, event: Int64, serial: UInt64)
        /// An advertising event that only a recording of the air has.
        case unheardAdvertising(controller: Int, set: UInt8, serial: UInt64)
    }

    /// Current time.
    package private(set) var now: Timestamp
    let pace: Pace
    let seed: UInt64
    var random: SplitMix64
    /// Nil if nobody records the air.
    var air: AirRecorder?
    var controllers: [VirtualController] = []
    var queue = EventQueue<Event>()
    var advertisers: [Advertiser] = []
    /// Listeners, by controller.
    var listeners: [Listeners] = []
    var links: [LinkID: Link] = [:]
    var lastLink: UInt64 = 0
    /// The link of the connection request being delivered, once the advertiser has accepted it.
    var acceptedLink: LinkID?
    /// The scan response of the advertiser being scanned.
    var scanResponse: Advertisement?
    private let defaultPath: Path
    private var paths: [Pair: Path] = [:]
    private var output: [Output] = []
    private var lastSerial: UInt64 = 0
    /// Queue length at which stale events are next removed.
    var nextTidying = 0

    /// A pair of controllers, ordered by index.
    private struct Pair: Hashable, Sendable {
        var one: Int
        var other: Int

        init(_ one: Int, _ other: Int) {
            self.one = min(one, other)
            self.other = max(one, other)
        }
    }

    package init(
        seed: UInt64, pace: Pace = .air, start: Timestamp = Timestamp(nanoseconds: 0), path: Path = Path()
    ) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        self.pace = pace
        now = start
        defaultPath = path
    }

    /// Adds a controller; returns its index.
    @discardableResult
    package mutating func add(_ configuration: ControllerConfiguration) -> Int {
        controllers.append(VirtualController(configuration, seed: random.next()))
        listeners.append(Listeners())
        return controllers.count - 1
    }

    /// Time of the next event; nil if none occurs until a host sends a packet.
    package var nextEvent: Timestamp? { queue.nextTime }

    /// Advances time to `time`; returns the controllers' packets to their hosts, in time order.
    package mutating func advance(to time: Timestamp) -> [Output] {
        while let (due, event) = queue.removeFirst(notAfter: time) {
            now = max(now, due)
            happen(event)
        }
        now = max(now, time)
        return takeOutput()
    }

    /// Advances time to the next event and runs it; returns nil if there is none until `limit`.
    package mutating func step(notAfter limit: Timestamp) -> [Output]? {
        guard let (due, event) = queue.removeFirst(notAfter: limit) else { return nil }
        now = max(now, due)
        happen(event)
        return takeOutput()
    }

    /// Passes a packet from a host, beginning with the H4 packet indicator, to its controller; returns the immediate
    /// packets of all controllers to their hosts.
    package mutating func send(_ packet: [UInt8], to controller: Int) -> [Output] {
        give(.packet(packet), to: controller)
        return takeOutput()
    }

    /// Detaches a controller's host: the controller is idle until another host initializes it.
    package mutating func detachHost(of controller: Int) {
        let waiting = output
        give(.packet([HCI.PacketType.command.rawValue] + HCI.encode(HCI.Reset())), to: controller)
        output = waiting
    }

    /// The path between two controllers.
    package func path(_ one: Int, _ other: Int) -> Path { paths[Pair(one, other)] ?? defaultPath }

    /// Changes the path between two controllers.
    package mutating func setPath(_ one: Int, _ other: Int, _ path: Path) {
        paths[Pair(one, other)] = path
        pathChanged { $0.joins(one, other) }
    }

    private mutating func takeOutput() -> [Output] {
        let result = output
        output = []
        return result
    }

    mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    /// Passes an input to a controller and performs its actions.
    mutating func give(_ input: ControllerInput, to index: Int) {
        guard controllers.indices.contains(index) else { return }
        for action in controllers[index].handle(input, at: now) { perform(action, of: index) }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .alarm(let controller, let alarm): give(.alarm(alarm), to: controller)
        case .advertising(let controller, let set, let serial): advertisingEvent(controller, set, serial)
        case .link(let link, let step, let serial): take(step, of: link, serial)
        case .change(let link, let change): apply(change, to: link)
        case .idle(let link, let event, let serial): recordIdleEvent(of: link, event: event, serial: serial)
        case .unheardAdvertising(let controller, let set, let serial): advertiseUnheard(controller, set, serial)
        }
    }

    private mutating func perform(_ action: ControllerAction, of index: Int) {
        switch action {
        case .packet(let packet): output.append(Output(controller: index, time: now, packet: packet))
        case .wake(let alarm, let span): schedule(alarm: alarm, of: index, after: span)
        case .startAdvertising(let set, let interval, let everyEventCounts, let isHighDutyCycle):
            startAdvertising(
                Advertiser(
                    controller: index, set: set, interval: interval, everyEventCounts: everyEventCounts,
                    isHighDutyCycle: isHighDutyCycle))
        case .stopAdvertising(let set): stopAdvertising(index, set)
        case .advertise(let advertisement): distribute(advertisement, from: index)
        case .listen(let listener, let listening): listen(index, listener, listening)
        case .requestScan(let request): deliver(request, from: index)
        case .answerScan(let response): scanResponse = response
        case .connect(let request): open(request, initiator: index)
        case .accept(let link): acceptedLink = link
        case .send(let pdu, let link): enqueue(pdu, on: link, from: index)
        case .leave(let link): leave(link, index)
        }
    }

    /// Converts a span of a controller's clock to nanoseconds of true time.
    func local(_ span: Int64, _ index: Int) -> Int64 {
        let error = controllers[index].configuration.clockError
        return error == 0 ? span : Int64(Double(span) / (1 + min(max(error, -500), 500) / 1_000_000))
    }
}
