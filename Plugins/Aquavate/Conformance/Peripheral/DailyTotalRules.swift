import PluginKit

/// What the daily total grows by: the drinks that are sent later (AQ-046).
struct DailyTotalRules: PuckRules {
    /// Growth from one evaluation to the next that waits for its records.
    private struct Growth {
        /// Seconds of the puck's local epoch, after which and up to which the drinks were noticed.
        var after: Int
        var through: Int
        /// Millilitres.
        var amount: Int
        var moments: [Moment]
    }

    private var growths: [Growth] = []
    /// The evaluation before.
    private var last: Told<CurrentState>?
    /// Records of the transfer that is under way.
    private var records: [DrinkRecord] = []

    var rules: [String] { ["AQ-046"] }
    var interests: Set<ConformanceInterest> { values(of: "command", "current_state", "sync_control", "drink_data") }

    /// Steps that wait for their records; of more, the oldest is forgotten.
    private static let growthLimit = 32

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil || sight.isGap { forget() }
        switch sight.command?.kind {
        case .deleteDrink?, .resetDaily?, .clearHistory?: forget()
        default: break
        }
        if let state = sight.state, !state.isBoot { take(state, sight) }
        if sight.syncRequest?.isStart == true { records = [] }
        if let chunk = sight.notifiedChunk { records += (chunk.records ?? []).prefix(600 - min(600, records.count)) }
        if sight.syncRequest?.isAcknowledgement == true, let transfer = sight.puck?.phase.transfer,
            transfer.total == transfer.acknowledgements + 1
        {
            settle(transfer, &report)
        }
    }

    private mutating func forget() {
        growths = []
        last = nil
    }

    private mutating func take(_ state: CurrentState, _ sight: Sight) {
        defer { last = Told(content: state, moment: sight.moment) }
        guard let last, state.timestamp > last.content.timestamp, state.flags.timeValid, last.content.flags.timeValid,
            state.timestamp / 86_400 == last.content.timestamp / 86_400
        else { return }
        let amount = state.dailyTotal - last.content.dailyTotal
        guard amount > 0 else { return }
        if growths.count >= Self.growthLimit { growths.removeFirst() }
        growths.append(
            Growth(
                after: last.content.timestamp, through: state.timestamp, amount: amount,
                moments: [last.moment, sight.moment]))
    }

    /// A transfer of all that was unsynced has brought the records.
    private mutating func settle(_ transfer: Transfer, _ report: inout JudgeReport) {
        guard let former = transfer.former, transfer.request.count >= former, transfer.records >= former,
            transfer.records == records.count
        else { return }
        for growth in growths where growth.moments[1] < transfer.start {
            let amounts = records.filter { $0.timestamp > growth.after && $0.timestamp <= growth.through }.map(\.amount)
            let sum = amounts.reduce(0, +)
            if sum == growth.amount {
                report.pass("AQ-046")
            } else if records.contains(where: {
                abs($0.timestamp - growth.after) <= 1 || $0.timestamp == growth.through + 1
            }) {
                report.inconclusive("AQ-046", "a drink lies on the edge of two evaluations")
            } else {
                report.fail(
                    "AQ-046", expected: "\(sum) ml more, as the records say", observed: "\(growth.amount) ml more",
                    at: growth.moments, bytes: [])
            }
        }
        growths.removeAll { $0.moments[1] < transfer.start }
    }
}
