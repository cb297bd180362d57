import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Evaluates the rules of the specification, with an instance of each rule for every connection, advertiser or capture.
final class CoreRuleEngine {
    /// The rules of one scope, and their interests.
    private final class Group {
        let types: [any CoreRule.Type]
        /// Index of each rule in the store.
        let numbers: [Int]
        let bases: [RuleBasis]
        /// Whether each rule is about both sides.
        let concernBoth: [Bool]
        /// Indices of the rules interested in each kind of event.
        private let places: [[Int]]

        init(_ rules: [(type: any CoreRule.Type, number: Int)]) {
            types = rules.map(\.type)
            numbers = rules.map(\.number)
            bases = types.map { $0.basis }
            concernBoth = types.map { $0.info.role == .traffic }
            var places = Array(repeating: [Int](), count: TrafficInterest.kindCount)
            for (place, type) in types.enumerated() {
                for kind in type.interests.flatMap(\.kinds) { places[kind].append(place) }
            }
            self.places = places
        }

        /// Indices of the rules interested in an event.
        func places(wanting content: TrafficEvent.Content) -> [Int] { places[content.kind] }

        func wants(_ interest: TrafficInterest) -> Bool { interest.kinds.contains { !places[$0].isEmpty } }
    }

    /// The rule instances for one connection, advertiser or capture, and their outcomes.
    private final class Instances {
        let group: Group
        /// By rule index; a rule is created at the first event that it handles.
        private var rules: [(any CoreRule)?]
        let device: Int32
        /// Number of the connection; 0 for an advertiser or the capture.
        let connection: Int
        var lastFrame = 0
        /// Two tallies per rule: of the instances' device, and of the side that sends in direction `.sent`.
        private var tallies: TallyTable
        private var isSenderListed = false
        /// Hashes of the advertiser's recent advertisements.
        private var advertised: Set<Int> = []

        /// Maximum number of hashes in `advertised`.
        private static let advertisedLimit = 16

        init(_ group: Group, device: Int32, connection: Int = 0) {
            self.group = group
            self.connection = connection
            rules = group.types.map { _ in nil }
            tallies = TallyTable(count: 2 * group.types.count)
            self.device = device
        }

        /// Lists the device of the sending side in the report, at its first outcome.
        func listSender(of link: ConnectionState, in devices: DeviceIndex) {
            if isSenderListed { return }
            isSenderListed = true
            _ = devices.number(of: link, sending: .sent)
        }

        /// Evaluates rules, by index, for an event.
        func evaluate(_ event: TrafficEvent, _ places: [Int], _ report: inout RuleReport) {
            for place in places {
                report.rule = RuleIndex(place)
                rule(at: place).handle(event, &report)
            }
        }

        private func rule(at place: Int) -> any CoreRule {
            if let rule = rules[place] { return rule }
            let rule = group.types[place].init()
            rules[place] = rule
            return rule
        }

        /// Settles the pending cases of all rules that handled an event.
        func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout RuleReport) {
            for case (let place, let rule?) in rules.enumerated() {
                report.rule = RuleIndex(place)
                rule.finish(link, end, &report)
            }
        }

        func takePasses(of report: inout RuleReport, isOfSender: Bool) {
            tallies.takePasses(of: &report) { 2 * $0 + (isOfSender ? 1 : 0) }
        }

        func add(_ outcome: RuleReport.Outcome, _ place: Int, isOfSender: Bool) {
            tallies.add(outcome, 2 * place + (isOfSender ? 1 : 0))
        }

        /// Removes the outcomes by rule, the device's first.
        func drain(_ take: (_ place: Int, _ isOfSender: Bool, _ tally: Tally) -> Void) {
            tallies.drain { take($0 / 2, $0 % 2 == 1, $1) }
        }

