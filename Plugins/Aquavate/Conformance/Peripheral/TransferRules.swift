import Bytes
import PluginKit
import Profile

/// Course of a transfer of drink records (section 6).
struct TransferRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq057, .aq058, .aq059, .aq061, .aq062, .aq070, .aq306] }
    var interests: Set<RuleInterest> {
        values(of: .syncControl, .command, .drinkData).union([.subscriptions])
    }

    private var due = Expectations()
    /// The last acknowledgement, request or command that the puck ignores.
    private var ignored: FrameReference?

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        if event.closing != nil { settleIgnored(&report) }
        guard let puck = pucks[event] else { return }
        if let request = event.syncRequest { handle(request, event, puck, &report) }
        if let command = event.command, !command.isHeeded { ignored = event.moment }
        if case .status(let status)? = event.puckValue { checkEnd(status, event, puck, &report) }
        if event.notifiedChunk != nil || event.isMalformedChunk { check(event.notifiedChunk, event, puck, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    // MARK: - Requests

    private mutating func handle(
        _ request: SyncRequest, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        settleIgnored(&report)
        let isSubscribed = event.isSubscribed(to: .drinkData) == true
        switch (request.command, puck.phase) {
        case (.start, _):
            due.drop(.aq057)
            due.drop(.aq058)
            guard isSubscribed, let unsynced = puck.storedCount else {
                return report.inconclusive(.aq057, "whether there are records to send was not captured")
            }
            if unsynced > 0, request.count > 0 {
                due.expect(
                    .aq057, "chunk 0", by: .drinkData, within: DeviceProfile.Time.chunk, from: event.moment,
                    quirk: "Q-02")
            }
        case (.ack, .running(let transfer)):
            let isLast = transfer.total.map { transfer.acknowledgements + 1 >= $0 } ?? true
            if isSubscribed, !isLast, !transfer.isDisturbed {
                due.expect(
                    .aq058, "the next chunk", by: .drinkData, within: DeviceProfile.Time.chunk, from: event.moment)
            }
        case (.ack, .idle): ignored = event.moment
        case (.ack, .unknown): report.inconclusive(.aq070, "whether a transfer is under way was not captured")
        case (.query, _):
            due.drop(.aq057)
            due.drop(.aq058)
        default: ignored = event.moment
        }
    }

    // MARK: - Chunks

    /// Evaluates the rules for a chunk; nil for a chunk with an incomplete header, which fails AQ-060.
    private mutating func check(
        _ chunk: DrinkChunk?, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        var name: String { chunk.map { "chunk \($0.index)" } ?? "a chunk" }
        guard event.connection.isGapless else {
            return report.inconclusive(.aq059, "what asked for the chunk may not have been captured")
        }
        if let doubt = doubt(of: chunk, event, puck) { return report.inconclusive(.aq059, doubt) }
        if let moment = ignored, puck.phase.transfer?.asked.isEmpty != false {
            ignored = nil
            if event.moment.seconds(since: moment) <= DeviceProfile.Time.chunk {
                return report.fail(
                    .aq070, expected: "nothing after what is ignored", observed: "a chunk",
                    at: [moment, event.moment])
            }
        }
        guard case .running(let transfer) = puck.phase else {
            return report.fail(.aq059, expected: "no chunk that nobody asked for", observed: name)
        }
        if transfer.isDisturbed { return }
        guard let asked = transfer.asked.first else {
            if transfer.acknowledgements == 0 {
                // The puck answers START with one chunk.
                due.drop(.aq057)
                return report.fail(
                    .aq057, expected: "one chunk for START", observed: "\(name) besides",
                    at: [transfer.start, event.moment])
            }
            return report.fail(
                .aq059, expected: "one chunk for each request", observed: "\(name) besides",
                at: [transfer.last ?? transfer.start, event.moment])
        }
        report.pass(.aq059)
        checkTime(asked, event, &report)
        guard let chunk else {
            due.drop(asked == transfer.start ? .aq057 : .aq058)
            return
        }
        checkIndex(chunk, transfer, asked, event, &report)
        checkTotal(chunk, transfer, &report)
        checkCount(chunk, transfer, &report)
    }

    /// Reason why a chunk that the known transfer did not request may be legitimate; nil if there is none.
    private func doubt(of chunk: DrinkChunk?, _ event: Event, _ puck: PuckState) -> String? {
        if puck.isStraggler(chunk, at: event.moment) {
            return "it may have been on its way when the transfer before ended"
        }
        guard case .unknown = puck.phase else { return nil }
        if !event.connection.isComplete { return "what asked for the chunk was not captured" }
        // A disconnection does not end a transfer (section 6.1).
        return puck.blindAcknowledgement == nil ? nil : "it may be of a transfer of an earlier connection"
    }

    /// AQ-058: the last acknowledgement ends the transfer.
    private func checkEnd(_ status: SyncStatus, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let completion = puck.completion, !completion.transfer.isDisturbed, puck.phase.isIdle,
            let requested = event.value?.requested, requested > completion.moment
        else { return }
        if status.status != .inProgress { return report.pass(.aq058) }
        report.fail(
            .aq058, expected: "the end of the transfer after the last acknowledgement",
            observed: "status in progress", at: [completion.moment, event.moment])
    }

    /// AQ-306
    private func checkTime(_ asked: FrameReference, _ event: Event, _ report: inout RuleReport) {
        let seconds = event.moment.seconds(since: asked)
        if seconds <= DeviceProfile.Time.chunk { return report.pass(.aq306) }
        report.fail(
            .aq306, expected: "the chunk within \(DeviceProfile.Time.chunk.secondsText)",
            observed: "after \(seconds.secondsText)", at: [asked, event.moment])
    }

    /// AQ-057 for the first chunk, AQ-058 for the others.
    private mutating func checkIndex(
        _ chunk: DrinkChunk, _ transfer: Transfer, _ asked: FrameReference, _ event: Event,
        _ report: inout RuleReport
    ) {
        let rule: RuleIndex = asked == transfer.start ? .aq057 : .aq058
        if chunk.index == transfer.next {
            if due.meet(rule, &report) == nil { return }
        } else {
            due.drop(rule)
            report.fail(
                rule, expected: "chunk \(transfer.next)", observed: "chunk \(chunk.index)",
                at: [asked, event.moment])
        }
    }

    /// AQ-061
    private func checkTotal(_ chunk: DrinkChunk, _ transfer: Transfer, _ report: inout RuleReport) {
        let most = transfer.mostChunks
        if let total = transfer.total, total != chunk.total {
            report.fail(.aq061, expected: "\(total) chunks, as before", observed: "\(chunk.total)")
        } else if chunk.index >= chunk.total {
            report.fail(.aq061, expected: "an index below \(chunk.total)", observed: "\(chunk.index)")
        } else if transfer.request.count > 0, chunk.total > most {
            report.fail(
                .aq061, expected: "\(most) chunks at most for \(transfer.request.count) records",
                observed: "\(chunk.total)")
        } else {
            report.pass(.aq061)
        }
    }

    /// AQ-062
    private func checkCount(_ chunk: DrinkChunk, _ transfer: Transfer, _ report: inout RuleReport) {
        let full = transfer.request.recordsPerChunk
        let isLast = chunk.index + 1 >= chunk.total
        let allowed = isLast ? 1...full : full...full
        if allowed.contains(chunk.count), chunk.reserved == 0 { return report.pass(.aq062) }
        report.fail(
            .aq062, expected: isLast ? "1 to \(full) records, reserved 0" : "\(full) records, reserved 0",
            observed: "\(chunk.count) records, reserved \(chunk.reserved)")
    }

    /// AQ-070: the ignored write had no effect.
    private mutating func settleIgnored(_ report: inout RuleReport) {
        guard ignored != nil else { return }
        ignored = nil
        report.pass(.aq070)
    }
}
