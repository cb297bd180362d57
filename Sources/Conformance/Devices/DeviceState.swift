import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// One device through all of a capture: turns its traffic into events in the profile's terms and hands them to its
/// rules.
final class DeviceState {
    let rules: PluginRules
    let plugins: PluginSet
    /// Number in the report; -1 where it is not listed.
    let number: Int32
    var ruleSet: DeviceRuleSet
    var links: [Int: DeviceConnection] = [:]
    var lastLink: DeviceConnection?
    /// Number of the last frame, to find the device that rested longest.
    var lastFrame = 0
    /// The last Database Hash that the device reported.
    var databaseHash: [UInt8]?
    /// Values that their type did not read.
    private(set) var undecoded = 0
    private var report: RuleReport
    /// The outcomes of the rules for `talliedConnection`, by their places in the profile.
    private var tallies: TallyTable
    private var talliedConnection = 0
    /// Why what breaks a rule on that connection is inconclusive; nil where it is not.
    private var doubt: String?
    /// Times of the last advertisement of each kind.
    private var advertised: [Advertisement.Kind: Timestamp] = [:]
    /// The data that the profile reads, as the last advertisement had them.
    private var contents: [GAP.DataOwner: LastContent] = [:]
    private let store: ResultStore

    init(_ rules: PluginRules, of plugins: PluginSet, number: Int32, store: ResultStore) {
        self.rules = rules
        self.plugins = plugins
        self.number = number
        self.store = store
        ruleSet = rules.ruleSet
        report = rules.emptyReport
        if store.isFull { report.listNothing() }
        tallies = TallyTable(count: rules.count)
    }

    // MARK: - Events

    /// Lets some rules see what happened on a connection.
    func emit(_ content: RuleEvent.Content, at moment: FrameReference, on connection: DeviceConnection, _ some: [Int]) {
        if case .gap = content {
            report.noteGap(on: moment.connection)
            connection.context.written = WrittenValues()
        }
        if some.isEmpty { return }
        let event = RuleEvent(content, at: moment, link: connection.link.state, context: connection.context)
        report.turn(to: moment)
        ruleSet.see(event, some, &report)
        take(from: event.bytes)
    }

    func advertise(_ advertisement: Advertisement, at moment: FrameReference) {
        if !rules.advertised.isEmpty { seeContents(of: advertisement, at: moment) }
        if ruleSet.interestIndex.advertising.isEmpty { return }
        var advertisement = advertisement
        advertisement.interval = advertised[advertisement.kind].map { moment.time - $0 }
        advertised[advertisement.kind] = moment.time
        report.turn(to: moment)
        ruleSet.see(RuleEvent(.advertised(advertisement), at: moment), ruleSet.interestIndex.advertising, &report)
        take(from: ValueBytes(advertisement.data))
    }

