import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// A device that is followed through a capture: converts its traffic into events in the profile's terms, passes them to
/// its rules, and records the outcomes.
final class FollowedDevice {
    let rules: PluginRules
    let plugins: PluginSet
    /// Number in the report; -1 if the device is not listed.
    let number: Int32
    /// The device's server on each open connection, by number, and on the connection of the last event.
    private(set) var connections: [Int: ConnectedServer] = [:]
    private var last: ConnectedServer?
    /// The rules as they were made for this device, and the instances of those of scope `device`.
    private let group: RuleGroup
    private var engine: RuleEngine
    /// The event that rules handle: one instance serves all events of the device.
    private let event = Event(.signal, at: FrameReference(frame: 0, time: .epoch))
    /// Number of the device's last frame, to find the device idle for longest.
    var lastFrame = 0
    /// The last Database Hash that the device reported.
    var databaseHash: [UInt8]?
    /// Number of values that do not match their type.
    private(set) var undecoded = 0
    private var report: RuleReport
    /// Outcomes of the rules for `talliedConnection`, by rule index.
    private var tallies: TallyTable
    private var talliedConnection = 0
    /// Why failures on that connection are inconclusive; nil if they are conclusive.
    private var doubt: String?
    /// Times of the last advertisement of each kind.
    private var advertised: [Advertisement.Kind: Timestamp] = [:]
    /// The last advertised data of each owner that the profile has types for.
    private var contents: [GAP.DataOwner: LastContent] = [:]
    private let store: ResultStore

    init(_ rules: PluginRules, of plugins: PluginSet, number: Int32, store: ResultStore) {
        self.rules = rules
        self.plugins = plugins
        self.number = number
        self.store = store
        group = rules.makeRules()
        engine = RuleEngine(group)
        report = rules.emptyReport
        if store.isFull { report.listNothing() }
        tallies = TallyTable(count: rules.count)
    }

    // MARK: - Events

    /// Passes an event on a connection to the rules that are interested in it.
    func emit(_ content: consuming Event.Content, at moment: FrameReference, on server: ConnectedServer) {
        if case .gap = content {
            report.noteGap(on: moment.connection)
            server.context.written = WrittenValues()
        }
        event.set(content, at: moment, on: server.connection, context: server.context, server.subscriptions)
        let places = rules.interests.places(for: event)
        if places.isEmpty { return }
        report.begin(at: moment)
        for place in places {
            if rules.areOfDevice[place] {
                engine.handle(event, at: place, &report)
            } else {
                server.engine.handle(event, at: place, &report)
            }
        }
        record(from: event.shownBytes)
    }

    /// Passes an event without a connection to the rules that are interested in it.
    private func emit(
        _ content: Event.Content, at moment: FrameReference, isBeginningCaptured: Bool = true, _ bytes: ValueBytes
    ) {
        let connection = Connection()
        connection.isBeginningCaptured = isBeginningCaptured
        event.set(content, at: moment, on: connection, context: DeviceContext())
        report.begin(at: moment)
        for place in rules.interests.places(for: event) where rules.areOfDevice[place] {
            engine.handle(event, at: place, &report)
        }
        record(from: bytes)
    }

    func advertise(_ advertisement: Advertisement, at moment: FrameReference) {
        if !rules.advertised.isEmpty { handleContents(of: advertisement, at: moment) }
        if rules.interests[.advertising].isEmpty { return }
        var advertisement = advertisement
        advertisement.interval = advertised[advertisement.kind].map { moment.time - $0 }
        advertised[advertisement.kind] = moment.time
        emit(.advertised(advertisement), at: moment, ValueBytes(advertisement.data))
    }

    /// Checks advertised data that the profile has a type for, once per advertising event.
    private func handleContents(of advertisement: Advertisement, at moment: FrameReference) {
        var cursor = GAP.StructureCursor(advertisement.data.span.rawBytes)
        while let (owner, place) = cursor.nextOwned() {
            guard let readers = rules.advertised[owner] else { continue }
            let bytes = ValueBytes(advertisement.data[place])
            let last = contents[owner]
            contents[owner] = LastContent(bytes: bytes, time: moment.time)
            if let last, last.bytes == bytes, moment.time - last.time <= LastContent.eventSpan { continue }
            guard let layout = bytes.withBytes({ data in readers.firstLayout(of: data) }) else { continue }
            handle(AdvertisedContent(bytes, rules.reading(of: layout)), at: moment)
        }
    }

    private func handle(_ content: AdvertisedContent, at moment: FrameReference) {
        content.reading.reset(to: content.bytes)
        let moment = FrameReference(frame: moment.frame, time: moment.time)
        let value = CheckedValue(
            moment: moment, bytes: content.bytes, reading: content.reading, context: DeviceContext())
        check(value, of: .advertised)
        // Advertisements before the capture, or not received, are unknown.
        emit(.advertisedContent(content), at: moment, isBeginningCaptured: false, content.bytes)
    }

