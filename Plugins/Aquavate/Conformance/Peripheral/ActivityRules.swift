import PluginKit
import Profile

/// Activity statistics (section 8).
struct ActivityRules: PuckRules {
    var rules: [RuleIndex] {
        [.aq079, .aq080, .aq081, .aq082, .aq083, .aq084, .aq085, .aq086, .aq087, .aq088]
    }
    var interests: Set<ConformanceInterest> { values(of: .command, .activityStats).union([.subscriptions]) }

    private var due = Expectations()
    /// A request for a chunk that is not there.
    private var absent = PerConnection<Moment>()
    /// A request for a chunk of which it is not known whether it is there, and one that came before its answer could.
    private var uncertain = PerConnection<Moment>()
    private var overlapped = PerConnection<Moment>()
    /// The last request.
    private var asked = PerConnection<PuckCommand>()
    private var sums = PerConnection<Sums>()
    /// What the clock was first set to: later times may be of a clock that was ahead.
    private var clockSet: Int?

    /// Entries by the index of the chunk that brought them.
    private struct Sums {
        var motion: [Int: Int] = [:]
        var backpack: [Int: Int] = [:]
        var summary: ActivitySummary?
        /// The latest time that chunk after chunk has told.
        var lastEvent: (chunk: Int, time: Int)?
        var lastSession: (chunk: Int, time: Int)?
    }

