import PluginKit
import Profile

/// AQ-046: an increase of the daily total is the sum of the drinks that are transferred later.
struct DailyTotalRules: Rule {
    private let pucks: PuckTracker
    private let received = ReceivedDrinks()

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    /// Increase from one evaluation to the next, whose records are pending.
    private struct Growth {
        /// Timestamps of the two evaluations, in seconds of the puck's local epoch: the drinks were detected after the
        /// first, up to the second.
        var after: Int
        var through: Int
        /// Millilitres.
        var amount: Int
        /// Number of drinks, derived from the number of unsynced records.
        var drinks: Int
        /// The frames of the two evaluations.
        var before: FrameReference
        var moment: FrameReference
    }

    /// The checked fields of a drink record.
    private struct Drink: BitwiseCopyable {
        var timestamp: Int
        var amount: Int
    }

    /// Drinks of the received records. All instances of the rule for the puck share them, because a record may arrive
    /// before the evaluation that counts it, in a transfer of an earlier connection.
    private final class ReceivedDrinks {
        /// Drinks by record ID.
        private(set) var drinks = SortedMap<Int, Drink>()

        /// Maximum number of drinks: the capacity of a puck.
        private static let limit = 600

        func add(_ record: DrinkRecord) {
            if drinks.count >= Self.limit, !drinks.contains(record.recordId), let oldest = drinks.firstKey {
                drinks.removeValue(forKey: oldest)
            }
            drinks[record.recordId] = Drink(timestamp: record.timestamp, amount: record.amount)
        }

        func removeAll() { drinks = SortedMap() }
    }

    private var growths: [Growth] = []
    /// The previous evaluation or read.
    private var last: Timestamped<CurrentState>?
    /// A command that lowers the total, before an evaluation with the new total.
    private var lowered: FrameReference?
    /// Complete records received in the transfer in progress.
    private var transferred = 0
    /// Records of the transfers completed since the previous evaluation.
    private var acknowledged = 0
    /// The last truncated chunk, whose missing records are unknown.
    private var hole: FrameReference?

    var rules: [RuleIndex] { [.aq046] }
    var interests: Set<RuleInterest> { values(of: .command, .currentState, .syncControl, .drinkData) }

    /// Maximum number of pending increases; the oldest is dropped.
    private static let growthLimit = 32
    /// Seconds until an evaluation shows the total after a command: an evaluation may be in flight, and the main loop
    /// updates the display before it executes the command.
    private static let loweringTime = 7.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let puck = pucks[event]
        if event.isGap { forget() }
        switch event.commandKind {
        case .deleteDrink?, .resetDaily?, .clearHistory?:
            forget()
            lowered = event.moment
            if event.commandKind == .clearHistory { received.removeAll() }
        // Times before and after it come from two clocks.
        case .setTime?: forget()
        default: break
        }
        if let puck, let state = event.state, let meaning = puck.meaning(of: event), !state.isBoot {
            handle(state, meaning, puck, event)
        }
        if event.syncRequest?.isStart == true { transferred = 0 }
        if let chunk = event.notifiedChunk { handle(chunk, at: event.moment) }
        if event.isMalformedChunk { hole = event.moment }
        if event.syncRequest?.isAcknowledgement == true, let transfer = puck?.phase.transfer, transfer.isLastDue {
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

    private mutating func handle(_ chunk: DrinkChunk, at moment: FrameReference) {
        guard let records = chunk.records else {
            hole = moment
            return
        }
        transferred += records.count
        for record in records { received.add(record) }
    }

    /// Records an increase. Ignores pushes: a push has the total from before the command that it confirms.
    private mutating func handle(_ state: CurrentState, _ meaning: StateMeaning, _ puck: PuckState, _ event: Event) {
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
            state.day == last.content.day, !puck.total.mayBeOfAnotherDay(at: state)
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

    /// Checks the increases before a completed transfer of all unsynced records.
    private mutating func settle(_ transfer: Transfer, _ report: inout RuleReport) {
        guard let former = transfer.former, transfer.request.count >= former, transfer.records >= former,
            transfer.records == transferred
        else { return }
        for growth in growths where growth.moment < transfer.start { check(growth, &report) }
        growths.removeAll { $0.moment < transfer.start }
    }

    private func check(_ growth: Growth, _ report: inout RuleReport) {
        if let hole, growth.before < hole {
            return report.inconclusive(.aq046, "records of the time were cut off")
        }
        var (drinks, sum, isOnEdge) = (0, 0, false)
        for drink in received.drinks.values where (growth.after - 1...growth.through + 1).contains(drink.timestamp) {
            if drink.timestamp > growth.after, drink.timestamp <= growth.through {
                drinks += 1
                sum += drink.amount
            }
            if drink.timestamp <= growth.after + 1 || drink.timestamp > growth.through { isOnEdge = true }
        }
        if sum == growth.amount { return report.pass(.aq046) }
        // After the clock was set back, records of other drinks may have these times.
        if drinks != growth.drinks {
            return report.inconclusive(.aq046, "which records are those of the growth is not certain")
        }
        if isOnEdge { return report.inconclusive(.aq046, "a drink lies on the edge of two evaluations") }
        report.fail(
            .aq046, expected: "\(sum) ml more, as the records say", observed: "\(growth.amount) ml more",
            at: [growth.before, growth.moment], bytes: [])
    }
}
