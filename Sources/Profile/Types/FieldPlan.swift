import Bytes

/// Properties of a field besides its position: used to check it, and to convert between values and bytes.
struct FieldPlan: Sendable {
    enum Kind: Sendable, Equatable {
        case integer
        case boolean
        case enumeration
        case float
        case medical
        case text(end: FieldDefinition.TextEnd)
        case bytes
        case address
        case uuid
        /// A number whose bit parts are the next `parts` steps.
        case bits(parts: Int)
        case part
        case checksum(Checksum.Algorithm)
        case structure
        case list
    }

    var name: String
    /// Path within the type, for diagnostics.
    var path: String
    var title: String
    var kind: Kind
    /// Size of a number, in bytes.
    var size = 0
    var isSigned = false
    var isBigEndian = false
    var unit: String?
    var scale: LinearScale?
    var range: ClosedRange<Double>?
    /// Names of an enumeration's values, or of raw values with a special meaning.
    var names: [UInt64: String] = [:]
    var constant: UInt64?
    var time: (epoch: Int64, step: Int64)?
    /// Width of a number, in bits.
    var width = 64
    /// Lowest bit of a bit part.
    var shift: UInt64 = 0
    /// Field for the NUL of a text and the padding after it.
    var padding: Field?
    /// Format of a number in ASCII digits.
    var digits: DigitsFormat?
    /// Field for a checksum's status.
    var status: Field?
    /// Whether a bit part has named values.
    var isNamed = false
    /// Length of a text or number of elements of a list, if fixed.
    var amount = Instruction.Amount.rest

    init(name: String, path: String, title: String, kind: Kind) {
        self.name = name
        self.path = path
        self.title = title
        self.kind = kind
    }

    /// Whether the field is a plain single bit: unsigned, without names or scale.
    var isBoolean: Bool { kind == .part && width == 1 && names.isEmpty && !isSigned && scale == nil }

    /// Whether it is a text that ends at a NUL.
    var endsAtNUL: Bool { kind == .text(end: .nul) || kind == .text(end: .optionalNUL) }

    /// Mask of the field's width.
    var mask: UInt64 { width >= 64 ? .max : 1 << UInt64(width) - 1 }
}

// MARK: - Numbers

extension FieldPlan {
    /// Sign-extends a two's complement number to 64 bits; returns unsigned numbers unchanged.
    func extended(_ raw: UInt64) -> UInt64 {
        guard isSigned, width < 64 else { return raw }
        let shift = UInt64(64 - width)
        return UInt64(bitPattern: Int64(bitPattern: raw << shift) >> Int64(shift))
    }

    /// Converts a raw number to an operand of expressions.
    func operand(_ raw: UInt64) -> Operand {
        switch kind {
        case .float: return .real(FloatFormat.double(raw, bytes: size))
        case .medical: return .real(MedicalFormat.double(raw, bytes: size))
        case .boolean: return raw <= 1 ? .boolean(raw == 1) : .unsigned(raw)
        case .part where isBoolean: return .boolean(raw == 1)
        default: break
        }
        if let scale, names[raw & mask] == nil { return .real(scale.value(of: number(raw))) }
        return isSigned ? .integer(Int64(bitPattern: extended(raw))) : .unsigned(raw)
    }

    /// The raw number as a signed or unsigned value.
    func number(_ raw: UInt64) -> Double {
        isSigned ? Double(Int64(bitPattern: extended(raw))) : Double(raw)
    }
}
