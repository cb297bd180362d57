/// An expression compiled to the steps of a stack machine; evaluation needs no recursion.
///
/// A class, because values read by the thousand share it, and passing a reference is faster than copying its parts.
package final class ExpressionProgram: Sendable {
    /// A field that the expression references.
    package struct Reference: Hashable, Sendable {
        package enum Use: Hashable, Sendable {
            case value
            /// Number of elements of a list.
            case count
            /// Sum of a field over a list's elements.
            case sum
        }

        package var path: String
        package var use: Use

        /// The path within the value of the request; nil for a field of the value itself.
        var requestPath: String? {
            path.hasPrefix(Self.requestPrefix) ? String(path.dropFirst(Self.requestPrefix.count)) : nil
        }

        /// Prefix of paths into the request that the value answers.
        package static let requestPrefix = "request."
    }

    /// A step. Operands of all kinds are stored side by side and distinguished by one byte, which is faster to read
    /// than an enumeration with payloads.
    struct Step: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable {
            /// Pushes `constant`.
            case push
            /// Pushes the scope's operand number `index`.
            case reference
            case length
            /// Pops an offset, pushes the unsigned number of `size` bytes there.
            case load
            /// Pushes the unsigned number of `size` bytes at the offset `index`.
            case loadAt
            /// Pops an offset, pushes a byte of the value last written to the characteristic `index`.
            case written
            case has
            case not
            case negate
            /// Applies `operation` to two operands, or to one and `constant`.
            case binary
            case binaryConstant
            /// Compares a reference, the length or the number at an offset with `constant`, by `operation`.
            case compareReference
            case compareLength
            case compareLoad
            /// Jumps to the step `index` if the topmost operand is true (or false), which is then the operator's
            /// result.
            case skipIfTrue
            case skipIfFalse
            /// Whether an operand is in one of `constant` ranges, beginning with the range `index`.
            case isIn
            case absolute
            /// Pops `size` operands.
            case least
            case greatest

            /// Whether the step pushes an operand without popping one.
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
    /// The fields referenced; a scope identifies them by index.
    package let references: [Reference]
    /// Names of characteristics.
    package let characteristics: [String]
    let texts: [String]
    let ranges: [ClosedRange<Int64>]
    /// The expression exceeds the stack limit and evaluates to unknown.
    let isTooDeep: Bool
    /// Whether the expression references fields of the request.
    package let asksRequest: Bool
    /// Maximum stack depth, in operands.
    let stackUse: Int

    /// Size of a loaded number, clamped to 1 to 8 bytes because expressions may be built without the parser.
    static func size(ofLoaded bytes: Int) -> UInt8 { UInt8(clamping: min(max(1, bytes), 8)) }

    /// Maximum stack depth, in operands.
    static let stackLimit = 40
    /// Stack depth that suffices for most expressions; a short stack is faster to initialize.
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

    /// Copies a program, renumbering its references to the scope.
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

/// Builds the steps of an expression.
private struct ExpressionSteps {
    typealias Reference = ExpressionProgram.Reference
    typealias Step = ExpressionProgram.Step

    private(set) var steps: [Step] = []
    private(set) var references: [Reference] = []
    private(set) var characteristics: [String] = []
    private(set) var texts: [String] = []
    private(set) var ranges: [ClosedRange<Int64>] = []
    /// The expression exceeds the stack limit and evaluates to unknown.
    private(set) var isTooDeep = false
    private(set) var stackUse = 0

    /// Maximum depth of a tree built in code, which the parser's limit does not cover.
    private static let depthLimit = 1000

    /// Adds the steps of a node. `holding` operands are on the stack before its first step.
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

    /// Fuses the last step with a comparison of its result; returns false if that step cannot be fused.
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
