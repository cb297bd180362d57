import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

/// A single field, its bytes and its value.
private struct Example: Sendable, CustomTestStringConvertible {
    var field: FieldDefinition
    var hex: String
    var value: Value

    init(_ field: FieldDefinition, _ hex: String, _ value: Value) {
        self.field = field
        self.hex = hex
        self.value = value
    }

    var testDescription: String { "\(field.kind) \(hex)" }
}

private func scaled(_ scale: Scale, signed: Bool = false) -> FieldDefinition {
    .make("value", signed ? .signed(bytes: 2) : .unsigned(bytes: 2)) { $0.scale = scale }
}

private func big(_ kind: FieldDefinition.Kind) -> FieldDefinition {
    .make("value", kind) { $0.endian = .big }
}

private let examples: [Example] = [
    .init(.make("value", .unsigned(bytes: 3)), "010203", .integer(0x03_0201)),
    .init(big(.unsigned(bytes: 3)), "010203", .integer(0x01_0203)),
    .init(.make("value", .signed(bytes: 3)), "FFFFFF", .integer(-1)),
    .init(big(.signed(bytes: 5)), "8000000000", .integer(-549_755_813_888)),
    .init(.make("value", .unsigned(bytes: 8)), "FFFFFFFFFFFFFFFF", .unsigned(.max)),
    .init(.make("value", .signed(bytes: 8)), "0000000000000080", .integer(.min)),
    // IEEE 754: 1.5, the nearest value to 0.1, -2 (binary16); 435.96 of the Aquavate document.
    .init(.make("value", .float(bytes: 2)), "003E", .real(1.5)),
    .init(.make("value", .float(bytes: 2)), "662E", .real(0.1)),
    .init(big(.float(bytes: 2)), "C000", .real(-2)),
    .init(.f32("value"), "E1FAD943", .real(435.96)),
    .init(.f32("value"), "0000807F", .real(.infinity)),
    .init(big(.float(bytes: 8)), "3FB999999999999A", .real(0.1)),
    // IEEE 11073: 36.4 °C as sent by the Health Thermometer, 120 and 0.5 as SFLOAT, and special values.
    .init(.make("value", .medical(bytes: 4)), "6C0100FF", .real(36.4)),
    .init(.make("value", .medical(bytes: 2)), "7800", .real(120)),
    .init(.make("value", .medical(bytes: 2)), "05F0", .real(0.5)),
    .init(.make("value", .medical(bytes: 2)), "FBFF", .real(-0.5)),
    .init(.make("value", .medical(bytes: 2)), "FF07", .named(0x07FF, "not a number")),
    .init(.make("value", .medical(bytes: 4)), "FEFF7F00", .named(0x7F_FFFE, "+infinity")),
    // Scales: steps of a tenth give exact tenths.
    .init(scaled(Scale(d: -1)), "0300", .real(0.3)),
    .init(scaled(Scale(d: -2), signed: true), "1AFB", .real(-12.54)),
    .init(scaled(Scale(d: -1, offset: -40)), "9402", .real(26)),
    .init(scaled(Scale(d: -1, offset: 273.15)), "0100", .real(273.25)),
    .init(scaled(Scale(m: 5, d: -3)), "D007", .real(10)),
    .init(scaled(Scale(b: -10)), "0002", .real(0.5)),
    .init(scaled(Scale(m: 0.25)), "0700", .real(1.75)),
    .init(scaled(Scale(m: -1, offset: 100)), "1E00", .real(70)),
    .init(scaled(Scale(d: 2)), "0300", .real(300)),
    .init(.make("value", .address), "341200EEFFC0", .text("c0:ff:ee:00:12:34")),
    .init(.make("value", .uuid(bytes: 2)), "0F18", .text("0x180f")),
    .init(
        .make("value", .uuid(bytes: 16)), "0000000000000 02D6574617 66B61756F".replacing(" ", with: ""),
        .text("6f75616b-7661-7465-2d00-000000000000")),
    .init(
        big(.uuid(bytes: 16)), "6F75616B766174652D00000000000001", .text("6f75616b-7661-7465-2d00-000000000001")),
    .init(
        .u32("value") { $0.rendering = .timestamp(epoch: 946_684_800, resolution: 1) }, "01000000",
        .time(1, nanoseconds: 946_684_801_000_000_000)),
    .init(
        .make("value", .signed(bytes: 2)) { $0.rendering = .timestamp(epoch: 0, resolution: 0.001) }, "FFFF",
        .time(-1, nanoseconds: -1_000_000)),
    .init(.names("value", [0: "false", 1: "true"]), "01", .boolean(true)),
    .init(.names("value", [0: "false", 1: "true"]), "02", .named(2, nil)),
    .init(.names("value", [3: "three"]), "03", .named(3, "three")),
    .init(.u16("value") { $0.special = [0xFFFF: "unknown"] }, "FFFF", .named(0xFFFF, "unknown")),
    .init(.i16("value") { $0.special = [0x8000: "unknown"] }, "0080", .named(0x8000, "unknown")),
]

