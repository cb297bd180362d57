import Bluetooth
import Bytes

/// Receives the values that a program reads, in addition to the recorder's fields.
protocol ValueSink {
    mutating func number(_ raw: UInt64, _ plan: Int, of program: LayoutProgram)
    /// A number made of bits. The plans of its `parts` parts follow `plan`.
    mutating func bits(_ raw: UInt64, _ plan: Int, parts: Int, of program: LayoutProgram)
    mutating func bytes(_ bytes: RawSpan, _ plan: Int, of program: LayoutProgram)
    mutating func absent(_ plan: Int, of program: LayoutProgram)
    mutating func enter(_ plan: Int, of program: LayoutProgram)
    mutating func leave()
    mutating func beginList(_ plan: Int, of program: LayoutProgram)
    mutating func endList()
}

/// Discards all values.
struct NoSink: ValueSink {
    mutating func number(_ raw: UInt64, _ plan: Int, of program: LayoutProgram) {}
    mutating func bits(_ raw: UInt64, _ plan: Int, parts: Int, of program: LayoutProgram) {}
    mutating func bytes(_ bytes: RawSpan, _ plan: Int, of program: LayoutProgram) {}
    mutating func absent(_ plan: Int, of program: LayoutProgram) {}
    mutating func enter(_ plan: Int, of program: LayoutProgram) {}
    mutating func leave() {}
    mutating func beginList(_ plan: Int, of program: LayoutProgram) {}
    mutating func endList() {}
}

extension LayoutProgram {
    /// An open list or group.
    private struct Frame: BitwiseCopyable {
        /// Remaining elements; negative if the list extends to the end of the value.
        var remaining = 0
        var count = 0
        /// Index of the group among the recorded fields, or of the list's first step.
        var index = 0
    }

