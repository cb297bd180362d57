import Bytes

// Compilation of choices.
extension LayoutCompiler {
    /// A discriminant and its cases. `isWhole`: the value ends with the choice, so that lengths can be checked.
    mutating func choice(_ choice: ChoiceDefinition, _ path: Path, isWhole: Bool) -> ClosedRange<Int> {
        let discriminant = resolvedDiscriminant(of: choice)
        let firstMark = markCount
        defer { markCount = firstMark }
        var start: (name: String, mark: Int)?
        if choice.isCovered, let mark = newMark(at: discriminant.place) {
            addMark(mark)
            start = (discriminant.name, mark)
        }
        // It decides what follows, so that no other number can stand for it.
        let isWithinSensitive = declaresSensitive
        declaresSensitive = false
        let before = leaf(discriminant, path.appending(discriminant.name, as: discriminant.filterName))
        declaresSensitive = isWithinSensitive
        guard let step = instructions.last, step.operation == .integer else {
            faults.add("\(discriminant.name): expected an unsigned number", at: discriminant.place)
            return before
        }
        let all = choice.cases + (choice.otherwise.map { [$0] } ?? [])
        let first = cases.count
        cases += all.indices.map { index in
            let one = all[index]
            return CaseEntry(
                value: index < choice.cases.count ? one.value : nil,
                length: index < choice.cases.count ? one.length : nil, target: 0, name: one.name,
                fields: Set(one.fields.map(\.name)))
        }
        add(
            Instruction(
                operation: .choose, field: step.field, plan: step.plan, target: Int32(first), amount: .fixed(all.count))
        )
        var lengths: ClosedRange<Int>?
        var jumps: [Int] = []
        for (index, one) in all.enumerated() {
            cases[first + index].target = Int32(instructions.count)
            var length = before.adding(aCase(one, path, after: discriminant.name, start))
            if isWhole, let wanted = cases[first + index].length {
                if !length.contains(wanted) {
                    faults.add(
                        "\(one.name): length is \(wanted), but its fields take \(length.words)", at: one.place)
                }
                length = wanted...wanted
            }
            lengths =
                lengths.map { min($0.lowerBound, length.lowerBound)...max($0.upperBound, length.upperBound) } ?? length
            jumps.append(instructions.count)
            add(Instruction(operation: .jump, field: Self.nothing))
        }
        for jump in jumps where jump < instructions.count { instructions[jump].target = Int32(instructions.count) }
        return lengths ?? before
    }

    /// The discriminant, with the cases as its named values if it is a plain number.
    private func resolvedDiscriminant(of choice: ChoiceDefinition) -> FieldDefinition {
        var discriminant = resolved(choice.discriminant)
        if case .unsigned(let bytes) = discriminant.kind {
            var named: Set<UInt64> = []
            let names = choice.cases.compactMap { one in
                named.insert(one.value).inserted
                    ? EnumerationCase(value: one.value, name: one.name, title: one.title, doc: one.doc) : nil
            }
            discriminant.kind = .enumeration(bytes: bytes, names)
        }
        return discriminant
    }

    /// The fields of a case, in a separate group.
    private mutating func aCase(
        _ one: ChoiceDefinition.Case, _ path: Path, after discriminant: String, _ start: (name: String, mark: Int)?
    ) -> ClosedRange<Int> {
        for field in one.fields where field.name == discriminant {
            faults.add("\(field.name): this is the name of the field that decides", at: field.place)
        }
        let path = Path(field: "\(path.field).\(one.name)", message: path.message)
        let group = declare(path.field, one.title, .group)
        add(Instruction(operation: .enterCase, field: group))
        let outer = names
        names = NameScope(parent: outer)
        let lengths = nested(at: one.place) { $0.structure(one.fields, path, after: start) }
        names = outer
        add(Instruction(operation: .leaveCase, field: group))
        return lengths
    }
}

extension ChoiceDefinition {
    /// Whether a checksum in any case covers the discriminant.
    fileprivate var isCovered: Bool {
        all.contains { one in
            one.fields.contains {
                if case .checksum(let checksum) = $0.kind { checksum.from == discriminant.name } else { false }
            }
        }
    }
}
