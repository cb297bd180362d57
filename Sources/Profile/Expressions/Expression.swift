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
public struct Expression: Sendable {
    /// As it stands in the file.
    public let text: String
    public let place: SourcePlace
    public let root: Node
    /// The same as a row of steps; what evaluates it.
    public let program: ExpressionProgram

    public indirect enum Node: Sendable {
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

    public enum Operator: String, Sendable, CaseIterable, BitwiseCopyable {
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

    public enum Function: String, Sendable, CaseIterable { case min, max, abs, count, sum }

    public init(text: String, place: SourcePlace, root: Node) {
        self.text = text
        self.place = place
        self.root = root
        program = ExpressionProgram(root)
    }
}

extension Expression {
    /// Whether it is something that holds or does not: a condition needs that.
    public var isCondition: Bool {
        switch root {
        case .boolean, .not, .has, .isIn, .field: true
        case .binary(let operation, _, _): operation.isLogical || operation.isComparison
        case .number, .real, .text, .length, .load, .written, .negate, .call: false
        }
    }

    /// Paths of the fields that it refers to, each once, in order.
    public var fields: [String] {
        program.references.map(\.path).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Paths of the fields of the value itself, and of the request's, without `request.`.
    public var ownFields: [String] { fields.filter { !$0.hasPrefix(ExpressionProgram.Reference.requestPrefix) } }
    public var requestFields: [String] {
        let prefix = ExpressionProgram.Reference.requestPrefix
        return fields.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Names of the characteristics that it refers to, each once, in order.
    public var characteristics: [String] {
        program.characteristics.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension Expression.Operator {
    /// Takes Booleans, gives one.
    public var isLogical: Bool { self == .or || self == .and }
    /// Gives a Boolean.
    public var isComparison: Bool {
        [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(self)
    }
}

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
