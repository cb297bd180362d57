/// What an expression computes with, in two words: nothing is allocated for it.
package struct Operand: BitwiseCopyable, Sendable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
        case unknown, integer, real, boolean
        /// A text of the expression itself or of a field.
        case text
    }

    package var kind: Kind
    /// The number the field was got from, to ask for its text or its name; negative for what was computed.
    package var reference: Int16 = -1
    /// The number, or for a text of the expression its index there.
    package var bits: UInt64

    package static let unknown = Operand(kind: .unknown, bits: 0)

    package static func integer(_ number: Int64) -> Operand {
        Operand(kind: .integer, bits: UInt64(bitPattern: number))
    }

    /// Unknown for numbers above Int64's.
    package static func unsigned(_ number: UInt64) -> Operand {
        number <= UInt64(Int64.max) ? Operand(kind: .integer, bits: number) : .unknown
    }

    /// Unknown for infinities and for what is no number.
    package static func real(_ number: Double) -> Operand {
        number.isFinite ? Operand(kind: .real, bits: number.bitPattern) : .unknown
    }

    package static func boolean(_ value: Bool) -> Operand {
        Operand(kind: .boolean, bits: value ? 1 : 0)
    }

    /// The text of a field, for which the scope is asked when it is needed.
    package static let text = Operand(kind: .text, bits: 0)
}

extension Operand {
    var integer: Int64? { kind == .integer ? Int64(bitPattern: bits) : nil }

    /// Of an integer or a real number.
    var real: Double? {
        switch kind {
        case .integer: Double(Int64(bitPattern: bits))
        case .real: Double(bitPattern: bits)
        case .unknown, .boolean, .text: nil
        }
    }

    var boolean: Bool? { kind == .boolean ? bits != 0 : nil }

    /// A Boolean counts as 1 or 0.
    var comparable: Operand { kind == .boolean ? Operand(kind: .integer, bits: bits) : self }
}

/// What an expression comes to.
package enum ExpressionValue: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    /// Unknown.
    case unknown
}
