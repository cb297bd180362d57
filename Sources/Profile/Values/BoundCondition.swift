/// A condition over the values of one type. Most conditions use only plain numbers, whose positions are resolved once,
/// because values are the most frequent data of a capture.
package final class BoundCondition {
    package let expression: Expression
    private let reading: ValueReading?
    /// The expression over the plain numbers of a value; nil if the condition uses anything else.
    private let bound: BoundExpression?

    /// `reading` reads the values of the type; nil if there are no fields.
    package init(_ expression: Expression, _ reading: ValueReading?) {
        self.expression = expression
        self.reading = reading
        bound = expression.program.isTooDeep ? nil : BoundExpression(expression.root, reading)
    }

    /// Whether the condition holds for `bytes`, to which the reading has been reset; nil if unknown.
    package func holds(over bytes: ValueBytes, in context: DeviceContext) -> Bool? {
        if bound != nil { return bytes.withBytes { bound?.operand(over: $0).boolean } }
        let scope = ReadingScope(reading: reading, context: context)
        return bytes.withBytes { expression.program.evaluate(over: $0, in: scope).boolean }
    }
}
