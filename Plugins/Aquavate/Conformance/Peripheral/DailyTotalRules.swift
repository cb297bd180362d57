import PluginKit
import Profile

/// What the daily total grows by: the drinks that are sent later (AQ-046).
struct DailyTotalRules: PuckRule {
    /// Growth from one evaluation to the next that waits for its records.
    private struct Growth {
        /// Seconds of the puck's local epoch, after which and up to which the drinks were noticed.
        var after: Int
        var through: Int
        /// Millilitres.
        var amount: Int
        /// Drinks, by the number of unsynced records.
        var drinks: Int
        /// The evaluations that show it.
        var before: FrameReference
        var moment: FrameReference
    }

    /// What counts of a record.
    private struct Drink: BitwiseCopyable {
        var timestamp: Int
        var amount: Int
    }

    private var growths: [Growth] = []
    /// The evaluation before.
    private var last: Timestamped<CurrentState>?
    /// A command that lowers the total, of which no evaluation has told yet.
    private var lowered: FrameReference?
    /// Records that came, by their IDs: one may come before the evaluation that counts it, in a transfer before that of
    /// the growth.
    private var records = SortedMap<Int, Drink>()
    /// Records that the transfer under way has brought.
    private var transferred = 0
    /// Records of the transfers that were completed since the evaluation before.
    private var acknowledged = 0
    /// When a chunk was cut short: the records that it lost are not known.
    private var hole: FrameReference?

    var rules: [RuleIndex] { [.aq046] }
    var interests: Set<RuleInterest> { values(of: .command, .currentState, .syncControl, .drinkData) }

    /// Steps that wait for their records; of more, the oldest is forgotten.
    private static let growthLimit = 32
    /// Records that are remembered: as many as a puck stores.
    private static let recordLimit = 600
    /// Seconds until an evaluation has the total after a command: one may be on its way, and the loop draws before it
    /// takes the command.
    private static let loweringTime = 7.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil || event.isGap { forget() }
        switch event.commandKind {
        case .deleteDrink?, .resetDaily?, .clearHistory?:
            forget()
            lowered = event.moment
            if event.commandKind == .clearHistory { records = SortedMap() }
        // Times of before and after it are those of two clocks.
        case .setTime?: forget()
        default: break
        }
        if let state = event.state, let meaning = event.meaning, let link, !state.isBoot {
            take(state, meaning, link, event)
        }
        if event.syncRequest?.isStart == true { transferred = 0 }
        if let chunk = event.notifiedChunk { take(chunk, at: event.moment) }
        if event.isMalformedChunk { hole = event.moment }
        if event.syncRequest?.isAcknowledgement == true, let transfer = link?.phase.transfer,
            transfer.isLastDue
        {
            settle(transfer, &report)
            acknowledged += transfer.records
        }
    }

    private mutating func forget() {
        growths = []
        last = nil
        hole = nil
        lowered = nil
    }

    private mutating func take(_ chunk: DrinkChunk, at moment: FrameReference) {
        guard let list = chunk.records else {
            hole = moment
            return
        }
        transferred += list.count
        for record in list {
            if records.count >= Self.recordLimit, !records.contains(record.recordId), let oldest = records.firstKey {
                records.removeValue(forKey: oldest)
            }
            records[record.recordId] = Drink(timestamp: record.timestamp, amount: record.amount)
        }
    }

    /// A push has the total of the evaluation before the command that it confirms.
    private mutating func take(_ state: CurrentState, _ meaning: StateMeaning, _ link: PuckLink, _ event: PuckEvent) {
        guard meaning == .evaluation || meaning == .reading else { return }
        if let lowered {
            guard meaning == .evaluation, event.moment.seconds(since: lowered) >= Self.loweringTime else { return }
            self.lowered = nil
        }
        defer {
            last = Timestamped(content: state, moment: event.moment)
            acknowledged = 0
        }
        guard let last, state.timestamp > last.content.timestamp, state.flags.timeValid, last.content.flags.timeValid,
            state.day == last.content.day, !link.total.mayBeOfAnotherDay(at: state)
        else { return }
        let amount = state.dailyTotal - last.content.dailyTotal
        guard amount > 0 else { return }
        if growths.count >= Self.growthLimit { growths.removeFirst() }
        growths.append(
            Growth(
                after: last.content.timestamp, through: state.timestamp, amount: amount,
                drinks: state.unsynced + acknowledged - last.content.unsynced, before: last.moment,
                moment: event.moment))
    }

    /// A transfer of all that was unsynced has brought the records.
    private mutating func settle(_ transfer: Transfer, _ report: inout RuleReport) {
        guard let former = transfer.former, transfer.request.count >= former, transfer.records >= former,
            transfer.records == transferred
        else { return }
        for growth in growths where growth.moment < transfer.start { judge(growth, &report) }
        growths.removeAll { $0.moment < transfer.start }
    }

    private func judge(_ growth: Growth, _ report: inout RuleReport) {
        if let hole, growth.before < hole {
            return report.inconclusive(.aq046, "records of the time were cut off")
        }
        var (drinks, sum, isOnEdge) = (0, 0, false)
        for drink in records.values where (growth.after - 1...growth.through + 1).contains(drink.timestamp) {
            if drink.timestamp > growth.after, drink.timestamp <= growth.through {
                drinks += 1
                sum += drink.amount
            }
            if drink.timestamp <= growth.after + 1 || drink.timestamp > growth.through { isOnEdge = true }
        }
        if sum == growth.amount { return report.pass(.aq046) }
        // Of a clock that was set back, records of other drinks have these times.
        if drinks != growth.drinks {
            return report.inconclusive(.aq046, "which records are those of the growth is not certain")
        }
        if isOnEdge { return report.inconclusive(.aq046, "a drink lies on the edge of two evaluations") }
        report.fail(
            .aq046, expected: "\(sum) ml more, as the records say", observed: "\(growth.amount) ml more",
            at: [growth.before, growth.moment], bytes: [])
    }
}
