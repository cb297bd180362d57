public import Bytes

/// Decimal floating-point number of medical devices: the FLOAT-Type of ISO/IEEE 11073-20601, with a 24-bit mantissa and
/// an 8-bit exponent to base 10, both two's complement.
public struct MedicalFloat: WireInteger {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Not a number.
    public static let notANumber = Self(rawValue: 0x007F_FFFF)
    /// Not at this resolution.
    public static let notAtThisResolution = Self(rawValue: 0x0080_0000)
    public static let positiveInfinity = Self(rawValue: 0x007F_FFFE)
    public static let negativeInfinity = Self(rawValue: 0x0080_0002)
    /// Reserved for future use.
    public static let reserved = Self(rawValue: 0x0080_0001)

    /// The number. Special values give NaNs with distinct payloads, or infinities.
    public var value: Double {
        switch Self(rawValue: rawValue & 0x00FF_FFFF) {
        case .notANumber: .nan
        case .notAtThisResolution: Double(nan: 1, signaling: false)
        case .reserved: Double(nan: 2, signaling: false)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        default: scaled
        }
    }

    private var scaled: Double {
        let mantissa = Double(Int32(bitPattern: rawValue << 8) >> 8)
        let exponent = Int8(truncatingIfNeeded: rawValue >> 24)
        // Powers of ten are exact, their inverses are not: dividing makes 364 with exponent -1 36.4, not
        // 36.400000000000006.
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
        return exponent < 0 ? mantissa / power : mantissa * power
    }

    /// Names of the special values, by their recorded bit pattern.
    public static let valueNames = ValueNames([
        notANumber.value.bitPattern: "not a number",
        notAtThisResolution.value.bitPattern: "not at this resolution",
        reserved.value.bitPattern: "reserved",
        positiveInfinity.value.bitPattern: "+infinity",
        negativeInfinity.value.bitPattern: "-infinity",
    ])
}

/// Short decimal floating-point number: the SFLOAT-Type of ISO/IEEE 11073-20601, with a 12-bit mantissa and a 4-bit
/// exponent to base 10, both two's complement.
public struct MedicalShortFloat: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The value as a FLOAT-Type; special values map to the same special values.
    public var long: MedicalFloat {
        let exponent = UInt32(bitPattern: Int32(Int16(bitPattern: rawValue) >> 12)) << 24
        return switch rawValue & 0x0FFF {
        case 0x07FF: .notANumber
        case 0x0800: .notAtThisResolution
        case 0x07FE: .positiveInfinity
        case 0x0802: .negativeInfinity
        case 0x0801: .reserved
        default:
            MedicalFloat(
                rawValue: exponent | UInt32(bitPattern: Int32(Int16(bitPattern: rawValue << 4) >> 4)) & 0x00FF_FFFF)
        }
    }
}

extension ByteReader {
    /// Reads a FLOAT-Type and records the number.
    @_lifetime(self: copy self)
    public mutating func readMedicalFloat(_ field: @autoclosure () -> Field) throws(DecodeError) -> MedicalFloat {
        MedicalFloat(rawValue: try read(field(), as: UInt32.self) { MedicalFloat(rawValue: $0).value })
    }
}
