/// The sorted values of one side of a comparison, so that each value of the other side is compared with few of them. A
/// frame may contain thousands of occurrences of both fields.
struct FilterValueSet {
    /// Ascending, without NaN.
    private let ordered: [FilterValue]
    /// Whether the set contains NaN (IEEE 754), which is unequal to every value.
    private let hasUnordered: Bool
    private let order: FilterByteOrder

    /// The values are all numbers, or all bytes.
    init(_ values: [FilterValue], _ order: FilterByteOrder) {
        let comparable = values.filter(\.isOrdered)
        ordered = comparable.sorted { FilterComparison.less.holds($0, $1, order) }
        hasUnordered = comparable.count < values.count
        self.order = order
    }

    var isEmpty: Bool { ordered.isEmpty && !hasUnordered }

    /// Whether the comparison holds between `value` and one of the values, or all of them.
    func passes(_ value: FilterValue, _ comparison: FilterComparison, _ quantifier: FilterQuantifier) -> Bool {
        guard value.isOrdered else { return comparison == .notEqual && !isEmpty }
        guard let first = ordered.first, let last = ordered.last else {
            return comparison == .notEqual && hasUnordered
        }
        func holds(_ comparison: FilterComparison, _ other: FilterValue) -> Bool {
            comparison.holds(value, other, order)
        }
        switch (comparison, quantifier) {
        case (.equal, .any): return contains(value)
        case (.equal, .all): return !hasUnordered && holds(.equal, first) && holds(.equal, last)
        case (.notEqual, .any): return hasUnordered || holds(.notEqual, first) || holds(.notEqual, last)
        case (.notEqual, .all): return !contains(value)
        case (.less, .any), (.lessOrEqual, .any), (.greater, .all), (.greaterOrEqual, .all):
            return !(quantifier == .all && hasUnordered) && holds(comparison, last)
        case (.greater, .any), (.greaterOrEqual, .any), (.less, .all), (.lessOrEqual, .all):
            return !(quantifier == .all && hasUnordered) && holds(comparison, first)
        }
    }

    private func contains(_ value: FilterValue) -> Bool {
        var low = 0
        var high = ordered.count
        while low < high {
            let middle = (low + high) / 2
            if FilterComparison.less.holds(ordered[middle], value, order) { low = middle + 1 } else { high = middle }
        }
        return low < ordered.count && FilterComparison.equal.holds(ordered[low], value, order)
    }
}

extension FilterValue {
    /// Whether the value can be ordered, that is, is not NaN.
    fileprivate var isOrdered: Bool {
        if case .real(let number) = self { !number.isNaN } else { true }
    }
}
