import Bluetooth
import Bytes
import PluginKit
import Profile

/// A twin that follows a connection. It receives the client's actions; the values that it notifies or indicates
/// are pending until the device sends them, too.
struct FollowingTwin {
    /// A read or a write that has no response yet.
    private struct Request {
        var characteristic: String
        var ticket: TwinTicket
        var moment: FrameReference
        /// The twin's answer; nil until there is one.
        var answer: TwinAnswer?
        /// The twin before a value that the device sent since the request: the response may still return the older
        /// value.
        var former: (any DeviceOracle)?
        /// A copy of the twin that receives a refused write, only for its answer.
        var trial: (any DeviceOracle)?

        /// Keeps the twin's state before the device sent a value of the requested characteristic.
        mutating func record(valueOf characteristic: String, before oracle: any DeviceOracle) {
            if self.characteristic == characteristic, former == nil { former = oracle }
        }

        /// Passes an input to the copy of the twin and keeps its answer.
        mutating func feedTrial(_ input: TwinInput, at now: Timestamp) {
            for case .answer(ticket, let answer) in trial?.handle(input, at: now) ?? [] { self.answer = answer }
        }
    }

    /// A read that differs from the twin's value: it may return a value that is about to be notified.
    private struct EarlyRead {
        var value: AttributeValue
        var shown: [UInt8]
        var expectation: Expectation
        var moment: FrameReference
    }

    private var oracle: any DeviceOracle
    private let guide: OracleGuide
    private let client = TwinClient(1)
    /// Values stored by the device's host, as set by the twin.
    private var kept: [String: [UInt8]] = [:]
    private var subscriptions: [String: TwinSubscription] = [:]
    /// Pending requests, by ATT bearer.
    private var requests: [UInt8: Request] = [:]
    /// Longest value that the bearer of the event carries, in bytes.
    private var room = 20
    private var waiting: [Prediction] = []
    private var early: [EarlyRead] = []
    private var tickets: UInt64 = 0
    /// The client's last action.
    private var cause: FrameReference

    /// Maximum number of pending values; further ones are not expected.
    private static let waitingLimit = 1024
    /// Maximum number of time steps of the twin between two events.
    private static let stepLimit = 4096
    /// Maximum number of predictions that a value is compared with.
    private static let comparisonLimit = 8
    /// Maximum number of reads that wait until the value they returned is notified, and the maximum time that each
    /// waits.
    private static let earlyLimit = 16
    private static let crossingTime = TimeSpan(seconds: 2)

    init(_ oracle: any DeviceOracle, _ guide: OracleGuide, opened: FrameReference) {
        self.oracle = oracle
        self.guide = guide
        cause = opened
        feed(.connected(client), at: opened.time)
    }

    /// Handles an event. Returns false if the twin cannot follow the connection.
    mutating func handle(_ event: Event, _ report: inout RuleReport) -> Bool {
        let moment = event.moment
        let now = moment.time
        guard pass(to: now) else { return false }
        room = event.connection.mtu - 3
        if !early.isEmpty { checkEarlyReads(at: moment.time, &report) }
        switch event.content {
        case .mtu: feed(.capacity(room, client), at: now)
        case .request(let request): handle(request, at: moment)
        case .response(let response): handle(response, at: moment, &report)
        case .configuration(let access) where access.isEffectiveWrite:
            // Notifications may come before the response.
            guard let bits = access.bytes.configurationBits else { break }
            cause = moment
            subscribe(guide.name(of: access.characteristic), TwinSubscription(rawValue: bits), at: now)
        case .value(let value):
            if value.operation == .write { write(value, at: moment) } else { check(value, at: moment, &report) }
        default: break
        }
        expire(at: moment.time, &report)
        return true
    }

    /// Settles pending values and reads: the connection or the capture ends. No event may follow.
    mutating func end(_ reason: String, at time: Timestamp, _ report: inout RuleReport) {
        _ = pass(to: time)
        checkEarlyReads(at: time, &report)
        expire(at: time, &report)
        let pending =
            waiting.filter { !$0.isMissed }.map(\.characteristic)
            + early.map { guide.name(of: $0.value.characteristic) }
        for rule in pending.compactMap({ guide.rule(of: $0) }) { report.inconclusive(rule, reason) }
    }

