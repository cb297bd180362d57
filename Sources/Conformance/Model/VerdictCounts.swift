/// Number of results with each verdict.
package struct VerdictCounts: Sendable {
    /// By `Verdict.place`.
    private var counts = InlineArray<6, Int>(repeating: 0)

    package init() {}

    package var isEmpty: Bool { counts.indices.allSatisfy { counts[$0] == 0 } }

    /// Number of results with a verdict, by its name.
    package subscript(name: String) -> Int { Verdict.names.firstIndex(of: name).map { counts[$0] } ?? 0 }

    fileprivate mutating func add(_ verdict: Verdict) { counts[verdict.place] += 1 }

    package mutating func add(_ other: VerdictCounts) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }
}

// Results are counted in place: there are many, and copying them is expensive.
extension CheckReport {
    package var counts: VerdictCounts {
        var counts = VerdictCounts()
        for place in results.indices { counts.add(results[place].verdict) }
        return counts
    }

    /// The counts for each device; the last element counts results without a device.
    package var countsByDevice: [VerdictCounts] {
        var counts = Array(repeating: VerdictCounts(), count: devices.count + 1)
        for place in results.indices { counts[results[place].device ?? devices.count].add(results[place].verdict) }
        return counts
    }

    /// Number of rules that have a result with a verdict.
    package func ruleCount(_ verdict: String) -> Int {
        var rules = rules.map { _ in false }
        for place in results.indices where results[place].verdict.name == verdict { rules[results[place].rule] = true }
        return rules.count { $0 }
    }
}
