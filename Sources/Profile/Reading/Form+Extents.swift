// Lengths and counts: a number, an expression, or the word `rest`.

extension Form where Value == FieldDefinition.Length {
    static var length: Self {
        .extent("a length in bytes", { .fixed($0) }, { .computed($0) }, rest: .rest)
    }
}

extension Form where Value == FieldDefinition.Count {
    static var count: Self {
        .extent("a count", { .fixed($0) }, { .computed($0) }, rest: .rest)
    }
}

extension Form {
    fileprivate static func extent(
        _ expected: String, _ fixed: @escaping (Int) -> Value, _ computed: @escaping (Expression) -> Value, rest: Value
    ) -> Self {
        Form("\(expected), an expression or \"rest\"") { node, faults in
            guard let scalar = node.scalar else {
                faults.add("expected \(expected), an expression or \"rest\", found \(node.described)", at: node)
                return nil
            }
            if scalar.text == "rest" { return rest }
            if WholeNumber(scalar.text) != nil {
                return Form<Int>.integer(0...0xFFFF).read(node, faults).map(fixed)
            }
            return Form<Expression>.expression.read(node, faults).map(computed)
        }
    }
}

extension Form where Value == ClosedRange<Int> {
    /// Allowed lengths of a value: one length, or the bounds of a range.
    static var lengths: Self {
        let length = Form<Int>.integer(0...0xFFFF)
        return .either(length.map { $0...$0 }, orList: .range(of: length))
    }
}

extension Form where Value == Expression {
    /// An expression. Faults are reported at their position within it.
    package static var expression: Self {
        Form("an expression") { node, faults in
            guard let scalar = node.scalar, !scalar.isNothing else {
                faults.add("expected an expression, found \(node.described)", at: node)
                return nil
            }
            do throws(ExpressionFault) {
                return try Expression(parsing: scalar.text, at: scalar.start)
            } catch {
                var place = scalar.start
                place.column += error.column - 1
                faults.add("\(node.label): \(error.text)", at: place)
                return nil
            }
        }
    }

    /// A Boolean expression.
    package static var condition: Self {
        Form("a condition") { node, faults in
            guard let expression = Form<Expression>.expression.read(node, faults) else { return nil }
            if expression.isCondition { return expression }
            faults.add("expected a condition, found a number; compare it with something", at: node)
            return nil
        }
    }
}
