/// A condition over the values of one type. What most conditions ask for are plain numbers, which are looked up once: values are
/// what a capture has most of.
package final class BoundCondition {
    package let expression: Expression
    private let reading: ValueReading?
    /// The expression over the plain numbers of a value; nil where it asks for more.
    private let bound: BoundExpression?

    /// `reading` reads the values of the type; nil where there are no fields.
    package init(_ expression: Expression, _ reading: ValueReading?) {
        self.expression = expression
        self.reading = reading
        bound = expression.program.isTooDeep ? nil : BoundExpression(expression.root, reading)
    }

    /// Whether it holds for the bytes that the reading has been reset to; nil where that is unknown.
    package func holds(over bytes: ValueBytes, in context: DeviceContext) -> Bool? {
        if bound != nil { return bytes.withBytes { bound?.operand(over: $0).boolean } }
        let scope = ReadingScope(reading: reading, context: context)
        return bytes.withBytes { expression.program.evaluate(over: $0, in: scope).boolean }
    }
}
