import Bluetooth
package import Bytes

/// Virtual controllers, the air between them, and the time that passes there.
///
/// A radio is a value that does no I/O and owns no clock: what hosts send and how far time has come are brought to it,
/// packets of the controllers for their hosts come back. The same seed and the same input give the same output, byte for
/// byte.
package struct Radio: Sendable {
    /// How the exchange on the air is timed.
    package enum Pace: Sendable, Hashable {
        /// As on the air: advertising intervals, connection events, the time that packets take.
        case air
        /// At once: whoever listens hears the next advertisement immediately, and connections exchange what they have
        /// without waiting for the next event. Time-outs and durations stay what they are.
        case immediate
    }

    /// A packet of a controller for its host.
    package struct Output: Sendable, Hashable {
        /// Index of the controller.
        package var controller: Int
        /// When it was sent.
        package var time: Timestamp
        /// H4 packet indicator first.
        package var packet: [UInt8]
    }

    /// What is to happen at a time.
    enum Event: Sendable {
        case alarm(controller: Int, ControllerAlarm)
        case advertising(controller: Int, set: UInt8, serial: UInt64)
        case link(LinkID, LinkStep, serial: UInt64)
        case change(LinkID, LinkChange)
    }

    /// How far time has come.
    package private(set) var now: Timestamp
    let pace: Pace
    var random: SplitMix64
    var controllers: [VirtualController] = []
    var queue = EventQueue<Event>()
    var advertisers: [Advertiser] = []
    /// Who listens to advertisers, by controller.
    var listeners: [Listeners] = []
    var links: [LinkID: Link] = [:]
    var lastLink: UInt64 = 0
    /// The link of the connect request that is being handed to an advertiser, once that has taken it.
    var acceptedLink: LinkID?
    /// The scan response that the advertiser being asked has given.
    var scanResponse: Advertisement?
    private let defaultPath: Path
    private var paths: [Pair: Path] = [:]
    private var output: [Output] = []
    private var lastSerial: UInt64 = 0
    /// How many things have to be scheduled before those are thrown out that mean nothing any more.
    var nextTidying = 0

    /// Two controllers, the one with the smaller index first.
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
        random = SplitMix64(seed: seed)
        self.pace = pace
        now = start
        defaultPath = path
    }

    /// Puts a controller on the air; returns its index.
    @discardableResult
    package mutating func add(_ configuration: ControllerConfiguration) -> Int {
        controllers.append(VirtualController(configuration, seed: random.next()))
        listeners.append(Listeners())
        return controllers.count - 1
    }

    /// When something happens next; nil where nothing does until a host sends something.
    package var nextEvent: Timestamp? { queue.nextTime }

    /// Lets time pass until `time`; returns the controllers' packets for their hosts, in the order of time.
    package mutating func advance(to time: Timestamp) -> [Output] {
        while let (due, event) = queue.removeFirst(notAfter: time) {
            now = max(now, due)
            happen(event)
        }
        now = max(now, time)
        return takeOutput()
    }

    /// Lets time pass until the next thing happens, but not beyond `limit`, and no further than that.
    package mutating func step(notAfter limit: Timestamp) -> [Output]? {
        guard let (due, event) = queue.removeFirst(notAfter: limit) else { return nil }
        now = max(now, due)
        happen(event)
        return takeOutput()
    }

    /// Hands a packet of a host, H4 packet indicator first, to its controller; returns what the controllers told their
    /// hosts at once.
    package mutating func send(_ packet: [UInt8], to controller: Int) -> [Output] {
        give(.packet(packet), to: controller)
        return takeOutput()
    }

    /// A controller's host is gone: it does nothing any more until another host brings it up.
    package mutating func detachHost(of controller: Int) {
        let waiting = output
        give(.packet([HCI.PacketType.command.rawValue] + HCI.encode(HCI.Reset())), to: controller)
        output = waiting
    }

    /// How well two controllers hear each other.
    package func path(_ one: Int, _ other: Int) -> Path { paths[Pair(one, other)] ?? defaultPath }

    /// Changes how well two controllers hear each other, from now on.
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

    /// Hands something to a controller and does what it wants done.
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

    /// A span of a controller's clock, in nanoseconds of true time.
    func local(_ span: Int64, _ index: Int) -> Int64 {
        let error = controllers[index].configuration.clockError
        return error == 0 ? span : Int64(Double(span) / (1 + min(max(error, -500), 500) / 1_000_000))
    }
}
