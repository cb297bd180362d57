/// Fields of the value being checked, for expressions.
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
    /// Evaluates the expression over the value being checked; without a reading, there are no fields.
    package func evaluate(
        over bytes: ValueBytes, _ reading: ValueReading?, in context: DeviceContext
    ) -> ExpressionValue {
        bytes.withBytes { evaluate(over: $0, in: ReadingScope(reading: reading, context: context)) }
    }
}
