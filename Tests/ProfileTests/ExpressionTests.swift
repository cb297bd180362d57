import Bytes
import Profile
import Testing

/// The earlier values of the test device.
private struct Timestamped: PayloadContext {
    func written(to characteristic: String, at offset: Int) -> UInt8? {
        characteristic == "command" && offset < 2 ? [0x30, 0x02][offset] : nil
    }

    func has(_ characteristic: String) -> Bool? {
        ["settings": true, "legacy": false][characteristic]
    }
}

private let fields: Value = .record([
    "level": .integer(785), "weight": .integer(-12), "scale": .real(435.96), "name": .text("puck"),
    "type": .named(1, "pour"), "odd": .named(9, nil), "time": .time(1_769_947_200, nanoseconds: 0),
    "huge": .unsigned(.max), "gone": .absent,
    "flags": .record(["calibrated": .boolean(true), "low": .boolean(false), "mode": .integer(3)]),
    "records": .list([
        .record(["amount": .integer(45), "tag": .text("a")]), .record(["amount": .integer(150), "tag": .text("b")]),
    ]),
    "empty": .list([]), "numbers": .list([.integer(1), .real(0.5)]),
    "greatest": .integer(.max), "least": .integer(.min),
])

/// The value of an expression over `fields`, whose bytes are 01 02 03 04 and eight times FF.
private func value(_ text: String) throws(ExpressionFault) -> ExpressionValue {
    let bytes: [UInt8] = [1, 2, 3, 4] + [UInt8](repeating: 0xFF, count: 8)
    let expression = try Expression(parsing: text, at: SourcePlace(line: 1, column: 1))
    return expression.evaluate(over: bytes.span.rawBytes, in: ValueScope(fields, in: Timestamped()))
}

@Test(
    arguments: [
        // Numbers and their operators.
        ("1 + 2 * 3", .integer(7)), ("(1 + 2) * 3", .integer(9)), ("7 / 2", .integer(3)), ("-7 / 2", .integer(-3)),
        ("-7 % 4", .integer(-3)), ("7 - 2 - 1", .integer(4)), ("2 * 3 % 4", .integer(2)), ("0xFF", .integer(255)),
        ("1.5 + 1", .real(2.5)), ("1e3", .real(1000)), ("3 / 2.0", .real(1.5)), ("--5", .integer(5)),
        // Bitwise operators bind more tightly than products: 2 * (3 & 1).
        ("2 * 3 & 1", .integer(2)), ("1 << 4 | 1", .integer(17)), ("0xF0 >> 4 ^ 1", .integer(14)),
        ("-1 >> 1", .integer(-1)),
        ("1 + 1 << 2", .integer(5)), ("-2 & 3", .integer(2)),
        // Comparisons are weaker than sums, `!` weaker than comparisons, `&&` than `!`, `||` than `&&`.
        ("1 + 1 == 2", .boolean(true)), ("!1 == 2", .boolean(true)), ("! level < 0 && true", .boolean(true)),
        ("true || false && false", .boolean(true)), ("(true || false) && false", .boolean(false)),
        ("!!true", .boolean(true)),
        ("1 < 1.5", .boolean(true)), ("2 >= 2", .boolean(true)), ("2 != 2.0", .boolean(false)),
        ("'a' == \"a\"", .boolean(true)),
        ("5 in {1, 2, 5..8}", .boolean(true)), ("4 in {1, 2, 5..8}", .boolean(false)),
        ("-3 in {-4..-2}", .boolean(true)),
        ("2.0 in {2}", .boolean(true)), ("2.5 in {2..3}", .boolean(false)), ("level in {785} && true", .boolean(true)),
        // Fields.
        ("level", .integer(785)), ("weight < 0", .boolean(true)), ("flags.calibrated", .boolean(true)),
        ("flags.calibrated == 1", .boolean(true)), ("flags.mode * 2", .integer(6)),
        ("type == \"pour\"", .boolean(true)),
        ("type == 1", .boolean(true)), ("type != 'gulp'", .boolean(true)), ("odd == 'pour'", .boolean(false)),
        ("name == 'puck'", .boolean(true)), ("name", .text("puck")), ("scale > 400", .boolean(true)),
        ("time >= 1769947200", .boolean(true)), ("count(records)", .integer(2)), ("sum(records.amount)", .integer(195)),
        ("count(empty)", .integer(0)), ("sum(empty.amount)", .integer(0)), ("sum(numbers)", .real(1.5)),
        // Functions.
        ("min(3, 1, 2)", .integer(1)), ("max(3, 1.5)", .integer(3)), ("abs(-4)", .integer(4)),
        ("abs(weight)", .integer(12)),
        ("length", .integer(12)), ("length == 6 + 2 * u8(2)", .boolean(true)), ("u16(0)", .integer(0x0201)),
        ("u32(0)", .integer(0x0403_0201)), ("u24(1)", .integer(0x04_0302)),
        ("written(command, 0) == 0x30", .boolean(true)),
        ("written(command, 1)", .integer(2)), ("written(command)", .integer(0x30)), ("has(settings)", .boolean(true)),
        ("!has(legacy)", .boolean(true)),
    ] as [(String, ExpressionValue)])
