public import Bytes

extension TextWriter {
    /// Writes a value as JSON: records as objects without absent fields, named numbers as their names, times as ISO
    /// 8601, bytes as hexadecimal. Integers beyond 2^53, which many JSON readers would round, are strings; infinities
    /// and NaN are null.
    package mutating func writeJSON(_ value: Value) {
        switch value {
        case .integer(let number): writeJSON(number)
        case .unsigned(let number): writeJSON(String(number))
        case .real(let number): write(number.isFinite ? String(number) : "null")
        case .boolean(let value): write(value ? "true" : "false" as StaticString)
        case .text(let text): writeJSON(text)
        case .bytes(let bytes):
            write(UInt8(ascii: "\""))
            writeHex(bytes[...])
            write(UInt8(ascii: "\""))
        case .named(_, let name?): writeJSON(name)
        case .named(let number, nil):
            if number < 1 << 53 { writeDecimal(number) } else { writeJSON(String(number)) }
        case .time(_, let nanoseconds):
            write(UInt8(ascii: "\""))
            writeISO8601(nanoseconds: nanoseconds)
            write(UInt8(ascii: "\""))
        case .list(let elements):
            write(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { write(UInt8(ascii: ",")) }
                writeJSON(element)
            }
            write(UInt8(ascii: "]"))
        case .record(let record): writeJSON(record)
        case .absent: write("null" as StaticString)
        }
    }

    private mutating func writeJSON(_ number: Int64) {
        if number.magnitude < 1 << 53 { writeDecimal(number) } else { writeJSON(String(number)) }
    }

    private mutating func writeJSON(_ record: Record) {
        write(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in record.fields where value != .absent {
            if !isFirst { write(UInt8(ascii: ",")) }
            isFirst = false
            writeJSON(name)
            write(UInt8(ascii: ":"))
            writeJSON(value)
        }
        write(UInt8(ascii: "}"))
    }

    /// Writes a time as ISO 8601 with the fewest decimals that represent it: 0, 3, 6 or 9.
    mutating func writeISO8601(nanoseconds: Int64) {
        let fraction = nanoseconds % 1_000_000_000
        writeISO8601(
            Timestamp(nanoseconds: nanoseconds), decimals: fraction == 0 ? 0 : ISO8601.decimals(step: fraction))
    }
}

extension Value {
    /// Converts a JSON value: objects become records, null becomes absent.
    public init(_ json: JSONValue) {
        switch json {
        case .null: self = .absent
        case .boolean(let value): self = .boolean(value)
        case .integer(let number): self = .integer(Int64(number))
        case .unsigned(let number): self = .unsigned(number)
        case .number(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map { Value($0) })
        case .object(let members):
            var record = Record()
            record.fields = members.map { ($0.name, Value($0.value)) }
            self = .record(record)
        }
    }

    /// The value as JSON.
    public var json: String {
        var text = TextWriter(capacity: 256)
        text.writeJSON(self)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// A point in time as ISO 8601.
    public static func text(ofTime nanoseconds: Int64) -> String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(nanoseconds: nanoseconds)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
