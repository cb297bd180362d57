/// Fields of a type that are read together from one value after the other, in this order. Where they are in the type is
/// looked up once.
public final class FieldList: Sendable {
    let paths: [String]
    /// Path of the list whose elements have them; nil for fields of the value itself.
    let list: String?

    /// Fields by their paths in the value, as `flags.calibrated` or `records.amount`; those of a list are read from each of
    /// its elements.
    public convenience init(_ paths: String..., of list: String? = nil) {
        self.init(paths, of: list)
    }

    /// The same, with the paths within an element of the list.
    public init(_ paths: [String], of list: String? = nil) {
        self.paths = paths
        self.list = list
    }
}

/// The numbers of a list of fields in one value or element, which are taken one after the other.
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

    /// The next field: an integer, a flag as 1 or 0, an enumeration or a time by its number; nil where it is not there.
    public mutating func integer() -> Int? { operand().comparable.integer.map(Int.init) }

    /// The next field as a flag.
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

/// The plans of a list of fields in one type: several of one field where cases of a choice have one each.
final class FieldPlans: Sendable {
    let fields: FieldList
    /// The first plan of each field; -1 for a field that the type does not have.
    let first: [Int]
    /// The further plans of each field; empty where no field has any.
    let others: [[Int]]

    init(_ fields: FieldList, _ plans: [[Int]]) {
        self.fields = fields
        first = plans.map { $0.first ?? -1 }
        others = plans.contains { $0.count > 1 } ? plans.map { Array($0.dropFirst()) } : []
    }
}
