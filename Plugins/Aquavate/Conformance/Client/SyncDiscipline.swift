import PluginKit
import Profile

/// How the client fetches drinks (sections 6.3 and 11.7).
struct SyncDiscipline: PuckRules {
    var rules: [RuleIndex] {
        [
            .aq212, .aq213, .aq214, .aq215, .aq217, .aq219, .aq305, .aq307, .aq312,
        ]
    }
    var interests: Set<ConformanceInterest> { values(of: .currentState, .syncControl, .drinkData, .command) }

    private var due = Expectations()
    private var clients = PerConnection<Client>()
    private var connections = 0

    /// What the client of a connection has done.
    private struct Client {
        var isFirst: Bool
        var hasAsked = false
        /// The chunk that was read last, after the last notified one.
        var readChunk: Moment?
        /// A QUERY amid a transfer.
        var abort: Moment?
        /// A START that no chunk has followed.
        var silentStart: Moment?
        /// A chunk without an acknowledgement after which it has gone on to other matters.
        var stalled: Moment?
        /// Whether unsynced records were found not to come, or were fetched already.
        var isSettled = false
    }

    /// Seconds within which a chunk is acknowledged, or the transfer is given up.
    private static let acknowledgementTime = 30.0
    /// Seconds after which a client that asks for other things has forgotten the chunk.
    private static let stallTime = 5.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if let closing = sight.closing { judgeStall(closing, sight, &report) }
        due.pass(to: sight, &report)
        switch sight.event.content {
        case .opened:
            clients[sight.connection] = Client(isFirst: connections == 0)
            connections += 1
        case .closed: clients[sight.connection] = nil
        default: break
        }
        guard let link = sight.puck, let told = sight.told else { return }
        var client = clients[sight.connection] ?? Client(isFirst: false)
        if let command = sight.command, command.kind != .ping, command.kind != .setTime,
            let chunk = due.isWaiting(.aq214, on: sight.connection),
            sight.moment.seconds(since: chunk) > Self.stallTime
        {
            client.stalled = chunk
        }
        if let request = sight.syncRequest { take(request, sight, link, &client, &report) }
        if told.characteristic == .drinkData {
            if sight.isRead {
                client.readChunk = sight.moment
            } else if let chunk = sight.notifiedChunk {
                client.readChunk = nil
                client.silentStart = nil
                // A second chunk that nothing has asked for wants no acknowledgement of its own.
                if link.phase.transfer != nil, chunk.records != nil,
                    due.isWaiting(.aq214, on: sight.connection) == nil
                {
                    due.expect(
                        .aq214, "an acknowledgement of the chunk", within: Self.acknowledgementTime,
                        from: sight.moment)
                }
            }
        }
        // Calibration leaves no time for a transfer (AQ-231).
        if sight.command?.kind == .measure || sight.command?.kind == .startCalibration {
            due.drop(.aq307, on: sight.connection)
        }
        if !link.mayEvaluateFast(at: sight.moment) { noteCount(sight, link, client) }
        clients[sight.connection] = client
    }

    mutating func withdraw(_ write: Moment) {
        due.withdraw(write)
        if clients[write.connection]?.silentStart == write { clients[write.connection]?.silentStart = nil }
        if clients[write.connection]?.abort == write { clients[write.connection]?.abort = nil }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        due.finish(at: time, &report)
    }

    private mutating func take(
        _ request: SyncRequest, _ sight: Sight, _ link: PuckLink, _ client: inout Client, _ report: inout JudgeReport
    ) {
        switch request.command {
        case 0:
            if link.phase.transfer != nil { client.abort = sight.moment }
            due.drop(.aq214, on: sight.connection)
            client.silentStart = nil
            report.pass(.aq219)
        case 1:
            due.drop(.aq214, on: sight.connection)
            _ = due.meet(.aq307, on: sight.connection, &report)
            judgeStart(request, sight, link, client, &report)
            if client.abort != nil { report.pass(.aq217) }
            client.abort = nil
            client.silentStart = sight.moment
            client.isSettled = true
            client.readChunk = nil
            report.pass(.aq219)
        case 2:
            judgeAcknowledgement(sight, link, &client, &report)
            client.readChunk = nil
        default: break
        }
        client.hasAsked = true
    }

    // MARK: - START

    private func judgeStart(
        _ request: SyncRequest, _ sight: Sight, _ link: PuckLink, _ client: Client, _ report: inout JudgeReport
    ) {
        // AQ-212
        if sight.link.isMTUExchanged || sight.link.isComplete {
            let most = min(20, (sight.link.mtu - 9) / 14)
            if (1...max(1, most)).contains(request.chunkSize) {
                report.pass(.aq212)
            } else {
                report.fail(
                    .aq212, expected: "chunks of 1 to \(most) records at MTU \(sight.link.mtu)",
                    observed: "\(request.chunkSize)")
            }
        } else {
            report.inconclusive(.aq212, "the MTU was not captured")
        }
        // AQ-312
        if let before = client.silentStart {
            report.fail(
                .aq312, expected: "a chunk or an end before the next START", observed: "START again",
                at: [before, sight.moment])
        } else {
            report.pass(.aq312)
        }
        // AQ-213
        guard sight.link.isGapless else { return report.inconclusive(.aq213, "something was not captured") }
        if client.silentStart == nil, link.phase.transfer != nil {
            report.fail(.aq213, expected: "the end of the transfer before", observed: "START amid it")
        } else if let unsynced = link.unsynced {
            if unsynced.content > 0 { return report.pass(.aq213) }
            if let change = link.progress.unsyncedChanged, sight.moment.seconds(since: change) < PuckLink.crossingTime {
                return report.inconclusive(.aq213, "the client may not have heard of the number when it asked")
            }
            report.fail(
                .aq213, expected: "unsynced records", observed: "none, as the puck has told",
                at: [unsynced.moment, sight.moment])
        } else if sight.link.isComplete {
            report.fail(
                .aq213, expected: "a look at the number of unsynced records before", observed: "none",
                isOmission: true)
        }
    }

    // MARK: - Acknowledgements

    /// AQ-214, AQ-215, AQ-217, AQ-219 and AQ-305: what is wrong about one acknowledgement is one thing.
    private mutating func judgeAcknowledgement(
        _ sight: Sight, _ link: PuckLink, _ client: inout Client, _ report: inout JudgeReport
    ) {
        defer { client.abort = nil }
        let isPaid = link.phase.transfer?.last.map { !$0.isAcknowledged } ?? false
        if let last = link.phase.transfer?.last, isPaid {
            due.drop(.aq214, on: sight.connection)
            if last.isShort, client.readChunk == nil {
                if link.phase.transfer?.isDisturbed == true {
                    return report.inconclusive(.aq305, "it may acknowledge the chunk before, which was whole")
                }
                return report.fail(
                    .aq305, expected: "a read of the chunk that was cut short", observed: "an acknowledgement",
                    at: [last.moment, sight.moment])
            }
            if last.isShort { report.pass(.aq305) }
            report.pass(.aq214)
            return report.pass(.aq215)
        }
        if let abort = client.abort {
            return report.fail(
                .aq217, expected: "no acknowledgement after QUERY", observed: "one", at: [abort, sight.moment])
        }
        if let read = client.readChunk {
            return report.fail(
                .aq215, expected: "no acknowledgement of what was read", observed: "one",
                at: [read, sight.moment])
        }
        if !client.isFirst, !client.hasAsked, sight.link.isComplete {
            return report.fail(.aq219, expected: "START or QUERY first", observed: "an acknowledgement")
        }
        guard sight.link.isComplete else {
            return report.inconclusive(.aq214, "whether a chunk came before was not captured")
        }
        report.fail(
            .aq214, expected: "one acknowledgement for each notified chunk",
            observed: link.phase.transfer?.last == nil ? "one without a chunk" : "one more",
            at: [link.phase.transfer?.last?.moment, sight.moment].compactMap { $0 })
    }

    /// AQ-214: the client has gone on to other matters and ends the connection without an acknowledgement.
    private mutating func judgeStall(
        _ closing: ConnectionClosing, _ sight: Sight, _ report: inout JudgeReport
    ) {
        guard closing.isByLocalHost, let chunk = clients[sight.connection]?.stalled,
            due.isWaiting(.aq214, on: sight.connection) == chunk
        else { return }
        due.drop(.aq214, on: sight.connection)
        report.fail(
            .aq214, expected: "an acknowledgement of the chunk, or QUERY",
            observed: "other commands, and the end of the connection", at: [chunk], bytes: [])
    }

    // MARK: - Numbers

    /// AQ-307
    private mutating func noteCount(_ sight: Sight, _ link: PuckLink, _ client: Client) {
        let count: Int?
        switch sight.value {
        case .state(let state) where !state.isBoot: count = state.unsynced
        case .status(let status): count = status.count
        default: return
        }
        guard let count else { return }
        if count == 0 {
            due.drop(.aq307, on: sight.connection)
        } else if !client.isSettled, due.isWaiting(.aq307, on: sight.connection) == nil {
            due.expect(.aq307, "START", within: 10, from: sight.moment)
        }
    }
}