@Test(arguments: examples)
private func fieldsHoldBothWays(_ example: Example) throws {
    let layout = try layout([example.field])
    #expect(try layout.decode(hex(example.hex)) == .record(["value": example.value]))
    #expect(try hexText(layout.encode(.record(["value": example.value]))) == example.hex.lowercased())
}

@Test(
    arguments: [
        ("9223372036854775808", "0000000000000080"), ("18446744073709551615", "ffffffffffffffff"),
        ("\"18446744073709551615\"", "ffffffffffffffff"), ("1e19", "0000e8890423c78a"), ("18446744073709551616", nil),
        ("\"18446744073709551616\"", nil), ("-1", nil), ("\"0x10\"", nil),
    ] as [(String, String?)])
private func wholeNumbersOfJSONHaveUpTo64Bits(_ number: String, _ hex: String?) throws {
    let value = Value(try JSONValue(reading: Array("{\"value\": \(number)}".utf8)))
    let bytes = try? layout([.make("value", .unsigned(bytes: 8))]).encode(value)
    #expect(bytes.map { hexText($0) } == hex)
}

@Test(
    arguments: [
        (.u8("value"), .integer(256), "value: expected 0 to 255, found 256"),
        (.i16("value"), .integer(-32769), "value: expected -32768 to 32767, found -32769"),
        (.u8("value"), .text("ten"), "value: expected a number, found \"ten\""),
        (.u8("value"), .real(1.5), "value: expected a number, found 1.5"),
        (.u8("value") { $0.scale = Scale(d: -1) }, .real(25.6), "value: expected 0 to 255, found 256"),
        (.f32("value"), .real(1e39), "value: 1e+39 is too large for 4 bytes"),
        (.make("value", .medical(bytes: 2)), .real(1e12), "value: 1000000000000.0 is too large for 2 bytes"),
        (
            .names("value", [0: "gulp", 1: "pour"]), .text("gulf"),
            "value: expected a name or a number, found \"gulf\"; did you mean \"gulp\"?"
        ),
        (.make("value", .address), .text("c0:ff"), "value: expected an address: aa:bb:cc:dd:ee:ff, found \"c0:ff\""),
        (.make("value", .text(.fixed(4), end: .length)), .text("abc"), "value: expected 4 bytes, found 3"),
        (.make("value", .text(.fixed(4), end: .nul)), .text("abcde"), "value: expected 4 bytes, found 5"),
        (.make("value", .bytes(.rest)), .text("0x"), "value: expected bytes in hexadecimal, found \"0x\""),
        (
            .u32("value") { $0.rendering = .timestamp(epoch: 0, resolution: 1) }, .text("2026-02-01T12:00:00.5Z"),
            "value: the time lies between two steps of 1000000000 ns"
        ),
        (.u8("value") { $0.count = .fixed(2) }, .list([.integer(1)]), "value: expected 2 elements, found 1"),
        (
            .u8("value") { $0.count = .rest }, .list([.integer(1), .integer(300)]),
            "value[1]: expected 0 to 255, found 300"
        ),
        (.flags("value", ["a": 0...0]), .record(["a": .text("x")]), "value.a: expected true or false, found \"x\""),
        (
            .flags("value", ["a": 0...0]), .record(["a": .boolean(true), "b": .boolean(true)]),
            "value.b: there is no such part; did you mean \"a\"?"
        ),
        (.flags("value", ["a": 0...0]), .record([:]), "value.a: is missing"),
        (.u8("value"), .absent, "value: is missing"),
    ] as [(FieldDefinition, Value, String)])
func valuesThatDoNotFitAreRefused(_ field: FieldDefinition, _ value: Value, _ message: String) throws {
    let layout = try layout([field])
    do {
        _ = try layout.encode(.record(["value": value]))
        Issue.record("was encoded")
    } catch {
        #expect(error.description == message)
    }
}

@Test func recordsThatDoNotFitAreRefused() throws {
    let types = try compile(aquavateTypes).types
    func message(_ type: String, _ value: Value) -> String? {
        do {
            _ = try types[type]?.encode(value)
            return nil
        } catch {
            return "\(error)"
        }
    }
    #expect(message("command", .integer(1)) == "expected fields, found 1")
    #expect(
        message("command", .record(["opcode": .text("set_time"), "time": .integer(0), "tme": .integer(0)]))
            == "tme: there is no such field here; did you mean \"time\"?")
    #expect(
        message(
            "command",
            .record(["opcode": .integer(0x31), "chunk": .integer(1), "unused": .integer(2), "x": .integer(3)]))
            == "x: there is no such field here")
    #expect(
        message("command", .record(["opcode": .text("tare_now"), "unused": .text("00 00")]))
            == "unused: expected 3 bytes, found 2")
    let chunk: Value = .record([
        "chunk_index": .integer(0), "total_chunks": .integer(1), "record_count": .integer(2), "records": .list([]),
    ])
    #expect(message("drink_data", chunk) == "records: expected 2 elements, found 0")
    let optional = try compile(kitchenSink).types["optional"]
    #expect(throws: EncodeError("time", "stands there, but its condition does not hold")) {
        try optional?.encode(
            .record([
                "flags": .record(["has_time": .boolean(false), "has_point": .boolean(false), "big": .boolean(false)]),
                "time": .integer(1),
            ]))
    }
}
