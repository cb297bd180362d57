import Bytes

extension LayoutProgram {
    /// Encodes a value, running the same steps as for reading.
    ///
    /// Enumerations may be given by name or number, times as ISO 8601 or raw number. Constants and checksums may be
    /// omitted.
    func write(_ value: Value) throws(EncodeError) -> [UInt8] {
        var writer = LayoutWriter(self)
        try writer.begin(value)
        var index = 0
        while index < instructions.count {
            index = try writer.perform(instructions[index], at: index)
        }
        return try writer.finish()
    }
}

/// Encodes a value, step by step.
private struct LayoutWriter {
    /// A record or list being written.
    private struct Frame {
        var record: Record?
        var elements: [Value] = []
        var next = 0
        /// Names of the record's fields requested so far.
        var seen: Set<String> = []
        var path: String
        /// First step of a list.
        var start = 0
    }

    private let program: LayoutProgram
    private var writer = ByteWriter()
    private var scope: SlotScope
    private var frames: [Frame] = []
    private var marks: [Int] = Array(repeating: 0, count: LayoutProgram.markLimit)
    /// The discriminant just written, with its offset.
    private var discriminant: (value: UInt64, name: String?, offset: Int) = (0, nil, 0)
    /// Lengths required by cases, in bytes from `start`; checked at the end.
    private var lengths: [(start: Int, length: Int, name: String)] = []

    init(_ program: LayoutProgram) {
        self.program = program
        scope = SlotScope(program)
    }

    mutating func begin(_ value: Value) throws(EncodeError) {
        guard program.isRecord else {
            frames = [Frame(elements: [value], path: "")]
            return
        }
        guard case .record(let record) = value else { throw EncodeError("", "expected fields, found \(value.words)") }
        frames = [Frame(record: record, path: "")]
    }

    func finish() throws(EncodeError) -> [UInt8] {
        if let frame = frames.first { try refuseOthers(frame) }
        for (start, length, name) in lengths where writer.count - start != length {
            throw EncodeError("", "\(name) needs \(length) bytes in all, found \(writer.count - start)")
        }
        return writer.bytes
    }

    /// Runs a step; returns the index of the next.
    mutating func perform(_ step: Instruction, at index: Int) throws(EncodeError) -> Int {
        switch step.operation {
        case .integer, .float, .medical, .checksum: try number(step)
        case .digits: try digits(step)
        case .bits: return try bits(step, at: index)
        case .text, .bytes: try span(step)
        case .uuid: writer.write(try uuid(step))
        case .part: break
        case .mark: marks[Int(step.target)] = writer.count
        case .enter: try enter(step)
        case .leave:
            if let frame = frames.popLast() { try refuseOthers(frame) }
        case .enterCase, .leaveCase: break
        case .when: if try !takePresence(of: step) { return Int(step.target) }
        case .list: return try list(step, at: index)
        case .next: return next(step, at: index)
        case .choose:
            let chosen = try choose(step)
            if let length = chosen.length { lengths.append((discriminant.offset, length, chosen.name)) }
            return Int(chosen.target)
        case .jump: return Int(step.target)
        }
        return index + 1
    }

    // MARK: - Values

    private func path(_ plan: FieldPlan) -> String {
        guard let frame = frames.last, frame.record == nil, frame.elements.count > 1 || !frame.path.isEmpty else {
            return plan.path
        }
        return "\(plan.path)[\(frame.next)]"
    }

    /// The value of a field; nil if it is missing.
    private mutating func take(_ plan: FieldPlan) -> Value? {
        guard let last = frames.indices.last else { return nil }
        guard let record = frames[last].record else {
            return frames[last].next < frames[last].elements.count ? frames[last].elements[frames[last].next] : nil
        }
        frames[last].seen.insert(plan.name)
        let value = record[plan.name]
        return value == .absent ? nil : value
    }

    private mutating func require(_ plan: FieldPlan) throws(EncodeError) -> Value {
        if let value = take(plan) { return value }
        throw EncodeError(path(plan), "is missing")
    }

    /// Throws if the record has fields unknown to the type.
    private func refuseOthers(_ frame: Frame) throws(EncodeError) {
        guard let record = frame.record else { return }
        for (name, value) in record.fields where value != .absent && !frame.seen.contains(name) {
            let path = frame.path.isEmpty ? name : "\(frame.path).\(name)"
            throw EncodeError(path, "there is no such field here\(Advice.meant(name, among: frame.seen.sorted()))")
        }
    }

