import Bytes

/// Collects the numbers of the fields of a list's elements, element by element.
struct ElementSink: ValueSink {
    /// Plans of an element and its fields.
    let plans: Range<Int>
    /// One operand per plan, for each element in turn.
    private(set) var operands: [Operand] = []
    private let forms: [NumberForm]

    /// `list` is the plan of the list.
    init(_ list: Int, of program: LayoutProgram, _ forms: [NumberForm]) {
        let path = program.plans[list].path
        let others = program.plans[(list + 1)...]
        plans =
            (list + 1)..<(others.firstIndex { $0.path != path && !$0.path.hasPrefix(path + ".") } ?? others.endIndex)
        self.forms = forms
    }

    mutating func reset() { operands.removeAll(keepingCapacity: true) }

    /// Starts an element if `plan` is its first plan.
    private mutating func begin(_ plan: Int) {
        if plan == plans.lowerBound { operands += repeatElement(.unknown, count: plans.count) }
    }

    /// Index of a plan's operand; nil for fields outside the elements.
    private mutating func place(of plan: Int) -> Int? {
        guard plans.contains(plan) else { return nil }
        begin(plan)
        return operands.count - plans.count + plan - plans.lowerBound
    }

    mutating func number(_ raw: UInt64, _ plan: Int, of program: LayoutProgram) {
        if let place = place(of: plan) { operands[place] = forms[plan].operand(raw, program.plans[plan]) }
    }

    mutating func bits(_ raw: UInt64, _ plan: Int, parts: Int, of program: LayoutProgram) {
        guard let place = place(of: plan) else { return }
        operands[place] = .unsigned(raw)
        for part in (plan + 1)..<(plan + 1 + parts) {
            operands[place + part - plan] = forms[part].operand(forms[part].bits(of: raw), program.plans[part])
        }
    }

    mutating func bytes(_ bytes: RawSpan, _ plan: Int, of program: LayoutProgram) { begin(plan) }
    mutating func absent(_ plan: Int, of program: LayoutProgram) {}
    mutating func enter(_ plan: Int, of program: LayoutProgram) { begin(plan) }
    mutating func leave() {}
    mutating func beginList(_ plan: Int, of program: LayoutProgram) {}
    mutating func endList() {}
}
