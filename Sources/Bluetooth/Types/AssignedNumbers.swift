internal import Bytes
internal import CAssignedNumbers

/// Names that the Bluetooth SIG has assigned to numbers.
///
/// The tables are the data files of `CAssignedNumbers`, which `scripts/assigned-numbers` writes. They are constant data of
/// the program and searched in place, so they cost nothing before the first look-up.
public enum AssignedNumbers {
    /// Name of a company, e.g. 0x004C "Apple, Inc.".
    public static func company(_ identifier: UInt16) -> String? { NumberTable.companies[identifier] }

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
    public static func name(_ uuid: UUID) -> String? { uuid.uuid16.flatMap { NumberTable.uuids16[$0] } }

    /// Name of what a 16-bit UUID stands for.
    public static func name(_ uuid: UInt16) -> String? { NumberTable.uuids16[uuid] }

    private static func name(_ uuid: UUID, in range: ClosedRange<UInt16>) -> String? {
        guard let short = uuid.uuid16, range.contains(short) else { return nil }
        return NumberTable.uuids16[short]
    }
}

/// A table of names by number: lines of four hexadecimal digits, a tab and a name, in the order of the numbers, below a
/// line that begins with `#`.
enum NumberTable: CaseIterable {
    /// Company identifiers.
    case companies
    /// 16-bit UUIDs: protocols and service classes (below 0x1800), services (0x18), units (0x27), declarations (0x28),
    /// descriptors (0x29), characteristics and object types (0x2A to 0x2C), members and standards bodies (from 0xFC00).
    case uuids16
    /// Appearance values; a category has sub-category 0.
    case appearances

    /// The name of a number; nil when it has none.
    subscript(number: UInt16) -> String? { Self.name(of: number, in: text) }

    /// The text of the table, which is part of the program.
    var text: RawSpan {
        @_lifetime(immortal)
        get {
            let table =
                switch self {
                case .companies: unsafe assignedCompanies()
                case .uuids16: unsafe assignedUUIDs16()
                case .appearances: unsafe assignedAppearances()
                }
            let text = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(table.text), byteCount: table.length)
            return unsafe _overrideLifetime(text, copying: ())
        }
    }

    /// Searches the lines of a table for a number. Digits order like numbers, and the head orders below them.
    static func name(of number: UInt16, in text: RawSpan) -> String? {
        let key = digits(of: number)
        // The line sought begins in low..<high, and low is the start of a line.
        var (low, high) = (0, text.byteCount)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, text.byte(at: start - 1) != newline { start -= 1 }
            guard start + 4 <= text.byteCount else { return nil }
            let found = text.bigEndian(at: start, as: UInt32.self)
            if found > key {
                high = start
                continue
            }
            var end = start + 4
            while end < text.byteCount, text.byte(at: end) != newline { end += 1 }
            if found == key { return text.text(min(start + 5, end)..<end) }
            low = end + 1
        }
        return nil
    }

    private static let newline = UInt8(ascii: "\n")

    /// The four hexadecimal digits that a line begins with, most significant first.
    private static func digits(of number: UInt16) -> UInt32 {
        stride(from: 12, through: 0, by: -4).reduce(0) { digits, shift in
            let digit = UInt32(number >> shift & 0xF)
            return digits << 8 | (digit + (digit < 10 ? 0x30 : 0x37))
        }
    }
}
