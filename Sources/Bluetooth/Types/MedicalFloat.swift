public import Bytes

/// A decimal floating point number of medical devices: FLOAT-Type of ISO/IEEE 11073-20601, a 24-bit mantissa and an
/// 8-bit exponent of ten, both two's complement.
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
    /// Kept for future use.
    public static let reserved = Self(rawValue: 0x0080_0001)

    /// The number; the values that stand for no number are NaNs whose payload tells them apart.
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
        // Powers of ten are exact where their inverses are not: 364 with exponent -1 becomes 36.4, not 36.400000000000006.
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
        return exponent < 0 ? mantissa / power : mantissa * power
    }

    /// Names of the values that stand for no number, by their recorded bit pattern.
    public static let valueNames = ValueNames([
        notANumber.value.bitPattern: "not a number",
        notAtThisResolution.value.bitPattern: "not at this resolution",
        reserved.value.bitPattern: "reserved",
        positiveInfinity.value.bitPattern: "+infinity",
        negativeInfinity.value.bitPattern: "-infinity",
    ])
}

/// The short form: SFLOAT-Type of ISO/IEEE 11073-20601, a 12-bit mantissa and a 4-bit exponent of ten, both two's
/// complement.
public struct MedicalShortFloat: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The same as a FLOAT-Type; the values that stand for no number are the same there.
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
    /// Reads a FLOAT-Type, recorded as the number that it stands for.
    @_lifetime(self: copy self)
    public mutating func readMedicalFloat(_ field: @autoclosure () -> Field) throws(DecodeError) -> MedicalFloat {
        MedicalFloat(rawValue: try read(field(), as: UInt32.self) { MedicalFloat(rawValue: $0).value })
    }
}
