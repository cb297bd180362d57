import Bytes

/// A compiled type: a sequence of steps, with separate tables of the data needed only for faults, values and names.
final class LayoutProgram: Sendable {
    let name: String
    let title: String
    /// The group of the whole value; for a scalar type, its field.
    let group: Field
    /// Whether the value is a record, rather than a number, a text or a list.
    let isRecord: Bool
    /// All fields and groups, in order.
    let fields: [Field]
    let aliases: [Layout.Alias]
    let instructions: [Instruction]
    let plans: [FieldPlan]
    /// Indexed by plan.
    let checks: [Check]
    let expressions: [FieldExpression]
    let cases: [CaseEntry]
    /// Slots that lists reset, by the list's plan.
    let slotSets: [Int32: SlotSet]
    /// The plan of each slot's field.
    let slotPlans: [Int]
    /// Smallest and largest length.
    let lengths: ClosedRange<Int>

    /// Maximum number of fields that expressions of one type reference.
    static let slotLimit = 32
    /// Maximum nesting of structures, lists and cases.
    static let depthLimit = 16
    /// Maximum number of boundaries of checksums stored at one time.
    static let markLimit = 16
    typealias Marks = InlineArray<16, Int>
    /// Maximum number of steps of one type.
    static let sizeLimit = 8192

    init(
        name: String, title: String, group: Field, isRecord: Bool, fields: [Field], aliases: [Layout.Alias] = [],
        instructions: [Instruction], plans: [FieldPlan], checks: [Check], expressions: [FieldExpression],
        cases: [CaseEntry],
        slotSets: [Int32: SlotSet], slotPlans: [Int], lengths: ClosedRange<Int>
    ) {
        self.name = name
        self.title = title
        self.group = group
        self.isRecord = isRecord
        self.fields = fields
        self.aliases = aliases
        self.instructions = instructions
        self.plans = plans
        self.checks = checks
        self.expressions = expressions
        self.cases = cases
        self.slotSets = slotSets
        self.slotPlans = slotPlans
        self.lengths = lengths
    }

    /// Creates an empty structure.
    static func nothing(named name: String, of plugin: String) -> LayoutProgram {
        let group = Field("\(plugin).\(name)", name, .group)
        return LayoutProgram(
            name: name, title: name, group: group, isRecord: true, fields: [group], instructions: [], plans: [],
            checks: [], expressions: [], cases: [], slotSets: [:], slotPlans: [], lengths: 0...0)
    }
}

/// An expression of a type: its syntax tree, and a program that reads fields from slots.
struct FieldExpression: Sendable {
    let root: Expression.Node
    let program: ExpressionProgram
}

/// Values of the fields read so far, for the expressions of later fields.
struct SlotScope: ExpressionScope {
    var slots = InlineArray<32, Operand>(repeating: .unknown)
    let program: LayoutProgram

    init(_ program: LayoutProgram) {
        self.program = program
    }

    func operand(_ number: Int, of _: ExpressionProgram) -> Operand { slots[number] }

    func text(_ number: Int, of _: ExpressionProgram) -> String? {
        program.plans[program.slotPlans[number]].names[slots[number].bits]
    }

    func written(to characteristic: String, at offset: Int) -> UInt8? { nil }
    func has(_ characteristic: String) -> Bool? { nil }

    /// Stores a field's value in its slot and adds it to its sum.
    mutating func store(_ raw: UInt64, of step: Instruction) {
        let operand = program.plans[Int(step.plan)].operand(raw)
        if step.slot != Instruction.none { slots[Int(step.slot)] = operand }
        if step.sum != Instruction.none { slots[Int(step.sum)] = slots[Int(step.sum)].adding(operand) }
    }

    /// Resets the sums of a list before its first element.
    mutating func beginList(_ step: Instruction) {
        guard let set = program.slotSets[step.plan] else { return }
        for slot in 0..<32 where set.sums >> UInt32(slot) & 1 == 1 { slots[slot] = .integer(0) }
    }

    /// Resets the values of a list's elements before each element.
    mutating func beginElement(_ step: Instruction) {
        guard let set = program.slotSets[step.plan] else { return }
        for slot in 0..<32 where set.values >> UInt32(slot) & 1 == 1 { slots[slot] = .unknown }
    }
}
