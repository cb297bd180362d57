import Bytes
import Testing

private func text(_ write: (inout TextWriter) -> Void) -> String {
    var writer = TextWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Test func numbersAreDotted() {
    #expect(text { $0.writeDotted(0x0102, bytes: 2) } == "1.2")
    #expect(text { $0.writeDotted(0xC0A8_0001, bytes: 4) } == "192.168.0.1")
    #expect(text { $0.writeDotted(7, bytes: 1) } == "7")
}

@Test func timesAreISO8601() {
    #expect(text { $0.writeTimestamp(1_769_947_200, epoch: 0, step: 1_000_000_000) } == "2026-02-01T12:00:00Z")
    #expect(text { $0.writeTimestamp(1, epoch: 946_684_800, step: 1_000_000) } == "2000-01-01T00:00:00.001Z")
    #expect(text { $0.writeTimestamp(.max, epoch: 0, step: 1_000_000_000) } == "1969-12-31T23:59:59Z")
    #expect(text { $0.writeTimestamp(1 << 62, epoch: 0, step: 1_000_000_000) } == "4611686018427387904")
}

@Test(
    arguments: [
        ("2026-02-01T12:00:00Z", 1_769_947_200_000_000_000), ("1970-01-01", 0),
        ("2024-02-29", 1_709_164_800_000_000_000),
        ("1969-12-31T23:59:59.5Z", -500_000_000), ("2000-01-01 00:00:00.000000001Z", 946_684_800_000_000_001),
    ] as [(String, Int64)])
func timesAreRead(_ text: String, _ expected: Int64) {
    #expect(ISO8601.nanoseconds(text) == expected)
}

@Test(arguments: [
    "", "2026", "2026-13-01", "2023-02-29", "2026-02-01T24:00:00Z", "2026-02-01T12:00:00", "2026-02-01T12:00Z",
    "2026-02-01T12:00:00.Z", "1500-01-01", "2026-02-01T12:00:61Z", "2026-02-01Z",
])
func otherTextsAreNoTimes(_ text: String) {
    #expect(ISO8601.nanoseconds(text) == nil)
}

@Test func floatsHaveTheDigitsOfTheirWidth() {
    #expect(text { $0.writeShortest(Double(Float(435.96)), bytes: 4) } == "435.96")
    #expect(text { $0.writeShortest(Double(Float16(0.1)), bytes: 2) } == "0.1")
    #expect(text { $0.writeShortest(0.1, bytes: 8) } == "0.1")
    #expect(text { $0.writeShortest(.infinity, bytes: 4) } == "inf")
}

/// RFC 8259, section 7: quotation mark, reverse solidus and control characters must be escaped, at every position in
/// the eight bytes that are scanned at once and in the bytes after them. DEL is the only other character that is
/// escaped.
@Test func charactersThatJSONForbidsAreEscapedAtEveryPosition() throws {
    for code in UInt8(0)..<0x80 {
        let isEscaped = code < 0x20 || code == UInt8(ascii: "\"") || code == UInt8(ascii: "\\") || code == 0x7F
        for length in [1, 7, 8, 9, 17] {
            for position in 0..<length {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                bytes[position] = code
                let plain = String(decoding: bytes, as: UTF8.self)
                let json = text { $0.writeJSON(plain) }
                #expect((json == "\"\(plain)\"") == !isEscaped, "\(code) at \(position) of \(length)")
                #expect(!json.utf8.contains { $0 < 0x20 }, "\(code) at \(position) of \(length)")
                #expect(try JSONValue(reading: Array(json.utf8)) == .string(plain))
            }
        }
    }
}

@Test func jsonKeepsCharactersBeyondASCII() throws {
    for plain in ["é", "aaaaaaaé", "\u{A0}°µ", "Küche 温度 🚰 …"] {
        #expect(text { $0.writeJSON(plain) } == "\"\(plain)\"")
    }
}
