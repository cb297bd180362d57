import Bytes

/// The syntax tree of a display filter: output of the parser, input of the compiler.
indirect enum FilterSyntax {
    case or([FilterSyntax])
    case xor([FilterSyntax])
    case and([FilterSyntax])
    case not(FilterSyntax)
    /// A term alone: tests its presence.
    case bare(FilterTerm)
    /// A chain of comparisons: `a < b <= c` means `a < b` and `b <= c`.
    case relation(FilterQuantifier?, FilterTerm, [(FilterOperator, FilterTerm)])
    /// `a in {…}`.
    case membership(FilterQuantifier?, FilterTerm, [FilterSetElement])
}

/// An operand in the filter, with its position.
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
    /// The term's characters in the filter.
    let range: Range<Int>
    /// Nesting depth of terms, including this one.
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
    /// UTF-8, except for bytes written as escapes.
    var bytes: [UInt8]
    /// Position of an unknown escape sequence, which only patterns permit.
    var unknownEscape: Range<Int>?
    /// Whether the string was written as r"…".
    var isRaw: Bool

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A byte range of a value; negative offsets count from the end.
struct FilterSlice: Hashable {
    enum End: Hashable {
        /// Length in bytes.
        case length(Int)
        /// Offset of the last byte, inclusive.
        case last(Int)
        case rest
    }

    let start: Int
    let end: End
}

/// A member of a set: a value or a range.
struct FilterSetElement {
    let low: FilterTerm
    let high: FilterTerm?
}

/// Whether one occurrence of a field suffices or all must match.
enum FilterQuantifier {
    case any, all
}

enum FilterOperator: Hashable {
    case compare(FilterComparison, FilterQuantifier)
    case contains
    case matches
}

enum FilterComparison: Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// The equivalent comparison with the sides exchanged.
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
