import Bytes

/// Writes times as ISO 8601 and remembers how the last one's second was written: many frames share one.
struct RenderedTime: ~Copyable {
    /// Since 1970.
    private var second = Int64.min
    private var text = TextWriter(capacity: 32)

    mutating func write(_ time: Timestamp, to output: inout TextWriter) {
        let (second, nanosecond) = time.secondAndNanosecond
        if second != self.second {
            self.second = second
            text.truncate(to: 0)
            text.writeISO8601(second: second)
        }
        output.write(text, 0..<text.count)
        output.writeFraction(ofSecond: nanosecond, decimals: 6)
        output.write(UInt8(ascii: "Z"))
    }
}
