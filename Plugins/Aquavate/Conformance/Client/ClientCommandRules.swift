import Bluetooth
import Bytes
import PluginKit
import Profile

/// How the client commands the puck (sections 5 and 11).
struct ClientCommandRules: PuckRule {
    var rules: [RuleIndex] { [.aq207, .aq209, .aq210, .aq220, .aq221, .aq225, .aq226, .aq231] }
    var interests: Set<RuleInterest> {
        values(of: .command, .syncControl, .drinkData, .currentState, .activityStats)
            .union([.requests, .subscriptions])
    }

    private var clients = PerConnection<Client>()
    /// IDs of records that were received.
    private var received = SortedSet<Int>()
    /// The highest ID that was received, and whether a client may have received higher ones unseen since.
    private var highest = 0
    private var mayKnowMore = false
    /// The end of the last connection.
    private var closed: FrameReference?

    private struct Client {
        var timeSet: FrameReference?
        /// A SET_TIME was refused: the client has tried.
        var isTimeRefused = false
        /// A DELETE that no Current State has followed.
        var deletion: FrameReference?
        /// A request to Activity Stats that was not answered.
        var activity: FrameReference?
        /// The last 0x03.
        var measurement: FrameReference?
    }

    /// IDs that are remembered.
    private static let limit = 10_000
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        let connection = event.connection
        if event.isOpening {
            clients[connection] = Client()
            if let closed, event.moment.seconds(since: closed) > Self.absence { mayKnowMore = true }
        }
        if event.closing != nil { closed = event.moment }
        if event.unsubscribed == .activityStats { clients.update(connection) { $0.activity = nil } }
        guard let link else { return }
        if let closing = event.closing { end(closing, event, link, &report) }
        if event.request != nil { judgeRequest(event, &report) }
        if event.isGap {
            clients.update(connection) { ($0.activity, $0.deletion) = (nil, nil) }
        }
        guard let attribute = event.attribute else { return }
        if let command = event.sentCommand {
            judgeOpcode(command, attribute, &report)
            take(command, event, link, &report)
        }
        if event.sentRequest?.isStart == true { judgeOrder(event, &report) }
        if event.isNotified, attribute.characteristic == .activityStats, clients[connection]?.activity != nil {
            clients.update(connection) { $0.activity = nil }
            report.pass(.aq226)
        }
        if event.isNotified, attribute.characteristic == .currentState {
            clients.update(connection) { $0.deletion = nil }
        }
        if case .chunk(let chunk)? = event.value {
            for record in chunk.records ?? [] {
                if received.count < Self.limit { received.insert(record.recordId) }
                highest = max(highest, record.recordId)
                mayKnowMore = false
            }
        }
    }

    // MARK: - SET_TIME

    /// AQ-209: START without SET_TIME before.
    private func judgeOrder(_ event: PuckEvent, _ report: inout RuleReport) {
        guard let client = clients[event.connection], client.timeSet == nil, !client.isTimeRefused else { return }
        guard event.link.isComplete else {
            return report.inconclusive(.aq209, "what came before was not captured whole")
        }
        report.fail(.aq209, expected: "SET_TIME before START", observed: "none", isOmission: true)
    }

    private mutating func setTime(
        _ command: PuckCommand, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        let late = event.link.isGapless ? link.discovered.map { event.moment.seconds(since: $0) } ?? 0 : 0
        if let before = clients[event.connection]?.timeSet {
            report.fail(
                .aq209, expected: "SET_TIME once in a connection", observed: "again", at: [before, event.moment])
        } else if late > 5, clients[event.connection]?.isTimeRefused != true {
            report.fail(
                .aq209, expected: "SET_TIME within 5 s of discovery", observed: "after \(late.secondsText)")
        } else {
            report.pass(.aq209)
        }
        if event.isRefused {
            clients[event.connection]?.isTimeRefused = true
        } else {
            clients[event.connection]?.timeSet = event.moment
        }
        guard let time = command.time else { return }
        let difference = Double(time) - event.moment.time.seconds
        if abs(difference) <= 120 { return report.pass(.aq210) }
        guard event.moment.isTimeOfDay else {
            return report.inconclusive(.aq210, "the time of day is unknown")
        }
        report.fail(
            .aq210, expected: "the time of the capture, UTC, give or take 120 s",
            observed: "\(Int(difference)) s from it")
    }

    /// AQ-209: a connection without SET_TIME.
    private mutating func end(
        _ closing: ConnectionClosing, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        let client = clients[event.connection]
        clients[event.connection] = nil
        // A client whose link is lost may have had no chance to.
        guard client?.timeSet == nil, client?.isTimeRefused != true, !closing.isLoss else { return }
        guard event.link.isComplete, let discovered = link.discovered,
            event.moment.seconds(since: discovered) > 5
        else { return }
        report.fail(
            .aq209, expected: "SET_TIME within 5 s of discovery", observed: "none", at: [discovered, event.moment],
            bytes: [])
    }

    // MARK: - Commands

    /// AQ-207: an opcode that was withdrawn is a warning.
    private func judgeOpcode(_ command: PuckCommand, _ attribute: AttributeValue, _ report: inout RuleReport) {
        var observed: String { "0x\(String(hex: attribute.bytes.u8(0) ?? 0, digits: 2))" }
        switch command.opcode {
        // Without its table, the generation of the firmware is not known.
        case .unnamed(let number) where !command.isHeeded && !PuckCommand.Kind(rawValue: number).isNamed:
            report.fail(.aq207, expected: "an opcode of the puck's", observed: observed)
        case .setDailyTotal:
            report.fail(
                .aq207, expected: "an opcode of the puck's", observed: "\(observed), which was withdrawn",
                isWarning: true)
        default: report.pass(.aq207)
        }
    }

    private mutating func take(
        _ command: PuckCommand, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        judgeWaiting(command, event, &report)
        switch command.kind {
        case .setTime?: setTime(command, event, link, &report)
        case .deleteDrink?: delete(command, event, &report)
        case .getActivitySummary?, .getMotionChunk?, .getBackpackChunk?:
            judgeChunk(command, event, link, &report)
            if !event.isRefused, link.isSubscribed(.activityStats, event.link) == true {
                clients[event.connection]?.activity = event.moment
            }
        case .calMeasurePoint?:
            if case .unnamed(let point)? = command.point {
                report.fail(.aq231, expected: "point 0 or 1", observed: "\(point)")
            }
            if !event.isRefused { clients[event.connection]?.measurement = event.moment }
        default: return
        }
    }

    /// AQ-220, AQ-221
    private mutating func delete(_ command: PuckCommand, _ event: PuckEvent, _ report: inout RuleReport) {
        let id = command.recordId ?? 0
        if id == 0 || id > highest && highest > 0 && !mayKnowMore && event.link.isGapless {
            report.fail(.aq220, expected: "the ID of a record that was received", observed: "\(id)")
        } else if received.contains(id) {
            report.pass(.aq220)
        } else {
            report.inconclusive(.aq220, "record \(id) may have been received before the capture")
        }
        if let before = clients[event.connection]?.deletion, event.moment.seconds(since: before) <= 5 {
            report.fail(
                .aq221, expected: "a Current State, or 5 s, after the DELETE before", observed: "DELETE again",
                at: [before, event.moment])
        } else {
            report.pass(.aq221)
        }
        if !event.isRefused { clients[event.connection]?.deletion = event.moment }
    }

    // MARK: - Activity

    /// AQ-225 of requests to Activity Stats, AQ-226 of other commands.
    private mutating func judgeWaiting(_ command: PuckCommand, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let asked = clients[event.connection]?.activity else { return }
        clients[event.connection]?.activity = nil
        guard event.moment.seconds(since: asked) <= 5 else { return report.pass(.aq226) }
        report.fail(
            command.asksForActivity ? .aq225 : .aq226, expected: "the answer before, or 5 s",
            observed: "another command", at: [asked, event.moment])
    }

    /// AQ-225
    private func judgeChunk(
        _ command: PuckCommand, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        guard let chunk = command.chunk else { return }
        guard let summary = link.summary else {
            if !event.link.isComplete { return report.inconclusive(.aq225, "the summary was not captured") }
            return report.fail(.aq225, expected: "a summary before", observed: "none", isOmission: true)
        }
        let chunks = summary.chunks(for: command.kind)
        if chunk < chunks { return report.pass(.aq225) }
        guard event.link.isGapless else { return report.inconclusive(.aq225, "something was not captured") }
        report.fail(.aq225, expected: "a chunk below \(chunks)", observed: "\(chunk)")
    }

    // MARK: - Measurement

    /// AQ-231
    private mutating func judgeRequest(_ event: PuckEvent, _ report: inout RuleReport) {
        guard let before = clients[event.connection]?.measurement else { return }
        clients[event.connection]?.measurement = nil
        let seconds = event.moment.seconds(since: before)
        if seconds >= 10 { return report.pass(.aq231) }
        report.fail(
            .aq231, expected: "10 s from 0x03 to the next request", observed: seconds.secondsText,
            at: [before, event.moment])
    }
}