    // MARK: - Numbers

    private mutating func number(_ step: Instruction) throws(EncodeError) {
        let plan = program.plans[Int(step.plan)]
        let offset = writer.count
        var name: String?
        let raw: UInt64
        switch take(plan) {
        case nil:
            if let constant = plan.constant {
                raw = constant
            } else if case .checksum(let algorithm) = plan.kind {
                let end = if case .fixed(let mark) = step.amount { marks[mark] } else { offset }
                raw = algorithm.compute(writer.bytes.span.rawBytes.extracting(marks[Int(step.target)]..<end))
            } else {
                throw EncodeError(path(plan), "is missing")
            }
        case .text(let text)?:
            raw = try plan.raw(of: .text(text), path: path(plan))
            name = text
        case .named(let number, let text)?:
            raw = try plan.raw(of: .named(number, text), path: path(plan))
            name = text
        case let value?: raw = try plan.raw(of: value, path: path(plan))
        }
        discriminant = (raw, name, offset)
        write(raw, of: step)
        if step.slot & step.sum != Instruction.none { scope.store(raw, of: step) }
    }

    /// Writes a number in ASCII digits.
    private mutating func digits(_ step: Instruction) throws(EncodeError) {
        let plan = program.plans[Int(step.plan)]
        let raw = try plan.raw(of: try require(plan), path: path(plan))
        let length = amount(step)
        guard let bytes = plan.digits?.bytes(raw, length: length) else {
            throw EncodeError(path(plan), "the number needs more than \(length ?? 0) characters")
        }
        writer.write(bytes)
        if step.slot & step.sum != Instruction.none { scope.store(raw, of: step) }
    }

    private mutating func write(_ raw: UInt64, of step: Instruction) {
        let size = Int(step.size)
        writer.write(step.order == .bigEndian ? raw.byteSwapped >> UInt64(64 - 8 * size) : raw, bytes: size)
    }

    private mutating func bits(_ step: Instruction, at index: Int) throws(EncodeError) -> Int {
        let plan = program.plans[Int(step.plan)]
        let value = try require(plan)
        guard case .record(let record) = value else {
            throw EncodeError(path(plan), "expected its parts, found \(value.words)")
        }
        var raw: UInt64 = 0
        let parts = (index + 1)..<(index + 1 + Int(step.target))
        for part in parts {
            let step = program.instructions[part]
            let plan = program.plans[Int(step.plan)]
            let bits: UInt64
            if let value = record[plan.name], value != .absent {
                bits = try plan.raw(of: value, path: plan.path)
            } else if let constant = plan.constant {
                bits = constant
            } else {
                throw EncodeError(plan.path, "is missing")
            }
            raw |= (bits & plan.mask) << plan.shift
            if step.slot & step.sum != Instruction.none { scope.store(bits & plan.mask, of: step) }
        }
        let names = program.instructions[parts].map { program.plans[Int($0.plan)].name }
        for (name, value) in record.fields where value != .absent && !names.contains(name) {
            throw EncodeError("\(plan.path).\(name)", "there is no such part\(Advice.meant(name, among: names))")
        }
        write(raw, of: step)
        return parts.upperBound
    }

    // MARK: - Texts and bytes

    private mutating func span(_ step: Instruction) throws(EncodeError) {
        let plan = program.plans[Int(step.plan)]
        let value = try require(plan)
        var bytes = try plan.bytes(of: value, path: path(plan))
        guard let length = amount(step) else {
            // Only its terminator delimits the text.
            if plan.kind == .text(end: .nul) { bytes.append(0) }
            writer.write(bytes)
            return
        }
        if plan.endsAtNUL, bytes.count < length {
            bytes += [UInt8](repeating: 0, count: min(length, 0xFFFF) - bytes.count)
        }
        guard bytes.count == length else {
            throw EncodeError(path(plan), "expected \(length) bytes, found \(bytes.count)")
        }
        writer.write(bytes)
    }

    private mutating func uuid(_ step: Instruction) throws(EncodeError) -> [UInt8] {
        let plan = program.plans[Int(step.plan)]
        let bytes = try plan.uuidBytes(of: try require(plan), path: path(plan))
        return step.order == .bigEndian ? bytes.reversed() : bytes
    }

