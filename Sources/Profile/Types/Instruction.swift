import Bytes

/// A step of a compiled type: small, and free of reference counting.
struct Instruction: Sendable {
    enum Operation: UInt8, Sendable {
        /// Fields with a value. `target` is, for bits, the number of steps for their parts that follow; for a part, its
        /// lowest bit; for a checksum, its start mark.
        case integer, float, medical, bits, part, text, bytes, uuid, checksum
        /// A number as ASCII digits; `amount` is its length in characters.
        case digits
        /// Start and end of a structure.
        case enter, leave
        /// Jumps to `target` unless the condition `amount` holds.
        case when
        /// `list` starts a list; `target` is the step after it. `next` ends an element; the next one starts at
        /// `target`.
        case list, next
        /// Selects a case by the discriminant just read: `target` is the index of the first case, `amount` their
        /// number.
        case choose
        /// Start and end of a case of a choice.
        case enterCase, leaveCase
        case jump
        /// Stores the current offset, a boundary of checksummed bytes, in the mark `target`.
        case mark
    }

    /// Number of elements or bytes.
    enum Amount: Sendable {
        case fixed(Int)
        /// The value in a slot.
        case slot(Int)
        /// The result of the expression with this index.
        case computed(Int)
        case rest
    }

    var operation: Operation
    /// The field recorded; the type's group for steps that record nothing.
    var field: Field
    /// Index of the `FieldPlan`.
    var plan: Int32 = 0
    var target: Int32 = 0
    var amount = Amount.rest
    /// Size of a number in bytes, or of a part in bits.
    var size: UInt8 = 0
    var order = ByteOrder.littleEndian
    var isSigned = false
    /// Whether the value needs a check for diagnostics.
    var isChecked = false
    /// Slots for the value and for its sum, used by expressions; `none` if unused.
    var slot = Self.none
    var sum = Self.none

    static let none: UInt8 = 0xFF
}

/// A discriminant value with the first step of its case.
struct CaseEntry: Sendable {
    /// Nil for the default case.
    var value: UInt64?
    /// Required length of the choice in bytes, counted from the discriminant; nil for any.
    var length: Int?
    var target: Int32
    var name: String
    /// Names of the case's fields.
    var fields: Set<String>
}

/// Constraints on a number; violations become diagnostics.
struct Check: Sendable {
    /// The only raw value allowed; for bits, a mask of those that must be zero.
    var constant: UInt64?
    /// Bounds of the raw number.
    var lower = Int64.min
    var upper = Int64.max
    /// Bounds of a number with a fraction.
    var reals: ClosedRange<Double>?
    var isEnumeration = false
    /// Bitmap of the named values below 64.
    var known: UInt64 = 0
}

/// Slots that a list resets.
struct SlotSet: Sendable {
    /// Sums, reset to zero when the list begins.
    var sums: UInt32 = 0
    /// Values of one element, reset to unknown when an element begins.
    var values: UInt32 = 0
}
