import ATT
import BluetoothTypes
import Captures
import Conversation
import Dissection
import PluginKit
import Profile

/// Evaluates the rules of the specification: an instance of each for every connection, advertiser and capture.
final class CoreRuleEngine {
    /// The rules of one scope with what each wants to see, by their places in the scope.
    fileprivate final class Group {
        private(set) var types: [any CoreRule.Type] = []
        /// Index of each in the store.
        private(set) var numbers: [Int] = []
        private(set) var bases: [RuleBasis] = []
        private(set) var link: [Int] = []
        private(set) var att: [[Int]] = Array(repeating: [], count: 256)
        private(set) var smp: [Int] = []
        private(set) var signals: [Int] = []
        private(set) var channels: [Int] = []
        private(set) var bearers: [Int] = []
        private(set) var commands: [Int] = []
        private(set) var events: [Int] = []
        private(set) var control: [Int] = []
        private(set) var advertising: [Int] = []
    }

    /// The instances that check one connection or advertiser, and their outcomes.
    private final class Instances {
        let group: Group
        let rules: [any CoreRule]
        let device: Int32
        /// Number of the connection; 0 for those of an advertiser or of the capture.
        let connection: Int
        var lastFrame = 0
        /// Two for each rule: the device's, and that of the ATT server of the side that sends what is `.sent`.
        private var tallies: TallyTable
        private var isSenderListed = false
        /// Hashes of what the advertiser has sent of late.
        private var advertised: Set<Int> = []

        /// Advertisements that are told apart.
        private static let advertisedLimit = 16

        init(_ group: Group, device: Int32, connection: Int = 0) {
            self.group = group
            self.connection = connection
            rules = group.types.map { $0.init() }
            tallies = TallyTable(count: 2 * rules.count)
            self.device = device
        }

        /// Lists the device of the sending side, about which there is a first outcome.
        func list(sender: Int32, in devices: DeviceIndex) {
            if isSenderListed { return }
            isSenderListed = true
            _ = devices.number(of: sender)
        }

        func pass(_ place: Int, isOfSender: Bool) { tallies.pass(2 * place + (isOfSender ? 1 : 0)) }

        func add(_ outcome: RuleReport.Outcome, _ place: Int, isOfSender: Bool) {
            tallies.add(outcome, 2 * place + (isOfSender ? 1 : 0))
        }

        /// Takes the outcomes out by rule, the device's first.
        func drain(_ take: (_ place: Int, _ isOfSender: Bool, _ tally: Tally) -> Void) {
            tallies.drain { take($0 / 2, $0 % 2 == 1, $1) }
        }

        /// Whether an advertisement differs from those of late: the same bytes are checked once.
        func isNew(_ advertisement: Advertisement) -> Bool {
            var hasher = Hasher()
            hasher.combine(advertisement.kind)
            hasher.combine(advertisement.data)
            if advertised.count >= Self.advertisedLimit { advertised.removeAll(keepingCapacity: true) }
            return advertised.insert(hasher.finalize()).inserted
        }
    }

    private let ofConnections = Group()
    private let ofAdvertisers = Group()
    private let ofCapture = Group()
    /// Those of the open connections, by their slots.
    private var connections: [Instances?] = []
    private var advertisers: [DeviceAddress: Instances] = [:]
    private lazy var capture = Instances(ofCapture, device: -1)
    private let store: ResultStore
    private let deviceIndex: DeviceIndex
    private let shard: CheckShard
    private var report: RuleReport
    private let nowhere = ConnectionState(number: 0, opened: FrameReference(frame: 0, time: 0))

    /// Advertisers that are checked at one time; of more, the one that rested longest is checked anew when it comes again.
    private static let advertiserLimit = 1024
    /// Bytes of a PDU that a finding keeps.
    private static let byteLimit = 512

    /// `numbers` are the rules' indices in the store. The shard of what belongs to no device has the rules of the capture,
    /// which see commands, events and the state of all connections, and no PDUs of theirs.
    init(
        _ rules: [any CoreRule.Type], numbers: Range<Int>, store: ResultStore, deviceIndex: DeviceIndex,
        shard: CheckShard
    ) {
        self.store = store
        self.deviceIndex = deviceIndex
        self.shard = shard
        report = RuleReport(ruleCount: rules.count)
        for (type, number) in zip(rules, numbers) {
            switch type.scope {
            case .connection: ofConnections.add(type, number)
            case .advertiser: ofAdvertisers.add(type, number)
            case .capture: if shard.hasUnassigned { ofCapture.add(type, number) }
            }
        }
    }

    /// What it wants to see of frames that are many.
    var wants: TrafficReader.Wants {
        TrafficReader.Wants(
            commands: !ofCapture.commands.isEmpty,
            events: !ofCapture.events.isEmpty || !ofConnections.events.isEmpty,
            advertising: !ofAdvertisers.types.isEmpty)
    }

    func see(_ event: TrafficEvent) {
        if event.link.number > 0 {
            if event.link.isOwned, !ofConnections.types.isEmpty {
                run(ofConnections.interested(in: event.content), instances(of: event.link), event)
            }
        } else if case .advertising(let advertisement) = event.content {
            guard let address = advertisement.address, !ofAdvertisers.types.isEmpty,
                shard.owns(event.facts.sender)
            else { return }
            let instances = instances(of: address, event)
            if instances.isNew(advertisement) { run(ofAdvertisers.advertising, instances, event) }
        }
        if !ofCapture.types.isEmpty { run(ofCapture.interested(in: event.content), capture, event) }
    }

