import ATT
import BluetoothTypes
import Bytes
import Captures
import Conversation
import Dissection
import GAP
import PluginKit
import Profile
import SMP

/// One device through all of a capture: turns its traffic into events in the profile's terms and hands them to its
/// rules.
final class DeviceState {
    let rules: PluginRules
    let plugins: PluginSet
    /// Number in the report; -1 where it is not listed.
    let number: Int32
    var panel: DeviceRuleSet
    var links: [Int: DeviceConnection] = [:]
    var lastLink: DeviceConnection?
    /// Number of the last frame, to find the device that rested longest.
    var lastFrame = 0
    /// The last Database Hash that the device reported.
    var databaseHash: [UInt8]?
    /// Values that their type did not read.
    private(set) var undecoded = 0
    private var report: RuleReport
    /// What came of the rules for `talliedConnection`, by their place in the profile, and which of them came up.
    private var tallies: [Tally]
    private var touched: [Int] = []
    private var talliedConnection = 0
    /// Why what breaks a rule on that connection is inconclusive; nil where it is not.
    private var talliedDoubt: String?
    /// Times of the last advertisement of each kind.
    private var advertised: [Advertisement.Kind: Int64] = [:]
    /// The data that the profile reads, as the last advertisement had them.
    private var contents: [GAP.DataOwner: LastContent] = [:]
    private let book: ResultStore

    init(_ rules: PluginRules, of plugins: PluginSet, number: Int32, book: ResultStore) {
        self.rules = rules
        self.plugins = plugins
        self.number = number
        self.book = book
        panel = rules.panel
        report = rules.emptyReport
        if book.isFull { report.listNothing() }
        tallies = Array(repeating: Tally(), count: rules.count)
    }

    // MARK: - Events

    /// Lets some judges see what happened on a connection.
    func tell(_ content: RuleEvent.Content, at moment: FrameReference, on watched: DeviceConnection, _ some: [Int]) {
        if case .gap = content {
            report.noteGap(on: moment.connection)
            watched.context.written = WrittenValues()
        }
        if some.isEmpty { return }
        let event = RuleEvent(content, at: moment, link: watched.link.state, context: watched.context)
        var bytes: ValueBytes?
        switch content {
        case .value(let value): bytes = value.bytes
        case .configuration(let access): bytes = access.bytes
        case .message(let message): bytes = message.bytes
        default: break
        }
        report.turn(to: moment, bytes: bytes)
        panel.see(event, some, &report)
        take()
    }

    func advertise(_ advertisement: Advertisement, at moment: FrameReference) {
        if !rules.advertised.isEmpty { seeContents(of: advertisement, at: moment) }
        if panel.interestIndex.advertising.isEmpty { return }
        var advertisement = advertisement
        advertisement.interval = advertised[advertisement.kind].map { moment.time &- $0 }
        advertised[advertisement.kind] = moment.time
        report.turn(to: moment, bytes: ValueBytes(advertisement.data))
        panel.see(RuleEvent(.advertised(advertisement), at: moment), panel.interestIndex.advertising, &report)
        take()
    }

    /// Checks data of the advertisement that the profile has a type for.
    private func seeContents(of advertisement: Advertisement, at moment: FrameReference) {
        var cursor = GAP.StructureCursor(advertisement.data.span.rawBytes)
        while let (owner, place) = cursor.nextOwned() {
            guard let readers = rules.advertised[owner] else { continue }
            let bytes = ValueBytes(advertisement.data[place])
            let last = contents[owner]
            contents[owner] = LastContent(bytes: bytes, time: moment.time)
            if let last, last.bytes == bytes, moment.time &- last.time <= LastContent.eventSpan { continue }
            guard let layout = bytes.withBytes({ data in readers.firstLayout(of: data) }) else { continue }
            see(AdvertisedContent(bytes, rules.reading(of: layout)), at: moment)
        }
    }

    private func see(_ content: AdvertisedContent, at moment: FrameReference) {
        content.reading.reset(to: content.bytes)
        let moment = FrameReference(frame: moment.frame, time: moment.time)
        let value = CheckedValue(
            moment: moment, bytes: content.bytes, reading: content.reading, context: DeviceContext())
        check(value, of: .advertised)
        if panel.interestIndex.advertisedContent.isEmpty { return }
        // What was advertised before the capture, or not received, is not known.
        var link = LinkState()
        link.isBeginningCaptured = false
        report.turn(to: moment, bytes: content.bytes)
        panel.see(
            RuleEvent(.advertisedContent(content), at: moment, link: link), panel.interestIndex.advertisedContent,
            &report)
        take()
    }

    /// Nothing more of the device comes.
    func finish(at time: Int64) {
        for watched in links.values.sorted(by: { $0.link.number < $1.link.number }) { tellTable(watched, at: nil) }
        report.turn(to: FrameReference(frame: 0, time: time))
        panel.finish(CaptureEnd(time: time), &report)
        take()
        flush()
    }

    // MARK: - Links