func expressionsComeTo(_ text: String, _ expected: ExpressionValue) throws {
    #expect(try value(text) == expected)
}

@Test(arguments: [
    "greatest + 1", "least - 1", "least / -1", "least % -1", "-least", "abs(least)", "greatest * 2", "1 / 0", "1 % 0",
    "1.0 / 0", "1e308 * 10", "1 << 63", "1 << 64", "1 << -1", "4611686018427387904 << 1", "huge", "huge + 1", "gone",
    "gone == 0", "nothing", "nothing == nothing", "flags", "records", "flags.calibrated.x", "level.x", "u64(4)",
    "u8(12)",
    "u16(11)", "u8(-1)", "u8(greatest)", "written(command, 2)", "written(other, 0)", "written(command, -1)",
    "has(other)",
    "!has(other)", "!5", "1 && true", "'a' < 'b'", "1 + true", "1 + 'a'", "min(1, 'a')", "sum(level.x)", "count(level)",
    "sum(records.tag)", "level + 0 == 'pour'", "true && has(other)", "-'a'", "1.5 & 1", "true in {1..2} && gone",
])
func expressionsAreUnknown(_ text: String) throws {
    #expect(try value(text) == .unknown)
}

@Test func oneSideOfABooleanOperatorCanDecide() throws {
    #expect(try value("false && has(other)") == .boolean(false))
    #expect(try value("has(other) && false") == .boolean(false))
    #expect(try value("has(other) || true") == .boolean(true))
    #expect(try value("has(other) || false") == .unknown)
}

@Test(
    arguments: [
        ("", 1, "expected a value, found the end"),
        ("1 +", 4, "expected a value, found the end"),
        ("level <= ", 10, "expected a value, found the end"),
        ("1 2", 3, "expected an operator or the end, found \"2\""),
        ("a and b", 3, "expected an operator or the end, found \"and\"; write &&"),
        ("a == 1 or b", 8, "expected an operator or the end, found \"or\"; write ||"),
        ("a = 1", 3, "expected a value or an operator, found \"=\"; values are compared with =="),
        ("(1", 3, "expected \")\", found the end"),
        ("1 < 2 < 3", 7, "comparisons cannot follow each other; join them by &&"),
        ("a == !b", 6, "expected a value, found \"!\"; put what it negates in brackets"),
        ("$x", 1, "expected a value or an operator, found \"$\""),
        ("é", 1, "expected a value or an operator, found \"é\""),
        ("'é' == \u{A0}1", 8, "expected a value or an operator, found \"\u{A0}\""),
        ("'abc", 1, "expected ' at the end of the text that begins here"),
        ("0xZZ", 1, "expected a number, found \"0xZZ\""),
        ("12ml", 1, "expected a number, found \"12ml\""),
        ("9223372036854775808", 1, "expected a number up to 9223372036854775807, found 9223372036854775808"),
        ("a in {1, x}", 10, "expected a whole number, found \"x\""),
        ("a in {5..1}", 7, "expected the lower number of the range first, found \"5\""),
        ("a.", 1, "expected the name of a field, found \"a.\""),
        ("foo(1)", 1, "expected a function: u8 to u64, written, has, count, sum, min, max or abs, found \"foo\""),
        ("u12(0)", 1, "expected a function: u8 to u64, written, has, count, sum, min, max or abs, found \"u12\""),
        ("min(1)", 1, "expected min with two to eight values, found \"min\""),
        ("count(1)", 7, "expected the name of a list, found \"1\""),
        ("written(1, 2)", 9, "expected the name of a characteristic, found \"1\""),
    ] as [(String, Int, String)])
func brokenExpressionsSayWhere(_ text: String, _ column: Int, _ message: String) {
    #expect(throws: ExpressionFault(message, column: column)) { try value(text) }
}

@Test func expressionsAreBounded() {
    #expect(throws: ExpressionFault.self) { try value(String(repeating: "(", count: 40) + "1") }
    #expect(throws: ExpressionFault.self) { try value(String(repeating: "!", count: 200) + "true") }
    #expect(throws: ExpressionFault("expected at most 1000 characters", column: 1001)) {
        try value(String(repeating: "1+", count: 600) + "1")
    }
    #expect(try! value(String(repeating: "1+", count: 400) + "1") == .integer(401))
}

@Test func expressionsTellWhatTheyReferTo() throws {
    let expression = try Expression(
        parsing: "flags.low && count(records) > 1 && sum(records.amount) > level && level > written(command, u8(0))"
            + " && has(settings)", at: SourcePlace(line: 1, column: 1))
    #expect(expression.fields == ["flags.low", "records", "records.amount", "level"])
    #expect(expression.characteristics == ["command", "settings"])
    #expect(expression.isCondition)
    #expect(try !Expression(parsing: "1 + 2", at: SourcePlace(line: 1, column: 1)).isCondition)
}
