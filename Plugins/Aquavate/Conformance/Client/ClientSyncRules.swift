import Bytes
import PluginKit
import Profile

/// The client's transfers of drink records (sections 6.3 and 11.7).
struct ClientSyncRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq212, .aq213, .aq214, .aq215, .aq217, .aq219, .aq305, .aq307, .aq312] }
    var interests: Set<RuleInterest> { values(of: .currentState, .syncControl, .drinkData, .command) }

    private let history = ConnectionHistory()
    /// Whether it is the puck's first connection in the capture.
    private var isFirst = false
    private var due = Expectations()
    private var hasAsked = false
    /// Chunks since START that are not acknowledged, oldest first.
    private var unacknowledged: [Chunk] = []
    /// The last notified chunk.
    private var lastChunk: FrameReference?
    /// The last read of Drink Data after the last notified chunk.
    private var readChunk: FrameReference?
    /// A QUERY during a transfer.
    private var abort: FrameReference?
    /// A START without a chunk after it.
    private var silentStart: FrameReference?
    /// An unacknowledged chunk after which the client has continued with other commands.
    private var stalled: FrameReference?
    /// Whether the client has already sent START.
    private var isSettled = false

    /// A notified chunk.
    private struct Chunk {
        var moment: FrameReference
        /// Whether bytes are missing.
        var isShort: Bool
    }

    /// Seconds after which a client that sends other commands has skipped the acknowledgement.
    private static let stallTime = 5.0
    /// Maximum number of tracked unacknowledged chunks.
    private static let chunkLimit = 16

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let closing = event.closing { checkStall(closing, &report) }
        due.pass(to: event, &report)
        if event.isOpening {
            isFirst = !history.hasConnected
            history.hasConnected = true
        }
        if event.isGap { (unacknowledged, readChunk) = ([], nil) }
        guard let puck = pucks[event], let attribute = event.value else { return }
        if event.sentCommand != nil || event.sentRequest != nil || attribute.characteristic == .drinkData {
            handle(attribute, event, puck, &report)
        }
        if !puck.mayEvaluateFast(at: event.moment) { noteCount(event) }
    }

    /// Handles the client's commands and requests, and the puck's chunks.
    private mutating func handle(
        _ attribute: AttributeValue, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        if let command = event.sentCommand, command.kind != .ping, command.kind != .setTime,
            let chunk = due.isWaiting(.aq214), event.moment.seconds(since: chunk) > Self.stallTime
        {
            stalled = chunk
        }
        if let request = event.sentRequest { handle(request, event, puck, &report) }
        if attribute.characteristic == .drinkData {
            if event.isRead {
                readChunk = event.moment
            } else if event.notifiedChunk != nil || event.isMalformedChunk {
                record(Chunk(moment: event.moment, isShort: event.notifiedChunk?.records == nil), puck)
            }
        }
        // Calibration leaves no time for a transfer (AQ-231).
        if event.commandKind == .calMeasurePoint || event.commandKind == .startCalibration { due.drop(.aq307) }
    }

    /// Records a chunk. The client may or may not acknowledge an unrequested one.
    private mutating func record(_ chunk: Chunk, _ puck: PuckState) {
        readChunk = nil
        silentStart = nil
        lastChunk = chunk.moment
        if abort == nil, unacknowledged.count < Self.chunkLimit { unacknowledged.append(chunk) }
        guard !chunk.isShort, puck.phase.transfer?.asked.isEmpty == false, due.isWaiting(.aq214) == nil else { return }
        due.expect(
            .aq214, "an acknowledgement of the chunk", within: DeviceProfile.Time.acknowledgement, from: chunk.moment)
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    private mutating func handle(_ request: SyncRequest, _ event: Event, _ puck: PuckState, _ report: inout RuleReport)
    {
        switch request.command {
        case .query:
            if !event.isRefused {
                if puck.phase.transfer != nil { abort = event.moment }
                due.drop(.aq214)
                silentStart = nil
            }
            report.pass(.aq219)
        case .start:
            if !event.isRefused {
                checkUnacknowledged(event, puck, &report)
                unacknowledged = []
            }
            _ = due.meet(.aq307, &report)
            checkStart(request, event, puck, &report)
            if abort != nil { report.pass(.aq217) }
            if !event.isRefused { (abort, silentStart, readChunk) = (nil, event.moment, nil) }
            isSettled = true
            report.pass(.aq219)
        case .ack:
            checkAcknowledgement(event, &report)
            readChunk = nil
        default: break
        }
        hasAsked = true
    }

    // MARK: - START

    private func checkStart(_ request: SyncRequest, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        // AQ-212
        if event.connection.isMTUExchanged || event.connection.isComplete {
            let most = min(20, (event.connection.mtu - 9) / 14)
            if (1...max(1, most)).contains(request.chunkSize) {
                report.pass(.aq212)
            } else {
                report.fail(
                    .aq212, expected: "chunks of 1 to \(most) records at MTU \(event.connection.mtu)",
                    observed: "\(request.chunkSize)")
            }
        } else {
            report.inconclusive(.aq212, "the MTU was not captured")
        }
        // AQ-312
        if let before = silentStart {
            report.fail(
                .aq312, expected: "a chunk or an end before the next START", observed: "START again",
                at: [before, event.moment])
        } else {
            report.pass(.aq312)
        }
        // AQ-213
        guard event.connection.isGapless else { return report.inconclusive(.aq213, "something was not captured") }
        if silentStart == nil, let transfer = puck.phase.transfer {
            if transfer.mayBeComplete {
                return report.inconclusive(.aq213, "whether the transfer before has ended is not certain")
            }
            report.fail(.aq213, expected: "the end of the transfer before", observed: "START amid it")
        } else if let unsynced = puck.unsynced {
            if unsynced.content > 0 { return report.pass(.aq213) }
            // A count that the client has read itself is known to it.
            if let emptied = puck.emptied, event.moment.seconds(since: emptied) < DeviceProfile.Time.crossing {
                return report.inconclusive(.aq213, "the client may not have heard of the number when it asked")
            }
            report.fail(
                .aq213, expected: "unsynced records", observed: "none, as the puck has told",
                at: [unsynced.moment, event.moment])
        } else if event.connection.isComplete {
            report.fail(
                .aq213, expected: "a look at the number of unsynced records before", observed: "none",
                isOmission: true)
        }
    }

    // MARK: - Acknowledgements

    /// AQ-214: START instead of the acknowledgement of a chunk.
    private mutating func checkUnacknowledged(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let chunk = due.drop(.aq214) else { return }
        guard puck.hasReceived(chunk, at: event.moment) else {
            return report.inconclusive(.aq214, "the chunk may have been on its way when START was sent")
        }
        report.fail(
            .aq214, expected: "an acknowledgement of the chunk, or QUERY", observed: "START", at: [chunk, event.moment])
    }

    /// AQ-214, AQ-215, AQ-217, AQ-219 and AQ-305: one acknowledgement fails at most one of them.
    private mutating func checkAcknowledgement(_ event: Event, _ report: inout RuleReport) {
        defer { abort = nil }
        if let abort {
            unacknowledged = []
            return report.fail(
                .aq217, expected: "no acknowledgement after QUERY", observed: "one", at: [abort, event.moment])
        }
        if hasAsked || isFirst, let chunk = unacknowledged.first { return acknowledge(chunk, event, &report) }
        if let readChunk {
            return report.fail(
                .aq215, expected: "no acknowledgement of what was read", observed: "one",
                at: [readChunk, event.moment])
        }
        if !isFirst, !hasAsked, event.connection.isComplete {
            return report.fail(.aq219, expected: "START or QUERY first", observed: "an acknowledgement")
        }
        guard event.connection.isComplete else {
            return report.inconclusive(.aq214, "whether a chunk came before was not captured")
        }
        report.fail(
            .aq214, expected: "one acknowledgement for each notified chunk",
            observed: lastChunk == nil ? "one without a chunk" : "one more",
            at: [lastChunk, event.moment].compactMap { $0 })
    }

    /// Checks the acknowledgement of a notified chunk; AQ-305 for a truncated one.
    private mutating func acknowledge(_ chunk: Chunk, _ event: Event, _ report: inout RuleReport) {
        due.drop(.aq214)
        if chunk.isShort, readChunk == nil {
            if unacknowledged.contains(where: { !$0.isShort }) {
                report.inconclusive(.aq305, "it may acknowledge another chunk, which is whole")
            } else {
                report.fail(
                    .aq305, expected: "a read of the chunk that was cut short", observed: "an acknowledgement",
                    at: [chunk.moment, event.moment])
            }
        } else {
            if chunk.isShort { report.pass(.aq305) }
            report.pass(.aq214)
            report.pass(.aq215)
        }
        if !event.isRefused { unacknowledged.removeFirst() }
    }

    /// AQ-214: the client has continued with other commands and ends the connection without an acknowledgement.
    private mutating func checkStall(_ closing: ConnectionClosing, _ report: inout RuleReport) {
        guard closing.isByLocalHost, let chunk = stalled, due.isWaiting(.aq214) == chunk else { return }
        due.drop(.aq214)
        report.fail(
            .aq214, expected: "an acknowledgement of the chunk, or QUERY",
            observed: "other commands, and the end of the connection", at: [chunk], bytes: [])
    }

    // MARK: - Numbers

    /// AQ-307
    private mutating func noteCount(_ event: Event) {
        let count: Int
        if let state = event.state {
            if state.isBoot { return }
            count = state.unsynced
        } else if case .status(let status)? = event.puckValue {
            count = status.count
        } else {
            return
        }
        if count == 0 {
            due.drop(.aq307)
        } else if !isSettled, due.isWaiting(.aq307) == nil {
            due.expect(.aq307, "START", within: 10, from: event.moment)
        }
    }
}

/// Whether the puck was connected before in the capture; shared by all its connections.
private final class ConnectionHistory {
    var hasConnected = false
}
