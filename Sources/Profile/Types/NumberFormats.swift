import Bluetooth
import Bytes

/// IEEE 754 numbers of 2, 4 and 8 bytes.
enum FloatFormat {
    static func double(_ raw: UInt64, bytes size: Int) -> Double {
        switch size {
        case 2: Double(Float16(bitPattern: UInt16(truncatingIfNeeded: raw)))
        case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
        default: Double(bitPattern: raw)
        }
    }

    /// Overflows to infinity.
    static func raw(_ number: Double, bytes size: Int) -> UInt64 {
        switch size {
        case 2: UInt64(Float16(number).bitPattern)
        case 4: UInt64(Float(number).bitPattern)
        default: number.bitPattern
        }
    }

    /// The number with the shortest decimal representation of the raw value: 0.1, not 0.10000000149.
    static func shortest(_ raw: UInt64, bytes size: Int) -> Double {
        switch size {
        case 2: Double(String(Float16(bitPattern: UInt16(truncatingIfNeeded: raw)))) ?? .nan
        case 4: Double(String(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))) ?? .nan
        default: Double(bitPattern: raw)
        }
    }
}

/// Medical numbers of 2 and 4 bytes (ISO/IEEE 11073-20601).
enum MedicalFormat {
    /// The number; special values give NaN or infinities.
    static func double(_ raw: UInt64, bytes size: Int) -> Double { long(raw, bytes: size).value }

    /// The name of a special value; nil for numbers.
    static func name(_ raw: UInt64, bytes size: Int) -> String? {
        MedicalFloat.valueNames[double(raw, bytes: size).bitPattern]
    }

    private static func long(_ raw: UInt64, bytes size: Int) -> MedicalFloat {
        size == 2
            ? MedicalShortFloat(rawValue: UInt16(truncatingIfNeeded: raw)).long
            : MedicalFloat(rawValue: UInt32(truncatingIfNeeded: raw))
    }

    /// The raw number of a named special value.
    static func raw(named name: String, bytes size: Int) -> UInt64? {
        let known: [UInt64] =
            size == 2
            ? [0x07FF, 0x0800, 0x07FE, 0x0802, 0x0801] : [0x7F_FFFF, 0x80_0000, 0x7F_FFFE, 0x80_0002, 0x80_0001]
        return known.first { self.name($0, bytes: size) == name }
    }

    /// The exact raw number with the exponent nearest to zero, or else the nearest raw number. Nil if the number is too
    /// large.
    static func raw(_ number: Double, bytes size: Int) -> UInt64? {
        guard number.isFinite else {
            let name = number.isNaN ? "not a number" : number > 0 ? "+infinity" : "-infinity"
            return Self.raw(named: name, bytes: size)
        }
        // The largest mantissas are reserved for special values.
        let (greatest, exponents, bits) = size == 2 ? (2045.0, -8...7, 12) : (8_388_605.0, -128...127, 24)
        let fitting = exponents.compactMap { exponent -> (exponent: Int, raw: UInt64)? in
            let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10 }
            let mantissa = (exponent < 0 ? number * power : number / power).rounded()
            guard abs(mantissa) <= greatest else { return nil }
            let low = UInt64(bitPattern: Int64(mantissa)) & (1 << UInt64(bits) - 1)
            let all = low | UInt64(bitPattern: Int64(exponent)) << UInt64(bits)
            return (exponent, all & (size == 2 ? 0xFFFF : 0xFFFF_FFFF))
        }
        let exact = fitting.filter { double($0.raw, bytes: size) == number }
        return exact.min { (abs($0.exponent), $0.exponent) < (abs($1.exponent), $1.exponent) }?.raw
            ?? fitting.first?.raw
    }
}
