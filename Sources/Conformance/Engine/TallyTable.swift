import PluginKit

/// The outcomes of rules about one subject, by the rules' places, until they are stored.
struct TallyTable {
    private var tallies: [Tally]
    /// Places of the rules with an outcome.
    private var touched: [Int] = []

    init(count: Int) {
        tallies = Array(repeating: Tally(), count: count)
    }

    /// Whether no more findings of a rule are kept.
    func isFull(_ place: Int) -> Bool { tallies[place].isFull }
    /// Why a rule was inconclusive the first time; nil where it was not.
    func reason(_ place: Int) -> String? { tallies[place].reason }

    @inline(__always)
    mutating func pass(_ place: Int) {
        if tallies[place].isEmpty { touched.append(place) }
        tallies[place].passes += 1
    }

    mutating func add(_ outcome: RuleReport.Outcome, _ place: Int) {
        if tallies[place].isEmpty { touched.append(place) }
        tallies[place].add(outcome)
    }

    /// Takes the outcomes out, in the order of their places.
    mutating func drain(_ take: (_ place: Int, _ tally: Tally) -> Void) {
        touched.sort()
        for place in touched {
            var tally = Tally()
            swap(&tally, &tallies[place])
            take(place, tally)
        }
        touched.removeAll(keepingCapacity: true)
    }
}
