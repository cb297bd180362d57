import Profile

// Checks of types: unreachable cases and fields, unused and untested types.
extension ProfileLint {
    mutating func checkTypes() {
        for type in profile.types {
            switch type.form {
            case .structure(let fields): checkRest(fields, of: type.name)
            case .scalar: break
            case .choice(let choice):
                checkCases(choice, of: type.name)
                for one in choice.all { checkRest(one.fields, of: type.name) }
            }
        }
        checkUse()
    }

    /// A field that extends to the end of the value must be the last one.
    private mutating func checkRest(_ fields: [FieldDefinition], of type: String) {
        guard let index = fields.firstIndex(where: { takesRest($0) }), index + 1 < fields.count else { return }
        let (greedy, next) = (fields[index], fields[index + 1])
        add(
            .unreachableField, ["\(type).\(next.name)", type],
            "\(next.name): \(greedy.name) before it takes all bytes that there are",
            fix: "give \(greedy.name) a length or a count", at: next.place)
    }

    private func takesRest(_ field: FieldDefinition, depth: Int = 0) -> Bool {
        guard field.condition == nil, depth < 20 else { return false }
        if case .rest? = field.count { return true }
        switch field.kind {
        case .text(.rest, _), .bytes(.rest), .digits(.rest, _): return true
        case .type(let name):
            switch types[name]?.form {
            case .structure(let fields)?: return fields.last.map { takesRest($0, depth: depth + 1) } ?? false
            case .scalar(let inner)?: return takesRest(inner, depth: depth + 1)
            default: return false
            }
        default: return false
        }
    }

    private mutating func checkCases(_ choice: ChoiceDefinition, of type: String) {
        for (index, one) in choice.cases.enumerated() {
            let hiding = choice.cases[..<index].first {
                $0.value == one.value && ($0.length == nil || $0.length == one.length)
            }
            guard let hiding else { continue }
            add(
                .unreachableCase, ["\(type).\(one.name)", type],
                "\(one.name): \(hiding.name) in line \(hiding.place.line) has the value \(one.value) already",
                fix: hiding.length == nil ? "put it before that one, or give that one a length" : nil, at: one.place)
        }
    }
}

// MARK: - Use

extension ProfileLint {
    /// Types used directly by attributes, advertisements and messages.
    private var roots: [String] {
        let characteristics = profile.services.flatMap(\.characteristics)
        let choices =
            characteristics.flatMap(\.readings.values)
            + (characteristics.flatMap(\.descriptors) + profile.descriptors).compactMap(\.reading)
            + profile.advertising.map(\.reading)
        return choices.flatMap(\.alternatives).map(\.type) + profile.messages.flatMap(\.types)
    }

    /// The types and all types nested in them.
    private func closure(of names: some Sequence<String>) -> Set<String> {
        var reached: Set<String> = []
        var pending = Array(names)
        while let name = pending.popLast() {
            guard let type = types[name], reached.insert(name).inserted else { continue }
            for field in type.allFields {
                if case .type(let inner) = field.kind { pending.append(inner) }
            }
        }
        return reached
    }

    private mutating func checkUse() {
        let used = closure(of: roots)
        for type in profile.types where !used.contains(type.name) {
            add(
                .unusedType, [type.name], "\(type.name): nothing uses this type",
                fix: "name it in gatt, advertising or messages, or take it out", at: type.place)
        }
    }

    /// Every type needs a vector, or must be nested in a type that has one.
    mutating func checkCoverage() {
        let covered = closure(of: profile.vectors.map(\.type))
        for type in profile.types where !covered.contains(type.name) {
            add(
                .missingVectors, [type.name], "\(type.name): no test vector",
                fix: "add one to section vectors", at: type.place)
        }
    }
}
