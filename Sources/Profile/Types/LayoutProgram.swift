import Bytes

/// A compiled type: steps in a row, and beside them what only faults, values and names need.
final class LayoutProgram: Sendable {
    let name: String
    let title: String
    /// The group of the whole value; of a type that is a single field, that field.
    let group: Field
    /// Whether the value is a record, and not a number, a text or a list by itself.
    let isRecord: Bool
    /// Every field and group, in order.
    let fields: [Field]
    let aliases: [Layout.Alias]
    let instructions: [Instruction]
    let plans: [FieldPlan]
    /// By plan.
    let checks: [Check]
    let expressions: [FieldExpression]
    let cases: [CaseEntry]
    /// What lists set back, by their plans.
    let slotSets: [Int32: SlotSet]
    /// The plan of each slot's field.
    let slotPlans: [Int]
    /// Smallest and largest length.
    let lengths: ClosedRange<Int>

    /// Fields that expressions of one type refer to.
    static let slotLimit = 32
    /// Structures, lists and cases within each other.
    static let depthLimit = 16
    /// Beginnings and ends of checksums that are remembered at one time.
    static let markLimit = 16
    typealias Marks = InlineArray<16, Int>
    /// Steps of one type.
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

    /// A structure without fields.
    static func nothing(named name: String, of plugin: String) -> LayoutProgram {
        let group = Field("\(plugin).\(name)", name, .group)
        return LayoutProgram(
            name: name, title: name, group: group, isRecord: true, fields: [group], instructions: [], plans: [],
            checks: [], expressions: [], cases: [], slotSets: [:], slotPlans: [], lengths: 0...0)
    }
}

/// An expression of a type: as it stands in the profile, and as steps that take fields from their slots.
struct FieldExpression: Sendable {
    let root: Expression.Node
    let program: ExpressionProgram
}

/// The values of the fields read so far, for the expressions of the fields after them.
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

    /// Keeps a field's value, and adds it to its sum.
    mutating func store(_ raw: UInt64, of step: Instruction) {
        let operand = program.plans[Int(step.plan)].operand(raw)
        if step.slot != Instruction.none { slots[Int(step.slot)] = operand }
        if step.sum != Instruction.none { slots[Int(step.sum)] = slots[Int(step.sum)].adding(operand) }
    }

    /// Before the first element of a list.
    mutating func beginList(_ step: Instruction) {
        guard let set = program.slotSets[step.plan] else { return }
        for slot in 0..<32 where set.sums >> UInt32(slot) & 1 == 1 { slots[slot] = .integer(0) }
    }

    /// Before each element of a list.
    mutating func beginElement(_ step: Instruction) {
        guard let set = program.slotSets[step.plan] else { return }
        for slot in 0..<32 where set.values >> UInt32(slot) & 1 == 1 { slots[slot] = .unknown }
    }
}
