package import Bytes
package import Captures
package import Dissection

extension TextWriter {
    /// Writes a field's value as JSON: numbers and booleans as such, everything else as text. Numbers beyond 2^53,
    /// which many readers of JSON would round, are written as text.
    package mutating func writeJSONValue(
        _ recorded: RecordedField, in facts: FrameFacts, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        switch recorded.field.format {
        case .decimal where recorded.field.scale != 1, .hex where recorded.field.scale != 1,
            .signed where recorded.field.scale != 1:
            write(recorded.scaledText)
        case .decimal where recorded.value < 1 << 53, .hex where recorded.value < 1 << 53:
            writeDecimal(recorded.value)
        case .signed: writeDecimal(recorded.signedValue)
        case .boolean: write(recorded.value == 0 ? "false" : "true" as StaticString)
        case .number:
            let number = Double(bitPattern: recorded.value)
            write(number.isFinite ? String(number) : "null")
        case .uuid128 where !recorded.field.isSecret:
            write(UInt8(ascii: "\""))
            writeUUID(batch.bytes(of: recorded, in: facts))
            write(UInt8(ascii: "\""))
        case .decimal, .hex, .group, .bytes, .text, .address, .uuid128, .time:
            write(UInt8(ascii: "\""))
            let start = count
            writeValue(recorded, in: facts, of: batch, texts: texts)
            escapeJSON(from: start)
            write(UInt8(ascii: "\""))
        }
    }

    /// Writes `2026-03-01T11:59:58.500000Z`; nanoseconds only where there are some.
    package mutating func writeISO8601(_ time: Timestamp) {
        let (day, nanosecond) = time.nanoseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000_000_000)
        let date = CivilDate(daysSince1970: day)
        writeDecimal(UInt64(date.year), digits: 4)
        write(UInt8(ascii: "-"))
        writeDecimal(UInt64(date.month), digits: 2)
        write(UInt8(ascii: "-"))
        writeDecimal(UInt64(date.day), digits: 2)
        write(UInt8(ascii: "T"))
        let second = UInt64(nanosecond) / 1_000_000_000
        writeDecimal(second / 3600, digits: 2)
        write(UInt8(ascii: ":"))
        writeDecimal(second / 60 % 60, digits: 2)
        write(UInt8(ascii: ":"))
        writeDecimal(second % 60, digits: 2)
        write(UInt8(ascii: "."))
        let fraction = UInt64(nanosecond) % 1_000_000_000
        if fraction % 1000 == 0 { writeDecimal(fraction / 1000, digits: 6) } else { writeDecimal(fraction, digits: 9) }
        write(UInt8(ascii: "Z"))
    }
}

/// A date of the proleptic Gregorian calendar.
struct CivilDate {
    var year: Int64
    var month: Int64
    var day: Int64

    /// Counts in years that begin in March, so that the leap day is a year's last.
    init(daysSince1970 days: Int64) {
        let daysPerEra: Int64 = 146_097
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder that belongs to it, never negative.
    func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