    // MARK: - The twin

    /// Advances the twin's time, in the steps that it asks for. Returns false if there are too many.
    private mutating func pass(to now: Timestamp) -> Bool {
        var steps = 0
        while let due = oracle.deadline, due <= now {
            steps += 1
            if steps > Self.stepLimit { return false }
            feed(.time, at: due)
        }
        return true
    }

    private mutating func feed(_ input: TwinInput, at now: Timestamp) {
        for action in oracle.handle(input, at: now) {
            switch action {
            case .set(let name, let bytes): kept[name] = bytes
            case .notify(let name, let bytes, _): predict(.notify, name, bytes, .notifications, at: now)
            case .indicate(let name, let bytes, _): predict(.indicate, name, bytes, .indications, at: now)
            case .answer(let ticket, let answer):
                for (bearer, request) in requests where request.ticket == ticket { requests[bearer]?.answer = answer }
            case .advertise, .stopAdvertising, .disconnect, .secure, .fallSilent, .store, .event: break
            }
        }
    }

    private mutating func predict(
        _ operation: OperationKind, _ name: String, _ bytes: [UInt8], _ wanted: TwinSubscription, at now: Timestamp
    ) {
        guard subscriptions[name, default: []].contains(wanted), waiting.count < Self.waitingLimit else { return }
        let patience = oracle.patience(for: name)
        waiting.append(
            Prediction(
                operation: operation, characteristic: name, bytes: bytes, cause: cause, time: now,
                deadline: now + patience))
    }

    // MARK: - The client

    private mutating func handle(_ asked: AttributeRequest, at moment: FrameReference) {
        requests[moment.bearer] = nil
        guard let name = asked.characteristic.map({ guide.name(of: $0) }) else { return }
        switch asked.opcode {
        case .readRequest where guide.isReadable(name): ask(name, at: moment)
        // The value follows in the next event.
        case .writeRequest where guide.isWritable(name): begin(name, at: moment)
        default: break
        }
    }

    /// Assigns a ticket to a request.
    private mutating func begin(_ name: String, at moment: FrameReference) {
        tickets += 1
        requests[moment.bearer] = Request(characteristic: name, ticket: TwinTicket(tickets), moment: moment)
    }

    private mutating func ask(_ name: String, at moment: FrameReference) {
        begin(name, at: moment)
        if oracle.answered.contains(name) {
            feed(.read(name, client, TwinTicket(tickets)), at: moment.time)
        } else {
            requests[moment.bearer]?.answer = kept[name].map { .value($0) }
        }
    }

    private mutating func write(_ value: AttributeValue, at moment: FrameReference) {
        let name = guide.name(of: value.characteristic)
        guard guide.isWritable(name) else { return }
        let now = moment.time
        guard oracle.answered.contains(name) else {
            if value.isRefused { return }
            cause = moment
            kept[name] = value.bytes.array
            return feed(.written(name, value.bytes.array, client), at: now)
        }
        var ticket: TwinTicket?
        if value.outcome != .unconfirmed {
            if requests[moment.bearer]?.moment != moment {
                tickets += 1
                requests[moment.bearer] = nil
            }
            ticket = TwinTicket(tickets)
        }
        let input = TwinInput.write(name, value.bytes.array, client, ticket)
        if value.isRefused {
            guard var request = requests[moment.bearer] else { return }
            request.trial = oracle
            request.feedTrial(input, at: now)
            requests[moment.bearer] = request
        } else {
            cause = moment
            feed(input, at: now)
        }
    }

    private mutating func subscribe(_ name: String, _ subscription: TwinSubscription, at now: Timestamp) {
        subscriptions[name] = subscription
        // After the client has unsubscribed, values are no longer expected, but may still arrive.
        if subscription.isEmpty {
            for place in waiting.indices where waiting[place].characteristic == name { waiting[place].isMissed = true }
        }
        feed(.subscribed(name, subscription, client), at: now)
    }

