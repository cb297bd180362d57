import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Checks connections, advertisers and the capture with the rules of the specification.
final class SpecificationCheck {
    /// The rules of one scope.
    private final class Scope {
        let rules: RuleGroup
        /// Index of each rule in the store.
        let numbers: [Int]
        let bases: [RuleBasis]
        /// Whether each rule is about both sides.
        let concernBoth: [Bool]

        init(_ scope: RuleScope, of rules: [any SpecificationRule], numbers: Range<Int>) {
            let chosen = zip(rules, numbers).filter { $0.0.scope == scope }
            self.rules = RuleGroup(chosen.map(\.0))
            self.numbers = chosen.map(\.1)
            bases = chosen.map { type(of: $0.0).basis }
            concernBoth = chosen.map { type(of: $0.0).info.role == .traffic }
        }

        var isEmpty: Bool { numbers.isEmpty }
        func handles(_ interest: RuleInterest) -> Bool { !rules.interests[interest].isEmpty }
    }

    /// A connection, an advertiser or the capture, with the outcomes of its rules.
    private final class Subject {
        let scope: Scope
        var engine: RuleEngine
        let device: Int32
        /// Nil for an advertiser or the capture.
        let connection: Connection?
        var lastFrame = 0
        /// Two tallies per rule: of the subject's device, and of the side that sends in direction `.sent`.
        private var tallies: TallyTable
        private var isSenderListed = false
        /// Hashes of the advertiser's recent advertisements.
        private var advertised: Set<Int> = []

        /// Maximum number of hashes in `advertised`.
        private static let advertisedLimit = 16

        init(_ scope: Scope, device: Int32, connection: Connection? = nil) {
            self.scope = scope
            self.connection = connection
            self.device = device
            engine = RuleEngine(scope.rules)
            tallies = TallyTable(count: 2 * scope.numbers.count)
        }

        /// Lists the device of the sending side in the report, at its first outcome.
        func listSender(in devices: DeviceIndex) {
            if isSenderListed { return }
            isSenderListed = true
            if let connection { _ = devices.number(of: connection, sending: .sent) }
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

    private let ofConnections: Scope
    private let ofAdvertisers: Scope
    private let ofCapture: Scope
    /// Open connections, by number, and the one of the last event.
    private var connections: [Int: Subject] = [:]
    private var last: Subject?
    private var advertisers: [Advertiser: Subject] = [:]
    private let capture: Subject
    private let store: ResultStore
    private let deviceIndex: DeviceIndex
    private let shard: CheckShard
    private var report: RuleReport

    /// Maximum number of advertisers checked at the same time. Beyond it, the advertiser idle for longest is evicted;
    /// if it returns, its check restarts.
    private static let advertiserLimit = 1024
    /// Maximum number of a PDU's bytes in a finding.
    private static let byteLimit = 512

    /// `numbers` are the rules' indices in the store. Rules with the scope of the capture run in the shard of traffic
    /// without a device: they handle commands, events and the state of all connections, but no PDUs of connections.
    init(
        _ types: [any SpecificationRule.Type], numbers: Range<Int>, store: ResultStore, deviceIndex: DeviceIndex,
        shard: CheckShard
    ) {
        self.store = store
        self.deviceIndex = deviceIndex
        self.shard = shard
        report = RuleReport(ruleCount: types.count)
        let rules = types.map { $0.init() }
        ofConnections = Scope(.connection, of: rules, numbers: numbers)
        ofAdvertisers = Scope(.advertiser, of: rules, numbers: numbers)
        ofCapture = Scope(.capture, of: shard.hasUnassigned ? rules : [], numbers: numbers)
        capture = Subject(ofCapture, device: -1)
    }

    /// Frequent kinds of events that some rule handles.
    var wants: TrafficReader.Wants {
        TrafficReader.Wants(
            commands: ofCapture.handles(.commands),
            events: ofCapture.handles(.events) || ofConnections.handles(.events),
            advertising: ofAdvertisers.handles(.advertising))
    }

    func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        if connection.number > 0 {
            if connection.isOwned, !ofConnections.isEmpty { check(event, on: subject(of: connection)) }
        } else if case .advertised(let advertisement) = event.content {
            let sender = frame.metadata.sender
            guard !ofAdvertisers.isEmpty, shard.owns(sender), let advertiser = Advertiser(advertisement, sender)
            else { return }
            let subject = subject(of: advertiser, sender, event)
            if subject.record(advertisement) { check(event, on: subject) }
        }
        if !ofCapture.isEmpty { check(event, on: capture) }
    }

