/// The fields of a value that is being checked, for expressions.
struct ReadingScope: ExpressionScope {
    let reading: ValueReading?
    let context: DeviceContext

    func operand(_ number: Int, of program: ExpressionProgram) -> Operand {
        if program.asksRequest, let operand = context.requestOperand(program.references[number]) { return operand }
        guard let reading else { return .unknown }
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
    /// What it comes to for a value that is being checked; without a reading, there are no fields.
    package func evaluate(
        over bytes: ValueBytes, _ reading: ValueReading?, in context: DeviceContext
    ) -> ExpressionValue {
        bytes.withBytes { evaluate(over: $0, in: ReadingScope(reading: reading, context: context)) }
    }
}

/// A condition over the values of one type, whose fields are looked up once. It is the scope of its own evaluation: values
/// are what a capture has most of, and an evaluation copies nothing.
package final class BoundCondition {
    package let expression: Expression
    private let reading: ValueReading?
    /// Plan of each field in the expression; negative where the whole value is needed.
    private let plans: [Int]
    /// Whether the expression asks for written values, characteristics or the request.
    private let asksContext: Bool
    private var context: DeviceContext?

    /// `reading` reads the values of the type; nil where there are no fields.
    package init(_ expression: Expression, _ reading: ValueReading?) {
        self.expression = expression
        self.reading = reading
        asksContext = expression.program.asksRequest || !expression.program.characteristics.isEmpty
        plans = expression.program.references.map { reference in
            guard reference.use == .value, reference.requestPath == nil else { return -1 }
            return reading?.plan(at: reference.path) ?? -1
        }
    }

    /// Whether it holds for the bytes that the reading has been reset to; nil where that is unknown.
    package func holds(over bytes: ValueBytes, in context: DeviceContext) -> Bool? {
        if asksContext { self.context = context }
        return bytes.withBytes { expression.program.evaluate(over: $0, in: self).boolean }
    }
}

extension BoundCondition: ExpressionScope {
    package func operand(_ number: Int, of program: ExpressionProgram) -> Operand {
        plans[number] >= 0 ? reading?.operand(ofPlan: plans[number]) ?? .unknown : scope.operand(number, of: program)
    }

    package func text(_ number: Int, of program: ExpressionProgram) -> String? { scope.text(number, of: program) }
    package func written(to characteristic: String, at offset: Int) -> UInt8? {
        scope.written(to: characteristic, at: offset)
    }
    package func has(_ characteristic: String) -> Bool? { scope.has(characteristic) }

    /// The scope for what is no plain number of the value.
    private var scope: ReadingScope { ReadingScope(reading: reading, context: context ?? DeviceContext()) }
}
