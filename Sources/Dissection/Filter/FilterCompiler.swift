import Bytes

/// Resolves the fields of a filter and types every literal by the field it is compared with.
struct FilterCompiler {
    let text: String
    let catalog: FieldCatalog
    /// The fields named so far.
    var fieldNames: Set<String> = []
    let valueNames = FilterValueNames()

    init(text: String, catalog: FieldCatalog) {
        self.text = text
        self.catalog = catalog
    }

    enum ValueClass {
        case number, real, bytes, text
    }

    struct ValueKind {
        let valueClass: ValueClass
        /// The field; nil for a computed value, which has no value names.
        let field: Field?
    }

    /// An operand with the kinds of its values, in the order of its fields.
    struct Typed {
        let operand: FilterOperand
        let kinds: [ValueKind]
        /// The operand's term in the filter.
        let term: FilterTerm
    }

    func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, text: text, range: range)
    }

    func spelling(_ term: FilterTerm) -> String {
        String(text.dropFirst(term.range.lowerBound).prefix(term.range.count))
    }
}

// MARK: - Logic

extension FilterCompiler {
    mutating func compile(_ syntax: FilterSyntax) throws(FilterError) -> FilterProgram {
        switch syntax {
        case .or(let parts): return .or(try compile(parts))
        case .xor(let parts): return .xor(try compile(parts))
        case .and(let parts): return .and(try compile(parts))
        case .not(let part): return .not(try compile(part))
        case .bare(let term): return try bare(term)
        case .membership(let quantifier, let term, let elements):
            return try membership(quantifier ?? .any, term, elements)
        case .relation(let quantifier, let first, let comparisons):
            var parts: [FilterProgram] = []
            var left = first
            for (comparison, right) in comparisons {
                parts.append(try relation(quantifier, left, comparison, right))
                left = right
            }
            return parts.count == 1 ? parts[0] : .and(parts)
        }
    }

    private mutating func compile(_ parts: [FilterSyntax]) throws(FilterError) -> [FilterProgram] {
        var programs: [FilterProgram] = []
        for part in parts { programs.append(try compile(part)) }
        return programs
    }

    private mutating func bare(_ term: FilterTerm) throws(FilterError) -> FilterProgram {
        guard let typed = try operand(term) else { throw notAField(term) }
        switch typed.operand {
        case .fields(let fields): return .exists(fields)
        case .slice: return .present(typed.operand)
        case .masked, .maskedBytes: return .nonzero(typed.operand)
        case .length, .count, .lowercased, .uppercased:
            throw error("a function has to be compared with something", term.range)
        }
    }

    private mutating func relation(
        _ quantifier: FilterQuantifier?, _ left: FilterTerm, _ relation: FilterOperator, _ right: FilterTerm
    ) throws(FilterError) -> FilterProgram {
        let one = try operand(left)
        let other = try operand(right)
        switch (one, other, relation) {
        case (let one?, let other?, _):
            return try compare(one, relation, other, quantifier)
        case (let one?, nil, .compare(let comparison, let quantifier)):
            let predicates = try predicates(one, right) { compiler, kind throws(FilterError) in
                try compiler.comparison(comparison, kind, right)
            }
            return .test(one.operand, predicates, quantifier)
        case (let one?, nil, .contains):
            let predicates = try predicates(one, right) { compiler, kind throws(FilterError) in
                .contains(BytePartSet([try compiler.part(kind, right)]))
            }
            return .test(one.operand, predicates, quantifier ?? .any)
        case (let one?, nil, .matches):
            let pattern = try pattern(right)
            let predicates = try predicates(one, left) { compiler, kind throws(FilterError) in
                try compiler.requireBytes(kind, left, "matches")
                return .matches(pattern)
            }
            return .test(one.operand, predicates, quantifier ?? .any)
        case (nil, let other?, .compare(let comparison, let quantifier)) where !looksLikeField(left):
            let predicates = try predicates(other, left) { compiler, kind throws(FilterError) in
                try compiler.comparison(comparison.mirrored, kind, left)
            }
            return .test(other.operand, predicates, quantifier)
        case (nil, _, _):
            throw notAField(left)
        }
    }

    private func compare(
        _ one: Typed, _ relation: FilterOperator, _ other: Typed, _ quantifier: FilterQuantifier?
    ) throws(FilterError) -> FilterProgram {
        let range = one.term.range.lowerBound..<other.term.range.upperBound
        let isNumeric = one.kinds.allSatisfy { $0.valueClass.isNumeric }
        guard other.kinds.allSatisfy({ $0.valueClass.isNumeric == isNumeric }),
            one.kinds.allSatisfy({ $0.valueClass.isNumeric == isNumeric })
        else {
            throw error("\(spelling(one.term)) and \(spelling(other.term)) have values of different kinds", range)
        }
        switch relation {
        case .compare(let comparison, let quantifier):
            let isText = (one.kinds + other.kinds).allSatisfy { $0.valueClass == .text }
            return .compare(
                one.operand, comparison, other.operand, quantifier, isText ? .lexicographic : .lengthFirst)
        case .contains:
            if isNumeric { throw error("contains applies to bytes and texts, not to numbers", range) }
            return .contains(one.operand, other.operand)
        case .matches:
            throw error("a pattern in double quotes is expected", other.term.range)
        }
    }

    private mutating func membership(
        _ quantifier: FilterQuantifier, _ term: FilterTerm, _ elements: [FilterSetElement]
    ) throws(FilterError) -> FilterProgram {
        guard let typed = try operand(term) else { throw notAField(term) }
        var predicates = [[FilterPredicate]](repeating: [], count: typed.kinds.count)
        for element in elements {
            let found = try self.predicates(typed, element.low) { compiler, kind throws(FilterError) in
                guard let high = element.high else { return try compiler.comparison(.equal, kind, element.low) }
                return .all([
                    try compiler.comparison(.greaterOrEqual, kind, element.low),
                    try compiler.comparison(.lessOrEqual, kind, high),
                ])
            }
            for (index, predicate) in found.enumerated() { predicates[index].append(predicate) }
        }
        let combined = predicates.map { FilterPredicate.any($0) }
        return .test(typed.operand, combined, quantifier)
    }

    /// One predicate for each kind of the operand's values. Kinds that the literal does not fit never pass; at least
    /// one must fit.
    private func predicates(
        _ typed: Typed, _ value: FilterTerm,
        _ body: (FilterCompiler, ValueKind) throws(FilterError) -> FilterPredicate
    ) throws(FilterError) -> [FilterPredicate] {
        var predicates: [FilterPredicate] = []
        var failure: FilterError?
        var fits = false
        for kind in typed.kinds {
            do {
                predicates.append(try body(self, kind))
                fits = true
            } catch {
                predicates.append(.never)
                failure = failure ?? error
            }
        }
        if let failure, !fits { throw failure }
        return predicates
    }
}

extension FilterCompiler.ValueClass {
    var isNumeric: Bool { self == .number || self == .real }
}
