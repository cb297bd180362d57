import ATT
import BluetoothTypes
import Captures
import Conversation
import Dissection
import PluginKit

/// Evaluates the rules of the specification: an instance of each for every connection, advertiser and capture.
final class CoreRuleEngine {
    /// The rules of one scope with what each wants to see, by their places in the scope.
    fileprivate struct Group {
        var types: [any CoreRule.Type] = []
        /// Index of each in the book.
        var numbers: [Int] = []
        var bases: [RuleBasis] = []
        var link: [Int] = []
        var att: [[Int]] = Array(repeating: [], count: 256)
        var smp: [Int] = []
        var signals: [Int] = []
        var channels: [Int] = []
        var commands: [Int] = []
        var events: [Int] = []
        var control: [Int] = []
        var advertising: [Int] = []
    }

    /// The instances that judge one connection or advertiser, and what they have said.
    private final class Seat {
        var rules: [any CoreRule]
        var tallies: [Tally]
        /// Index of each rule in the book.
        let numbers: [Int]
        let bases: [RuleBasis]
        let device: Int32
        /// The same for what concerns the ATT server of the side that sends what is `.sent`; empty before it has come up.
        var talliesOfSender: [Tally] = []
        var lastFrame = 0
        /// Hashes of what the advertiser has sent of late.
        private var advertised: Set<Int> = []

        /// Advertisements that are told apart.
        private static let advertisedLimit = 16

        init(_ group: Group, device: Int32) {
            rules = group.types.map { $0.init() }
            tallies = Array(repeating: Tally(), count: group.types.count)
            numbers = group.numbers
            bases = group.bases
            self.device = device
        }

        /// Whether an advertisement differs from those of late: the same bytes are judged once.
        func isNew(_ advertisement: Advertisement) -> Bool {
            var hasher = Hasher()
            hasher.combine(advertisement.kind)
            hasher.combine(advertisement.data)
            if advertised.count >= Self.advertisedLimit { advertised.removeAll(keepingCapacity: true) }
            return advertised.insert(hasher.finalize()).inserted
        }
    }

    private var ofConnections = Group()
    private var ofAdvertisers = Group()
    private var ofCapture = Group()
    private var connections: [Int: Seat] = [:]
    private var lastConnection: (number: Int, seat: Seat)?
    private var advertisers: [DeviceAddress: Seat] = [:]
    private lazy var capture = Seat(ofCapture, device: -1)
    private let book: ResultStore
    private let roster: DeviceIndex
    private let shard: CheckShard
    private var report = CoreRuleReport()
    private let nowhere = ConnectionState(number: 0, opened: FrameReference(frame: 0, time: 0))

    /// Advertisers that are judged at one time; of more, the one that rested longest is judged anew when it comes again.
    private static let advertiserLimit = 1024

