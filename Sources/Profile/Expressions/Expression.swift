/// A condition or a number over the fields of a value, in a language without loops: every expression ends, on any input.
///
///     flags.calibrated == true && level <= 830
///     length == 6 + 10 * u8(4)
///     written(command, 0) == 0x30
///
/// Operators, from the weakest: `||`, `&&`, `!`, comparisons `== != < <= > >=` and `in {1, 2, 5..8}`, `+ -`, `* / %`,
/// `& | ^ << >>`, unary `-`, parentheses. Arithmetic is on 64-bit integers, or on doubles where one side is one; overflow
/// and division by zero give *unknown*, as do fields that are absent, and what is computed from unknown is unknown, but
/// for `false && …` and `true || …`, which the known side decides. A Boolean equals 1 or 0.
package struct Expression: Sendable {
    /// As it stands in the file.
    package let text: String
    package let place: SourcePlace
    package let root: Node
    /// The same as a row of steps; what evaluates it.
    package let program: ExpressionProgram

    package indirect enum Node: Sendable {
        case number(Int64)
        case real(Double)
        case boolean(Bool)
        case text(String)
        /// A field of the value: `flags.calibrated`; of an enumeration, compared with a name in quotes or a number.
        case field(String)
        /// Bytes in all of the value.
        case length
        /// The unsigned little-endian number of so many bytes at an offset of the value.
        case load(bytes: Int, offset: Node)
        /// A byte of what was written last to a characteristic on this connection, by the characteristic's name.
        case written(String, offset: Node)
        /// Whether the device's attribute table is known to have a characteristic.
        case has(String)
        case not(Node)
        case negate(Node)
        case binary(Operator, Node, Node)
        case isIn(Node, [ClosedRange<Int64>])
        /// `min(a, b)`, `max(a, b)`, `abs(a)`, `count(list)`, `sum(list.field)`.
        case call(Function, [Node])
    }

    package enum Operator: String, Sendable, CaseIterable, BitwiseCopyable {
        case or = "||"
        case and = "&&"
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
        case bitAnd = "&"
        case bitOr = "|"
        case bitXor = "^"
        case shiftLeft = "<<"
        case shiftRight = ">>"
    }

    package enum Function: String, Sendable, CaseIterable { case min, max, abs, count, sum }

    package init(text: String, place: SourcePlace, root: Node) {
        self.text = text
        self.place = place
        self.root = root
        program = ExpressionProgram(root)
    }
}

extension Expression {
    /// Whether it is something that holds or does not: a condition needs that.
    package var isCondition: Bool {
        switch root {
        case .boolean, .not, .has, .isIn, .field: true
        case .binary(let operation, _, _): operation.isLogical || operation.isComparison
        case .number, .real, .text, .length, .load, .written, .negate, .call: false
        }
    }

    /// Paths of the fields that it refers to, each once, in order.
    package var fields: [String] {
        program.references.map(\.path).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Paths of the fields of the value itself, and of the request's, without `request.`.
    package var ownFields: [String] { fields.filter { !$0.hasPrefix(ExpressionProgram.Reference.requestPrefix) } }
    package var requestFields: [String] {
        let prefix = ExpressionProgram.Reference.requestPrefix
        return fields.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Names of the characteristics that it refers to, each once, in order.
    package var characteristics: [String] {
        program.characteristics.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension Expression.Operator {
    /// Takes Booleans, gives one.
    package var isLogical: Bool { self == .or || self == .and }
    /// Gives a Boolean.
    package var isComparison: Bool {
        [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(self)
    }
}

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
