import Bytes
import Testing

@Suite struct JSONValueTests {
    private let value = JSONValue.members([
        "z": .integer(1), "a": .array([.number(2.5), .number(3), .null, .boolean(true), .array([])]),
        "left out": nil, "text": .string("a\"\\\n\u{1}ä😀"), "empty": .object([]),
    ])

    @Test func membersKeepTheirOrder() {
        #expect(
            value.text == """
                {
                  "z": 1,
                  "a": [
                    2.5,
                    3,
                    null,
                    true,
                    []
                  ],
                  "text": "a\\"\\\\\\u000a\\u0001ä😀",
                  "empty": {}
                }

                """)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let read = try JSONValue(reading: Array(value.text.utf8))
        #expect(read.text == value.text)
        #expect(read["text"]?.string == "a\"\\\n\u{1}ä😀")
        #expect(read["z"]?.number == 1 && read["a"]?.elements.count == 5 && read["left out"] == nil)
        #expect(read.members.keys.sorted() == ["a", "empty", "text", "z"])
    }

    @Test func everyFormOfAValueIsRead() throws {
        #expect(
            try JSONValue(
                reading: Array(" [0,-0.5,1e2,12E-1,-2.5e1,true,false,\"\\u00e4\\ud83d\\ude00\\/\\t\", {} ] ".utf8))
                == .array([
                    .integer(0), .number(-0.5), .number(100), .number(1.2), .number(-25), .boolean(true),
                    .boolean(false),
                    .string("ä😀/\t"), .object([]),
                ]))
    }

    @Test func wholeNumbersHaveUpTo64Bits() throws {
        let text = "[-9223372036854775808,9223372036854775807,9223372036854775808,18446744073709551615]"
        let read = try JSONValue(reading: Array(text.utf8))
        #expect(read == .array([.integer(.min), .integer(.max), .unsigned(1 << 63), .unsigned(.max)]))
        #expect(read.line == text)
    }

    @Test(arguments: [
        ("", 1, 1, "a value"), ("{\n  \"a\": 1,\n}", 3, 1, "a member's name in quotes"),
        ("[1 2]", 1, 4, "a comma or the array's end"), ("{\"a\" 1}", 1, 6, "a colon"),
        ("{\"a\":1,\"a\":2}", 1, 8, "each member once"), ("[01]", 1, 4, "a number without leading zeros"),
        ("[1.]", 1, 4, "a digit"), ("[tru]", 1, 2, "a value"),
        ("\"a", 1, 1, "the closing quote of the text that begins here"),
        ("\"\\x\"", 1, 2, "an escape"), ("\"\\ud83d\"", 1, 8, "a second surrogate"), ("\"\\u12", 1, 2, "an escape"),
        ("-", 1, 1, "a value"), ("{a:1}", 1, 2, "a member's name in quotes"), ("[1,]", 1, 4, "a value"),
        ("{\"a\"}", 1, 5, "a colon"),
        ("\"\n\"", 1, 2, "the closing quote; a control character is written \\u000a"),
        ("1 1", 1, 3, "the end of the text"), ("1e999", 1, 1, "a smaller number"), ("\"\\", 1, 2, "an escape"),
    ])
    func faultsHaveTheirPlace(_ text: String, _ line: Int, _ column: Int, _ expected: String) {
        do throws(JSONValue.Fault) {
            _ = try JSONValue(reading: Array(text.utf8))
            Issue.record("no fault was found")
        } catch {
            #expect(error.line == line && error.column == column && error.expected == expected, "\(error)")
        }
    }

    @Test func deepNestingIsRefused() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONValue.Fault.self) { try JSONValue(reading: Array(text.utf8)) }
    }

    @Test func everyPrefixOfATextIsRefused() {
        let text = Array("{\"a\": [1.5, \"\\u00e4\", null], \"b\": {}}".utf8)
        for count in 0..<text.count {
            #expect(throws: JSONValue.Fault.self) { try JSONValue(reading: Array(text.prefix(count))) }
        }
    }
}
