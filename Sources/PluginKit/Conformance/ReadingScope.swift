/// The fields of a value that is being judged, for expressions.
struct ReadingScope: ExpressionScope {
    let reading: ValueReading?
    let context: DeviceContext
    /// Plan of each field that the expression asks for; negative where the whole value must be looked at. Empty where
    /// that was not looked up before.
    var plans: [Int] = []

    func operand(_ number: Int, of program: ExpressionProgram) -> Operand {
        if program.asksRequest, let operand = context.requestOperand(program.references[number]) { return operand }
        guard let reading else { return .unknown }
        if number < plans.count, plans[number] >= 0 { return reading.operand(ofPlan: plans[number]) }
        let reference = program.references[number]
        if reference.use == .value {
            let operand = reading.operand(at: reference.path)
            if operand.kind != .unknown { return operand }
        }
        // Lists and texts need the whole value.
        guard let value = reading.value else { return .unknown }
        return ValueScope(value, in: context).operand(number, of: program)
    }

    func text(_ number: Int, of program: ExpressionProgram) -> String? {
        if program.asksRequest, program.references[number].requestPath != nil {
            return context.requestText(program.references[number])
        }
        guard let reading else { return nil }
        if let name = reading.name(program.references[number].path) { return name }
        return reading.value.flatMap { ValueScope($0, in: context).text(number, of: program) }
    }

    func written(to characteristic: String, at offset: Int) -> UInt8? {
        context.written(to: characteristic, at: offset)
    }
    func has(_ characteristic: String) -> Bool? { context.has(characteristic) }
}

extension Expression {
    /// What it comes to for a value that is being judged; without a reading, there are no fields.
    package func evaluate(
        over bytes: ValueBytes, _ reading: ValueReading?, in context: DeviceContext
    ) -> ExpressionValue {
        bytes.withBytes { evaluate(over: $0, in: ReadingScope(reading: reading, context: context)) }
    }
}

/// A condition over the values of one type, whose fields were looked up before.
package final class BoundCondition: Sendable {
    package let expression: Expression
    private let plans: [Int]

    /// `reading` is of the type; nil where there are no fields.
    package init(_ expression: Expression, _ reading: ValueReading?) {
        self.expression = expression
        plans = expression.program.references.map { reference in
            reference.use == .value ? reading?.plan(at: reference.path) ?? -1 : -1
        }
    }

    /// Whether it holds; nil where that cannot be told.
    package func holds(over bytes: ValueBytes, _ reading: ValueReading?, in context: DeviceContext) -> Bool? {
        bytes.withBytes {
            expression.program.evaluate(
                over: $0, in: ReadingScope(reading: reading, context: context, plans: plans)
            ).boolean
        }
    }
}
