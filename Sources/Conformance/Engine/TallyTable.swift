import PluginKit

/// The outcomes of rules about one subject, by the rules' places, until they are stored.
struct TallyTable {
    /// How often each rule was obeyed: nearly all that comes of rules.
    private var passes: [Int]
    /// What else came of them.
    private var others = SortedMap<Int, Tally>()

    init(count: Int) {
        passes = Array(repeating: 0, count: count)
    }

    /// Whether no more findings of a rule are kept.
    func isFull(_ place: Int) -> Bool { others[place]?.isFull ?? false }
    /// Why a rule was inconclusive the first time; nil where it was not.
    func reason(_ place: Int) -> String? { others[place]?.reason }

    mutating func pass(_ place: Int) { passes[place] += 1 }

    /// Takes in how often rules were obeyed, each at the place that it has here. The report stays as it is: it is `inout`
    /// because it would be copied otherwise.
    @inline(__always)
    mutating func takePasses(of report: inout RuleReport, _ place: (Int) -> Int) {
        for passed in report.passes { passes[place(passed)] += 1 }
    }

    mutating func add(_ outcome: RuleReport.Outcome, _ place: Int) {
        if case .pass = outcome { pass(place) } else { others[place, default: Tally()].add(outcome) }
    }

    /// Takes the outcomes out, in the order of their places.
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
