import Bytes

/// A value as its type reads it: numbers of fields by their paths in one pass over the bytes, the whole as a `Value` when
/// somebody asks for that. Both are made when they are first needed, for all rules that check the same value.
///
/// One reading serves value after value of its type: it is good only as long as the event that carries it.
public final class ValueReading {
    public let layout: Layout
    /// The type's place among those of its profile, and what tells it from all other types. Who asks the layout for them
    /// counts references to it, as other threads do at the same time.
    public let typeIndex: Int
    package let typeID: ObjectIdentifier
    private let program: LayoutProgram
    private let steps: NumberSteps?
    /// Paths of the fields, and the plans of each: those of all cases of a choice.
    private let paths: NameTable
    private let plans: [[Int]]
    private var numbers: NumberSink
    private var bytes = ValueBytes([])
    private var progress = Progress.unread
    /// Bytes after those that the type reads.
    private var left = 0
    private var whole: Value??
    /// Where the fields of each list are in the type; a list lives as long as the program.
    private var fieldPlans: [ObjectIdentifier: FieldPlans] = [:]
    private var lastPlans: FieldPlans?
    /// What collects the elements of a list, by the fields that are asked for.
    private var sinks: [ObjectIdentifier: ElementSink] = [:]

    private enum Progress { case unread, read, faulty }

    /// Whether the bytes are none of the type.
    public var isFaulty: Bool {
        read()
        return progress == .faulty
    }

    /// How many bytes there are after those that the type reads; 0 where the bytes are none of it.
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

    /// Turns to the next value.
    public func reset(to bytes: ValueBytes) {
        self.bytes = bytes
        progress = .unread
        whole = nil
    }

    /// The whole value; nil where the bytes are none of the type.
    public var value: Value? {
        if let whole { return whole }
        let value = try? layout.decode(bytes.array)
        whole = .some(value)
        return value
    }

    /// A field as expressions compute with it; unknown where it is not there.
    func operand(at path: String) -> Operand {
        guard let path = paths[path] else { return .unknown }
        read()
        for plan in plans[path] where numbers.operands[plan].kind != .unknown { return numbers.operands[plan] }
        return .unknown
    }

    /// The only plan of a field that is a plain number; nil where cases of a choice have one each.
    func plan(at path: String) -> Int? {
        guard let path = paths[path], plans[path].count == 1 else { return nil }
        let plan = plans[path][0]
        switch program.plans[plan].kind {
        case .text, .bytes, .uuid, .structure, .list: return nil
        default: return plan
        }
    }

    /// A field by its plan.
    func operand(ofPlan plan: Int) -> Operand {
        read()
        return numbers.operands[plan]
    }

    /// The name that the number of an enumeration or a special value has; nil for a number without one.
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
        // Fields before a fault are known, those after it are not.
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

    /// How many bytes there are after the value, whose elements are read; nil where the bytes are none of the type.
    private func readElements(into sink: inout ElementSink) -> Int? {
        if steps == nil {
            sink.reset()
            return read(into: &sink)
        }
        return bytes.withBytes { steps?.read($0, into: &sink, of: program) ?? nil }
    }

    /// How many bytes there are after the value; nil where the bytes are none of the type.
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
    /// An integer field, a flag as 1 or 0, an enumeration or a time by its number; nil where it is not there.
    public func integer(_ path: String) -> Int? { operand(at: path).comparable.integer.map(Int.init) }

    /// The largest number of an unsigned field, after which a counter begins anew.
    package func largest(_ path: String) -> Int? {
        guard let path = paths[path], let first = plans[path].first, case let plan = program.plans[first],
            !plan.isSigned, plan.scale == nil, plan.width < 63
        else { return nil }
        return Int(plan.mask)
    }

    /// A field for people: a name, a number; nil where it is not there.
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

    /// A measured number.
    public func real(_ path: String) -> Double? { operand(at: path).real }

    public func flag(_ path: String) -> Bool? {
        operand(at: path).boolean ?? operand(at: path).integer.map { $0 != 0 }
    }

    /// The value as a Swift type of the plugin; nil where the bytes are none of it. It takes some microseconds: numbers by
    /// their paths are for what comes often.
    public func decoded<Result: Decodable>(as type: Result.Type = Result.self) -> Result? {
        value.flatMap { try? RecordDecoder().decode(type, from: $0) }
    }

    /// Whether a field of bytes or of text is there.
    public func isThere(_ path: String) -> Bool {
        guard let path = paths[path] else { return false }
        read()
        return plans[path].contains { numbers.isThere[$0] }
    }
}

// MARK: - Several fields at once

extension ValueReading {
    /// The numbers of fields that are read together.
    public func numbers(of fields: FieldList) -> FieldNumbers {
        read()
        return FieldNumbers(numbers.operands, plans: plans(of: fields))
    }

    /// What `make` makes of each element of the fields' list; nil where the bytes are none of the type, and where it gives
    /// nil.
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

    /// What collects the elements of the fields' list; with one owner, so that it is filled in place.
    private func takeSink(of fields: FieldList) -> ElementSink? {
        if let sink = sinks.removeValue(forKey: ObjectIdentifier(fields)) { return sink }
        guard let path = fields.list.flatMap({ paths[$0] }),
            let list = plans[path].first(where: { program.plans[$0].kind == .list })
        else { return nil }
        return ElementSink(list, of: program, numbers.forms)
    }

    /// Where the fields are in this type.
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