    /// The number of bytes or elements; nil if the value determines it, or if it depends on the encoded bytes.
    private func amount(_ step: Instruction) -> Int? {
        switch step.amount {
        case .fixed(let amount): amount
        case .slot(let slot): scope.slots[slot].integer.map { Int($0) }
        case .computed(let index) where !program.expressions[index].program.usesBytes:
            program.expressions[index].program.evaluate(over: RawSpan(), in: scope).integer.map { Int($0) }
        case .computed, .rest: nil
        }
    }

    // MARK: - Structures, lists and choices

    private mutating func enter(_ step: Instruction) throws(EncodeError) {
        let plan = program.plans[Int(step.plan)]
        let value = try require(plan)
        guard case .record(let record) = value else {
            throw EncodeError(path(plan), "expected fields, found \(value.words)")
        }
        frames.append(Frame(record: record, path: path(plan)))
    }

    /// Whether a conditional field is present: by its condition, or by the value if the condition depends on the
    /// encoded bytes.
    private mutating func takePresence(of step: Instruction) throws(EncodeError) -> Bool {
        let plan = program.plans[Int(step.plan)]
        let isGiven = take(plan) != nil
        let isWanted: Bool
        switch step.amount {
        case .slot(let slot): isWanted = scope.slots[slot].boolean ?? false
        case .computed(let index):
            let expression = program.expressions[index].program
            if expression.usesBytes { return isGiven }
            isWanted = expression.evaluate(over: RawSpan(), in: scope).boolean ?? false
        case .fixed, .rest: return isGiven
        }
        if isGiven, !isWanted { throw EncodeError(path(plan), "stands there, but its condition does not hold") }
        return isWanted
    }

    private mutating func list(_ step: Instruction, at index: Int) throws(EncodeError) -> Int {
        let plan = program.plans[Int(step.plan)]
        let value = try require(plan)
        let elements: [Value]
        switch value {
        case .list(let list): elements = list
        case .bytes(let bytes): elements = bytes.map { .integer(Int64($0)) }
        default: throw EncodeError(path(plan), "expected a list, found \(value.words)")
        }
        if let count = amount(step), count != elements.count {
            throw EncodeError(path(plan), "expected \(count) elements, found \(elements.count)")
        }
        if step.slot != Instruction.none { scope.slots[Int(step.slot)] = .integer(Int64(elements.count)) }
        scope.beginList(step)
        if elements.isEmpty { return Int(step.target) }
        frames.append(Frame(elements: elements, path: plan.path, start: index))
        scope.beginElement(step)
        return index + 1
    }

    private mutating func next(_ step: Instruction, at index: Int) -> Int {
        guard let last = frames.indices.last else { return index + 1 }
        frames[last].next += 1
        if frames[last].next == frames[last].elements.count {
            frames.removeLast()
            return index + 1
        }
        scope.beginElement(program.instructions[frames[last].start])
        return Int(step.target)
    }

    /// The case for the discriminant. Of several, prefers one with all fields of the record, then the one whose name
    /// was given.
    private func choose(_ step: Instruction) throws(EncodeError) -> CaseEntry {
        let frame = frames.last
        let given = Set(frame?.record?.fields.filter { $0.value != .absent }.map(\.name) ?? [])
            .subtracting(frame?.seen ?? [])
        let fitting = program.cases[step.cases].filter { $0.value == nil || $0.value == discriminant.value }
        let ranked = fitting.max { rank($0, given) < rank($1, given) }
        if let first = fitting.first, let ranked { return rank(ranked, given) > rank(first, given) ? ranked : first }
        let plan = program.plans[Int(step.plan)]
        throw EncodeError(path(plan), "\(discriminant.value) is not a known value")
    }

    /// Rates how well a case matches the given fields.
    private func rank(_ one: CaseEntry, _ given: Set<String>) -> Int {
        (given.isSubset(of: one.fields) ? 4 : 0) + (one.fields.isSubset(of: given) ? 2 : 0)
            + (one.name == discriminant.name ? 1 : 0)
    }
}

extension ExpressionProgram {
    /// Whether the expression uses the length or bytes, which are unknown until the value is complete.
    var usesBytes: Bool {
        steps.contains {
            switch $0.kind {
            case .length, .load, .loadAt, .compareLength, .compareLoad: true
            default: false
            }
        }
    }
}
