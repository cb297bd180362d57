import Bytes

/// Collects the numbers of all fields outside lists, indexed by plan: one pass over a value, without a `Value`.
struct NumberSink: ValueSink {
    private(set) var operands: [Operand]
    /// Whether each bytes or text field is present, indexed by plan.
    private(set) var isThere: [Bool]
    /// Conversion of each field's raw number, indexed by plan.
    let forms: [NumberForm]
    private var lists = 0

    init(_ program: LayoutProgram) {
        operands = Array(repeating: .unknown, count: program.plans.count)
        isThere = Array(repeating: false, count: program.plans.count)
        forms = program.plans.map { NumberForm($0) }
    }

    mutating func reset() {
        lists = 0
        for index in operands.indices {
            operands[index] = .unknown
            isThere[index] = false
        }
    }

    mutating func number(_ raw: UInt64, _ plan: Int, of program: LayoutProgram) {
        if lists == 0 { operands[plan] = forms[plan].operand(raw, program.plans[plan]) }
    }

    mutating func bits(_ raw: UInt64, _ plan: Int, parts: Int, of program: LayoutProgram) {
        guard lists == 0 else { return }
        operands[plan] = .unsigned(raw)
        for part in (plan + 1)..<(plan + 1 + parts) {
            operands[part] = forms[part].operand(forms[part].bits(of: raw), program.plans[part])
        }
    }

    mutating func bytes(_ bytes: RawSpan, _ plan: Int, of program: LayoutProgram) {
        if lists == 0 { isThere[plan] = true }
    }

    mutating func absent(_ plan: Int, of program: LayoutProgram) {}
    mutating func enter(_ plan: Int, of program: LayoutProgram) {}
    mutating func leave() {}
    mutating func beginList(_ plan: Int, of program: LayoutProgram) { lists += 1 }
    mutating func endList() { lists -= 1 }
}

/// The steps of a program that read numbers, without the data needed only for recorded fields and diagnostics. All
/// elements of a list must have the same fields.
///
/// A class: `ValueReading` refers to it and never copies its arrays.
final class NumberSteps {
    private struct Step: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable {
            case number
            /// A number with bit parts.
            case bits
            /// All remaining bytes.
            case rest
            case when, choose, jump
            /// A list: elements of `length` bytes each, read by the next `parts` steps; the program gives their number.
            case list
            /// Start of a structure in an element.
            case enter
        }

