/// What is wrong with the text of an expression, and where.
public struct ExpressionFault: Error, Hashable, Sendable {
    /// From 1, in characters of the expression.
    public var column: Int
    /// What was expected and what was found.
    public var text: String

    public init(_ text: String, column: Int) {
        self.column = column
        self.text = text
    }
}