    /// Settles all pending cases: the capture ends, or the device is evicted.
    func finish(at time: Timestamp) {
        let open = connections.values.sorted { $0.connection.number < $1.connection.number }
        for server in open { emitTable(server, at: nil) }
        for server in open { finish(server, CaptureEnd(time: time)) }
        report.begin(at: FrameReference(frame: 0, time: time))
        engine.finish(CaptureEnd(time: time), &report)
        record()
        flush()
    }

    private func finish(_ server: ConnectedServer, _ end: CaptureEnd) {
        report.begin(at: FrameReference(frame: 0, time: end.time, connection: server.connection.number))
        server.engine.finish(end, &report)
        record()
    }

    // MARK: - Connections

    /// The device's server on a connection; a new connection emits `.opened`.
    func server(on connection: Connection) -> ConnectedServer {
        if let last, last.connection === connection { return last }
        if let known = connections[connection.number] {
            last = known
            return known
        }
        let server = ConnectedServer(connection, group)
        connections[connection.number] = server
        last = server
        emit(.opened, at: connection.opened, on: server)
        return server
    }

    func close(_ connection: Connection, _ closing: ConnectionClosing, at moment: FrameReference) {
        let server = server(on: connection)
        emitTable(server, at: moment)
        emit(.closed(closing), at: moment, on: server)
        finish(server, CaptureEnd(time: moment.time - closing.silence, isClosing: true))
        connections[connection.number] = nil
        last = nil
    }

    /// Emits the attribute table, if discovery has added to it since the last time.
    func emitTable(_ server: ConnectedServer, at moment: FrameReference?) {
        guard server.discovery.hasChanged, !rules.interests[.table].isEmpty else { return }
        server.discovery.hasChanged = false
        emit(.table(server.discovery.attributeTable(rules)), at: moment ?? server.connection.opened, on: server)
    }

    /// Records the firmware revision that the device reports.
    func recordFirmware(_ bytes: ValueBytes) {
        let text = String(decoding: bytes.array.prefix { $0 != 0 }, as: UTF8.self)
        store.update(number) { $0.firmware = text }
    }

    // MARK: - Outcomes

    /// Evaluates the rules that depend on a single value.
    func check(_ value: CheckedValue, of subject: ValueChecks.Subject) {
        selectTallies(of: value.moment.connection)
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

    /// Records the outcome of a rule for a single value.
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

    /// Records the outcomes of the rules for an event with these bytes.
    private func record(from bytes: @autoclosure () -> ValueBytes? = nil) {
        if report.isEmpty { return }
        if !report.passes.isEmpty {
            selectTallies(of: report.moment.connection)
            tallies.takePasses(of: &report) { $0 }
        }
        if report.entries.isEmpty { return report.clear() }
        report.addBytes(bytes()?.array[...])
        for entry in report.entries {
            selectTallies(of: entry.connection)
            add(entry.outcome, entry.place)
            if tallies.isFull(entry.place) { report.enough(of: entry.place, on: entry.connection) }
        }
        report.clear()
    }

    /// From now on, the attributes at the server's handles are uncertain.
    func doubtTable(of server: ConnectedServer) {
        server.mayHaveChanged = true
        report.noteGap(on: server.connection.number)
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
        guard connections[talliedConnection]?.mayHaveChanged == true else { return nil }
        return "a change of the attribute table may not have been captured"
    }

    /// Selects the connection of the following outcomes.
    private func selectTallies(of connection: Int) {
        if connection == talliedConnection { return }
        flush()
        talliedConnection = connection
        doubt = connections[connection]?.connection.doubt(of: .pdu)
    }

    private func flush() {
        tallies.drain { place, tally in
            store.add(tally, rule: rules.firstNumber + place, device: number, connection: talliedConnection)
        }
        report.listAnew()
        if store.isFull { report.listNothing() }
    }
}

extension Event {
    /// The bytes shown by findings about the event.
    fileprivate var shownBytes: ValueBytes? {
        if let value { return value.bytes }
        return switch content {
        case .configuration(let access): access.bytes
        case .message(let message): message.bytes
        default: nil
        }
    }
}

/// Advertised data, and the time of the advertisement.
private struct LastContent {
    let bytes: ValueBytes
    let time: Timestamp

    /// PDUs of one advertising event, on its channels, begin within 10 ms of each other (Vol 6, Part B, 4.4.2.2.1).
    static let eventSpan = TimeSpan(milliseconds: 10)
}

extension [AdvertisedReader] {
    /// The type of the data, from the first reader with a type for it.
    fileprivate func firstLayout(of data: RawSpan) -> Layout? {
        for reader in self {
            if let layout = reader.layout(of: data, in: NoContext()) { return layout }
        }
        return nil
    }
}