        var kind: Kind
        var size: UInt8 = 0
        var isBigEndian = false
        /// Whether expressions reference the number.
        var isStored = false
        var plan: Int32 = 0
        /// Number of bit parts, whose plans follow `plan`; for a list, the number of steps of an element.
        var parts: Int32 = 0
        var length: Int32 = 0
        /// Target step of `when`, `jump` and `list`.
        var target: Int32 = 0
        /// For `when`, the index of its condition if that needs no fields, otherwise -1.
        var condition: Int32 = -1
        /// Index of the program's step.
        var instruction: Int32
    }

    private let steps: [Step]
    private let conditions: [BoundExpression]
    /// For each step of the program, the first of `steps` at or after it.
    private let places: [Int32]
    /// Fixed length of values, in bytes; nil if values vary in their fields.
    private let length: Int?

    /// Nil for a type with unsupported fields.
    init?(_ program: LayoutProgram) {
        var steps: [Step] = []
        var conditions: [BoundExpression] = []
        var places: [Int32] = []
        /// Start of the current list.
        var list: Int?
        for (index, instruction) in program.instructions.enumerated() {
            places.append(Int32(steps.count))
            var step = Step(kind: .number, plan: instruction.plan, instruction: Int32(index))
            switch instruction.operation {
            case .integer, .float, .medical, .checksum, .bits:
                step.size = instruction.size
                step.isBigEndian = instruction.order == .bigEndian
                step.isStored = instruction.isStored
                if instruction.operation == .bits {
                    (step.kind, step.parts) = (.bits, instruction.target)
                    step.isStored = program.parts(ofBitsAt: index).contains(where: \.isStored)
                }
                if list != nil, step.isStored { return nil }
            case .bytes:
                guard list == nil, instruction.isToTheEnd, program.plans[Int(instruction.plan)].padding == nil else {
                    return nil
                }
                step.kind = .rest
            case .when:
                (step.kind, step.target) = (.when, instruction.target)
                if case .computed(let index) = instruction.amount, !program.expressions[index].program.isTooDeep,
                    let condition = BoundExpression(program.expressions[index].root, nil)
                {
                    step.condition = Int32(conditions.count)
                    conditions.append(condition)
                }
            case .choose: step.kind = .choose
            case .jump: (step.kind, step.target) = (.jump, instruction.target)
            case .list:
                guard list == nil, !instruction.isStored else { return nil }
                (step.kind, step.target) = (.list, instruction.target)
                list = steps.count
            case .next:
                guard let begin = list else { return nil }
                let elements = steps[(begin + 1)...]
                guard elements.allSatisfy({ [.number, .bits, .enter].contains($0.kind) }) else { return nil }
                steps[begin].parts = Int32(elements.count)
                steps[begin].length = elements.reduce(0) { $0 + Int32($1.size) }
                if steps[begin].length == 0 { return nil }
                list = nil
                continue
            case .enter:
                if list == nil { continue }
                step.kind = .enter
            case .part, .leave, .enterCase, .leaveCase, .mark: continue
            case .text, .uuid, .digits: return nil
            }
            steps.append(step)
        }
        places.append(Int32(steps.count))
        self.steps = steps
        self.conditions = conditions
        self.places = places
        let isFixed = steps.allSatisfy { $0.kind == .number || $0.kind == .bits }
        length = isFixed ? steps.reduce(0) { $0 + Int($1.size) } : nil
    }

    /// Reads a value's numbers; returns the number of trailing bytes, nil if the bytes do not match the type.
    func read(_ bytes: RawSpan, into sink: inout NumberSink, of program: LayoutProgram) -> Int? {
        if let length, bytes.byteCount >= length {
            var offset = 0
            for index in steps.indices { take(steps[index], at: &offset, of: bytes, into: &sink, program) }
            return bytes.byteCount - length
        }
        sink.reset()
        return walk(bytes, into: &sink, of: program, isListing: false)
    }

    /// Reads the numbers in a list's elements; the result is as above.
    func read(_ bytes: RawSpan, into sink: inout ElementSink, of program: LayoutProgram) -> Int? {
        sink.reset()
        return walk(bytes, into: &sink, of: program, isListing: true)
    }

    /// Runs the steps. List elements are skipped unless `isListing`.
    private func walk(
        _ bytes: RawSpan, into sink: inout some ValueSink, of program: LayoutProgram, isListing: Bool
    ) -> Int? {
        // Create a scope only if needed: few types have expressions that reference fields.
        var scope = program.slotPlans.isEmpty ? nil : SlotScope(program)
        var (offset, index, discriminant, choiceStart) = (0, 0, UInt64(0), 0)
        while index < steps.count {
            let step = steps[index]
            index += 1
            switch step.kind {
            case .number, .bits:
                let start = offset
                guard let raw = take(step, at: &offset, of: bytes, into: &sink, program) else { return nil }
                if step.kind == .number { (discriminant, choiceStart) = (raw, start) }
                if step.isStored { scope?.store(raw, ofPartsAt: Int(step.instruction), count: Int(step.parts)) }
            case .rest:
                sink.bytes(bytes.extracting(offset..<bytes.byteCount), Int(step.plan), of: program)
                offset = bytes.byteCount
            case .when:
                let holds =
                    step.condition >= 0
                    ? conditions[Int(step.condition)].operand(over: bytes).boolean ?? false
                    : program.holds(program.instructions[Int(step.instruction)], scope ?? SlotScope(program), bytes)
                if !holds { index = Int(places[Int(step.target)]) }
            case .choose:
                let instruction = program.instructions[Int(step.instruction)]
                guard
                    let target = program.caseTarget(
                        discriminant, length: bytes.byteCount - choiceStart, from: instruction)
                else { return nil }
                index = Int(places[target])
            case .jump: index = Int(places[Int(step.target)])
            case .list:
                let room = bytes.byteCount - offset
                let instruction = program.instructions[Int(step.instruction)]
                let count =
                    instruction.isToTheEnd ? nil : program.count(instruction, scope ?? SlotScope(program), bytes)
                let elements = instruction.isToTheEnd ? room / Int(step.length) : count ?? -1
                guard elements >= 0, elements <= room / Int(step.length) else { return nil }
                if instruction.isToTheEnd, elements * Int(step.length) < room { return nil }
                if isListing {
                    for _ in 0..<elements {
                        for element in steps[index..<(index + Int(step.parts))] {
                            if element.kind == .enter {
                                sink.enter(Int(element.plan), of: program)
                            } else {
                                take(element, at: &offset, of: bytes, into: &sink, program)
                            }
                        }
                    }
                } else {
                    offset += elements * Int(step.length)
                }
                index = Int(places[Int(step.target)])
            case .enter: break
            }
        }
        return bytes.byteCount - offset
    }

    /// Passes the number at an offset to `sink`; nil if the bytes end before it does.
    @inline(__always) @discardableResult
    private func take(
        _ step: Step, at offset: inout Int, of bytes: RawSpan, into sink: inout some ValueSink, _ program: LayoutProgram
    ) -> UInt64? {
        let size = Int(step.size)
        guard offset + size <= bytes.byteCount else { return nil }
        let raw = bytes.number(at: offset, size: size, step.isBigEndian ? .bigEndian : .littleEndian)
        offset += size
        if step.kind == .bits {
            sink.bits(raw, Int(step.plan), parts: Int(step.parts), of: program)
        } else {
            sink.number(raw, Int(step.plan), of: program)
        }
        return raw
    }
}