    /// Compares the response to a request with the twin's answer.
    private mutating func handle(_ response: AttributeResponse, at moment: FrameReference, _ report: inout RuleReport) {
        if response.isAmbiguous {
            requests[moment.bearer] = nil
            return
        }
        advanceTrial(on: moment.bearer, to: moment.time)
        guard let request = requests[moment.bearer], request.moment == response.requested,
            let answer = request.answer, let rule = guide.rule(of: request.characteristic)
        else { return }
        switch (answer, response.error) {
        case (.refused(let code), let error) where error != code:
            report.fail(
                rule, expected: Self.words(code), observed: error.map(Self.words) ?? "success",
                at: [request.moment, moment], bytes: [])
        case (.value, let error?), (.accepted, let error?):
            report.fail(
                rule, expected: "success", observed: Self.words(error), at: [request.moment, moment], bytes: [])
        case (.accepted, nil), (.refused, _): report.pass(rule)
        case (.value, nil): break
        }
    }

    /// Advances the time of the copy of the twin that received a refused write.
    private mutating func advanceTrial(on bearer: UInt8, to now: Timestamp) {
        guard var request = requests[bearer] else { return }
        var steps = 0
        while let due = request.trial?.deadline, due <= now, steps < Self.stepLimit {
            steps += 1
            request.feedTrial(.time, at: due)
        }
        requests[bearer] = request
    }

    private static func words(_ code: UInt8) -> String {
        "error 0x\(String(hex: code, digits: 2))" + (ATT.ErrorCode(rawValue: code).name.map { " \($0)" } ?? "")
    }
}

// MARK: - The device

extension FollowingTwin {
    /// The comparison of a value with the twin's.
    private struct Comparison {
        var oracle: any DeviceOracle
        var expectation: Expectation
        var fits: Bool
    }

    private func compare(
        _ value: AttributeValue, _ shown: [UInt8], with predicted: [UInt8]?, at now: Timestamp,
        of former: (any DeviceOracle)? = nil
    ) -> Comparison {
        var whole = shown
        // Bytes beyond the ATT_MTU are taken from the twin's value.
        let isCut = value.operation != .read && shown.count == room && (predicted?.count ?? 0) > room
        if isCut, let predicted { whole += predicted[room...] }
        var oracle = former ?? oracle
        var expectation = oracle.adopt(
            ShownValue(
                value.operation, of: guide.name(of: value.characteristic), whole, count: shown.count,
                predicted: predicted),
            at: now)
        if isCut, case .value(let bytes) = expectation { expectation = .value(Array(bytes.prefix(room))) }
        return Comparison(oracle: oracle, expectation: expectation, fits: expectation == .value(shown))
    }

    private mutating func check(_ value: AttributeValue, at moment: FrameReference, _ report: inout RuleReport) {
        let shown = value.bytes.array
        let now = moment.time
        if value.operation == .read { return checkRead(value, shown, at: moment, &report) }
        let name = guide.name(of: value.characteristic)
        for bearer in Array(requests.keys) { requests[bearer]?.record(valueOf: name, before: oracle) }
        let places = waiting.indices.filter { waiting[$0].isFulfilled(by: value, of: name) }
        for place in places.prefix(Self.comparisonLimit) {
            let comparison = compare(value, shown, with: waiting[place].bytes, at: now)
            guard comparison.fits else { continue }
            oracle = comparison.oracle
            confirm(value, shown, &report)
            return settle(waiting.remove(at: place), value, at: moment, &report)
        }
        let own = compare(value, shown, with: nil, at: now)
        let rule = guide.rule(of: name)
        if own.fits {
            oracle = own.oracle
            confirm(value, shown, &report)
            if let rule { report.pass(rule) }
            return
        }
        guard let first = places.first(where: { !waiting[$0].isMissed }) else {
            oracle = own.oracle
            if let rule { report.differ(rule, value, shown, own.expectation, since: nil, at: moment) }
            return
        }
        let prediction = waiting[first]
        let comparison = compare(value, shown, with: prediction.bytes, at: now)
        // A value that does not correspond to the pending one is compared by itself.
        if case .nothing = comparison.expectation {
            oracle = own.oracle
            if let rule { report.differ(rule, value, shown, own.expectation, since: nil, at: moment) }
            return
        }
        waiting.remove(at: first)
        oracle = comparison.oracle
        if let rule { report.differ(rule, value, shown, comparison.expectation, since: prediction.cause, at: moment) }
    }