    /// Reads a value: adds its fields to the reader's recorder, its values to `sink` and violations to `diagnostics`.
    ///
    /// Each iteration of a list consumes at least one byte, so the input length bounds the work.
    func read(
        _ reader: inout ByteReader, into sink: inout some ValueSink, diagnostics: inout DiagnosticList
    ) throws(DecodeError) {
        let whole = reader.rest
        let start = reader.offset
        let recorder = reader.recorder
        let instructions = instructions
        var scope = SlotScope(self)
        var frames = InlineArray<16, Frame>(repeating: Frame())
        var depth = 0
        var marks = Marks(repeating: 0)
        var discriminant: UInt64 = 0
        // Offset of the discriminant, from which case lengths are counted.
        var choiceStart = 0
        var index = 0
        while index < instructions.count {
            let step = instructions[index]
            index += 1
            switch step.operation {
            case .integer, .float, .medical, .checksum:
                let size = Int(step.size)
                let offset = reader.offset
                let raw = try reader.take(bytes: size, step.order, step.field)
                discriminant = raw
                choiceStart = offset
                recorder?.add(step.field, value: recordedValue(raw, of: step), offset: offset, length: size)
                sink.number(raw, Int(step.plan), of: self)
                if step.slot & step.sum != Instruction.none { scope.store(raw, of: step) }
                if step.isChecked, diagnostics.isWanted {
                    if step.operation == .checksum {
                        let end = if case .fixed(let mark) = step.amount { marks[mark] } else { offset - start }
                        checkSum(
                            raw, of: step, over: whole, marks[Int(step.target)]..<end, offset, recorder, &diagnostics)
                    } else {
                        check(raw, of: step, offset, &diagnostics)
                    }
                }
            case .bits:
                let size = Int(step.size)
                let offset = reader.offset
                let raw = try reader.take(bytes: size, step.order, step.field)
                recorder?.add(step.field, value: raw, offset: offset, length: size)
                let parts = index..<(index + Int(step.target))
                sink.bits(raw, Int(step.plan), parts: parts.count, of: self)
                recorder?.nested {
                    for part in parts {
                        let part = instructions[part]
                        let value = part.isSigned ? part.extended(part.part(of: raw)) : part.part(of: raw)
                        recorder?.add(part.field, value: value, offset: offset, length: size)
                    }
                }
                for part in parts {
                    let part = instructions[part]
                    if part.slot & part.sum != Instruction.none { scope.store(part.part(of: raw), of: part) }
                    if part.isChecked, diagnostics.isWanted {
                        check(part.part(of: raw), of: part, offset, &diagnostics)
                    }
                }
                if step.isChecked, diagnostics.isWanted { checkReserved(raw, of: step, offset, &diagnostics) }
                index = parts.upperBound
            case .digits:
                let count = try amount(step, scope, whole, reader)
                let offset = reader.offset
                let raw = try readDigits(step, count, whole, &reader)
                recorder?.add(step.field, value: raw, offset: offset, length: count)
                sink.number(raw, Int(step.plan), of: self)
                if step.slot & step.sum != Instruction.none { scope.store(raw, of: step) }
                if step.isChecked, diagnostics.isWanted { check(raw, of: step, offset, &diagnostics) }
            case .text, .bytes:
                let count = try amount(step, scope, whole, reader)
                let from = reader.offset - start
                let end = try pass(count, of: step, whole, from, &reader)
                sink.bytes(whole.extracting(from..<(from + end)), Int(step.plan), of: self)
            case .uuid:
                let from = reader.offset - start
                try reader.skip(step.field, count: 16)
                sink.bytes(whole.extracting(from..<(from + 16)), Int(step.plan), of: self)
            case .part: break
            case .mark: marks[Int(step.target)] = reader.offset - start
            case .enter:
                frames[depth].index = reader.begin(step.field)
                depth += 1
                sink.enter(Int(step.plan), of: self)
            case .leave:
                depth -= 1
                reader.end(frames[depth].index)
                sink.leave()
            case .enterCase:
                frames[depth].index = reader.begin(step.field)
                depth += 1
            case .leaveCase:
                depth -= 1
                reader.end(frames[depth].index)
            case .when:
                if !holds(step, scope, whole) {
                    sink.absent(Int(step.plan), of: self)
                    index = Int(step.target)
                }
            case .list:
                let count = try amount(step, scope, whole, reader)
                sink.beginList(Int(step.plan), of: self)
                if step.slot != Instruction.none { scope.slots[Int(step.slot)] = .integer(0) }
                scope.beginList(step)
                if count == 0 || reader.isAtEnd && step.isToTheEnd {
                    sink.endList()
                    index = Int(step.target)
                } else {
                    frames[depth] = Frame(remaining: step.isToTheEnd ? -1 : count, index: index - 1)
                    depth += 1
                    scope.beginElement(step)
                }
            case .next:
                let list = instructions[frames[depth - 1].index]
                frames[depth - 1].count += 1
                frames[depth - 1].remaining -= 1
                let isLast = list.isToTheEnd ? reader.isAtEnd : frames[depth - 1].remaining == 0
                if list.slot != Instruction.none {
                    scope.slots[Int(list.slot)] = .integer(Int64(frames[depth - 1].count))
                }
                if isLast {
                    depth -= 1
                    sink.endList()
                } else {
                    scope.beginElement(list)
                    index = Int(step.target)
                }
            case .choose:
                let length = whole.byteCount - (choiceStart - start)
                guard let target = caseTarget(discriminant, length: length, from: step) else {
                    throw unknownCase(discriminant, length: length, of: step, at: choiceStart)
                }
                index = target
            case .jump: index = Int(step.target)
            }
        }
    }

    /// Reads a number in ASCII digits.
    private func readDigits(
        _ step: Instruction, _ count: Int, _ whole: RawSpan, _ reader: inout ByteReader
    ) throws(DecodeError) -> UInt64 {
        let from = whole.byteCount - reader.remaining
        guard count <= reader.remaining else {
            throw DecodeError(
                .truncated, field: step.field.label, offset: reader.offset, needed: count, available: reader.remaining)
        }
        let format = plans[Int(step.plan)].digits ?? DigitsFormat(base: 10)
        let bytes = whole.extracting(from..<(from + count))
        guard let raw = format.raw(bytes) else {
            throw DecodeError(
                .invalid("expected \(format.words), found \"\(bytes.text(0..<count))\""), field: step.field.label,
                offset: reader.offset, needed: count, available: reader.remaining)
        }
        for start in stride(from: 0, to: count, by: 8) {
            _ = try reader.take(bytes: min(8, count - start), .littleEndian, step.field)
        }
        return raw
    }

    /// The value recorded for a raw number.
    private func recordedValue(_ raw: UInt64, of step: Instruction) -> UInt64 {
        switch step.operation {
        case .float: FloatFormat.double(raw, bytes: Int(step.size)).bitPattern
        case .medical: MedicalFormat.double(raw, bytes: Int(step.size)).bitPattern
        default: step.isSigned ? raw.signExtended(from: Int(step.size)) : raw
        }
    }