extension SlotScope {
    /// Stores a number, or the `count` parts of one, if expressions reference them.
    fileprivate mutating func store(_ raw: UInt64, ofPartsAt index: Int, count: Int) {
        if count == 0 { return store(raw, of: program.instructions[index]) }
        for part in program.parts(ofBitsAt: index) where part.isStored { store(part.part(of: raw), of: part) }
    }
}

extension LayoutProgram {
    /// The bit parts of the number that the step at `index` reads.
    fileprivate func parts(ofBitsAt index: Int) -> ArraySlice<Instruction> {
        instructions[(index + 1)..<(index + 1 + Int(instructions[index].target))]
    }
}

extension Instruction {
    /// Whether expressions reference the value.
    fileprivate var isStored: Bool { slot & sum != Self.none }
}

/// Conversion of a field's raw number to an operand, for simple fields. A plan also contains names and texts, and
/// copying it would take longer than reading the field.
struct NumberForm: BitwiseCopyable {
    private enum Kind: BitwiseCopyable {
        case unsigned, signed, flag
        /// The conversion needs the plan.
        case other
    }

    private let kind: Kind
    private let width: UInt8
    private let shift: UInt8

    init(_ plan: FieldPlan) {
        width = UInt8(clamping: plan.width)
        shift = UInt8(clamping: plan.shift)
        switch plan.kind {
        case .float, .medical, .boolean: kind = .other
        case .part where plan.isBoolean: kind = .flag
        default: kind = plan.scale != nil ? .other : plan.isSigned ? .signed : .unsigned
        }
    }

    /// Extracts the bits of a part.
    func bits(of raw: UInt64) -> UInt64 {
        raw >> UInt64(shift) & (width >= 64 ? .max : 1 << UInt64(width) - 1)
    }

    /// Converts a raw number to an operand.
    func operand(_ raw: UInt64, _ plan: @autoclosure () -> FieldPlan) -> Operand {
        switch kind {
        case .unsigned: return .unsigned(raw)
        case .flag: return .boolean(raw == 1)
        case .signed:
            let unused = UInt64(64 - min(width, 64))
            return .integer(Int64(bitPattern: raw << unused) >> Int64(unused))
        case .other: return plan().operand(raw)
        }
    }
}