    private mutating func checkRead(
        _ value: AttributeValue, _ shown: [UInt8], at moment: FrameReference, _ report: inout RuleReport
    ) {
        let name = guide.name(of: value.characteristic)
        if requests[moment.bearer]?.characteristic != name { ask(name, at: moment) }
        var predicted: [UInt8]?
        if case .value(let bytes)? = requests[moment.bearer]?.answer { predicted = bytes }
        let now = moment.time
        defer { requests[moment.bearer] = nil }
        if let former = requests[moment.bearer]?.former,
            compare(value, shown, with: predicted, at: now, of: former).fits
        {
            if let rule = guide.rule(of: name) { report.pass(rule) }
            return
        }
        let comparison = compare(value, shown, with: predicted, at: now)
        oracle = comparison.oracle
        guard let rule = guide.rule(of: name) else { return }
        if comparison.fits { return report.pass(rule) }
        if subscriptions[name, default: []].contains(.notifications), early.count < Self.earlyLimit {
            early.append(EarlyRead(value: value, shown: shown, expectation: comparison.expectation, moment: moment))
            return
        }
        report.differ(rule, value, shown, comparison.expectation, since: value.requested, at: moment)
    }

    /// Passes earlier reads that returned this value, which is now notified or indicated.
    private mutating func confirm(_ value: AttributeValue, _ shown: [UInt8], _ report: inout RuleReport) {
        guard let rule = guide.rule(of: guide.name(of: value.characteristic)) else { return }
        let confirmed = early.count { $0.value.characteristic == value.characteristic && $0.shown == shown }
        if confirmed == 0 { return }
        early.removeAll { $0.value.characteristic == value.characteristic && $0.shown == shown }
        for _ in 0..<confirmed { report.pass(rule) }
    }

    /// Reports reads whose value was not notified in time: they differ from the twin's value.
    private mutating func checkEarlyReads(at time: Timestamp, _ report: inout RuleReport) {
        while let read = early.first, time - read.moment.time > Self.crossingTime {
            early.removeFirst()
            guard let rule = guide.rule(of: guide.name(of: read.value.characteristic)) else { continue }
            report.differ(
                rule, read.value, read.shown, read.expectation, since: read.value.requested, at: read.moment)
        }
    }

    /// Settles a prediction that a value fulfils; the value may be late.
    private func settle(
        _ prediction: Prediction, _ value: AttributeValue, at moment: FrameReference, _ report: inout RuleReport
    ) {
        guard !prediction.isMissed, let rule = guide.rule(of: prediction.characteristic) else { return }
        if moment.time <= prediction.deadline { return report.pass(rule) }
        let seconds = (moment.time - prediction.time).seconds
        report.fail(
            rule, expected: "\(prediction.operation.rawValue) within \(prediction.patience)",
            observed: "after \(seconds.secondsText)", at: [prediction.cause, moment])
    }

    /// Reports predictions whose deadline has passed.
    private mutating func expire(at time: Timestamp, _ report: inout RuleReport) {
        guard waiting.contains(where: { $0.deadline < time && !$0.isMissed }) else { return }
        for place in waiting.indices where waiting[place].deadline < time && !waiting[place].isMissed {
            waiting[place].isMissed = true
            let prediction = waiting[place]
            let excuse = oracle.miss(prediction.characteristic)
            guard let rule = guide.rule(of: prediction.characteristic) else { continue }
            if let excuse {
                report.inconclusive(rule, excuse)
            } else {
                report.fail(
                    rule, expected: "\(guide.words(prediction)) within \(prediction.patience)",
                    observed: "none came in time", at: [prediction.cause], bytes: [])
            }
        }
        let tooMany = waiting.indices.filter { waiting[$0].isMissed }.dropLast(Self.missedLimit)
        for place in tooMany.reversed() { waiting.remove(at: place) }
    }

    /// Maximum number of missed predictions kept to recognize values that come too late.
    private static let missedLimit = 16
}