        /// Records an advertisement. Returns false for a recent one, because the same bytes are checked once.
        func record(_ advertisement: Advertisement) -> Bool {
            var hasher = Hasher()
            hasher.combine(advertisement.kind)
            hasher.combine(advertisement.data)
            if advertised.count >= Self.advertisedLimit { advertised.removeAll(keepingCapacity: true) }
            return advertised.insert(hasher.finalize()).inserted
        }
    }

    /// The origin of advertising data that is checked as one device.
    private enum Advertiser: Hashable {
        case address(DeviceAddress)
        /// The local host of a capture, by its index.
        case host(Int32)

        /// Nil for an anonymous advertiser.
        init?(_ advertisement: Advertisement, _ sender: Int32) {
            if let address = advertisement.address {
                self = .address(address)
            } else if case .own = advertisement.kind, sender >= 0 {
                self = .host(sender)
            } else {
                return nil
            }
        }
    }

    private let ofConnections: Group
    private let ofAdvertisers: Group
    private let ofCapture: Group
    /// The instances of open connections, by slot.
    private var connections: [Instances?] = []
    private var advertisers: [Advertiser: Instances] = [:]
    private let capture: Instances
    private let store: ResultStore
    private let deviceIndex: DeviceIndex
    private let shard: CheckShard
    private var report: RuleReport
    private let nowhere = ConnectionState(number: 0, opened: FrameReference(frame: 0, time: .epoch))

    /// Maximum number of advertisers checked at the same time. Beyond it, the advertiser idle for longest is evicted;
    /// if it returns, its check restarts.
    private static let advertiserLimit = 1024
    /// Maximum number of a PDU's bytes in a finding.
    private static let byteLimit = 512

    /// `numbers` are the rules' indices in the store. Rules with the scope of the capture run in the shard of traffic
    /// without a device: they handle commands, events and the state of all connections, but no PDUs of connections.
    init(
        _ rules: [any CoreRule.Type], numbers: Range<Int>, store: ResultStore, deviceIndex: DeviceIndex,
        shard: CheckShard
    ) {
        self.store = store
        self.deviceIndex = deviceIndex
        self.shard = shard
        report = RuleReport(ruleCount: rules.count)
        let numbered = Array(zip(rules, numbers))
        ofConnections = Group(numbered.filter { $0.0.scope == .connection })
        ofAdvertisers = Group(numbered.filter { $0.0.scope == .advertiser })
        ofCapture = Group(shard.hasUnassigned ? numbered.filter { $0.0.scope == .capture } : [])
        capture = Instances(ofCapture, device: -1)
    }

    /// Frequent kinds of events that some rule handles.
    var wants: TrafficReader.Wants {
        TrafficReader.Wants(
            commands: ofCapture.wants(.commands), events: ofCapture.wants(.events) || ofConnections.wants(.events),
            advertising: ofAdvertisers.wants(.advertising))
    }

    func handle(_ event: TrafficEvent, on link: ConnectionState) {
        if link.number > 0 {
            if link.isOwned, !ofConnections.types.isEmpty { run(instances(of: link), event, on: link) }
        } else if case .advertising(let advertisement) = event.content {
            guard !ofAdvertisers.types.isEmpty, shard.owns(event.metadata.sender),
                let advertiser = Advertiser(advertisement, event.metadata.sender)
            else { return }
            let instances = instances(of: advertiser, event)
            if instances.record(advertisement) { run(instances, event, on: link) }
        }
        if !ofCapture.types.isEmpty { run(capture, event, on: link) }
    }

    func end(_ link: ConnectionState, at time: Timestamp) {
        guard let instances = known(of: link) else { return }
        connections[link.slot] = nil
        if !link.isDismissed { finish(instances, link, time) }
    }

    func finish(at time: Timestamp) {
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

    /// The instances of a connection; nil before its first event.
    private func known(of link: ConnectionState) -> Instances? {
        guard link.slot < connections.count, let instances = connections[link.slot],
            instances.connection == link.number
        else { return nil }
        return instances
    }

    private func instances(of advertiser: Advertiser, _ event: TrafficEvent) -> Instances {
        if let instances = advertisers[advertiser] {
            instances.lastFrame = event.moment.frame
            return instances
        }
        if advertisers.count >= shard.part(of: Self.advertiserLimit),
            let resting = advertisers.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, nowhere, event.moment.time)
            advertisers[resting.key] = nil
        }
        let instances = Instances(ofAdvertisers, device: deviceIndex.number(of: event.metadata.sender))
        instances.lastFrame = event.moment.frame
        advertisers[advertiser] = instances
        return instances
    }

    // MARK: - Running rules

    private func run(_ instances: Instances, _ event: TrafficEvent, on link: ConnectionState) {
        let places = instances.group.places(wanting: event.content)
        if places.isEmpty { return }
        report.begin(at: event.moment)
        instances.evaluate(event, places, &report)
        if report.isEmpty { return }
        var isServerSending = false
        if case .att(let att) = event.content { isServerSending = att.server(event) == .sent }
        if isServerSending { instances.listSender(of: link, in: deviceIndex) }
        instances.takePasses(of: &report, isOfSender: isServerSending)
        if report.entries.isEmpty { return report.clear() }
        report.addBytes(event.payload.prefix(Self.byteLimit))
        for entry in report.entries {
            let doubt = event.doubt(of: instances.group.bases[entry.place])
            var isOfSender = isServerSending
            // A PDU that breaks a rule about both sides counts for its sender.
            if link.number > 0, instances.group.concernBoth[entry.place], entry.outcome.isFailure(at: event.moment) {
                isOfSender = event.direction == .sent
                if isOfSender, doubt == nil { instances.listSender(of: link, in: deviceIndex) }
            }
            take(entry, instances, link, doubt: doubt, isOfSender: isOfSender)
        }
        report.clear()
    }

    private func finish(_ instances: Instances, _ link: ConnectionState, _ time: Timestamp) {
        report.begin(at: FrameReference(frame: 0, time: time, connection: link.number))
        instances.finish(link, CaptureEnd(time: time), &report)
        instances.takePasses(of: &report, isOfSender: false)
        for entry in report.entries {
            take(entry, instances, link, doubt: link.doubt(of: instances.group.bases[entry.place]))
        }
        report.clear()
        instances.drain { place, isOfSender, tally in
            let device = isOfSender ? deviceIndex.number(of: link, sending: .sent) : instances.device
            store.add(tally, rule: instances.group.numbers[place], device: device, connection: link.number)
        }
    }

    /// Records an outcome other than a pass. With a doubt, a failure is inconclusive.
    private func take(
        _ entry: RuleReport.Entry, _ instances: Instances, _ link: ConnectionState, doubt: String?,
        isOfSender: Bool = false
    ) {
        let device = isOfSender ? deviceIndex.number(of: link, sending: .sent) : instances.device
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

extension RuleReport.Outcome {
    /// Whether this event, rather than an earlier one, broke the rule.
    fileprivate func isFailure(at moment: FrameReference) -> Bool {
        switch self {
        case .fail(let finding), .warn(let finding): finding?.moments.last.map { $0.frame == moment.frame } ?? true
        case .pass, .inconclusive: false
        }
    }
}

extension TrafficInterest {
    /// Number of event kinds by which rules are looked up: ATT PDUs by opcode, then all others.
    fileprivate static let kindCount = 265

    fileprivate var kinds: Range<Int> {
        switch self {
        case .att(let opcode): Int(opcode.rawValue)..<Int(opcode.rawValue) + 1
        case .allATT: 0..<256
        case .smp: 256..<257
        case .signals: 257..<258
        case .channels: 258..<259
        case .bearers: 259..<260
        case .commands: 260..<261
        case .events: 261..<262
        case .control: 262..<263
        case .advertising: 263..<264
        case .link: 264..<265
        }
    }
}

extension TrafficEvent.Content {
    fileprivate var kind: Int {
        let interest: TrafficInterest =
            switch self {
            case .opened, .closed, .gap, .parameters, .encryption: .link
            case .att(let traffic): .att(traffic.opcode)
            case .smp: .smp
            case .signal: .signals
            case .channel: .channels
            case .bearerClosed: .bearers
            case .command: .commands
            case .event: .events
            case .control: .control
            case .advertising: .advertising
            }
        return interest.kinds.lowerBound
    }
}