    /// Checks data of the advertisement that the profile has a type for.
    private func seeContents(of advertisement: Advertisement, at moment: FrameReference) {
        var cursor = GAP.StructureCursor(advertisement.data.span.rawBytes)
        while let (owner, place) = cursor.nextOwned() {
            guard let readers = rules.advertised[owner] else { continue }
            let bytes = ValueBytes(advertisement.data[place])
            let last = contents[owner]
            contents[owner] = LastContent(bytes: bytes, time: moment.time)
            if let last, last.bytes == bytes, moment.time - last.time <= LastContent.eventSpan { continue }
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
        if ruleSet.interestIndex.advertisedContent.isEmpty { return }
        // What was advertised before the capture, or not received, is not known.
        var link = LinkState()
        link.isBeginningCaptured = false
        report.turn(to: moment)
        ruleSet.see(
            RuleEvent(.advertisedContent(content), at: moment, link: link), ruleSet.interestIndex.advertisedContent,
            &report)
        take(from: content.bytes)
    }

    /// Nothing more of the device comes.
    func finish(at time: Timestamp) {
        for connection in links.values.sorted(by: { $0.link.number < $1.link.number }) {
            emitTable(connection, at: nil)
        }
        report.turn(to: FrameReference(frame: 0, time: time))
        ruleSet.finish(CaptureEnd(time: time), &report)
        take()
        flush()
    }

    // MARK: - Links

    /// The connection as it is connection; one that is new is opened.
    func connection(of link: ConnectionState) -> DeviceConnection {
        if let lastLink, lastLink.link === link { return lastLink }
        if let known = links[link.number] {
            lastLink = known
            return known
        }
        let connection = DeviceConnection(link)
        links[link.number] = connection
        lastLink = connection
        let opening = ConnectionOpening(
            isBeginningCaptured: link.state.isBeginningCaptured, parameters: link.parameters, client: link.client)
        emit(.opened(opening), at: link.opened, on: connection, ruleSet.interestIndex.all)
        return connection
    }

    func close(_ link: ConnectionState, _ closing: ConnectionClosing, at moment: FrameReference) {
        let connection = connection(of: link)
        emitTable(connection, at: moment)
        emit(.closed(closing), at: moment, on: connection, ruleSet.interestIndex.all)
        links[link.number] = nil
        lastLink = nil
    }

    /// Tells of the table, if discovery has told something since it was told last.
    func emitTable(_ connection: DeviceConnection, at moment: FrameReference?) {
        guard connection.discovery.hasChanged, !ruleSet.interestIndex.table.isEmpty else { return }
        connection.discovery.hasChanged = false
        emit(
            .table(connection.discovery.attributeTable(rules)), at: moment ?? connection.link.opened, on: connection,
            ruleSet.interestIndex.table)
    }

    /// Takes note of the firmware that the device says it has.
    func noteFirmware(_ bytes: ValueBytes) {
        let text = String(decoding: bytes.array.prefix { $0 != 0 }, as: UTF8.self)
        store.update(number) { $0.firmware = text }
    }

    // MARK: - Outcomes

    /// Checks a value by the rules that read only the value.
    func check(_ value: CheckedValue, of subject: ValueChecks.Subject) {
        turn(to: value.moment.connection)
        var isBroken = false
        for rule in rules.checks.rules(for: subject, value.reading) {
            let outcome = rule.outcome(for: value)
            record(outcome, of: rule, for: value)
            if outcome == .fail { isBroken = true }
        }
        if value.reading?.isFaulty == true { undecoded += 1 }
        if !isBroken, case .value(let characteristic, let operation) = subject {
            checkForm(of: value, characteristic, operation)
        }
    }

    /// Records the outcome of a rule that reads only the value.
    private func record(_ outcome: ValueOutcome, of rule: BoundRule, for value: CheckedValue) {
        switch outcome {
        case .pass: tallies.pass(rule.place)
        case .fail:
            let isListed = !tallies.isFull(rule.place) && !store.isFull
            add(.fail(isListed ? rule.finding(about: value) : nil), rule.place)
        case .undecided: add(.inconclusive(tallies.reason(rule.place) ?? rule.doubt(about: value)), rule.place)
        case .notApplicable: break
        }
    }

    /// Checks the length and the form of a value.
    private func checkForm(of value: CheckedValue, _ characteristic: Int, _ operation: OperationKind) {
        let places = rules.characteristics[characteristic].forms
        guard let place = operation == .write ? places.written : places.sent else { return }
        if let fault = ValueForms.fault(of: value, length: places.length) {
            if value.mayAnswerEarlier {
                return add(.inconclusive("the value may answer the request before the last"), place)
            }
            add(.fail(tallies.isFull(place) || store.isFull ? nil : fault), place)
        } else if places.length != nil || value.reading != nil {
            tallies.pass(place)
        }
    }

    /// Records the results of the rules about an event with these bytes.
    private func take(from bytes: @autoclosure () -> ValueBytes? = nil) {
        if report.isEmpty { return }
        if !report.passes.isEmpty {
            turn(to: report.moment.connection)
            tallies.takePasses(of: &report) { $0 }
        }
        if report.entries.isEmpty { return report.clear() }
        report.addBytes(bytes()?.array[...])
        for entry in report.entries {
            turn(to: entry.connection)
            add(entry.outcome, entry.place)
            if tallies.isFull(entry.place) { report.enough(of: entry.place, on: entry.connection) }
        }
        report.clear()
    }

    /// From now on it is not certain what the attributes are at a server's handles.
    func doubtTable(of connection: DeviceConnection) {
        connection.mayHaveChanged = true
        report.noteGap(on: connection.link.number)
    }

    private func add(_ outcome: RuleReport.Outcome, _ place: Int) {
        if case .fail = outcome, let doubt = doubt ?? doubtOfTable { return tallies.add(.inconclusive(doubt), place) }
        tallies.add(outcome, place)
        switch outcome {
        case .fail(let finding?): store.queue(finding, rule: rules.firstNumber + place, device: number)
        case .warn(let finding?):
            store.queue(finding, rule: rules.firstNumber + place, device: number, isWarning: true)
        case .pass, .fail, .warn, .inconclusive: return
        }
    }

    private var doubtOfTable: String? {
        guard links[talliedConnection]?.mayHaveChanged == true else { return nil }
        return "a change of the attribute table may not have been captured"
    }

    /// What is said from now on is about a connection.
    private func turn(to connection: Int) {
        if connection == talliedConnection { return }
        flush()
        talliedConnection = connection
        doubt = links[connection]?.link.doubt(of: .pdu)
    }

    private func flush() {
        tallies.drain { place, tally in
            store.add(tally, rule: rules.firstNumber + place, device: number, connection: talliedConnection)
        }
        report.listAnew()
        if store.isFull { report.listNothing() }
    }
}

extension RuleEvent {
    /// The bytes that findings about it show.
    fileprivate var bytes: ValueBytes? {
        if let value { return value.bytes }
        return switch content {
        case .configuration(let access): access.bytes
        case .message(let message): message.bytes
        default: nil
        }
    }
}

/// Advertised data, and when they came.
private struct LastContent {
    let bytes: ValueBytes
    let time: Timestamp

    /// PDUs of one advertising event, on its channels, begin within 10 ms of each other (Vol 6, Part B, 4.4.2.2.1).
    static let eventSpan = TimeSpan(milliseconds: 10)
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
