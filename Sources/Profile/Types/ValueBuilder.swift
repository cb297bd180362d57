import Bluetooth
import Bytes

/// Builds a `Value` from the values that a program reads.
struct ValueBuilder: ValueSink {
    private enum Level {
        case record(Record)
        case list([Value])
    }

    /// Open structures and lists, outermost first.
    private var levels: [Level] = []
    /// The whole value, once complete.
    private(set) var result: Value?

    init(isRecord: Bool) {
        if isRecord { levels.append(.record(Record())) }
    }

    /// The value, after reading.
    func value() -> Value {
        if case .record(let record)? = levels.first { return .record(record) }
        return result ?? .absent
    }

    private mutating func add(_ value: Value, _ name: String) {
        switch levels.popLast() {
        case .record(var record):
            record.fields.append((name, value))
            levels.append(.record(record))
        case .list(var elements):
            elements.append(value)
            levels.append(.list(elements))
        case nil: result = value
        }
    }

    mutating func number(_ raw: UInt64, _ plan: Int, of program: LayoutProgram) {
        let plan = program.plans[plan]
        add(plan.value(raw), plan.name)
    }

    mutating func bits(_ raw: UInt64, _ plan: Int, parts: Int, of program: LayoutProgram) {
        var record = Record()
        for part in program.plans[(plan + 1)..<(plan + 1 + parts)] {
            record.fields.append((part.name, part.value(raw >> part.shift & part.mask)))
        }
        add(.record(record), program.plans[plan].name)
    }

    mutating func bytes(_ bytes: RawSpan, _ plan: Int, of program: LayoutProgram) {
        let plan = program.plans[plan]
        switch plan.kind {
        case .text:
            // Keep invalid UTF-8 as bytes.
            let count = bytes.byteCount
            let text = bytes.text(0..<count)
            let isText = text.utf8.count == count && zip(text.utf8, 0..<count).allSatisfy { $0 == bytes.byte(at: $1) }
            add(isText ? .text(text) : .bytes((0..<count).map { bytes.byte(at: $0) }), plan.name)
        case .uuid:
            let isBig = plan.isBigEndian
            let wire = (0..<bytes.byteCount).map { bytes.byte(at: isBig ? bytes.byteCount - 1 - $0 : $0) }
            add(.text(UUID(wire: wire)?.description ?? ""), plan.name)
        default: add(.bytes((0..<bytes.byteCount).map { bytes.byte(at: $0) }), plan.name)
        }
    }

    mutating func absent(_ plan: Int, of program: LayoutProgram) {
        add(.absent, program.plans[plan].name)
    }

    mutating func enter(_ plan: Int, of program: LayoutProgram) {
        levels.append(.record(Record()))
        names.append(program.plans[plan].name)
    }

    mutating func leave() { close() }

    mutating func beginList(_ plan: Int, of program: LayoutProgram) {
        levels.append(.list([]))
        names.append(program.plans[plan].name)
    }

    mutating func endList() { close() }

    /// Names of the levels, except for the outermost.
    private var names: [String] = []

    /// Closes the structures and lists left open by a fault.
    mutating func closeAll() {
        while !names.isEmpty { close() }
    }

    private mutating func close() {
        guard let level = levels.popLast(), let name = names.popLast() else { return }
        switch level {
        case .record(let record): add(.record(record), name)
        case .list(let elements): add(.list(elements), name)
        }
    }
}

extension FieldPlan {
    /// The value of a raw number.
    func value(_ raw: UInt64) -> Value {
        switch kind {
        case .float: return .real(FloatFormat.shortest(raw, bytes: size))
        case .medical:
            if let name = MedicalFormat.name(raw, bytes: size) { return .named(raw, name) }
            return .real(MedicalFormat.double(raw, bytes: size))
        case .boolean: return raw <= 1 ? .boolean(raw == 1) : .named(raw, nil)
        case .enumeration: return .named(raw, names[raw])
        case .address: return .text(Address(value: raw).description)
        case .uuid: return .text(UUID(UInt32(truncatingIfNeeded: raw)).description)
        case .part where isBoolean: return .boolean(raw == 1)
        case .part where isNamed: return .named(raw, names[raw])
        default: break
        }
        if let name = names[raw] { return .named(raw, name) }
        if let scale { return .real(scale.value(of: number(raw))) }
        let integer = isSigned ? Int64(bitPattern: extended(raw)) : Int64(exactly: raw)
        guard let integer else { return .unsigned(raw) }
        if let time, let nanoseconds = ISO8601.nanoseconds(integer, epoch: time.epoch, step: time.step) {
            return .time(integer, nanoseconds: nanoseconds)
        }
        return .integer(integer)
    }
}