    /// `numbers` are the rules' indices in the book. The shard of what belongs to no device has the rules of the capture,
    /// which see commands, events and the state of all connections, and no PDUs of theirs.
    init(
        _ rules: [any CoreRule.Type], numbers: Range<Int>, book: ResultStore, roster: DeviceIndex, shard: CheckShard
    ) {
        self.book = book
        self.roster = roster
        self.shard = shard
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

    func see(_ event: borrowing TrafficEvent) {
        if event.link.number > 0 {
            if event.link.isOwned, !ofConnections.types.isEmpty {
                judge(event, by: ofConnections.interested(in: event.content), seat(of: event.link))
            }
        } else if case .advertising(let advertisement) = event.content {
            guard let address = advertisement.address, !ofAdvertisers.types.isEmpty,
                shard.owns(event.frame.facts.sender)
            else { return }
            let seat = seat(of: address, event)
            if seat.isNew(advertisement) { judge(event, by: ofAdvertisers.advertising, seat) }
        }
        if !ofCapture.types.isEmpty { judge(event, by: ofCapture.interested(in: event.content), capture) }
    }

    func end(_ link: ConnectionState, at time: Int64) {
        guard let seat = connections.removeValue(forKey: link.number) else { return }
        if lastConnection?.number == link.number { lastConnection = nil }
        if !link.isDismissed { finish(seat, link, time) }
    }

    func finish(at time: Int64) {
        for seat in advertisers.values.sorted(by: { $0.lastFrame < $1.lastFrame }) {
            book.order = ResultStore.End.advertisers.order(of: seat.lastFrame)
            finish(seat, nowhere, time)
        }
        advertisers.removeAll()
        book.order = ResultStore.End.capture.order(of: 0)
        finish(capture, nowhere, time)
    }

    // MARK: - Seats

    private func seat(of link: ConnectionState) -> Seat {
        if let lastConnection, lastConnection.number == link.number { return lastConnection.seat }
        let seat = connections[link.number] ?? Seat(ofConnections, device: roster.number(of: link))
        connections[link.number] = seat
        lastConnection = (link.number, seat)
        return seat
    }

    private func seat(of address: DeviceAddress, _ event: borrowing TrafficEvent) -> Seat {
        if let seat = advertisers[address] {
            seat.lastFrame = event.moment.frame
            return seat
        }
        if advertisers.count >= shard.part(of: Self.advertiserLimit),
            let resting = advertisers.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, nowhere, event.moment.time)
            advertisers[resting.key] = nil
        }
        let seat = Seat(ofAdvertisers, device: roster.number(of: event.frame.facts.sender))
        seat.lastFrame = event.moment.frame
        advertisers[address] = seat
        return seat
    }

    // MARK: - Judging

    private func judge(_ event: borrowing TrafficEvent, by rules: [Int], _ seat: Seat) {
        if rules.isEmpty { return }
        report.turn(to: event.moment, event.payload)
        var isOfSender = false
        if case .att(let att) = event.content { isOfSender = event.link.sender >= 0 && att.server(event) == .sent }
        for rule in rules {
            seat.rules[rule].see(event, &report)
            if report.isEmpty { continue }
            let doubt = report.findings.isEmpty ? nil : event.doubt(of: seat.bases[rule])
            take(seat, rule, event.link, doubt: doubt, isOfSender: isOfSender)
        }
    }

    private func finish(_ seat: Seat, _ link: ConnectionState, _ time: Int64) {
        report.turn(to: FrameReference(frame: 0, time: time, connection: link.number), [])
        for rule in seat.rules.indices {
            seat.rules[rule].finish(link, CaptureEnd(time: time), &report)
            if !report.isEmpty { take(seat, rule, link, doubt: link.doubt(of: seat.bases[rule])) }
            let number = seat.numbers[rule]
            if !seat.tallies[rule].isEmpty {
                book.add(seat.tallies[rule], rule: number, device: seat.device, connection: link.number)
            }
            if !seat.talliesOfSender.isEmpty, !seat.talliesOfSender[rule].isEmpty {
                let sender = roster.number(of: link.sender)
                book.add(seat.talliesOfSender[rule], rule: number, device: sender, connection: link.number)
            }
        }
    }

    /// Takes down the report of a rule. Its findings are inconclusive with a doubt.
    private func take(_ seat: Seat, _ rule: Int, _ link: ConnectionState, doubt: String?, isOfSender: Bool = false) {
        defer { report.clear() }
        if isOfSender {
            if seat.talliesOfSender.isEmpty { seat.talliesOfSender = seat.tallies.map { _ in Tally() } }
            take(&seat.talliesOfSender[rule], rule: seat.numbers[rule], device: roster.number(of: link.sender), doubt)
        } else {
            take(&seat.tallies[rule], rule: seat.numbers[rule], device: seat.device, doubt)
        }
    }

    private func take(_ tally: inout Tally, rule: Int, device: Int32, _ doubt: String?) {
        tally.passes += report.passes
        for reason in report.undecided { tally.add(.inconclusive(reason)) }
        for finding in report.findings {
            if let doubt {
                tally.add(.inconclusive(doubt))
            } else {
                tally.add(.fail(finding))
                book.announce(finding, rule: rule, device: device)
            }
        }
    }
}

extension CoreRuleEngine.Group {
    fileprivate mutating func add(_ type: any CoreRule.Type, _ number: Int) {
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
        case .command: commands
        case .event: events
        case .control: control
        case .advertising: advertising
        }
    }
}