    /// Consumes the bytes of a text or bytes field and returns the length of its value, which ends before the
    /// terminating NUL.
    private func pass(
        _ count: Int, of step: Instruction, _ whole: RawSpan, _ from: Int, _ reader: inout ByteReader
    ) throws(DecodeError) -> Int {
        var end = count
        let padding = plans[Int(step.plan)].padding
        if padding != nil, count <= reader.remaining {
            end = (from..<(from + count)).first { whole.byte(at: $0) == 0 }.map { $0 - from } ?? count
        }
        if end > 0 { try reader.skip(step.field, count: end) }
        if let padding, end < count { try reader.skip(padding, count: count - end) }
        return end
    }

    /// The number of bytes or elements.
    private func amount(
        _ step: Instruction, _ scope: SlotScope, _ whole: RawSpan, _ reader: borrowing ByteReader
    ) throws(DecodeError) -> Int {
        let result: Operand
        switch step.amount {
        case .fixed(let amount): return amount
        case .rest: return reader.remaining
        case .slot(let slot): result = scope.slots[slot]
        case .computed(let index): result = evaluate(index, whole, scope)
        }
        if let amount = result.integer, amount >= 0 { return Int(amount) }
        let found = result.integer.map { "found \($0)" } ?? "it cannot be computed"
        let what = step.operation == .list ? "count" : "length"
        throw DecodeError(
            .invalid("expected a \(what) of 0 or more, \(found)"), field: step.field.label, offset: reader.offset,
            needed: 0, available: reader.remaining)
    }

    /// The number of elements of a list with a fixed or computed count; nil if unknown.
    func count(_ step: Instruction, _ scope: SlotScope, _ whole: RawSpan) -> Int? {
        switch step.amount {
        case .fixed(let amount): amount
        case .rest: nil
        case .slot(let slot): scope.slots[slot].integer.map(Int.init)
        case .computed(let index): evaluate(index, whole, scope).integer.map(Int.init)
        }
    }

    func holds(_ step: Instruction, _ scope: SlotScope, _ whole: RawSpan) -> Bool {
        switch step.amount {
        case .slot(let slot): scope.slots[slot].boolean ?? false
        case .computed(let index): evaluate(index, whole, scope).boolean ?? false
        case .fixed, .rest: true
        }
    }

    private func evaluate(_ index: Int, _ whole: RawSpan, _ scope: SlotScope) -> Operand {
        expressions[index].program.evaluate(over: whole, in: scope)
    }
}

// MARK: - Choices

extension LayoutProgram {
    /// The first step of the case for a discriminant and the length of the choice; nil if no case matches.
    func caseTarget(_ value: UInt64, length: Int, from step: Instruction) -> Int? {
        for index in step.cases {
            if let wanted = cases[index].value, wanted != value { continue }
            if let wanted = cases[index].length, wanted != length { continue }
            return Int(cases[index].target)
        }
        return nil
    }

    /// The error for a discriminant without a matching case; lists the lengths that would match.
    private func unknownCase(_ value: UInt64, length: Int, of step: Instruction, at offset: Int) -> DecodeError {
        let lengths = step.cases.filter { cases[$0].value == value }.compactMap { cases[$0].length }
        let hex = "0x" + String(value, radix: 16)
        let expected =
            lengths.isEmpty
            ? "\(hex) is not a known value"
            : "\(hex) needs \(lengths.map(String.init).joined(separator: " or ")) bytes in all, found \(length)"
        return DecodeError(
            .invalid(expected), field: step.field.label, offset: offset, needed: 0, available: length)
    }
}

extension Instruction {
    /// Whether a list extends to the end of the value.
    var isToTheEnd: Bool {
        if case .rest = amount { true } else { false }
    }

    /// Extracts the bits of a part, whose lowest bit is `target` and whose width is `size`.
    func part(of raw: UInt64) -> UInt64 {
        raw >> UInt64(target) & (size >= 64 ? .max : 1 << UInt64(size) - 1)
    }

    /// Sign-extends a two's complement number of `size` bits to 64 bits.
    func extended(_ part: UInt64) -> UInt64 {
        let shift = UInt64(64 - Swift.min(64, Int(size)))
        return UInt64(bitPattern: Int64(bitPattern: part << shift) >> Int64(shift))
    }

    /// Indices of a choice's cases.
    var cases: Range<Int> {
        guard case .fixed(let count) = amount else { return 0..<0 }
        return Int(target)..<(Int(target) + count)
    }
}

extension UInt64 {
    /// Sign-extends a two's complement number of `size` bytes to eight bytes.
    func signExtended(from size: Int) -> UInt64 {
        let shift = UInt64(64 - 8 * Swift.min(8, size))
        return UInt64(bitPattern: Int64(bitPattern: self << shift) >> Int64(shift))
    }
}
