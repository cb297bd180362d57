/// Names that the Bluetooth SIG has assigned to numbers.
///
/// The tables are text in the files beside this one, which `scripts/assigned-numbers` writes. They are constant data of the
/// program and searched in place, so they cost nothing before the first look-up.
public enum AssignedNumbers {
    /// Company identifiers.
    static let companies = NumberTable(companyLines)
    /// 16-bit UUIDs: protocols and service classes (below 0x1800), services (0x18), units (0x27), declarations (0x28),
    /// descriptors (0x29), characteristics and object types (0x2A to 0x2C), members and standards bodies (from 0xFC00).
    static let uuids16 = NumberTable(uuid16Lines)
    /// Appearance values; a category has sub-category 0.
    static let appearances = NumberTable(appearanceLines)

    /// Name of a company, e.g. 0x004C "Apple, Inc.".
    public static func company(_ identifier: UInt16) -> String? { companies[identifier] }

    /// Name of a service, e.g. 0x180F "Battery".
    public static func service(_ uuid: UUID) -> String? { name(uuid, in: 0x1800...0x18FF) }

    /// Name of a characteristic, e.g. 0x2A19 "Battery Level".
    public static func characteristic(_ uuid: UUID) -> String? { name(uuid, in: 0x2A00...0x2FFF) }

    /// Name of a descriptor, e.g. 0x2902 "Client Characteristic Configuration".
    public static func descriptor(_ uuid: UUID) -> String? { name(uuid, in: 0x2900...0x29FF) }

    /// Name of a declaration: "Primary Service", "Secondary Service", "Include" or "Characteristic".
    public static func declaration(_ uuid: UUID) -> String? { name(uuid, in: 0x2800...0x28FF) }

    /// Name of a unit, e.g. 0x272F "Celsius temperature (degree Celsius)".
    public static func unit(_ uuid: UUID) -> String? { name(uuid, in: 0x2700...0x27FF) }

    /// Name of the member or the standards body that a UUID was given to, e.g. 0xFEAA "Google LLC".
    public static func member(_ uuid: UUID) -> String? { name(uuid, in: 0xFC00...0xFFFF) }

    /// Name of anything that has a 16-bit UUID, protocols and service classes of BR/EDR included.
    public static func name(_ uuid: UUID) -> String? { uuid.uuid16.flatMap { uuids16[$0] } }

    /// Name of what a 16-bit UUID stands for.
    public static func name(_ uuid: UInt16) -> String? { uuids16[uuid] }

    private static func name(_ uuid: UUID, in range: ClosedRange<UInt16>) -> String? {
        guard let short = uuid.uuid16, range.contains(short) else { return nil }
        return uuids16[short]
    }
}

/// Names by number, as text: lines of four hexadecimal digits, a blank and a name, in the order of the numbers.
struct NumberTable: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The name of a number; nil when it has none.
    subscript(number: UInt16) -> String? {
        let bytes = text.utf8.span
        var low = 0
        var high = bytes.count
        // The line sought begins in low..<high.
        while low < high {
            let start = Self.lineStart(bytes, before: low + (high - low) / 2)
            let end = Self.lineEnd(bytes, after: start)
            guard let found = Self.number(bytes, at: start) else { return nil }
            if found == number {
                return String(decoding: (min(start + 5, end)..<end).map { bytes[$0] }, as: UTF8.self)
            }
            if found < number { low = end + 1 } else { high = start }
        }
        return nil
    }

    /// Every number that has a name, in order.
    var numbers: [UInt16] {
        text.split(separator: "\n").compactMap { UInt16($0.prefix(4), radix: 16) }
    }

    private static let newline = UInt8(ascii: "\n")

    /// Start of the line that `position` is in.
    private static func lineStart(_ bytes: Span<UInt8>, before position: Int) -> Int {
        var start = position
        while start > 0, bytes[start - 1] != newline { start -= 1 }
        return start
    }

    /// The line feed at the end of the line, or the text's end.
    private static func lineEnd(_ bytes: Span<UInt8>, after position: Int) -> Int {
        var end = position
        while end < bytes.count, bytes[end] != newline { end += 1 }
        return end
    }

    private static func number(_ bytes: Span<UInt8>, at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt16 = 0
        for index in start..<(start + 4) {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return value
    }
}
