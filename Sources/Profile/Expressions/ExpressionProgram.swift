/// An expression as steps on a stack: what every evaluation goes through, from the first to the last, without recursion.
///
/// It is a class, as values that are read by thousands ask for it, and a reference is handed on faster than its parts.
public final class ExpressionProgram: Sendable {
    /// A field that the expression asks for.
    public struct Reference: Hashable, Sendable {
        public enum Use: Hashable, Sendable {
            case value
            /// Elements of a list.
            case count
            /// All values of a field of a list's elements, added.
            case sum
        }

        public var path: String
        public var use: Use

        /// The path within the value of the request; nil for a field of the value itself.
        var requestPath: String? {
            path.hasPrefix(Self.requestPrefix) ? String(path.dropFirst(Self.requestPrefix.count)) : nil
        }

        /// Begins the paths of fields of the request that a value answers.
        public static let requestPrefix = "request."
    }

    enum Step: BitwiseCopyable {
        case push(Operand)
        /// The scope gives the operand of this number.
        case reference(Int16)
        case length
        /// Takes an offset, gives the unsigned number of so many bytes there.
        case load(bytes: UInt8)
        /// The same at a constant offset.
        case loadAt(bytes: UInt8, Int32)
        /// Takes an offset, gives a byte of what was written to the characteristic of this index.
        case written(Int16)
        case has(Int16)
        case not
        case negate
        case binary(Expression.Operator)
        /// The same with a constant right side.
        case binaryConstant(Expression.Operator, Int32)
        /// Index of the first range, and how many.
        case isIn(Int32, Int32)
        case absolute
        /// Takes so many operands.
        case least(UInt8)
        case greatest(UInt8)
    }

    let steps: [Step]
    /// The fields asked for; a scope knows them by their index.
    public let references: [Reference]
    /// Names of characteristics.
    public let characteristics: [String]
    let texts: [String]
    let ranges: [ClosedRange<Int64>]
    /// It needs more of the stack than there is, and comes to unknown.
    let isTooDeep: Bool
    /// Whether it asks for fields of the request.
    public let asksRequest: Bool
    /// The most operands that are on the stack at one time.
    let stackUse: Int

    /// Operands that there is room for.
    static let stackLimit = 40
    /// Operands that most expressions need no more of: a short stack is made faster.
    static let shallow = 8

    init(_ root: Expression.Node) {
        var list = ExpressionSteps()
        list.add(root, holding: 0, depth: 0)
        isTooDeep = list.isTooDeep
        steps = list.isTooDeep ? [] : list.steps
        references = list.references
        characteristics = list.characteristics
        texts = list.texts
        ranges = list.ranges
        stackUse = list.stackUse
        asksRequest = references.contains { $0.requestPath != nil }
    }

    /// The same steps, with other numbers for what they ask the scope for.
    init(_ program: ExpressionProgram, renumbered numbers: [Int16]) {
        steps = program.steps.map {
            if case .reference(let number) = $0 { .reference(numbers[Int(number)]) } else { $0 }
        }
        isTooDeep = program.isTooDeep
        references = program.references
        characteristics = program.characteristics
        texts = program.texts
        ranges = program.ranges
        stackUse = program.stackUse
        asksRequest = program.asksRequest
    }
}

/// The steps of an expression while they are put together.
private struct ExpressionSteps {
    typealias Reference = ExpressionProgram.Reference

    private(set) var steps: [ExpressionProgram.Step] = []
    private(set) var references: [Reference] = []
    private(set) var characteristics: [String] = []
    private(set) var texts: [String] = []
    private(set) var ranges: [ClosedRange<Int64>] = []
    /// It needs more of the stack than there is, and comes to unknown.
    private(set) var isTooDeep = false
    private(set) var stackUse = 0

    /// Levels of a tree that was not parsed but put together.
    private static let depthLimit = 1000

    /// `holding` operands are on the stack when the first step of the node is done.
    mutating func add(_ node: Expression.Node, holding: Int, depth: Int) {
        guard holding < ExpressionProgram.stackLimit, depth < Self.depthLimit, steps.count < 0x4000 else {
            isTooDeep = true
            return
        }
        stackUse = max(stackUse, holding + 1)
        switch node {
        case .number(let number): steps.append(.push(.integer(number)))
        case .real(let number): steps.append(.push(.real(number)))
        case .boolean(let value): steps.append(.push(.boolean(value)))
        case .text(let text):
            texts.append(text)
            steps.append(.push(Operand(kind: .text, bits: UInt64(texts.count - 1))))
        case .field(let path): refer(Reference(path: path, use: .value))
        case .length: steps.append(.length)
        case .load(let bytes, let offset):
            let size = UInt8(clamping: min(max(1, bytes), 8))
            if case .number(let number) = offset, let constant = Int32(exactly: number), constant >= 0 {
                steps.append(.loadAt(bytes: size, constant))
            } else {
                add(offset, holding: holding, depth: depth + 1)
                steps.append(.load(bytes: size))
            }
        case .written(let name, let offset):
            add(offset, holding: holding, depth: depth + 1)
            characteristics.append(name)
            steps.append(.written(Int16(clamping: characteristics.count - 1)))
        case .has(let name):
            characteristics.append(name)
            steps.append(.has(Int16(clamping: characteristics.count - 1)))
        case .not(let node):
            add(node, holding: holding, depth: depth + 1)
            steps.append(.not)
        case .negate(let node):
            add(node, holding: holding, depth: depth + 1)
            steps.append(.negate)
        case .binary(let operation, let one, .number(let number)) where Int32(exactly: number) != nil:
            add(one, holding: holding, depth: depth + 1)
            steps.append(.binaryConstant(operation, Int32(number)))
        case .binary(let operation, let one, let other):
            add(one, holding: holding, depth: depth + 1)
            add(other, holding: holding + 1, depth: depth + 1)
            steps.append(.binary(operation))
        case .isIn(let node, let wanted):
            add(node, holding: holding, depth: depth + 1)
            steps.append(.isIn(Int32(clamping: ranges.count), Int32(clamping: wanted.count)))
            ranges += wanted
        case .call(let function, let arguments):
            call(function, arguments, holding: holding, depth: depth)
        }
    }

    private mutating func call(
        _ function: Expression.Function, _ arguments: [Expression.Node], holding: Int, depth: Int
    ) {
        switch function {
        case .count, .sum:
            guard case .field(let path)? = arguments.first else { return steps.append(.push(.unknown)) }
            refer(Reference(path: path, use: function == .count ? .count : .sum))
        case .min, .max, .abs:
            guard !arguments.isEmpty else { return steps.append(.push(.unknown)) }
            for (index, argument) in arguments.enumerated() {
                add(argument, holding: holding + index, depth: depth + 1)
            }
            let count = UInt8(clamping: arguments.count)
            switch function {
            case .min: steps.append(.least(count))
            case .max: steps.append(.greatest(count))
            default: steps.append(.absolute)
            }
        }
    }

    private mutating func refer(_ reference: Reference) {
        let number = references.firstIndex(of: reference) ?? references.count
        if number == references.count { references.append(reference) }
        steps.append(.reference(Int16(clamping: number)))
    }
}
