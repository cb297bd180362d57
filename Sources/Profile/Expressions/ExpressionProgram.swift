/// An expression as steps on a stack: what every evaluation goes through, from the first to the last, without recursion.
///
/// It is a class, as values that are read by thousands ask for it, and a reference is handed on faster than its parts.
package final class ExpressionProgram: Sendable {
    /// A field that the expression asks for.
    package struct Reference: Hashable, Sendable {
        package enum Use: Hashable, Sendable {
            case value
            /// Elements of a list.
            case count
            /// All values of a field of a list's elements, added.
            case sum
        }

        package var path: String
        package var use: Use

        /// The path within the value of the request; nil for a field of the value itself.
        var requestPath: String? {
            path.hasPrefix(Self.requestPrefix) ? String(path.dropFirst(Self.requestPrefix.count)) : nil
        }

        /// Begins the paths of fields of the request that a value answers.
        package static let requestPrefix = "request."
    }

    /// A step, with the operands of all kinds of steps beside each other: told apart by one byte, it is read faster than an
    /// enumeration with payloads.
    struct Step: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable {
            /// `constant` comes onto the stack.
            case push
            /// The scope gives the operand with the number `index`.
            case reference
            case length
            /// Takes an offset, gives the unsigned number of `size` bytes there.
            case load
            /// The same at the offset `index`.
            case loadAt
            /// Takes an offset, gives a byte of what was written to the characteristic `index`.
            case written
            case has
            case not
            case negate
            /// Applies `operation` to two operands, or to one and `constant`.
            case binary
            case binaryConstant
            /// Applies the comparison `operation` to a reference, the length or the number at an offset, and `constant`.
            case compareReference
            case compareLength
            case compareLoad
            /// Goes to the step `index` if the operand on the stack is true or is false: then it is the operator's result.
            case skipIfTrue
            case skipIfFalse
            /// Whether an operand is in one of `constant` ranges, the first of which is `index`.
            case isIn
            case absolute
            /// Takes `size` operands.
            case least
            case greatest

            /// Whether the step brings an operand onto the stack.
            @inline(__always)
            var isPush: Bool {
                switch self {
                case .push, .reference, .length, .loadAt, .has, .compareReference, .compareLength, .compareLoad: true
                default: false
                }
            }
        }

        let kind: Kind
        var operation = Expression.Operator.equal
        var size: UInt8 = 0
        var index: Int32 = 0
        var constant = Operand.unknown
    }

    let steps: [Step]
    /// The fields asked for; a scope knows them by their index.
    package let references: [Reference]
    /// Names of characteristics.
    package let characteristics: [String]
    let texts: [String]
    let ranges: [ClosedRange<Int64>]
    /// It needs more of the stack than there is, and comes to unknown.
    let isTooDeep: Bool
    /// Whether it asks for fields of the request.
    package let asksRequest: Bool
    /// The most operands that are on the stack at one time.
    let stackUse: Int

    /// The bytes of a number that is loaded, of an expression that was not parsed too.
    static func size(ofLoaded bytes: Int) -> UInt8 { UInt8(clamping: min(max(1, bytes), 8)) }

    /// Operands that there is room for.
    static let stackLimit = 40
    /// Operands that most expressions need no more of: a short stack is made faster.
    static let shallow = 3

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
        steps = program.steps.map { step in
            var step = step
            if step.kind == .reference || step.kind == .compareReference {
                step.index = Int32(numbers[Int(step.index)])
            }
            return step
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
    typealias Step = ExpressionProgram.Step

    private(set) var steps: [Step] = []
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
        case .number(let number): push(.integer(number))
        case .real(let number): push(.real(number))
        case .boolean(let value): push(.boolean(value))
        case .text(let text):
            texts.append(text)
            push(Operand(kind: .text, bits: UInt64(texts.count - 1)))
        case .field(let path): refer(Reference(path: path, use: .value))
        case .length: steps.append(Step(kind: .length))
        case .load(let bytes, let offset):
            let size = ExpressionProgram.size(ofLoaded: bytes)
            if case .number(let number) = offset, let constant = Int32(exactly: number), constant >= 0 {
                steps.append(Step(kind: .loadAt, size: size, index: constant))
            } else {
                add(offset, holding: holding, depth: depth + 1)
                steps.append(Step(kind: .load, size: size))
            }
        case .written(let name, let offset):
            add(offset, holding: holding, depth: depth + 1)
            characteristics.append(name)
            steps.append(Step(kind: .written, index: Int32(clamping: characteristics.count - 1)))
        case .has(let name):
            characteristics.append(name)
            steps.append(Step(kind: .has, index: Int32(clamping: characteristics.count - 1)))
        case .not(let node):
            add(node, holding: holding, depth: depth + 1)
            steps.append(Step(kind: .not))
        case .negate(let node):
            add(node, holding: holding, depth: depth + 1)
            steps.append(Step(kind: .negate))
        case .binary(let operation, let one, .number(let number)):
            add(one, holding: holding, depth: depth + 1)
            if !operation.isComparison || !fuseComparison(operation, number) {
                steps.append(Step(kind: .binaryConstant, operation: operation, constant: .integer(number)))
            }
        case .binary(let operation, let one, let other):
            add(one, holding: holding, depth: depth + 1)
            let skip = steps.count
            if operation == .or { steps.append(Step(kind: .skipIfTrue)) }
            if operation == .and { steps.append(Step(kind: .skipIfFalse)) }
            let isSkipping = steps.count > skip
            add(other, holding: holding + 1, depth: depth + 1)
            steps.append(Step(kind: .binary, operation: operation))
            if isSkipping { steps[skip].index = Int32(clamping: steps.count) }
        case .isIn(let node, let wanted):
            add(node, holding: holding, depth: depth + 1)
            steps.append(
                Step(kind: .isIn, index: Int32(clamping: ranges.count), constant: .integer(Int64(wanted.count))))
            ranges += wanted
        case .call(let function, let arguments):
            call(function, arguments, holding: holding, depth: depth)
        }
    }

    private mutating func push(_ operand: Operand) { steps.append(Step(kind: .push, constant: operand)) }

    /// Makes one step of the last one and a comparison of its result; false where that step is another.
    private mutating func fuseComparison(_ operation: Expression.Operator, _ constant: Int64) -> Bool {
        let fused: Step.Kind
        switch steps.last?.kind {
        case .reference: fused = .compareReference
        case .length: fused = .compareLength
        case .loadAt: fused = .compareLoad
        default: return false
        }
        let last = steps.removeLast()
        steps.append(
            Step(kind: fused, operation: operation, size: last.size, index: last.index, constant: .integer(constant)))
        return true
    }

    private mutating func call(
        _ function: Expression.Function, _ arguments: [Expression.Node], holding: Int, depth: Int
    ) {
        switch function {
        case .count, .sum:
            guard case .field(let path)? = arguments.first else { return push(.unknown) }
            refer(Reference(path: path, use: function == .count ? .count : .sum))
        case .min, .max, .abs:
            guard !arguments.isEmpty else { return push(.unknown) }
            for (index, argument) in arguments.enumerated() {
                add(argument, holding: holding + index, depth: depth + 1)
            }
            let count = UInt8(clamping: arguments.count)
            switch function {
            case .min: steps.append(Step(kind: .least, size: count))
            case .max: steps.append(Step(kind: .greatest, size: count))
            default: steps.append(Step(kind: .absolute))
            }
        }
    }

    private mutating func refer(_ reference: Reference) {
        let number = references.firstIndex(of: reference) ?? references.count
        if number == references.count { references.append(reference) }
        steps.append(Step(kind: .reference, index: Int32(clamping: number)))
    }
}
