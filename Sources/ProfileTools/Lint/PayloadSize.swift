import Profile

/// Upper bound of a type's value length, derived from the ranges of count and length fields.
struct PayloadSize {
    let types: TypeIndex

    /// Maximum length in bytes; nil if unbounded.
    func largest(of type: String, depth: Int = 0) -> Int? {
        guard depth <= NestingCheck.depthLimit, let type = types[type] else { return nil }
        switch type.form {
        case .structure(let fields): return sum(of: fields, before: [], depth: depth)
        case .scalar(let field): return size(of: field, before: [], depth: depth)
        case .choice(let choice):
            guard let first = size(of: choice.discriminant, before: [], depth: depth) else { return nil }
            var largest = first
            for one in choice.all {
                let length =
                    one.length ?? sum(of: one.fields, before: [choice.discriminant], depth: depth).map { first + $0 }
                guard let length else { return nil }
                largest = max(largest, length)
            }
            return largest
        }
    }

    private func sum(of fields: [FieldDefinition], before: [FieldDefinition], depth: Int) -> Int? {
        var sum = 0
        for (index, field) in fields.enumerated() {
            guard let size = size(of: field, before: before + fields[..<index], depth: depth) else { return nil }
            sum = min(sum + size, Self.limit)
        }
        return sum
    }

    /// Maximum length of all elements of a field.
    private func size(of field: FieldDefinition, before: [FieldDefinition], depth: Int) -> Int? {
        guard let one = element(of: field, before: before, depth: depth) else { return nil }
        switch field.count {
        case nil: return one
        case .fixed(let count)?: return min(count * one, Self.limit)
        case .computed(let count)?: return largest(count, before).map { min($0 * one, Self.limit) }
        case .rest?: return nil
        }
    }

    private func element(of field: FieldDefinition, before: [FieldDefinition], depth: Int) -> Int? {
        switch field.kind {
        case .unsigned(let bytes), .signed(let bytes), .float(let bytes), .medical(let bytes), .uuid(let bytes),
            .enumeration(let bytes, _), .bits(let bytes, _, _):
            return bytes
        case .address: return 6
        case .checksum(let checksum): return checksum.algorithm.bytes
        case .type(let name): return largest(of: name, depth: depth + 1)
        case .text(let length, _), .bytes(let length), .digits(let length, _):
            switch length {
            case .fixed(let bytes): return bytes
            case .computed(let length): return largest(length, before)
            case .rest: return nil
            }
        }
    }

    /// Exceeds any real value; keeps sums and products small.
    private static let limit = 1 << 20

    private func largest(_ expression: Expression, _ before: [FieldDefinition]) -> Int? {
        bounds(of: expression.root, before).map { min(max(0, $0.upperBound), Self.limit) }
    }

    /// Range of a number in an expression; nil if unknown.
    private func bounds(of node: Expression.Node, _ before: [FieldDefinition]) -> ClosedRange<Int>? {
        switch node {
        case .number(let number): return Int(exactly: number).map { Self.clamped($0...$0) }
        case .field(let path): return types.target(of: path, among: before).flatMap(bounds)
        case .binary(let operation, let left, let right):
            guard let one = bounds(of: left, before), let other = bounds(of: right, before) else { return nil }
            switch operation {
            case .add: return Self.clamped(one.lowerBound + other.lowerBound...one.upperBound + other.upperBound)
            case .subtract: return Self.clamped(one.lowerBound - other.upperBound...one.upperBound - other.lowerBound)
            case .multiply:
                let products = [one.lowerBound, one.upperBound].flatMap { factor in
                    [factor * other.lowerBound, factor * other.upperBound]
                }
                return Self.clamped((products.min() ?? 0)...(products.max() ?? 0))
            default: return nil
            }
        default: return nil
        }
    }

    /// Range of the field at a path; nil if unknown.
    private func bounds(of target: TypeIndex.Target) -> ClosedRange<Int>? {
        switch target {
        case .part(let part): return part.isSigned ? nil : 0...(1 << min(part.bits.count, 20)) - 1
        case .discriminant: return nil
        case .field(let field):
            guard let field = types.resolved(field), field.scale == nil else { return nil }
            if let constant = field.constant { return Self.clamped(Int(clamping: constant)...Int(clamping: constant)) }
            if let range = field.range {
                return Int(exactly: range.upperBound.rounded(.down)).map { Self.clamped(0...max(0, $0)) }
            }
            switch field.kind {
            case .unsigned(let bytes), .enumeration(let bytes, _):
                return 0...(bytes > 2 ? Self.limit : 1 << (8 * bytes) - 1)
            default: return nil
            }
        }
    }

    private static func clamped(_ range: ClosedRange<Int>) -> ClosedRange<Int> { range.clamped(to: -limit...limit) }
}