    /// The connection as it is watched; one that is new is opened.
    func watched(_ link: ConnectionState) -> DeviceConnection {
        if let lastLink, lastLink.link === link { return lastLink }
        if let known = links[link.number] {
            lastLink = known
            return known
        }
        let watched = DeviceConnection(link)
        links[link.number] = watched
        lastLink = watched
        let opening = ConnectionOpening(
            isBeginningCaptured: link.state.isBeginningCaptured, parameters: link.parameters, client: link.client)
        tell(.opened(opening), at: link.opened, on: watched, panel.interestIndex.everybody)
        return watched
    }

    func close(_ link: ConnectionState, _ closing: ConnectionClosing, at moment: FrameReference) {
        let watched = watched(link)
        tellTable(watched, at: moment)
        tell(.closed(closing), at: moment, on: watched, panel.interestIndex.everybody)
        links[link.number] = nil
        lastLink = nil
    }

    /// Tells of the table, if discovery has told something since it was told last.
    func tellTable(_ watched: DeviceConnection, at moment: FrameReference?) {
        guard watched.discovery.hasNews, !panel.interestIndex.table.isEmpty else { return }
        watched.discovery.hasNews = false
        tell(
            .table(watched.discovery.attributeTable(rules)), at: moment ?? watched.link.opened, on: watched,
            panel.interestIndex.table)
    }

    /// Takes note of the firmware that the device says it has.
    func noteFirmware(_ bytes: ValueBytes) {
        let text = String(decoding: bytes.array.prefix { $0 != 0 }, as: UTF8.self)
        book.update(number) { $0.firmware = text }
    }

    // MARK: - Outcomes

    /// Checks a value by the rules that read only the value.
    func check(_ value: CheckedValue, of subject: ValueChecks.Subject) {
        turn(to: value.moment.connection)
        var isBroken = false
        rules.checks.judge(value, of: subject) { place in
            touch(place)
            tallies[place].passes += 1
        } fail: { place, finding in
            isBroken = true
            add(.fail(tallies[place].isFull || book.isFull ? nil : finding()), place)
        } undecided: { place, reason in
            add(.inconclusive(tallies[place].reason ?? reason()), place)
        }
        if value.reading?.isFaulty == true { undecoded += 1 }
        if !isBroken, case .value(let characteristic, let operation) = subject {
            checkForm(of: value, characteristic, operation)
        }
    }

    /// Checks the length and the form of a value.
    private func checkForm(of value: CheckedValue, _ characteristic: Int, _ operation: OperationKind) {
        let places = rules.forms[characteristic]
        guard let place = operation == .write ? places.written : places.sent else { return }
        if let fault = ValueForms.fault(of: value, length: places.length) {
            if value.mayAnswerEarlier {
                return add(.inconclusive("the value may answer the request before the last"), place)
            }
            add(.fail(tallies[place].isFull || book.isFull ? nil : fault), place)
        } else if places.length != nil || value.reading != nil {
            touch(place)
            tallies[place].passes += 1
        }
    }

    /// Records the results of the rules.
    private func take() {
        if report.isEmpty { return }
        if !report.passes.isEmpty { turn(to: report.moment.connection) }
        for place in report.passes {
            touch(place)
            tallies[place].passes += 1
        }
        for entry in report.entries {
            turn(to: entry.connection)
            add(entry.outcome, entry.place)
            if tallies[entry.place].isFull { report.enough(of: entry.place, on: entry.connection) }
        }
        report.clear()
    }

    private func add(_ outcome: RuleReport.Outcome, _ place: Int) {
        touch(place)
        if case .fail = outcome, let doubt = talliedDoubt { return tallies[place].add(.inconclusive(doubt)) }
        tallies[place].add(outcome)
        switch outcome {
        case .fail(let finding?): book.announce(finding, rule: rules.firstNumber + place, device: number)
        case .warn(let finding?):
            book.announce(finding, rule: rules.firstNumber + place, device: number, isWarning: true)
        case .pass, .fail, .warn, .inconclusive: return
        }
    }

    private func touch(_ place: Int) {
        if tallies[place].isEmpty { touched.append(place) }
    }

    /// What is said from now on is about a connection.
    private func turn(to connection: Int) {
        if connection == talliedConnection { return }
        flush()
        talliedConnection = connection
        talliedDoubt = links[connection]?.link.doubt(of: .pdu)
    }

    private func flush() {
        for place in touched.sorted() {
            book.add(tallies[place], rule: rules.firstNumber + place, device: number, connection: talliedConnection)
            tallies[place] = Tally()
        }
        touched.removeAll(keepingCapacity: true)
        report.listAnew()
        if book.isFull { report.listNothing() }
    }
}

/// Advertised data, and when they came.
private struct LastContent {
    let bytes: ValueBytes
    let time: Int64

    /// PDUs of one advertising event, on its channels, begin within 10 ms of each other (Vol 6, Part B, 4.4.2.2.1).
    static let eventSpan: Int64 = 10_000_000
}

extension [AdvertisedReader] {
    /// The type of data: that of the first reader that has one for them.
    fileprivate func firstLayout(of data: RawSpan) -> Layout? {
        for reader in self {
            if let layout = reader.layout(of: data, in: NoContext()) { return layout }
        }
        return nil
    }
}
