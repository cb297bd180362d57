import Bytes

/// Lazy view of a value through its type: numbers of fields by path, from one pass over the bytes, and the whole as a
/// `Value`. Both are computed on demand and shared by all rules that check the value.
///
/// One reading serves successive values of its type: it is valid only during the event that carries the value.
public final class ValueReading {
    public let layout: Layout
    /// Index of the type within its profile, and its identity among all types. Stored here because access through
    /// `layout` would retain a reference that other threads count at the same time.
    public let typeIndex: Int
    package let typeID: ObjectIdentifier
    private let program: LayoutProgram
    private let steps: NumberSteps?
    /// Paths of the fields, and the plans of each, including those in all cases of a choice.
    private let paths: NameTable
    private let plans: [[Int]]
    private var numbers: NumberSink
    private var bytes = ValueBytes([])
    private var progress = Progress.unread
    /// Number of bytes after those that the type reads.
    private var left = 0
    private var whole: Value??
    /// Resolved plans of field lists; a `FieldList` lives as long as the program.
    private var fieldPlans: [ObjectIdentifier: FieldPlans] = [:]
    private var lastPlans: FieldPlans?
    /// Collectors of list elements, by `FieldList`.
    private var sinks: [ObjectIdentifier: ElementSink] = [:]

    private enum Progress { case unread, read, faulty }

    /// Whether the bytes do not match the type.
    public var isFaulty: Bool {
        read()
        return progress == .faulty
    }

    /// Number of bytes after those that the type reads; 0 if the bytes do not match the type.
    package var bytesLeft: Int {
        read()
        return left
    }

    public init(_ layout: Layout) {
        self.layout = layout
        typeIndex = layout.index
        typeID = layout.id
        program = layout.program
        steps = NumberSteps(program)
        numbers = NumberSink(program)
        var paths: [String] = []
        var plans: [String: [Int]] = [:]
        for (index, plan) in program.plans.enumerated() {
            if plans[plan.path] == nil { paths.append(plan.path) }
            plans[plan.path, default: []].append(index)
        }
        self.paths = NameTable(paths)
        self.plans = paths.map { plans[$0] ?? [] }
    }

    /// Resets the reading to the next value.
    public func reset(to bytes: ValueBytes) {
        self.bytes = bytes
        progress = .unread
        whole = nil
    }

    /// The whole value; nil if the bytes do not match the type.
    public var value: Value? {
        if let whole { return whole }
        let value = try? layout.decode(bytes.array)
        whole = .some(value)
        return value
    }

    /// A field as an operand; unknown if absent.
    func operand(at path: String) -> Operand {
        guard let path = paths[path] else { return .unknown }
        read()
        for plan in plans[path] where numbers.operands[plan].kind != .unknown { return numbers.operands[plan] }
        return .unknown
    }

    /// The plan of a plain number; nil if cases of a choice give the field several plans.
    func plan(at path: String) -> Int? {
        guard let path = paths[path], plans[path].count == 1 else { return nil }
        let plan = plans[path][0]
        switch program.plans[plan].kind {
        case .text, .bytes, .uuid, .structure, .list: return nil
        default: return plan
        }
    }

    /// A field as an operand, by its plan.
    func operand(ofPlan plan: Int) -> Operand {
        read()
        return numbers.operands[plan]
    }

    /// The name of an enumeration's value or of a special value; nil for a number without a name.
    public func name(_ path: String) -> String? {
        guard let path = paths[path] else { return nil }
        read()
        for plan in plans[path] where numbers.operands[plan].kind != .unknown {
            return program.plans[plan].names[numbers.operands[plan].bits]
        }
        return nil
    }

    private func read() {
        guard progress == .unread else { return }
        // Fields before a fault are known, fields after it are not.
        let unread: Int?
        if steps == nil {
            numbers.reset()
            unread = read(into: &numbers)
        } else {
            unread = bytes.withBytes { steps?.read($0, into: &numbers, of: program) ?? nil }
        }
        progress = unread == nil ? .faulty : .read
        left = unread ?? 0
    }

    /// Reads list elements; returns the number of bytes after the value, nil if the bytes do not match the type.
    private func readElements(into sink: inout ElementSink) -> Int? {
        if steps == nil {
            sink.reset()
            return read(into: &sink)
        }
        return bytes.withBytes { steps?.read($0, into: &sink, of: program) ?? nil }
    }

