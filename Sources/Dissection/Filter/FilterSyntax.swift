import Bytes

/// A display filter as it was written: what the parser makes and the compiler reads.
indirect enum FilterSyntax {
    case or([FilterSyntax])
    case xor([FilterSyntax])
    case and([FilterSyntax])
    case not(FilterSyntax)
    /// A term by itself: is it there?
    case bare(FilterTerm)
    /// Terms with operators between them: `a < b <= c` asks for `a < b` and `b <= c`.
    case relation(FilterQuantifier?, FilterTerm, [(FilterOperator, FilterTerm)])
    /// `a in {…}`.
    case membership(FilterQuantifier?, FilterTerm, [FilterSetElement])
}

/// What stands on a side of an operator, with its place in the filter.
struct FilterTerm {
    indirect enum Kind {
        /// The name of a field or a value without quotes.
        case word(String)
        case string(FilterString)
        /// A character in single quotes.
        case character(UInt8)
        case slice(FilterTerm, [FilterSlice])
        case call(String, [FilterTerm])
        case bitAnd(FilterTerm, FilterTerm)
    }

    let kind: Kind
    /// Its characters in the filter.
    let range: Range<Int>
    /// How many terms lie in each other, this one included.
    let height: Int

    init(kind: Kind, range: Range<Int>) {
        self.kind = kind
        self.range = range
        height =
            switch kind {
            case .word, .string, .character: 1
            case .slice(let inner, _), .bitAnd(let inner, _): inner.height + 1
            case .call(_, let arguments): (arguments.map(\.height).max() ?? 0) + 1
            }
    }
}

/// A text in double quotes.
struct FilterString: Hashable {
    /// UTF-8, but for bytes that were written as escapes.
    var bytes: [UInt8]
    /// Where a backslash stands before a character that it has no meaning for; allowed in patterns only.
    var unknownEscape: Range<Int>?
    /// Whether it was written as r"…".
    var isRaw: Bool

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Bytes of a value; offsets below 0 count from its end.
struct FilterSlice: Hashable {
    enum End: Hashable {
        /// So many bytes.
        case length(Int)
        /// Up to and with the byte at this offset.
        case last(Int)
        /// All that follow.
        case rest
    }

    let start: Int
    let end: End
}

/// A member of a set: a value, or all values from one to another.
struct FilterSetElement {
    let low: FilterTerm
    let high: FilterTerm?
}

/// Whether one occurrence of a field is enough.
enum FilterQuantifier {
    case any, all
}

/// What is asked about two values.
enum FilterOperator: Hashable {
    case compare(FilterComparison, FilterQuantifier)
    case contains
    case matches
}

enum FilterComparison: Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// The comparison that asks the same with the sides exchanged.
    var mirrored: Self {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