    func end(_ link: ConnectionState, at time: Int64) {
        guard let instances = known(of: link) else { return }
        connections[link.slot] = nil
        if !link.isDismissed { finish(instances, link, time) }
    }

    func finish(at time: Int64) {
        for instances in advertisers.values.sorted(by: { $0.lastFrame < $1.lastFrame }) {
            store.order = ResultStore.End.advertisers.order(of: instances.lastFrame)
            finish(instances, nowhere, time)
        }
        advertisers.removeAll()
        store.order = ResultStore.End.capture.order(of: 0)
        finish(capture, nowhere, time)
    }

    // MARK: - Instances

    private func instances(of link: ConnectionState) -> Instances {
        if let known = known(of: link) { return known }
        let instances = Instances(ofConnections, device: deviceIndex.number(of: link), connection: link.number)
        while connections.count <= link.slot { connections.append(nil) }
        connections[link.slot] = instances
        return instances
    }

    /// Those of a connection that has shown something; nil before that.
    private func known(of link: ConnectionState) -> Instances? {
        guard link.slot < connections.count, let instances = connections[link.slot],
            instances.connection == link.number
        else { return nil }
        return instances
    }

    private func instances(of address: DeviceAddress, _ event: TrafficEvent) -> Instances {
        if let instances = advertisers[address] {
            instances.lastFrame = event.moment.frame
            return instances
        }
        if advertisers.count >= shard.part(of: Self.advertiserLimit),
            let resting = advertisers.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, nowhere, event.moment.time)
            advertisers[resting.key] = nil
        }
        let instances = Instances(ofAdvertisers, device: deviceIndex.number(of: event.facts.sender))
        instances.lastFrame = event.moment.frame
        advertisers[address] = instances
        return instances
    }

    // MARK: - Running rules

    private func run(_ places: [Int], _ instances: Instances, _ event: TrafficEvent) {
        if places.isEmpty { return }
        report.turn(to: event.moment)
        let rules = instances.rules
        for place in places {
            report.rule = RuleIndex(place)
            rules[place].see(event, &report)
        }
        if report.isEmpty { return }
        var isOfSender = false
        if case .att(let att) = event.content { isOfSender = event.link.sender >= 0 && att.server(event) == .sent }
        if isOfSender { instances.list(sender: event.link.sender, in: deviceIndex) }
        for place in report.passes { instances.pass(place, isOfSender: isOfSender) }
        report.addBytes(event.payload.prefix(Self.byteLimit))
        for entry in report.entries {
            let doubt = event.doubt(of: instances.group.bases[entry.place])
            take(entry, instances, event.link, doubt: doubt, isOfSender: isOfSender)
        }
        report.clear()
    }

    private func finish(_ instances: Instances, _ link: ConnectionState, _ time: Int64) {
        report.turn(to: FrameReference(frame: 0, time: time, connection: link.number))
        for place in instances.rules.indices {
            report.rule = RuleIndex(place)
            instances.rules[place].finish(link, CaptureEnd(time: time), &report)
        }
        for place in report.passes { instances.pass(place, isOfSender: false) }
        for entry in report.entries {
            take(entry, instances, link, doubt: link.doubt(of: instances.group.bases[entry.place]))
        }
        report.clear()
        instances.drain { place, isOfSender, tally in
            let device = isOfSender ? deviceIndex.number(of: link.sender) : instances.device
            store.add(tally, rule: instances.group.numbers[place], device: device, connection: link.number)
        }
    }

    /// Records an outcome that is no pass. A failure is inconclusive with a doubt.
    private func take(
        _ entry: RuleReport.Entry, _ instances: Instances, _ link: ConnectionState, doubt: String?,
        isOfSender: Bool = false
    ) {
        let device = isOfSender ? deviceIndex.number(of: link.sender) : instances.device
        var outcome = entry.outcome
        if case .fail(let finding?) = outcome {
            if let doubt {
                outcome = .inconclusive(doubt)
            } else {
                store.queue(finding, rule: instances.group.numbers[entry.place], device: device)
            }
        }
        instances.add(outcome, entry.place, isOfSender: isOfSender)
    }
}

extension CoreRuleEngine.Group {
    fileprivate func add(_ type: any CoreRule.Type, _ number: Int) {
        let place = types.count
        types.append(type)
        numbers.append(number)
        bases.append(type.basis)
        for interest in type.interests {
            switch interest {
            case .att(let opcode): att[Int(opcode.rawValue)].append(place)
            case .allATT: for opcode in att.indices { att[opcode].append(place) }
            case .smp: smp.append(place)
            case .signals: signals.append(place)
            case .channels: channels.append(place)
            case .bearers: bearers.append(place)
            case .commands: commands.append(place)
            case .events: events.append(place)
            case .control: control.append(place)
            case .advertising: advertising.append(place)
            case .link: link.append(place)
            }
        }
    }

    fileprivate func interested(in content: TrafficEvent.Content) -> [Int] {
        switch content {
        case .opened, .closed, .gap, .parameters, .encryption: link
        case .att(let traffic): att[Int(traffic.opcode.rawValue)]
        case .smp: smp
        case .signal: signals
        case .channel: channels
        case .bearerClosed: bearers
        case .command: commands
        case .event: events
        case .control: control
        case .advertising: advertising
        }
    }
}
