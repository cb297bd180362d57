/// What is wrong with the text of an expression, and where.
package struct ExpressionFault: Error, Hashable, Sendable {
    /// From 1, in characters of the expression.
    package var column: Int
    /// What was expected and what was found.
    package var text: String

    package init(_ text: String, column: Int) {
        self.column = column
        self.text = text
    }
}
