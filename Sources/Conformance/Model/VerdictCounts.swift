/// How many results have each verdict.
package struct VerdictCounts: Sendable {
    /// By the places of the verdicts.
    private var counts = InlineArray<6, Int>(repeating: 0)

    package var isEmpty: Bool { counts.indices.allSatisfy { counts[$0] == 0 } }

    /// The results with a verdict, by its name.
    package subscript(name: String) -> Int { Verdict.names.firstIndex(of: name).map { counts[$0] } ?? 0 }

    fileprivate mutating func add(_ verdict: Verdict) { counts[verdict.place] += 1 }

    package mutating func add(_ other: VerdictCounts) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }
}

// Results are many: they are counted where they are, as copies of them would cost more.
extension CheckReport {
    package var counts: VerdictCounts {
        var counts = VerdictCounts()
        for place in results.indices { counts.add(results[place].verdict) }
        return counts
    }

    /// The results of each device, and in the last place those that are about none.
    package var countsByDevice: [VerdictCounts] {
        var counts = Array(repeating: VerdictCounts(), count: devices.count + 1)
        for place in results.indices { counts[results[place].device ?? devices.count].add(results[place].verdict) }
        return counts
    }

    /// How many rules have a result of a verdict.
    package func ruleCount(_ verdict: String) -> Int {
        var rules = rules.map { _ in false }
        for place in results.indices where results[place].verdict.name == verdict { rules[results[place].rule] = true }
        return rules.count { $0 }
    }
}