    /// Reads the value; returns the number of bytes after it, nil if the bytes do not match the type.
    private func read(into sink: inout some ValueSink) -> Int? {
        bytes.withBytes { span in
            var reader = ByteReader(span)
            var diagnostics = DiagnosticList(isWanted: false)
            do throws(DecodeError) {
                try program.read(&reader, into: &sink, diagnostics: &diagnostics)
                return reader.remaining
            } catch {
                return nil
            }
        }
    }
}

extension ValueReading {
    /// An integer field, a flag as 1 or 0, an enumeration or a time as its number; nil if absent.
    public func integer(_ path: String) -> Int? { operand(at: path).comparable.integer.map(Int.init) }

    /// The largest number of an unsigned field, after which a counter wraps; nil for other fields.
    package func largest(_ path: String) -> Int? {
        guard let path = paths[path], let first = plans[path].first, case let plan = program.plans[first],
            !plan.isSigned, plan.scale == nil, plan.width < 63
        else { return nil }
        return Int(plan.mask)
    }

    /// A field as display text: its name or number; nil if absent.
    public func text(_ path: String) -> String? {
        if let name = name(path) { return name }
        let operand = operand(at: path)
        switch operand.kind {
        case .integer: return operand.integer.map(String.init)
        case .real: return operand.real.map { String($0) }
        case .boolean: return operand.boolean.map(String.init)
        case .unknown, .text: return nil
        }
    }

    /// A real number; nil if absent.
    public func real(_ path: String) -> Double? { operand(at: path).real }

    public func flag(_ path: String) -> Bool? {
        operand(at: path).boolean ?? operand(at: path).integer.map { $0 != 0 }
    }

    /// Decodes the value as a Swift type of the plugin; nil if the bytes do not match. Takes some microseconds: use the
    /// accessors by path for frequent values.
    public func decoded<Result: Decodable>(as type: Result.Type = Result.self) -> Result? {
        value.flatMap { try? RecordDecoder().decode(type, from: $0) }
    }

    /// Whether a bytes or text field is present.
    public func isThere(_ path: String) -> Bool {
        guard let path = paths[path] else { return false }
        read()
        return plans[path].contains { numbers.isThere[$0] }
    }
}

// MARK: - Several fields at once

extension ValueReading {
    /// The numbers of several fields.
    public func numbers(of fields: FieldList) -> FieldNumbers {
        read()
        return FieldNumbers(numbers.operands, plans: plans(of: fields))
    }

    /// Maps the elements of the fields' list with `make`; nil if the bytes do not match the type or `make` returns nil.
    public func elements<Result>(
        of fields: FieldList, _ make: (inout FieldNumbers) -> Result?
    ) -> [Result]? {
        guard !isFaulty, var filled = takeSink(of: fields) else { return nil }
        guard readElements(into: &filled) != nil else { return nil }
        defer { sinks[ObjectIdentifier(fields)] = filled }
        let plans = plans(of: fields)
        let size = max(1, filled.plans.count)
        var results: [Result] = []
        results.reserveCapacity(filled.operands.count / size)
        for start in stride(from: 0, to: filled.operands.count, by: size) {
            var numbers = FieldNumbers(filled.operands, from: start - filled.plans.lowerBound, plans: plans)
            guard let result = make(&numbers) else { return nil }
            results.append(result)
        }
        return results
    }

    /// Removes the collector of the fields' list from the cache, creating it if needed. Unique ownership allows filling
    /// it in place.
    private func takeSink(of fields: FieldList) -> ElementSink? {
        if let sink = sinks.removeValue(forKey: ObjectIdentifier(fields)) { return sink }
        guard let path = fields.list.flatMap({ paths[$0] }),
            let list = plans[path].first(where: { program.plans[$0].kind == .list })
        else { return nil }
        return ElementSink(list, of: program, numbers.forms)
    }

    /// The plans of the fields in this type.
    private func plans(of fields: FieldList) -> FieldPlans {
        if let lastPlans, lastPlans.fields === fields { return lastPlans }
        let plans = fieldPlans[ObjectIdentifier(fields)] ?? findPlans(of: fields)
        lastPlans = plans
        return plans
    }

    private func findPlans(of fields: FieldList) -> FieldPlans {
        let inside = takeSink(of: fields)?.plans ?? program.plans.indices
        let plans = fields.paths.map { path in
            paths[path].map { self.plans[$0].filter { inside.contains($0) } } ?? []
        }
        let found = FieldPlans(fields, plans)
        fieldPlans[ObjectIdentifier(fields)] = found
        return found
    }
}
