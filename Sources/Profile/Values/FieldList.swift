/// Fields of a type read together from each value, in this order. Their positions in the type are resolved once.
public final class FieldList: Sendable {
    let paths: [String]
    /// Path of the list whose elements contain the fields; nil for fields of the value itself.
    let list: String?

    /// Fields by their paths in the value, such as `flags.calibrated` or `records.amount`; those of a list are read
    /// from each of its elements.
    public convenience init(_ paths: String..., of list: String? = nil) {
        self.init(paths, of: list)
    }

    /// Fields by their paths; within a list element if `list` is given.
    public init(_ paths: [String], of list: String? = nil) {
        self.paths = paths
        self.list = list
    }
}

/// Iterates over the numbers of a `FieldList` in one value or element.
public struct FieldNumbers {
    /// Numbers by plans, beginning with the plan `first`.
    private let operands: [Operand]
    private let first: Int
    private let plans: FieldPlans
    private var next = 0

    init(_ operands: [Operand], from first: Int = 0, plans: FieldPlans) {
        self.operands = operands
        self.first = first
        self.plans = plans
    }

    /// The next field: an integer, a flag as 1 or 0, an enumeration or a time as its number; nil if absent.
    public mutating func integer() -> Int? { operand().comparable.integer.map(Int.init) }

    /// The next field as a flag; nil if absent.
    public mutating func flag() -> Bool? {
        let operand = operand()
        return operand.boolean ?? operand.integer.map { $0 != 0 }
    }

    @inline(__always)
    private mutating func operand() -> Operand {
        defer { next += 1 }
        guard next < plans.first.count else { return .unknown }
        let plan = plans.first[next]
        if plan < 0 { return .unknown }
        let operand = operands[first + plan]
        if operand.kind != .unknown || plans.others.isEmpty { return operand }
        for place in plans.others[next].indices {
            let operand = operands[first + plans.others[next][place]]
            if operand.kind != .unknown { return operand }
        }
        return .unknown
    }
}

/// Plans of a `FieldList` in one type. A field has several plans if several cases of a choice contain it.
final class FieldPlans: Sendable {
    let fields: FieldList
    /// The first plan of each field; -1 for a field that the type lacks.
    let first: [Int]
    /// The additional plans of each field; empty if no field has any.
    let others: [[Int]]

    init(_ fields: FieldList, _ plans: [[Int]]) {
        self.fields = fields
        first = plans.map { $0.first ?? -1 }
        others = plans.contains { $0.count > 1 } ? plans.map { Array($0.dropFirst()) } : []
    }
}
