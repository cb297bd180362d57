import Bluetooth
import Bytes
import PluginKit
import Profile

/// Commands of the client (sections 5 and 11).
struct ClientCommandRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq207, .aq209, .aq210, .aq221, .aq225, .aq226, .aq231] }
    var interests: Set<RuleInterest> {
        values(of: .command, .syncControl, .currentState, .activityStats).union([.requests, .subscriptions])
    }

    private var timeSet: FrameReference?
    /// Whether a SET_TIME was refused: the client is not at fault.
    private var isTimeRefused = false
    /// A DELETE without a Current State after it.
    private var deletion: FrameReference?
    /// A pending request for Activity Stats.
    private var activity: FrameReference?
    /// The last 0x03.
    private var measurement: FrameReference?

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.unsubscribed == .activityStats { activity = nil }
        guard let puck = pucks[event] else { return }
        if let closing = event.closing { end(closing, event, puck, &report) }
        if event.request != nil { checkRequest(event, &report) }
        if event.isGap { (activity, deletion) = (nil, nil) }
        guard let attribute = event.value else { return }
        if let command = event.sentCommand {
            checkOpcode(command, attribute, &report)
            handle(command, event, puck, &report)
        }
        if event.sentRequest?.isStart == true { checkOrder(event, &report) }
        if event.isNotified, attribute.characteristic == .activityStats, activity != nil {
            activity = nil
            report.pass(.aq226)
        }
        if event.isNotified, attribute.characteristic == .currentState { deletion = nil }
    }

    // MARK: - SET_TIME

    /// AQ-209: START without an earlier SET_TIME.
    private func checkOrder(_ event: Event, _ report: inout RuleReport) {
        guard timeSet == nil, !isTimeRefused else { return }
        guard event.connection.isComplete else {
            return report.inconclusive(.aq209, "what came before was not captured whole")
        }
        report.fail(.aq209, expected: "SET_TIME before START", observed: "none", isOmission: true)
    }

    private mutating func setTime(
        _ command: PuckCommand, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        let late = event.connection.isGapless ? puck.discovered.map { event.moment.seconds(since: $0) } ?? 0 : 0
        if let before = timeSet {
            report.fail(
                .aq209, expected: "SET_TIME once in a connection", observed: "again", at: [before, event.moment])
        } else if late > 5, !isTimeRefused {
            report.fail(
                .aq209, expected: "SET_TIME within 5 s of discovery", observed: "after \(late.secondsText)")
        } else {
            report.pass(.aq209)
        }
        if event.isRefused {
            isTimeRefused = true
        } else {
            timeSet = event.moment
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
    private func end(
        _ closing: ConnectionClosing, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        // A client that lost its connection may have had no time for SET_TIME.
        guard timeSet == nil, !isTimeRefused, !closing.isLoss, event.connection.isComplete,
            let discovered = puck.discovered, event.moment.seconds(since: discovered) > 5
        else { return }
        report.fail(
            .aq209, expected: "SET_TIME within 5 s of discovery", observed: "none", at: [discovered, event.moment],
            bytes: [])
    }

    // MARK: - Commands

    /// AQ-207: a deprecated opcode is a warning.
    private func checkOpcode(_ command: PuckCommand, _ attribute: AttributeValue, _ report: inout RuleReport) {
        var observed: String { "0x\(String(hex: attribute.bytes.u8(0) ?? 0, digits: 2))" }
        switch command.opcode {
        // The generation of the firmware is unknown without its attribute table.
        case .unnamed(let number) where !command.isHeeded && !PuckCommand.Kind(rawValue: number).isNamed:
            report.fail(.aq207, expected: "an opcode of the puck's", observed: observed)
        case .setDailyTotal:
            report.fail(
                .aq207, expected: "an opcode of the puck's", observed: "\(observed), which was withdrawn",
                isWarning: true)
        default: report.pass(.aq207)
        }
    }

    private mutating func handle(
        _ command: PuckCommand, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        checkWaiting(command, event, &report)
        switch command.kind {
        case .setTime?: setTime(command, event, puck, &report)
        case .deleteDrink?: delete(event, &report)
        case .getActivitySummary?, .getMotionChunk?, .getBackpackChunk?:
            checkChunk(command, event, puck, &report)
            if !event.isRefused, event.isSubscribed(to: .activityStats) == true {
                activity = event.moment
            }
        case .calMeasurePoint?:
            if case .unnamed(let point)? = command.point {
                report.fail(.aq231, expected: "point 0 or 1", observed: "\(point)")
            }
            if !event.isRefused { measurement = event.moment }
        default: return
        }
    }

    /// AQ-221
    private mutating func delete(_ event: Event, _ report: inout RuleReport) {
        if let before = deletion, event.moment.seconds(since: before) <= 5 {
            report.fail(
                .aq221, expected: "a Current State, or 5 s, after the DELETE before", observed: "DELETE again",
                at: [before, event.moment])
        } else {
            report.pass(.aq221)
        }
        if !event.isRefused { deletion = event.moment }
    }

    // MARK: - Activity

    /// AQ-225 for requests for Activity Stats, AQ-226 for other commands.
    private mutating func checkWaiting(_ command: PuckCommand, _ event: Event, _ report: inout RuleReport) {
        guard let asked = activity else { return }
        activity = nil
        guard event.moment.seconds(since: asked) <= 5 else { return report.pass(.aq226) }
        report.fail(
            command.asksForActivity ? .aq225 : .aq226, expected: "the answer before, or 5 s",
            observed: "another command", at: [asked, event.moment])
    }

    /// AQ-225
    private func checkChunk(
        _ command: PuckCommand, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        guard let chunk = command.chunk else { return }
        guard let summary = puck.summary else {
            if !event.connection.isComplete { return report.inconclusive(.aq225, "the summary was not captured") }
            return report.fail(.aq225, expected: "a summary before", observed: "none", isOmission: true)
        }
        let chunks = summary.chunks(for: command.kind)
        if chunk < chunks { return report.pass(.aq225) }
        guard event.connection.isGapless else { return report.inconclusive(.aq225, "something was not captured") }
        report.fail(.aq225, expected: "a chunk below \(chunks)", observed: "\(chunk)")
    }

    // MARK: - Measurement

    /// AQ-231
    private mutating func checkRequest(_ event: Event, _ report: inout RuleReport) {
        guard let before = measurement else { return }
        measurement = nil
        let seconds = event.moment.seconds(since: before)
        if seconds >= 10 { return report.pass(.aq231) }
        report.fail(
            .aq231, expected: "10 s from 0x03 to the next request", observed: seconds.secondsText,
            at: [before, event.moment])
    }
}

/// The client's deletions of drink records (section 5). A client may delete a record that it has received on an earlier
/// connection.
struct ClientDeletionRule: Rule {
    /// IDs of received records.
    private var received = SortedSet<Int>()
    /// The highest received ID.
    private var highest = 0
    /// Whether a client may have received higher IDs outside the capture.
    private var mayKnowMore = false
    /// The end of the last connection.
    private var closed: FrameReference?

    var rules: [RuleIndex] { [.aq220] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { values(of: .command, .drinkData) }

    /// Maximum number of stored IDs.
    private static let limit = 10_000

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isOpening, let closed, event.moment.seconds(since: closed) > DeviceProfile.Time.absence {
            mayKnowMore = true
        }
        if event.closing != nil { closed = event.moment }
        if let command = event.sentCommand, command.kind == .deleteDrink { check(command, event, &report) }
        if case .chunk(let chunk)? = event.puckValue {
            for record in chunk.records ?? [] {
                if received.count < Self.limit { received.insert(record.recordId) }
                highest = max(highest, record.recordId)
                mayKnowMore = false
            }
        }
    }

    /// AQ-220
    private func check(_ command: PuckCommand, _ event: Event, _ report: inout RuleReport) {
        let id = command.recordId ?? 0
        if id == 0 || id > highest && highest > 0 && !mayKnowMore && event.connection.isGapless {
            report.fail(.aq220, expected: "the ID of a record that was received", observed: "\(id)")
        } else if received.contains(id) {
            report.pass(.aq220)
        } else {
            report.inconclusive(.aq220, "record \(id) may have been received before the capture")
        }
    }
}