    /// Seconds within which a request is answered.
    private static let replyTime = 2.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        due.pass(to: sight, &report)
        if sight.closing != nil || sight.isGap {
            if absent[sight.connection] != nil, sight.closing != nil { report.pass(.aq087) }
            absent[sight.connection] = nil
            uncertain[sight.connection] = nil
            overlapped[sight.connection] = nil
            asked[sight.connection] = nil
            sums[sight.connection] = nil
        }
        guard let link = sight.puck else { return }
        if let command = sight.command { take(command, sight, link, &report) }
        guard let told = sight.told, told.characteristic == .activityStats, sight.isNotified else { return }
        // Requests that overlap are of several kinds: of which one the value is, it does not say.
        let isOverlapped = overlapped[sight.connection].map { sight.moment.seconds(since: $0) <= Self.replyTime }
        let isCertain = due.count(.aq088, on: sight.connection) <= 1 && isOverlapped != true
        answer(sight, &report)
        if !isCertain { sums[sight.connection]?.summary = nil }
        if isCertain, sight.link.isGapless, let request = asked[sight.connection] {
            judgeForm(told.bytes, of: request, &report)
        }
        if isCertain, case .activity(let value)? = sight.value { judge(value, sight, &report) }
    }

    mutating func withdraw(_ write: Moment) {
        due.withdraw(write)
        if absent[write.connection] == write { absent[write.connection] = nil }
        if uncertain[write.connection] == write { uncertain[write.connection] = nil }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        due.finish(at: time, &report)
    }

    // MARK: - Requests and answers

    private mutating func take(
        _ command: PuckCommand, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        if command.kind == .setTime, clockSet == nil { clockSet = command.time.map { Int($0) } }
        if absent[sight.connection] != nil { report.pass(.aq087) }
        absent[sight.connection] = nil
        guard command.asksForActivity else { return }
        if let asked = uncertain[sight.connection], sight.moment.seconds(since: asked) <= Self.replyTime {
            // Which of the two what comes answers, is not known.
            uncertain[sight.connection] = sight.moment
            overlapped[sight.connection] = sight.moment
            return report.inconclusive(.aq088, "the request before may not have been answered yet")
        }
        uncertain[sight.connection] = nil
        guard let isThere = isThere(command, link) else {
            uncertain[sight.connection] = sight.moment
            asked[sight.connection] = command
            return report.inconclusive(.aq088, "how many entries there are was not told")
        }
        guard isThere else {
            absent[sight.connection] = sight.moment
            if due.count(.aq088, on: sight.connection) == 0 { asked[sight.connection] = command }
            return
        }
        asked[sight.connection] = command
        switch link.isSubscribed(.activityStats, sight.link) {
        case true?:
            due.expect(
                .aq088, "Activity Stats", by: .activityStats, within: Self.replyTime, from: sight.moment)
        case nil: report.inconclusive(.aq088, "whether the client has subscribed was not captured")
        case false?: break
        }
    }

    /// Whether there is what a command asks for; nil where the summary was not captured.
    private func isThere(_ command: PuckCommand, _ link: PuckLink) -> Bool? {
        guard let chunk = command.chunk else { return true }
        if chunk == 0 { return true }
        guard let summary = link.summary else { return nil }
        return chunk < summary.chunks(for: command.kind)
    }

    /// AQ-087, AQ-088
    private mutating func answer(_ sight: Sight, _ report: inout JudgeReport) {
        if due.meet(.aq088, on: sight.connection, &report) != nil { return }
        if let moment = absent[sight.connection] {
            absent[sight.connection] = nil
            return report.fail(
                .aq087, expected: "nothing for a chunk that is not there", observed: "an answer",
                at: [moment, sight.moment])
        }
        if uncertain[sight.connection] != nil {
            if overlapped[sight.connection] == nil { uncertain[sight.connection] = nil }
            return
        }
        guard sight.link.isComplete else { return }
        report.fail(.aq088, expected: "one notification for each request", observed: "one that was not asked for")
    }

    // MARK: - Values

    /// AQ-079 to AQ-082: what answers a request, as its bytes.
    private func judgeForm(_ bytes: ValueBytes, of request: PuckCommand, _ report: inout JudgeReport) {
        func byte(_ offset: Int) -> Int { Int(bytes.u8(offset) ?? 0) }
        switch request.kind {
        case .getSummary?:
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
        case .getMotionChunk?: judgeForm(bytes, of: request, .aq081, size: 8, most: 10, &report)
        case .getBackpackChunk?: judgeForm(bytes, of: request, .aq082, size: 12, most: 5, &report)
        default: return
        }
    }

    /// A chunk of entries of a size.
    private func judgeForm(
        _ bytes: ValueBytes, of request: PuckCommand, _ rule: RuleIndex, size: Int, most: Int,
        _ report: inout JudgeReport
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

    private mutating func judge(_ value: ActivityValue, _ sight: Sight, _ report: inout JudgeReport) {
        // What comes again after a gap cannot be told from what follows.
        var sums = sight.link.isGapless ? sums[sight.connection] ?? Sums() : Sums()
        defer { self.sums[sight.connection] = sums }
        switch value {
        case .summary(let summary): sums = Sums(summary: summary)
        case .motion(let chunk):
            let isFine = chunk.events.allSatisfy { $0.wakeReason <= 3 && $0.sleep.sleepType <= 1 }
            say(.aq084, isFine, "wake reasons 0 to 3, sleep types 0 and 1", "others", &report)
            let times = chunk.events.map(\.timestamp)
            judgeOrder(times, after: sums.lastEvent, chunk.chunkIndex, &report)
            if let last = times.last { sums.lastEvent = (chunk.chunkIndex, last) }
            sums.motion[chunk.chunkIndex] = chunk.events.count
            judgeSum(sums.motion, of: chunk.totalChunks, sums.summary?.motionCount, &report)
        case .backpack(let chunk):
            let isFine = chunk.sessions.allSatisfy { (0...2).contains($0.exitReason) && $0.flags == 0 }
            say(.aq085, isFine, "exit reasons 0 to 2, flags 0", "others", &report)
            let times = chunk.sessions.map(\.start)
            judgeOrder(times, after: sums.lastSession, chunk.chunkIndex, &report)
            if let last = times.last { sums.lastSession = (chunk.chunkIndex, last) }
            sums.backpack[chunk.chunkIndex] = chunk.sessions.count
            judgeSum(sums.backpack, of: chunk.totalChunks, sums.summary?.backpackCount, &report)
        }
    }

    private func say(
        _ rule: RuleIndex, _ isObeyed: Bool, _ expected: String, _ observed: String, _ report: inout JudgeReport
    ) {
        if isObeyed { return report.pass(rule) }
        report.fail(rule, expected: expected, observed: observed)
    }

    /// AQ-086
    private func judgeOrder(
        _ times: [Int], after last: (chunk: Int, time: Int)?, _ chunk: Int, _ report: inout JudgeReport
    ) {
        let before = last.flatMap { $0.chunk + 1 == chunk ? $0.time : nil }
        let all = [before].compactMap { $0 } + times
        let falls = zip(all, all.dropFirst()).filter { $0 > $1 }
        let isInOrder = falls.isEmpty
        if !isInOrder, let clockSet, falls.allSatisfy({ $1 >= clockSet }) {
            return report.inconclusive(.aq086, "the clock may have been set back between two entries")
        }
        say(
            .aq086, isInOrder, "entries in the order of their times", "a time before the one of the entry before",
            &report)
    }

    /// AQ-083: judged with the chunk that makes them complete.
    private func judgeSum(_ entries: [Int: Int], of chunks: Int, _ count: Int?, _ report: inout JudgeReport) {
        guard chunks <= 16, (0..<chunks).allSatisfy({ entries[$0] != nil }) else { return }
        guard let count else { return report.inconclusive(.aq083, "the summary was not captured") }
        let sum = (0..<chunks).reduce(0) { $0 + (entries[$1] ?? 0) }
        say(.aq083, sum == count, "\(count) entries, as the summary says", "\(sum)", &report)
    }
}
