import Bytes

extension FilterProgram {
    func matches(_ frame: borrowing FilterFrame) -> Bool {
        switch self {
        case .always:
            return true
        case .or(let parts):
            for part in parts where part.matches(frame) { return true }
            return false
        case .and(let parts):
            for part in parts where !part.matches(frame) { return false }
            return true
        case .xor(let parts):
            var isOdd = false
            for part in parts where part.matches(frame) { isOdd.toggle() }
            return isOdd
        case .not(let part):
            return !part.matches(frame)
        case .exists(let fields):
            let recorder = frame.recorder
            let entries = recorder.span
            for index in entries.indices where fields.index(of: entries[index].field) != nil { return true }
            return false
        case .present(let operand):
            return frame.someValue(of: operand) { _, _ in true }
        case .nonzero(let operand):
            return frame.someValue(of: operand) { _, value in value.isNonzero }
        case .test(let operand, let predicates, let quantifier):
            return frame.test(operand, quantifier) { kind, value in
                kind < predicates.count && predicates[kind].passes(value)
            }
        case .compare(let one, let comparison, let other, let quantifier, let order):
            let others = FilterValueSet(frame.values(of: other), order)
            if others.isEmpty { return false }
            return frame.test(one, quantifier) { _, value in others.passes(value, comparison, quantifier) }
        case .contains(let one, let other):
            let parts = BytePartSet(
                frame.values(of: other).compactMap { value in
                    if case .bytes(let bytes) = value { bytes } else { nil }
                })
            return frame.someValue(of: one) { _, value in
                if case .bytes(let bytes) = value { parts.isFound(in: bytes) } else { false }
            }
        }
    }
}

extension FilterFrame {
    /// Calls `body` with each value of the operand and the index of its kind, until it returns true.
    ///
    /// Numbers cause no allocation.
    func someValue(of operand: FilterOperand, _ body: (Int, FilterValue) -> Bool) -> Bool {
        switch operand {
        case .fields(let fields):
            let recorder = recorder
            let entries = recorder.span
            for place in entries.indices {
                let entry = entries[place]
                if let index = fields.index(of: entry.field),
                    body(index, value(of: entry, as: fields.alternatives[index].form))
                {
                    return true
                }
            }
            return false
        case .count(let fields):
            var count = 0
            let recorder = recorder
            let entries = recorder.span
            for index in entries.indices where fields.index(of: entries[index].field) != nil { count += 1 }
            return count > 0 && body(0, .number(Int128(count)))
        case .slice(let inner, let slices):
            return someValue(of: inner) { _, value in
                guard case .bytes(let bytes) = value, let part = bytes.sliced(slices) else { return false }
                return body(0, .bytes(part))
            }
        case .masked(let inner, let mask):
            return someValue(of: inner) { kind, value in
                guard case .number(let number) = value else { return false }
                return body(kind, .number(number & Int128(mask)))
            }
        case .maskedBytes(let inner, let mask):
            return someValue(of: inner) { _, value in
                guard case .bytes(let bytes) = value, bytes.count == mask.count else { return false }
                return body(0, .bytes(zip(bytes, mask).map { $0 & $1 }))
            }
        case .length(let inner):
            return length(of: inner, body)
        case .lowercased(let inner):
            return someValue(of: inner) { _, value in
                guard case .bytes(let bytes) = value else { return false }
                return body(0, .bytes(bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }))
            }
        case .uppercased(let inner):
            return someValue(of: inner) { _, value in
                guard case .bytes(let bytes) = value else { return false }
                return body(0, .bytes(bytes.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }))
            }
        }
    }

    /// Lengths in bytes: of a field's source bytes, or of a computed value.
    private func length(of operand: FilterOperand, _ body: (Int, FilterValue) -> Bool) -> Bool {
        if case .fields(let fields) = operand {
            let recorder = recorder
            let entries = recorder.span
            for place in entries.indices {
                let entry = entries[place]
                guard let index = fields.index(of: entry.field) else { continue }
                let isText = fields.alternatives[index].form == .text
                let length = isText ? value(of: entry, as: .text).length : Int(entry.length)
                if body(0, .number(Int128(length))) { return true }
            }
            return false
        }
        return someValue(of: operand) { _, value in body(0, .number(Int128(value.length))) }
    }

    func values(of operand: FilterOperand) -> [FilterValue] {
        var values: [FilterValue] = []
        _ = someValue(of: operand) { _, value in
            values.append(value)
            return false
        }
        return values
    }

    /// Whether any value passes, or all of them. `all` needs at least one value.
    func test(
        _ operand: FilterOperand, _ quantifier: FilterQuantifier, _ passes: (Int, FilterValue) -> Bool
    ) -> Bool {
        if quantifier == .any { return someValue(of: operand, passes) }
        var isEmpty = true
        let someFails = someValue(of: operand) { kind, value in
            isEmpty = false
            return !passes(kind, value)
        }
        return !someFails && !isEmpty
    }
}

extension FilterValue {
    fileprivate var isNonzero: Bool {
        switch self {
        case .number(let number): number != 0
        case .real(let number): number != 0
        case .bytes(let bytes): bytes.contains { $0 != 0 }
        }
    }

    /// Length in bytes; 0 for numbers, whose length is that of their field.
    fileprivate var length: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }
}

extension [UInt8] {
    /// The concatenated bytes of the slices; nil if one lies outside the value.
    fileprivate func sliced(_ slices: [FilterSlice]) -> [UInt8]? {
        var result: [UInt8] = []
        for slice in slices {
            let start = slice.start < 0 ? count + slice.start : slice.start
            let end =
                switch slice.end {
                case .length(let length): start + length
                case .last(let last): (last < 0 ? count + last : last) + 1
                case .rest: count
                }
            guard start >= 0, start < end, end <= count else { return nil }
            result += self[start..<end]
        }
        return result
    }
}
