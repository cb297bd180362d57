import Profile

extension FieldOutline {
    /// Smallest and largest length of the field in bytes, including nested fields and repetitions; `Int.max` if
    /// unbounded.
    var lengths: ClosedRange<Int> {
        let once = lengthsOnce
        var lengths =
            switch definition?.count {
            case nil: once
            case .fixed(let count)?:
                Self.times(once.lowerBound, count)...Self.times(once.upperBound, count)
            case .computed?, .rest?: 0...Int.max
            }
        if definition?.condition != nil { lengths = 0...lengths.upperBound }
        return lengths
    }

    /// Length of one occurrence of the field, in bytes.
    var lengthsOnce: ClosedRange<Int> {
        switch content {
        case .value: definition?.kind.lengths ?? 0...0
        case .structure(let fields): Self.sum(fields.map(\.lengths))
        case .choice(let choice): choice.lengths
        }
    }

    /// Total length of consecutive fields.
    static func sum(_ lengths: [ClosedRange<Int>]) -> ClosedRange<Int> {
        lengths.reduce(0...0) { sum, next in
            plus(sum.lowerBound, next.lowerBound)...plus(sum.upperBound, next.upperBound)
        }
    }

    private static func plus(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func times(_ one: Int, _ count: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: max(0, count))
        return overflow ? .max : product
    }
}

extension FieldOutline.Choice {
    /// Length of the discriminant and the fields of a case, in bytes.
    var lengths: ClosedRange<Int> {
        let all =
            cases.map { $0.length.map { $0...$0 } ?? FieldOutline.sum([discriminant.lengths, $0.group.lengths]) }
            + (otherwise.map { [FieldOutline.sum([discriminant.lengths, $0.lengths])] } ?? [])
        guard let least = all.map(\.lowerBound).min(), let most = all.map(\.upperBound).max() else {
            return discriminant.lengths
        }
        return least...most
    }
}

extension FieldDefinition.Kind {
    /// Length of one value, in bytes.
    fileprivate var lengths: ClosedRange<Int> {
        switch self {
        case .unsigned(let bytes), .signed(let bytes), .float(let bytes), .medical(let bytes), .uuid(let bytes),
            .enumeration(let bytes, _), .bits(let bytes, _, _):
            bytes...bytes
        case .address: 6...6
        case .checksum(let checksum): checksum.algorithm.bytes...checksum.algorithm.bytes
        case .text(.fixed(let bytes), _), .bytes(.fixed(let bytes)), .digits(.fixed(let bytes), _): bytes...bytes
        case .digits: 1...Int.max
        case .text, .bytes: 0...Int.max
        case .type: 0...0
        }
    }
}
