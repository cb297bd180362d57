import Bytes

/// What is known of a field beside its place in the bytes: to check it, to make a value of it and bytes of a value.
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
        /// The next so many steps are its parts.
        case bits(parts: Int)
        case part
        case checksum(Checksum.Algorithm)
        case structure
        case list
    }

    var name: String
    /// As messages name it: path within the type.
    var path: String
    var title: String
    var kind: Kind
    /// Bytes of a number.
    var size = 0
    var isSigned = false
    var isBigEndian = false
    var unit: String?
    var scale: LinearScale?
    var range: ClosedRange<Double>?
    /// Names of values: of an enumeration, or of raw values with a meaning of their own.
    var names: [UInt64: String] = [:]
    var constant: UInt64?
    var time: (epoch: Int64, step: Int64)?
    /// Bits of a number.
    var width = 64
    /// Lowest bit of a part.
    var shift: UInt64 = 0
    /// What follows the NUL of a text, and the NUL itself.
    var padding: Field?
    /// How a number in ASCII is written.
    var digits: DigitsFormat?
    /// Whether a checksum is that of the bytes.
    var status: Field?
    /// Whether a part has a name for each value.
    var isNamed = false
    /// How long a text or how many elements a list, where that is fixed.
    var amount = Instruction.Amount.rest

    init(name: String, path: String, title: String, kind: Kind) {
        self.name = name
        self.path = path
        self.title = title
        self.kind = kind
    }

    /// Whether it is a single bit without names.
    var isBoolean: Bool { kind == .part && width == 1 && names.isEmpty && !isSigned && scale == nil }

    /// Whether it is a text that ends at a NUL.
    var endsAtNUL: Bool { kind == .text(end: .nul) || kind == .text(end: .optionalNUL) }

    /// All bits of the field.
    var mask: UInt64 { width >= 64 ? .max : 1 << UInt64(width) - 1 }
}

// MARK: - Numbers

extension FieldPlan {
    /// A two's complement number of the field's width as one of 64 bits; others as they are.
    func extended(_ raw: UInt64) -> UInt64 {
        guard isSigned, width < 64 else { return raw }
        let shift = UInt64(64 - width)
        return UInt64(bitPattern: Int64(bitPattern: raw << shift) >> Int64(shift))
    }

    /// What an expression computes with.
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

    /// The raw number.
    func number(_ raw: UInt64) -> Double {
        isSigned ? Double(Int64(bitPattern: extended(raw))) : Double(raw)
    }
}
