import Profile

extension FieldOutline {
    /// Bytes that the field takes, with all that lies in it and as often as it stands there; the greatest number where
    /// nothing bounds them.
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

    /// Bytes of the field once, if it is there.
    var lengthsOnce: ClosedRange<Int> {
        switch content {
        case .value: definition?.kind.lengths ?? 0...0
        case .structure(let fields): Self.sum(fields.map(\.lengths))
        case .choice(let choice): choice.lengths
        }
    }

    /// Bytes of fields one after the other.
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
    /// Bytes of the discriminant with what follows.
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
    /// Bytes of one value.
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
