import Bytes
import PluginKit
import Profile

/// Activity statistics (section 8).
struct ActivityRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] {
        [.aq079, .aq080, .aq081, .aq082, .aq083, .aq084, .aq085, .aq086, .aq087, .aq088]
    }
    var interests: Set<RuleInterest> { values(of: .command, .activityStats).union([.subscriptions]) }

    private var due = Expectations()
    /// A request for a chunk that does not exist.
    private var absent: FrameReference?
    /// A request for a chunk that may not exist.
    private var uncertain: FrameReference?
    /// A request that was sent before the answer to the uncertain one could arrive.
    private var overlapped: FrameReference?
    /// The last request.
    private var asked: PuckCommand?
    private var sums = Sums()

    /// Number of entries by chunk index.
    private struct Sums {
        var motion: [Int: Int] = [:]
        var backpack: [Int: Int] = [:]
        var summary: Timestamped<ActivitySummary>?
        /// The last entry of the last chunk of each kind.
        var lastEvent: LastEntry?
        var lastSession: LastEntry?
    }

    /// The time of the last entry of a chunk.
    private struct LastEntry {
        var chunk: Int
        var time: Int
        var moment: FrameReference
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        if event.closing != nil, absent != nil { report.pass(.aq087) }
        if event.isGap {
            absent = nil
            uncertain = nil
            overlapped = nil
            asked = nil
            sums = Sums()
        }
        guard let puck = pucks[event] else { return }
        if let command = event.command { handle(command, event, puck, &report) }
        guard let attribute = event.value, attribute.characteristic == .activityStats, event.isNotified else {
            return
        }
        // Overlapping requests may ask for different kinds of value, and the value does not contain its kind.
        let isOverlapped = overlapped.map { event.moment.seconds(since: $0) <= DeviceProfile.Time.reply }
        let isCertain = due.count(.aq088) <= 1 && isOverlapped != true
        answer(event, &report)
        if !isCertain { sums.summary = nil }
        if isCertain, event.connection.isGapless, let request = asked {
            checkForm(attribute.bytes, of: request, &report)
        }
        if isCertain, case .activity(let value)? = event.puckValue { check(value, event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    // MARK: - Requests and answers

    private mutating func handle(
        _ command: PuckCommand, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        if absent != nil { report.pass(.aq087) }
        absent = nil
        guard command.asksForActivity else { return }
        if let before = uncertain, event.moment.seconds(since: before) <= DeviceProfile.Time.reply {
            // The next value may answer either of the two requests.
            uncertain = event.moment
            overlapped = event.moment
            return report.inconclusive(.aq088, "the request before may not have been answered yet")
        }
        uncertain = nil
        guard let isThere = isThere(command, puck) else {
            uncertain = event.moment
            asked = command
            return report.inconclusive(.aq088, "how many entries there are was not told")
        }
        guard isThere else {
            absent = event.moment
            if due.count(.aq088) == 0 { asked = command }
            return
        }
        asked = command
        switch event.isSubscribed(to: .activityStats) {
        case true?:
            due.expect(
                .aq088, "Activity Stats", by: .activityStats, within: DeviceProfile.Time.reply, from: event.moment)
        case nil: report.inconclusive(.aq088, "whether the client has subscribed was not captured")
        case false?: break
        }
    }

    /// Whether the value that a command asks for exists; nil if the summary was not captured.
    private func isThere(_ command: PuckCommand, _ puck: PuckState) -> Bool? {
        guard let chunk = command.chunk else { return true }
        if chunk == 0 { return true }
        guard let summary = puck.summary else { return nil }
        return chunk < summary.chunks(for: command.kind)
    }

    /// AQ-087, AQ-088
    private mutating func answer(_ event: Event, _ report: inout RuleReport) {
        if due.meet(.aq088, &report) != nil { return }
        if let moment = absent {
            absent = nil
            return report.fail(
                .aq087, expected: "nothing for a chunk that is not there", observed: "an answer",
                at: [moment, event.moment])
        }
        if uncertain != nil {
            if overlapped == nil { uncertain = nil }
            return
        }
        guard event.connection.isComplete else { return }
        report.fail(.aq088, expected: "one notification for each request", observed: "one that was not asked for")
    }

    // MARK: - Values

    /// AQ-079 to AQ-082: the bytes of an answer.
    private func checkForm(_ bytes: ValueBytes, of request: PuckCommand, _ report: inout RuleReport) {
        func byte(_ offset: Int) -> Int { Int(bytes.u8(offset) ?? 0) }
        switch request.kind {
        case .getActivitySummary?:
            let isInRange = byte(0) <= 100 && byte(1) <= 20 && byte(2) <= 1 && byte(3) <= 1
            say(
                .aq079, bytes.count == 12 && isInRange && bytes.u16(10) == 0,
                "12 bytes: at most 100 events and 20 sessions, flags 0 or 1, reserved 0",
                "\(bytes.count) bytes: \(byte(0)) events, \(byte(1)) sessions, flags \(byte(2)) and \(byte(3))", &report
            )
            guard let start = bytes.u32(4) else { return }
            say(
                .aq080, (byte(2) == 0) == (start == 0), byte(2) == 0 ? "session_start 0" : "a session_start",
                "\(start)", &report)
        case .getMotionChunk?: checkForm(bytes, of: request, .aq081, size: 8, most: 10, &report)
        case .getBackpackChunk?: checkForm(bytes, of: request, .aq082, size: 12, most: 5, &report)
        default: return
        }
    }

    /// The form of a chunk whose entries have `size` bytes each.
    private func checkForm(
        _ bytes: ValueBytes, of request: PuckCommand, _ rule: RuleIndex, size: Int, most: Int,
        _ report: inout RuleReport
    ) {
        guard let index = bytes.u8(0), let total = bytes.u8(1), let count = bytes.u8(2), let reserved = bytes.u8(3)
        else { return report.fail(rule, expected: "4 bytes or more", observed: "\(bytes.count)") }
        let isWhole = Int(index) + 1 == total || count == most
        say(
            rule,
            bytes.count == 4 + size * Int(count) && count <= most && request.chunk == Int(index) && index < total
                && isWhole
                && reserved == 0,
            "chunk \(request.chunk ?? 0) with at most \(most) entries, \(most) in all but the last, of \(size) bytes each",
            "chunk \(index) of \(total) with \(count) entries in \(bytes.count) bytes", &report)
    }

    private mutating func check(_ value: ActivityValue, _ event: Event, _ report: inout RuleReport) {
        // After a gap, a repeated chunk cannot be distinguished from the next one.
        if !event.connection.isGapless { sums = Sums() }
        switch value {
        case .summary(let summary): sums = Sums(summary: Timestamped(content: summary, moment: event.moment))
        case .motion(let chunk):
            let isFine = chunk.events.allSatisfy { $0.wakeReason.rawValue <= 3 && $0.sleep.sleepType.rawValue <= 1 }
            say(.aq084, isFine, "wake reasons 0 to 3, sleep types 0 and 1", "others", &report)
            let times = chunk.events.map(\.timestamp)
            checkOrder(times, after: sums.lastEvent, chunk.chunkIndex, event, &report)
            if let last = times.last {
                sums.lastEvent = LastEntry(chunk: chunk.chunkIndex, time: last, moment: event.moment)
            }
            sums.motion[chunk.chunkIndex] = chunk.events.count
            checkSum(sums.motion, of: chunk.totalChunks, sums.summary, \.motionCount, event, &report)
        case .backpack(let chunk):
            let wrong = chunk.sessions.first { $0.exitReason != .motionDetected || $0.flags != 0 }
            say(
                .aq085, wrong == nil, "exit reason 0, flags 0",
                "exit reason \(wrong?.exitReason.rawValue ?? 0), flags \(wrong?.flags ?? 0)", &report)
            let times = chunk.sessions.map(\.start)
            checkOrder(times, after: sums.lastSession, chunk.chunkIndex, event, &report)
            if let last = times.last {
                sums.lastSession = LastEntry(chunk: chunk.chunkIndex, time: last, moment: event.moment)
            }
            sums.backpack[chunk.chunkIndex] = chunk.sessions.count
            checkSum(sums.backpack, of: chunk.totalChunks, sums.summary, \.backpackCount, event, &report)
        }
    }

    private func say(
        _ rule: RuleIndex, _ isObeyed: Bool, _ expected: String, _ observed: String, _ report: inout RuleReport
    ) {
        if isObeyed { return report.pass(rule) }
        report.fail(rule, expected: expected, observed: observed)
    }

    /// AQ-086
    private func checkOrder(
        _ times: [Int], after last: LastEntry?, _ chunk: Int, _ event: Event, _ report: inout RuleReport
    ) {
        let before = last.flatMap { $0.chunk + 1 == chunk ? $0 : nil }
        let all = [before?.time].compactMap(\.self) + times
        let falls = zip(all, all.dropFirst()).filter { $0 > $1 }
        if falls.isEmpty { return report.pass(.aq086) }
        if let setTime = pucks.clockSet, falls.allSatisfy({ $1 >= setTime }) {
            return report.inconclusive(.aq086, "the clock may have been set back between two entries")
        }
        report.fail(
            .aq086, expected: "entries in the order of their times",
            observed: "a time before the one of the entry before",
            at: [before?.moment, event.moment].compactMap(\.self))
    }

    /// AQ-083: checked with the last missing chunk.
    private func checkSum(
        _ entries: [Int: Int], of chunks: Int, _ summary: Timestamped<ActivitySummary>?,
        _ count: KeyPath<ActivitySummary, Int>, _ event: Event, _ report: inout RuleReport
    ) {
        guard chunks <= 16, (0..<chunks).allSatisfy({ entries[$0] != nil }) else { return }
        guard let summary else { return report.inconclusive(.aq083, "the summary was not captured") }
        let wanted = summary.content[keyPath: count]
        let sum = (0..<chunks).reduce(0) { $0 + (entries[$1] ?? 0) }
        if sum == wanted { return report.pass(.aq083) }
        report.fail(
            .aq083, expected: "\(wanted) entries, as the summary says", observed: "\(sum)",
            at: [summary.moment, event.moment])
    }
}
