import Bytes

/// A value as its type reads it: numbers of fields by their paths in one pass over the bytes, the whole as a `Value` when
/// somebody asks for that. Both are made when they are first needed, for all who judge the same value.
///
/// One reading serves value after value of its type: it is good only as long as the event that carries it.
package final class ValueReading {
    package let layout: Layout
    /// Plans of the fields outside of lists, by their paths: those of all cases of a choice.
    private let plans: [String: [Int]]
    private var numbers: NumberSink
    private var bytes = ValueBytes([])
    private var progress = Progress.unread
    private var whole: Value??

    private enum Progress { case unread, read, faulty }

    /// Whether the bytes are none of the type.
    package var isFaulty: Bool {
        read()
        return progress == .faulty
    }

    package init(_ layout: Layout) {
        self.layout = layout
        let program = layout.program
        numbers = NumberSink(program)
        var plans: [String: [Int]] = [:]
        for (index, plan) in program.plans.enumerated() { plans[plan.path, default: []].append(index) }
        self.plans = plans
    }

    /// Turns to the next value.
    package func reset(to bytes: ValueBytes) {
        self.bytes = bytes
        progress = .unread
        whole = nil
    }

    /// The whole value; nil where the bytes are none of the type.
    package var value: Value? {
        if let whole { return whole }
        let value = try? layout.decode(bytes.array)
        whole = .some(value)
        return value
    }

    /// A field as expressions compute with it; unknown where it is not there.
    func operand(at path: String) -> Operand {
        guard let candidates = plans[path] else { return .unknown }
        read()
        for plan in candidates where numbers.operands[plan].kind != .unknown { return numbers.operands[plan] }
        return .unknown
    }

    /// The only plan of a field that is a plain number; nil where cases of a choice have one each.
    func plan(at path: String) -> Int? {
        guard let candidates = plans[path], candidates.count == 1 else { return nil }
        switch layout.program.plans[candidates[0]].kind {
        case .text, .bytes, .uuid, .structure, .list: return nil
        default: return candidates[0]
        }
    }

    /// A field by its plan.
    func operand(ofPlan plan: Int) -> Operand {
        read()
        return numbers.operands[plan]
    }

    /// The name that the number of an enumeration or a special value has; nil for a number without one.
    package func name(_ path: String) -> String? {
        guard let candidates = plans[path] else { return nil }
        read()
        for plan in candidates where numbers.operands[plan].kind != .unknown {
            return layout.program.plans[plan].names[numbers.operands[plan].bits]
        }
        return nil
    }

    private func read() {
        guard progress == .unread else { return }
        progress = .read
        numbers.reset()
        bytes.withBytes { span in
            var reader = ByteReader(span)
            var remarks = RemarkList(isWanted: false)
            // Fields before the fault are known, those after it are not.
            do throws(DecodeError) {
                try layout.program.read(&reader, into: &numbers, remarks: &remarks)
            } catch {
                progress = .faulty
            }
        }
    }
}

extension ValueReading {
    /// An integer field, a flag as 1 or 0, an enumeration or a time by its number; nil where it is not there.
    package func integer(_ path: String) -> Int? { operand(at: path).comparable.integer.map(Int.init) }

    /// The largest number of an unsigned field, after which a counter begins anew.
    package func largest(_ path: String) -> Int? {
        guard let plan = plans[path]?.first.map({ layout.program.plans[$0] }), !plan.isSigned, plan.scale == nil,
            plan.width < 63
        else { return nil }
        return Int(plan.mask)
    }

    /// A field for people: a name, a number; nil where it is not there.
    package func text(_ path: String) -> String? {
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
    package func real(_ path: String) -> Double? { operand(at: path).real }

    package func flag(_ path: String) -> Bool? {
        operand(at: path).boolean ?? operand(at: path).integer.map { $0 != 0 }
    }

    /// The value as a Swift type of the plugin; nil where the bytes are none of it. It takes some microseconds: numbers by
    /// their paths are for what comes often.
    package func decoded<Result: Decodable>(as type: Result.Type = Result.self) -> Result? {
        value.flatMap { try? RecordDecoder().decode(type, from: $0) }
    }
}
