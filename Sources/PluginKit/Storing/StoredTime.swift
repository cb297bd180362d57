public import Bytes

/// How a column of a stored table counts time from 1970.
public struct StoredTime: Hashable, Sendable {
    public enum Unit: Int64, Sendable {
        case nanoseconds = 1
        case milliseconds = 1_000_000
        case seconds = 1_000_000_000
    }

    public var unit: Unit
    /// Whether the clock is the device's, which may show local time; otherwise times are in UTC.
    public var isDeviceClock: Bool

    public init(_ unit: Unit, isDeviceClock: Bool = false) {
        self.unit = unit
        self.isDeviceClock = isDeviceClock
    }

    public static let nanoseconds = StoredTime(.nanoseconds)
    public static let milliseconds = StoredTime(.milliseconds)
    public static let seconds = StoredTime(.seconds)
    /// Seconds of the device's clock.
    public static let deviceSeconds = StoredTime(.seconds, isDeviceClock: true)

    /// The time of a value; nil beyond the range of the type.
    package func time(_ value: Int64) -> Timestamp? {
        let (nanoseconds, isTooFar) = value.multipliedReportingOverflow(by: unit.rawValue)
        return isTooFar ? nil : Timestamp(nanoseconds: nanoseconds)
    }

    /// The value of a time, rounded down.
    package func value(_ time: Timestamp) -> Int64 {
        let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: unit.rawValue)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The name in a table for spreadsheets: `start` for the column `start_ns`, whose unit does not matter there.
    package static func title(of column: String) -> String {
        ["_ns", "_ms"].contains { column.hasSuffix($0) } ? String(column.dropLast(3)) : column
    }
}

/// Times in tables for spreadsheets: ISO 8601 in local time, and the offset from UTC in a column of the row.
///
/// A cell with an offset, or with `Z`, is a text to spreadsheets; without one it is a date.
public enum SpreadsheetTime {
    /// The column with the offset that all times of a row have.
    public static let zoneColumn = "zone"

    /// A zone's offset from UTC in seconds at a time, in whole minutes.
    public static func offset(of zone: TimeZoneTable, at time: Timestamp) -> Int64 {
        zone.offset(at: time.secondAndNanosecond.second) / 60 * 60
    }

    /// `2026-03-02T19:05:00.856`, the time at an offset from UTC in seconds; without decimals for whole seconds.
    public static func text(_ time: Timestamp, offset: Int64, isWhole: Bool = false) -> String {
        let (second, nanosecond) = time.secondAndNanosecond
        var text = TextWriter(capacity: 32)
        text.writeISO8601(second: second + offset)
        if !isWhole { text.writeFraction(ofSecond: nanosecond / 1_000_000 * 1_000_000, decimals: 3) }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// `UTC+01:00`, or `UTC`: a text that spreadsheets do not take for a time or a formula.
    public static func text(ofOffset offset: Int64) -> String {
        guard offset != 0 else { return "UTC" }
        let minutes = UInt64(offset.magnitude / 60)
        var text = TextWriter(capacity: 16)
        text.write(offset < 0 ? "UTC-" : "UTC+" as StaticString)
        text.writeDecimal(minutes / 60, digits: 2)
        text.write(":" as StaticString)
        text.writeDecimal(minutes % 60, digits: 2)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Reads `UTC+01:00`, `+01:00`, `UTC` or `Z`; nil for any other text.
    public static func offset(_ text: String) -> Int64? {
        let offset = text.hasPrefix("UTC") ? text.dropFirst(3) : text[...]
        if offset.isEmpty, !text.isEmpty { return 0 }
        return Timestamp(rfc3339: "1970-01-01T00:00:00" + offset).map { -$0.nanoseconds / 1_000_000_000 }
    }

    /// Reads a time of a cell, which has an offset itself or that of its row; nil for any other text.
    public static func time(_ text: String, offset: Int64?) -> Timestamp? {
        if let time = Timestamp(rfc3339: text) { return time }
        guard let offset, let time = Timestamp(rfc3339: text + "Z") else { return nil }
        return time.advanced(nanoseconds: -offset * 1_000_000_000)
    }
}
