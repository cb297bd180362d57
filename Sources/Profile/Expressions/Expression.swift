/// Boolean or numeric expression over the fields of a value. The language has no loops, so evaluation always
/// terminates.
///
///     flags.calibrated == true && level <= 830
///     length == 6 + 10 * u8(4)
///     written(command, 0) == 0x30
///
/// Operators, from lowest to highest precedence: `||`, `&&`, `!`, comparisons `== != < <= > >=` and `in {1, 2, 5..8}`,
/// `+ -`, `* / %`, `& | ^ << >>`, unary `-`, parentheses. Arithmetic uses 64-bit integers, or doubles if either operand
/// is a double. Overflow, division by zero and absent fields give *unknown*, and so does every operation on an unknown
/// operand, except `false && …` and `true || …`, which the known side decides. A Boolean equals 1 or 0.
package struct Expression: Sendable {
    /// Source text, as written in the profile.
    package let text: String
    package let place: SourcePlace
    package let root: Node
    /// The compiled form, used for evaluation.
    package let program: ExpressionProgram

    package indirect enum Node: Sendable {
        case number(Int64)
        case real(Double)
        case boolean(Bool)
        case text(String)
        /// A field of the value: `flags.calibrated`. An enumeration is compared with a quoted name or a number.
        case field(String)
        /// Length of the whole value, in bytes.
        case length
        /// Unsigned little-endian integer of `bytes` bytes at an offset of the value.
        case load(bytes: Int, offset: Node)
        /// A byte of the value last written to a characteristic on this connection; the characteristic is given by
        /// name.
        case written(String, offset: Node)
        /// Whether the device's attribute table is known to contain a characteristic.
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
    /// Whether the expression yields a Boolean, as a condition must.
    package var isCondition: Bool {
        switch root {
        case .boolean, .not, .has, .isIn, .field: true
        case .binary(let operation, _, _): operation.isLogical || operation.isComparison
        case .number, .real, .text, .length, .load, .written, .negate, .call: false
        }
    }

    /// Paths of the fields referenced, without duplicates, in order.
    package var fields: [String] {
        program.references.map(\.path).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Paths of the fields of the value, without those of the request. `requestFields` has the latter, without
    /// `request.`.
    package var ownFields: [String] { fields.filter { !$0.hasPrefix(ExpressionProgram.Reference.requestPrefix) } }
    package var requestFields: [String] {
        let prefix = ExpressionProgram.Reference.requestPrefix
        return fields.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Names of the characteristics referenced, without duplicates, in order.
    package var characteristics: [String] {
        program.characteristics.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension Expression.Operator {
    /// Whether the operands and the result are Booleans.
    package var isLogical: Bool { self == .or || self == .and }
    /// Whether the result is a Boolean.
    package var isComparison: Bool {
        [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(self)
    }
}

/// A syntax error in an expression, with its column.
package struct ExpressionFault: Error, Hashable, Sendable {
    /// From 1, in characters of the expression.
    package var column: Int
    /// Message: the expected and the actual token.
    package var text: String

    package init(_ text: String, column: Int) {
        self.column = column
        self.text = text
    }
}