    func end(_ connection: Connection, at time: Timestamp) {
        guard let subject = connections.removeValue(forKey: connection.number) else { return }
        last = nil
        if !connection.isDismissed { finish(subject, at: time) }
    }

    func finish(at time: Timestamp) {
        for subject in advertisers.values.sorted(by: { $0.lastFrame < $1.lastFrame }) {
            store.order = ResultStore.End.advertisers.order(of: subject.lastFrame)
            finish(subject, at: time)
        }
        advertisers.removeAll()
        store.order = ResultStore.End.capture.order(of: 0)
        finish(capture, at: time)
    }

    // MARK: - Subjects

    private func subject(of connection: Connection) -> Subject {
        if let last, last.connection === connection { return last }
        let subject =
            connections[connection.number]
            ?? Subject(ofConnections, device: deviceIndex.number(of: connection), connection: connection)
        connections[connection.number] = subject
        last = subject
        return subject
    }

    private func subject(of advertiser: Advertiser, _ sender: Int32, _ event: Event) -> Subject {
        if let subject = advertisers[advertiser] {
            subject.lastFrame = event.moment.frame
            return subject
        }
        if advertisers.count >= shard.part(of: Self.advertiserLimit),
            let resting = advertisers.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, at: event.moment.time)
            advertisers[resting.key] = nil
        }
        let subject = Subject(ofAdvertisers, device: deviceIndex.number(of: sender))
        subject.lastFrame = event.moment.frame
        advertisers[advertiser] = subject
        return subject
    }

    // MARK: - Outcomes

    private func check(_ event: Event, on subject: Subject) {
        let places = subject.scope.rules.interests.places(for: event)
        if places.isEmpty { return }
        report.begin(at: event.moment)
        for place in places { subject.engine.handle(event, at: place, &report) }
        if report.isEmpty { return }
        var isServerSending = false
        if case .att(let att) = event.content { isServerSending = att.server(event) == .sent }
        if isServerSending { subject.listSender(in: deviceIndex) }
        subject.takePasses(of: &report, isOfSender: isServerSending)
        if report.entries.isEmpty { return report.clear() }
        report.addBytes(event.payload.prefix(Self.byteLimit))
        for entry in report.entries {
            let doubt = event.doubt(of: subject.scope.bases[entry.place])
            var isOfSender = isServerSending
            // A PDU that breaks a rule about both sides counts for its sender.
            if subject.connection != nil, subject.scope.concernBoth[entry.place],
                entry.outcome.isFailure(at: event.moment)
            {
                isOfSender = event.direction == .sent
                if isOfSender, doubt == nil { subject.listSender(in: deviceIndex) }
            }
            record(entry, of: subject, doubt: doubt, isOfSender: isOfSender)
        }
        report.clear()
    }

    private func finish(_ subject: Subject, at time: Timestamp) {
        let connection = subject.connection
        let number = connection?.number ?? 0
        report.begin(at: FrameReference(frame: 0, time: time, connection: number))
        subject.engine.finish(CaptureEnd(time: time, isClosing: connection?.isClosed ?? false), &report)
        subject.takePasses(of: &report, isOfSender: false)
        for entry in report.entries {
            record(entry, of: subject, doubt: connection?.doubt(of: subject.scope.bases[entry.place]))
        }
        report.clear()
        subject.drain { place, isOfSender, tally in
            store.add(
                tally, rule: subject.scope.numbers[place], device: device(of: subject, isSender: isOfSender),
                connection: number)
        }
    }

    /// Records an outcome other than a pass. With a doubt, a failure is inconclusive.
    private func record(
        _ entry: RuleReport.Entry, of subject: Subject, doubt: String?, isOfSender: Bool = false
    ) {
        var outcome = entry.outcome
        if case .fail(let finding?) = outcome {
            if let doubt {
                outcome = .inconclusive(doubt)
            } else {
                store.queue(
                    finding, rule: subject.scope.numbers[entry.place],
                    device: device(of: subject, isSender: isOfSender))
            }
        }
        subject.add(outcome, entry.place, isOfSender: isOfSender)
    }

    /// Number of the subject's device, or of the side of its connection that sends in direction `.sent`.
    private func device(of subject: Subject, isSender: Bool) -> Int32 {
        guard isSender, let connection = subject.connection else { return subject.device }
        return deviceIndex.number(of: connection, sending: .sent)
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
