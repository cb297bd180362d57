import PluginKit
import TestKit
import Testing

@Suite struct JSONTextTests {
    private let value = JSONText.members([
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

    /// What is written is JSON to another reader too.
    @Test func whatIsWrittenIsReadBack() throws {
        let read = try JSONText(reading: Array(value.text.utf8))
        #expect(read.text == value.text)
        let other = try JSONValue(parsing: Array(value.text.utf8))
        #expect(other["text"] == .string("a\"\\\n\u{1}ä😀"))
        #expect(other["z"] == .number(1))
    }

    @Test func everyFormOfAValueIsRead() throws {
        #expect(
            try JSONText(reading: Array(" [0,-0.5,1e2,12E-1,\"\\u00e4\\ud83d\\ude00\\/\\t\", {} ] ".utf8))
                == .array([
                    .integer(0), .number(-0.5), .number(100), .number(1.2), .string("ä😀/\t"), .object([]),
                ]))
    }

    @Test(arguments: [
        ("", 1, 1, "a value"), ("{\n  \"a\": 1,\n}", 3, 1, "a member's name in quotes"),
        ("[1 2]", 1, 4, "a comma or the array's end"), ("{\"a\" 1}", 1, 6, "a colon"),
        ("{\"a\":1,\"a\":2}", 1, 8, "each member once"), ("[01]", 1, 4, "a number without leading zeros"),
        ("[1.]", 1, 4, "a digit"), ("[tru]", 1, 2, "a value"),
        ("\"a", 1, 1, "the closing quote of the text that begins here"),
        ("\"\\x\"", 1, 2, "an escape"), ("\"\\ud83d\"", 1, 8, "a second surrogate"), ("\"\\u12", 1, 2, "an escape"),
        ("1 1", 1, 3, "the end of the text"), ("1e999", 1, 1, "a smaller number"), ("\"\\", 1, 2, "an escape"),
    ])
    func faultsHaveTheirPlace(_ text: String, _ line: Int, _ column: Int, _ expected: String) {
        do throws(JSONText.Fault) {
            _ = try JSONText(reading: Array(text.utf8))
            Issue.record("no fault was found")
        } catch {
            #expect(error.line == line && error.column == column && error.expected == expected, "\(error)")
        }
    }

    @Test func deepNestingIsRefused() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONText.Fault.self) { try JSONText(reading: Array(text.utf8)) }
    }

    @Test func everyPrefixOfATextIsRefused() {
        let text = Array("{\"a\": [1.5, \"\\u00e4\", null], \"b\": {}}".utf8)
        for count in 0..<text.count {
            #expect(throws: JSONText.Fault.self) { try JSONText(reading: Array(text.prefix(count))) }
        }
    }
}
