import Bytes

/// Keeps the numbers of all fields outside of lists, by their plans: a value's numbers in one pass, without a `Value`.
struct NumberSink: ValueSink {
    private(set) var operands: [Operand]
    /// Whether each field of bytes or of text is there.
    private(set) var isThere: [Bool]
    /// What each field's number is.
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

/// The numbers of a type whose fields all lie at fixed offsets: of most types that have no lists, choices and conditions.
struct FixedNumbers: Sendable {
    private struct Load: BitwiseCopyable {
        var offset: Int
        var size: Int
        var isBigEndian: Bool
        var plan: Int
        /// Parts of a number of bits, with the plans after it.
        var parts = 0
    }

    private let loads: [Load]
    /// Bytes of every value.
    let length: Int

    /// Nil for a type with other fields.
    init?(_ program: LayoutProgram) {
        var loads: [Load] = []
        var (offset, index) = (0, 0)
        while index < program.instructions.count {
            let step = program.instructions[index]
            index += 1
            switch step.operation {
            case .integer, .float, .medical, .checksum, .bits:
                var load = Load(
                    offset: offset, size: Int(step.size), isBigEndian: step.order == .bigEndian, plan: Int(step.plan))
                if step.operation == .bits { load.parts = Int(step.target) }
                loads.append(load)
                offset += load.size
                index += load.parts
            case .enter, .leave, .mark: continue
            default: return nil
            }
        }
        self.loads = loads
        length = offset
    }

    /// Reads a value that has all its bytes.
    func read(_ bytes: RawSpan, into sink: inout NumberSink, of program: LayoutProgram) {
        for load in loads {
            var raw: UInt64 = 0
            for index in 0..<load.size {
                let place = load.isBigEndian ? index : load.size - 1 - index
                raw = raw << 8 | UInt64(bytes.byte(at: load.offset + place))
            }
            if load.parts > 0 {
                sink.bits(raw, load.plan, parts: load.parts, of: program)
            } else {
                sink.number(raw, load.plan, of: program)
            }
        }
    }
}

/// What a field's raw number is to an expression, as far as that is simple: the plan itself has names and texts, and
/// copying it would take longer than reading the field.
struct NumberForm: BitwiseCopyable {
    private enum Kind: BitwiseCopyable {
        case unsigned, signed, flag
        /// The plan must be asked.
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

    /// The bits of a part.
    func bits(of raw: UInt64) -> UInt64 {
        raw >> UInt64(shift) & (width >= 64 ? .max : 1 << UInt64(width) - 1)
    }

    /// What a raw number of the plan is.
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
