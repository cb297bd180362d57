import Bytes

/// A step of a compiled type: small, without references to count.
struct Instruction: Sendable {
    enum Operation: UInt8, Sendable {
        /// Fields with a value. Of bits, `target` says how many steps for their parts follow; of a part, its lowest bit;
        /// of a checksum, its mark.
        case integer, float, medical, bits, part, text, bytes, uuid, checksum
        /// A number in ASCII, with as many characters as `amount` says.
        case digits
        /// A structure begins and ends.
        case enter, leave
        /// Goes to `target` unless the condition of this index holds.
        case when
        /// A list begins, for which `target` is the step after it; an element of it ends, and the next begins at `target`.
        case list, next
        /// What follows the discriminant that was just read: `target` is the index of the first case, `amount` says how
        /// many there are.
        case choose
        /// A case of a choice begins and ends.
        case enterCase, leaveCase
        case jump
        /// Remembers in the mark `target` where a checksum begins.
        case mark
    }

    /// How many elements, or how many bytes.
    enum Amount: Sendable {
        case fixed(Int)
        /// The number that a field held.
        case slot(Int)
        /// What an expression of this index comes to.
        case computed(Int)
        case rest
    }

    var operation: Operation
    /// What is recorded; of steps that record nothing, the type's group.
    var field: Field
    /// Index of what is known of the field beside.
    var plan: Int32 = 0
    var target: Int32 = 0
    var amount = Amount.rest
    /// Bytes of a number, bits of a part.
    var size: UInt8 = 0
    var order = ByteOrder.littleEndian
    var isSigned = false
    /// Whether a value may be wrong or worth a diagnostic.
    var isChecked = false
    /// Where the value is kept for expressions, and where it is added up; `none` for nowhere.
    var slot = Self.none
    var sum = Self.none

    static let none: UInt8 = 0xFF
}

/// A value of the discriminant, and where its case begins.
struct CaseEntry: Sendable {
    /// Nil for what no other case fits.
    var value: UInt64?
    /// Bytes of the whole value that it needs.
    var length: Int?
    var target: Int32
    var name: String
    /// Names of the case's fields.
    var fields: Set<String>
}

/// What is worth a diagnostic about a number.
struct Check: Sendable {
    /// The only raw value allowed; of bits, those that must be zero.
    var constant: UInt64?
    /// Bounds of the raw number.
    var lower = Int64.min
    var upper = Int64.max
    /// Bounds of a number with a fraction.
    var reals: ClosedRange<Double>?
    var isEnumeration = false
    /// The named values below 64, a bit for each.
    var known: UInt64 = 0
}

/// Slots that lists set back.
struct SlotSet: Sendable {
    /// Sums that begin at zero with the list.
    var sums: UInt32 = 0
    /// Values that belong to one element, and are forgotten with it.
    var values: UInt32 = 0
}
