import ATT
import Bytes
import PluginKit
import Profile

/// How the client commands the puck (sections 5 and 11).
struct CommandDiscipline: PuckRules {
    var rules: [RuleIndex] { [.aq207, .aq209, .aq210, .aq220, .aq221, .aq225, .aq226, .aq231] }
    var interests: Set<ConformanceInterest> {
        values(of: .command, .syncControl, .drinkData, .currentState, .activityStats)
            .union([.requests, .subscriptions])
    }

    private var clients = PerConnection<Client>()
    /// IDs of records that were received.
    private var received: Set<Int> = []
    /// The highest ID that was received, and whether a client may have received higher ones unseen since.
    private var highest = 0
    private var mayKnowMore = false
    /// The end of the last connection.
    private var closed: Moment?

    private struct Client {
        var timeSet: Moment?
        /// A SET_TIME was refused: the client has tried.
        var isTimeRefused = false
        /// A DELETE that no Current State has followed.
        var deletion: Moment?
        /// A request to Activity Stats that was not answered.
        var activity: Moment?
        /// The last 0x03.
        var measurement: Moment?
    }

    /// IDs that are remembered.
    private static let limit = 10_000
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        let connection = sight.connection
        if case .opened = sight.event.content {
            clients[connection] = Client()
            if let closed, sight.moment.seconds(since: closed) > Self.absence { mayKnowMore = true }
        }
        if sight.closing != nil { closed = sight.moment }
        if sight.unsubscribed == .activityStats { clients[connection]?.activity = nil }
        guard let link = sight.puck else { return }
        if let closing = sight.closing { end(closing, sight, link, &report) }
        if case .request = sight.event.content { judgeRequest(sight, &report) }
        if sight.isGap {
            clients[connection]?.activity = nil
            clients[connection]?.deletion = nil
        }
        if let told = sight.told, told.characteristic == .command, told.operation == .write {
            judgeOpcode(told, &report)
        }
        if let command = sight.command { take(command, sight, link, &report) }
        if sight.syncRequest?.isStart == true { judgeOrder(sight, &report) }
        guard let told = sight.told else { return }
        if sight.isNotified, told.characteristic == .activityStats, clients[connection]?.activity != nil {
            clients[connection]?.activity = nil
            report.pass(.aq226)
        }
        if sight.isNotified, told.characteristic == .currentState { clients[connection]?.deletion = nil }
        if case .chunk(let chunk)? = sight.value {
            for record in chunk.records ?? [] {
                if received.count < Self.limit { received.insert(record.recordId) }
                highest = max(highest, record.recordId)
                mayKnowMore = false
            }
        }
    }

    /// What the puck refuses, the client may ask for again.
    mutating func withdraw(_ write: Moment) {
        guard var client = clients[write.connection] else { return }
        if client.timeSet == write { (client.timeSet, client.isTimeRefused) = (nil, true) }
        if client.deletion == write { client.deletion = nil }
        if client.activity == write { client.activity = nil }
        if client.measurement == write { client.measurement = nil }
        clients[write.connection] = client
    }

    // MARK: - SET_TIME

    /// AQ-209: START without SET_TIME before.
    private func judgeOrder(_ sight: Sight, _ report: inout JudgeReport) {
        guard let client = clients[sight.connection], client.timeSet == nil, !client.isTimeRefused else { return }
        guard sight.link.isComplete else {
            return report.inconclusive(.aq209, "what came before was not captured whole")
        }
        report.fail(.aq209, expected: "SET_TIME before START", observed: "none", isOmission: true)
    }

    private mutating func setTime(
        _ command: PuckCommand, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        let late = sight.link.isGapless ? link.discovered.map { sight.moment.seconds(since: $0) } ?? 0 : 0
        if let before = clients[sight.connection]?.timeSet {
            report.fail(
                .aq209, expected: "SET_TIME once in a connection", observed: "again", at: [before, sight.moment])
        } else if late > 5, clients[sight.connection]?.isTimeRefused != true {
            report.fail(
                .aq209, expected: "SET_TIME within 5 s of discovery", observed: "after \(late.secondsText)")
        } else {
            report.pass(.aq209)
        }
        clients[sight.connection]?.timeSet = sight.moment
        guard let time = command.time else { return }
        let difference = Double(time) - Double(sight.moment.time) / 1e9
        if abs(difference) <= 120 { return report.pass(.aq210) }
        guard sight.moment.isTimeOfDay else {
            return report.inconclusive(.aq210, "the time of day is unknown")
        }
        report.fail(
            .aq210, expected: "the time of the capture, UTC, give or take 120 s",
            observed: "\(Int(difference)) s from it")
    }

    /// AQ-209: a connection without SET_TIME.
    private mutating func end(
        _ closing: ConnectionClosing, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        let client = clients[sight.connection]
        clients[sight.connection] = nil
        // A client whose link is lost may have had no chance to.
        guard client?.timeSet == nil, client?.isTimeRefused != true, !closing.isLoss else { return }
        guard sight.link.isComplete, let discovered = link.discovered,
            sight.moment.seconds(since: discovered) > 5
        else { return }
        report.fail(
            .aq209, expected: "SET_TIME within 5 s of discovery", observed: "none", at: [discovered, sight.moment],
            bytes: [])
    }

    // MARK: - Commands

    /// AQ-207: an opcode that was withdrawn is a warning.
    private func judgeOpcode(_ told: AttributeValue, _ report: inout JudgeReport) {
        guard let opcode = told.bytes.u8(0) else { return }
        let kind = PuckCommand.Kind(rawValue: opcode)
        if let kind, kind != .setDailyTotal { return report.pass(.aq207) }
        report.fail(
            .aq207, expected: "an opcode of the puck's",
            observed: "0x\(String(hex: opcode, digits: 2))"
                + (kind == nil ? "" : ", which was withdrawn"), isWarning: kind != nil)
    }

    private mutating func take(
        _ command: PuckCommand, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        judgeWaiting(command, sight, &report)
        switch command.kind {
        case .setTime?: setTime(command, sight, link, &report)
        case .deleteDrink?: delete(command, sight, &report)
        case .getSummary?, .getMotionChunk?, .getBackpackChunk?:
            judgeChunk(command, sight, link, &report)
            if link.isSubscribed(.activityStats, sight.link) == true {
                clients[sight.connection]?.activity = sight.moment
            }
        case .measure?:
            if command.point.map({ $0 > 1 }) == true {
                report.fail(.aq231, expected: "point 0 or 1", observed: "\(command.point ?? 0)")
            }
            clients[sight.connection]?.measurement = sight.moment
        default: return
        }
    }

    /// AQ-220, AQ-221
    private mutating func delete(_ command: PuckCommand, _ sight: Sight, _ report: inout JudgeReport) {
        let id = command.recordId ?? 0
        if id == 0 || id > highest && highest > 0 && !mayKnowMore && sight.link.isGapless {
            report.fail(.aq220, expected: "the ID of a record that was received", observed: "\(id)")
        } else if received.contains(id) {
            report.pass(.aq220)
        } else {
            report.inconclusive(.aq220, "record \(id) may have been received before the capture")
        }
        if let before = clients[sight.connection]?.deletion, sight.moment.seconds(since: before) <= 5 {
            report.fail(
                .aq221, expected: "a Current State, or 5 s, after the DELETE before", observed: "DELETE again",
                at: [before, sight.moment])
        } else {
            report.pass(.aq221)
        }
        clients[sight.connection]?.deletion = sight.moment
    }

    // MARK: - Activity

    /// AQ-225 of requests to Activity Stats, AQ-226 of other commands.
    private mutating func judgeWaiting(_ command: PuckCommand, _ sight: Sight, _ report: inout JudgeReport) {
        guard let asked = clients[sight.connection]?.activity else { return }
        clients[sight.connection]?.activity = nil
        guard sight.moment.seconds(since: asked) <= 5 else { return report.pass(.aq226) }
        report.fail(
            command.asksForActivity ? .aq225 : .aq226, expected: "the answer before, or 5 s",
            observed: "another command", at: [asked, sight.moment])
    }

    /// AQ-225
    private func judgeChunk(
        _ command: PuckCommand, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        guard let chunk = command.chunk else { return }
        guard let summary = link.summary else {
            if !sight.link.isComplete { return report.inconclusive(.aq225, "the summary was not captured") }
            return report.fail(.aq225, expected: "a summary before", observed: "none", isOmission: true)
        }
        let chunks = summary.chunks(for: command.kind)
        if chunk < chunks { return report.pass(.aq225) }
        guard sight.link.isGapless else { return report.inconclusive(.aq225, "something was not captured") }
        report.fail(.aq225, expected: "a chunk below \(chunks)", observed: "\(chunk)")
    }

    // MARK: - Measurement

    /// AQ-231
    private mutating func judgeRequest(_ sight: Sight, _ report: inout JudgeReport) {
        guard let before = clients[sight.connection]?.measurement else { return }
        clients[sight.connection]?.measurement = nil
        let seconds = sight.moment.seconds(since: before)
        if seconds >= 10 { return report.pass(.aq231) }
        report.fail(
            .aq231, expected: "10 s from 0x03 to the next request", observed: seconds.secondsText,
            at: [before, sight.moment])
    }
}
