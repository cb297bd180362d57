// Binding of expressions to preceding fields.
extension LayoutCompiler {
    /// Binds an expression and returns the source of a step's number or condition.
    mutating func bind(_ expression: Expression) -> Instruction.Amount {
        let program = expression.program
        if !program.characteristics.isEmpty {
            faults.add(
                "written() and has() are known only where the type of a value is chosen", at: expression.place)
        }
        var slots: [Int16] = []
        for reference in program.references {
            guard let slot = slot(of: reference, at: expression.place) else { return .fixed(0) }
            slots.append(Int16(slot))
        }
        refuseUnknownNames(in: expression.root, at: expression.place)
        if case .field = expression.root, let slot = slots.first { return .slot(Int(slot)) }
        expressions.append(
            FieldExpression(root: expression.root, program: ExpressionProgram(program, renumbered: slots)))
        return .computed(expressions.count - 1)
    }

    /// Reports comparisons with a name that the field's values do not have: they would never hold.
    private func refuseUnknownNames(in node: Expression.Node, at place: SourcePlace) {
        switch node {
        case .binary(.equal, .field(let path), .text(let text)), .binary(.equal, .text(let text), .field(let path)),
            .binary(.notEqual, .field(let path), .text(let text)),
            .binary(.notEqual, .text(let text), .field(let path)):
            let parts = path.split(separator: ".").map(String.init)
            guard let entry = entry(parts, at: place), case .value = entry.found.meaning else { return }
            let known = plans[Int(instructions[entry.found.step].plan)].names.values.sorted()
            guard !known.contains(text) else { return }
            let advice = known.isEmpty ? "; its values have no names" : Advice.meant(text, among: known)
            faults.add("\(path): there is no value \"\(text)\"\(advice)", at: place)
        case .not(let node), .negate(let node), .load(_, let node), .written(_, let node), .isIn(let node, _):
            refuseUnknownNames(in: node, at: place)
        case .binary(_, let one, let other):
            refuseUnknownNames(in: one, at: place)
            refuseUnknownNames(in: other, at: place)
        case .call(_, let arguments):
            for argument in arguments { refuseUnknownNames(in: argument, at: place) }
        case .number, .real, .boolean, .text, .field, .length, .has: break
        }
    }

    /// The slot with the operand of an expression's reference.
    private mutating func slot(of reference: ExpressionProgram.Reference, at place: SourcePlace) -> Int? {
        let parts = reference.path.split(separator: ".").map(String.init)
        guard let entry = entry(parts, at: place) else { return nil }
        switch (reference.use, entry.found.meaning) {
        case (.value, .value):
            guard entry.list == nil else { break }
            return slot(\.slot, of: entry.found, at: place) { set, bit in set.values |= bit }
        case (.count, .list):
            guard entry.list == nil else { break }
            return slot(\.slot, of: entry.found, at: place) { set, bit in set.values |= bit }
        case (.sum, .value), (.sum, .list(.some)):
            return sumSlot(entry, at: place)
        default: break
        }
        let expected =
            switch reference.use {
            case .value: "a number or a Boolean"
            case .count: "a list"
            case .sum: "numbers of a list"
            }
        faults.add("\(reference.path): expected \(expected)", at: place)
        return nil
    }

    /// Resolves a path; also returns the first list along it.
    private func entry(_ parts: [String], at place: SourcePlace) -> (found: NameScope.Entry, list: NameScope.Entry?)? {
        guard let name = parts.first, var entry = names.find(name) else {
            let name = parts.first ?? ""
            faults.add("there is no field \"\(name)\" before this\(Advice.meant(name, among: names.all))", at: place)
            return nil
        }
        var list: NameScope.Entry?
        for part in parts.dropFirst() {
            if case .list(let element?) = entry.meaning {
                list = list ?? entry
                entry = element
            }
            guard case .structure(let scope) = entry.meaning, let inner = scope.entries[part] else {
                var within: [String] = []
                if case .structure(let scope) = entry.meaning { within = Array(scope.entries.keys) }
                faults.add(
                    "\(parts.joined(separator: ".")): there is no field \"\(part)\"\(Advice.meant(part, among: within))",
                    at: place)
                return nil
            }
            entry = inner
        }
        return (entry, list)
    }

    /// The slot for the sum of a number over a list's elements.
    private mutating func sumSlot(
        _ entry: (found: NameScope.Entry, list: NameScope.Entry?), at place: SourcePlace
    ) -> Int? {
        var (found, list) = entry
        if case .list(let element) = found.meaning, let element, case .value = element.meaning {
            list = list ?? found
            found = element
        }
        guard let list, case .value = found.meaning else {
            faults.add("sum: expected numbers of a list", at: place)
            return nil
        }
        let plan = instructions[list.step].plan
        return slot(\.sum, of: found, at: place, in: plan) { set, bit in set.sums |= bit }
    }

    /// The slot of a field's value or sum, allocated on first use. `setBack` registers the slot with the list that
    /// resets it.
    private mutating func slot(
        _ use: WritableKeyPath<Instruction, UInt8>, of entry: NameScope.Entry, at place: SourcePlace,
        in list: Int32? = nil,
        _ setBack: (inout SlotSet, UInt32) -> Void
    ) -> Int? {
        guard entry.step < instructions.count else { return nil }
        let known = instructions[entry.step][keyPath: use]
        if known != Instruction.none { return Int(known) }
        guard slotPlans.count < LayoutProgram.slotLimit else {
            faults.add("expressions refer to more than \(LayoutProgram.slotLimit) fields of one value", at: place)
            return nil
        }
        let slot = slotPlans.count
        slotPlans.append(Int(instructions[entry.step].plan))
        instructions[entry.step][keyPath: use] = UInt8(slot)
        if let list = list ?? entry.lists.last { setBack(&slotSets[list, default: SlotSet()], 1 << UInt32(slot)) }
        return slot
    }
}
