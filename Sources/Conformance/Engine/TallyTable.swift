import PluginKit

/// Outcomes of rules about one subject, by rule index, until they are stored.
struct TallyTable {
    /// Number of passes of each rule: nearly all outcomes.
    private var passes: [Int]
    /// The other outcomes.
    private var others = SortedMap<Int, Tally>()

    init(count: Int) {
        passes = Array(repeating: 0, count: count)
    }

    /// Whether no further findings of a rule are kept.
    func isFull(_ place: Int) -> Bool { others[place]?.isFull ?? false }
    /// Why a rule was inconclusive for the first time; nil if it was not.
    func reason(_ place: Int) -> String? { others[place]?.reason }

    mutating func pass(_ place: Int) { passes[place] += 1 }

    /// Adds the passes of a report; `place` maps the index of a rule to its index in the table. The report does not
    /// change: it is `inout` to avoid a copy.
    @inline(__always)
    mutating func takePasses(of report: inout RuleReport, _ place: (Int) -> Int) {
        for passed in report.passes { passes[place(passed)] += 1 }
    }

    mutating func add(_ outcome: RuleReport.Outcome, _ place: Int) {
        if case .pass = outcome { pass(place) } else { others[place, default: Tally()].add(outcome) }
    }

    /// Removes the outcomes, in index order.
    mutating func drain(_ take: (_ place: Int, _ tally: Tally) -> Void) {
        for place in passes.indices where passes[place] > 0 || others.contains(place) {
            var tally = others[place] ?? Tally()
            tally.passes = passes[place]
            passes[place] = 0
            take(place, tally)
        }
        others = SortedMap()
    }
}
