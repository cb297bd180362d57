package import Bytes

/// Times and durations as text.
package enum TimeText {
    /// `2026-03-01T11:59:58.500000Z`: a point in time.
    static func iso8601(_ time: Timestamp) -> String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(time)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// `12.345 s`, `3 min 12.345 s`, `5 h 2 min 12.345 s`; rounded down `3 min 12 s`, `5 h 2 min`.
    package static func span(_ span: TimeSpan, isRounded: Bool = false) -> String {
        let milliseconds = max(0, span.nanoseconds / 1_000_000)
        let (minutes, rest) = milliseconds.quotientAndRemainder(dividingBy: 60_000)
        let (whole, fraction) = rest.quotientAndRemainder(dividingBy: 1000)
        let seconds = "\(whole).\(String(fraction + 1000).dropFirst()) s"
        if minutes == 0 { return seconds }
        if minutes < 60 { return "\(minutes) min \(isRounded ? "\(whole) s" : seconds)" }
        return "\(minutes / 60) h \(minutes % 60) min" + (isRounded ? "" : " \(seconds)")
    }

    /// `12.3 ms`.
    static func milliseconds(_ span: TimeSpan) -> String {
        var text = TextWriter(capacity: 16)
        text.writeMilliseconds(span)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension TextWriter {
    /// Writes a nonnegative duration as `12.3 ms`.
    mutating func writeMilliseconds(_ span: TimeSpan) {
        let tenths = span.nanoseconds.magnitude / 100_000
        writeDecimal(tenths / 10)
        write(UInt8(ascii: "."))
        writeDecimal(tenths % 10)
        write(" ms" as StaticString)
    }
}
