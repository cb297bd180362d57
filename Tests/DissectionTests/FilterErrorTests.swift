import Bytes
import Dissection
import TestKit
import Testing

/// The error for a filter: its text, the carets below it, and the message.
private func fault(_ text: String) -> [String]? {
    do {
        _ = try DisplayFilter(text, catalog: Sample.catalog)
        return nil
    } catch {
        return error.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

struct FilterErrorTests {
    @Test(
        arguments: [
            ("test.cod == 0x1b", "^~~~~~~~ unknown field; did you mean test.code?"),
            ("tset", "^~~~ unknown field; did you mean test?"),
            ("test && handle > 3", "        ^~~~~~ unknown field; did you mean test.handle?"),
            ("zzzzzzzz", "^~~~~~~~ unknown field; did you mean other?"),
            ("test.zzzzzzzz", "^~~~~~~~~~~~~ unknown field; did you mean test.absent?"),
            ("test.code == test.cod", "             ^~~~~~~~ unknown field; did you mean test.code?"),
            ("\"text\"", "^~~~~~ a field or a function is expected"),
            ("1 == 1", "^ unknown field"),
            ("test.code == \"Foo\"", "             ^~~~~ test.code has no value of this name"),
            (
                "test.code == Notificaton",
                "             ^~~~~~~~~~~ test.code has no value of this name; did you mean \"Notification\"?"
            ),
            ("test.code == 1b", "             ^~ test.code has no value of this name"),
            ("test.handle == \"Foo\"", "               ^~~~~ a number is expected"),
            ("test.handle == 0x1ffffffffffffffff", "               ^~~~~~~~~~~~~~~~~~~ does not fit into 64 bits"),
            ("test.temperature == hot", "                    ^~~ a number is expected"),
            ("test.handle & x", "              ^ a number is expected"),
            ("test.value == 0x0101", "              ^~~~~~ bytes are expected: 01:02:03 or \"text\""),
            ("test.value == 300", "              ^~~ bytes are expected: 01:02:03 or \"text\""),
            ("test.handle == 65536", "               ^~~~~ 65536 is too great: 65535 is the greatest value"),
            (
                "test.handle in {1..0x10000}",
                "                   ^~~~~~~ 65536 is too great: 65535 is the greatest value"
            ),
            ("test.flags.level == 4", "                    ^ 4 is too great: 3 is the greatest value"),
            ("test.rssi == 200", "             ^~~ 200 is too great: 127 is the greatest value"),
            ("test.rssi < -129", "            ^~~~ -129 is too small: -128 is the least value"),
            ("test.rssi in {-128..127}", nil),
            ("test.address == 11:22", "                ^~~~~ an address is expected: aa:bb:cc:dd:ee:ff"),
            ("test.address[0:2] == 11:22", nil),
            ("test.address == nobody", "                ^~~~~~ an address is expected: aa:bb:cc:dd:ee:ff"),
            ("test.uuid == nothing", "             ^~~~~~~ a UUID is expected"),
            (
                "test.handle contains 14",
                "                     ^~ contains applies to bytes and texts, not to numbers"
            ),
            ("test.code matches \"Write\"", "^~~~~~~~~ matches applies to bytes and texts, not to numbers"),
            ("test.name matches HOR", "                  ^~~ a pattern in double quotes is expected"),
            ("test.name matches \"[\"", "                  ^~~ pattern: ] is missing"),
            (
                "test.name == test.code",
                "^~~~~~~~~~~~~~~~~~~~~~ test.name and test.code have values of different kinds"
            ),
            ("test.code[0] == 1", "^~~~~~~~~~~~ test.code is a number: only bytes and texts have slices"),
            ("lower(test.value) == \"a\"", "      ^~~~~~~~~~ lower takes a text"),
            ("count(test.value[0]) == 1", "      ^~~~~~~~~~~~~ count takes the name of a field"),
            ("len(test.value, test) == 1", "^~~~~~~~~~~~~~~~~~~~~ len takes one argument"),
            ("len(count(test)) == 1", "    ^~~~~~~~~~~ len takes a field, bytes or a text"),
            ("len() == 1", "^~~~~ len takes one argument"),
            ("len(\"abc\") == 3", "    ^~~~~ a field or a function is expected"),
            ("max(test.code) == 3", "^~~~~~~~~~~~~~ unknown function; there are count, len, lower and upper"),
            ("len(test.value)", "^~~~~~~~~~~~~~~ a function has to be compared with something"),
            ("test.name & 1", "^~~~~~~~~~~~~ & takes a number or bytes on its left side"),
            (
                "test.code > Vendor",
                "            ^~~~~~ several values have this name: it can be compared by == and != only"
            ),
            ("test.name == \"\\z\"", "              ^~ no escape sequence; write \\\\ for a backslash, or r\"…\""),
        ] as [(String, String?)])
    func meaning(text: String, carets: String?) {
        #expect(fault(text)?.last == carets)
    }

    @Test(arguments: [
        ("test &&", "       ^ the filter ends too early"),
        ("&& test", "^~ is unexpected here"),
        ("test other", "     ^~~~~ is unexpected here"),
        ("(test", "^ ( is not closed"),
        ("test)", "    ^ is unexpected here"),
        ("(test other)", "      ^~~~~ is unexpected here"),
        ("()", " ^ is unexpected here"),
        ("test.code ==", "            ^ the filter ends too early"),
        ("test.code == == 1", "             ^~ is unexpected here"),
        ("test.code = 1", "          ^ = has no meaning here"),
        ("test.rssi == -60..-50", "                ^~ ranges stand in sets only: in {1..5}"),
        ("test.handle in 1", "               ^ a set is expected: {1, 2, 5..9}"),
        ("test.handle in {1 2}", "                  ^ is unexpected here"),
        ("test.handle in {}", "                ^ is unexpected here"),
        ("test.handle in {1..}", "                   ^ is unexpected here"),
        ("all test.handle", "               ^ the filter ends too early"),
        ("test.name == \"abc", "             ^~~~ the closing quote is missing"),
        ("test.code == 'ab'", "             ^~ a character is one ASCII character or escape between single quotes"),
        ("test.value[0", "          ^~ ] is missing"),
        (
            "test.value[a] == 1",
            "          ^~~ a slice is [first:length], [first-last], [index], [:length] or [first:]"
        ),
        (
            "test.value[1:0]",
            "          ^~~~~ a slice is [first:length], [first-last], [index], [:length] or [first:]"
        ),
        (
            "test.value[3-1]",
            "          ^~~~~ a slice is [first:length], [first-last], [index], [:length] or [first:]"
        ),
        ("test.value[0][0]", "             ^~~ is unexpected here"),
        ("len(test.value == 1", "               ^~ is unexpected here"),
        ("test.code EQ 1", "          ^~ is unexpected here"),
        ("test $ 1", "     ^ $ has no meaning here"),
    ])
    func syntax(text: String, carets: String) {
        #expect(fault(text) == [text, carets])
    }

    @Test func lineBreaksDoNotShiftTheCaret() {
        #expect(fault("test\n&&\ttast") == ["test && tast", "        ^~~~ unknown field; did you mean test?"])
    }

    @Test func theColumnIsThatOfTheFault() throws {
        let error = #expect(throws: FilterError.self) {
            try DisplayFilter("test && tast", catalog: Sample.catalog)
        }
        #expect(error?.column == 9)
        #expect(error?.range == 8..<12)
        #expect(error?.message == "unknown field; did you mean test?")
        #expect(error?.text == "test && tast")
    }

    @Test(arguments: ["(", "!", "not ", "len(", "!("])
    func nestingIsLimited(opening: String) {
        let text = String(repeating: opening, count: 30_000 / opening.count)
        #expect(fault(text)?.last?.contains("nested deeper than 200 levels") == true)
    }

    @Test func nestingUpToTheLimitWorks() throws {
        let open = String(repeating: "(", count: 200)
        let close = String(repeating: ")", count: 200)
        #expect(try Sample.passes("\(open)test\(close)"))
        #expect(try Sample.passes(String(repeating: "!", count: 200) + "test"))
    }

    @Test func longChainsWork() throws {
        let terms = 5_000
        #expect(try Sample.passes(Array(repeating: "test", count: terms).joined(separator: "&&")))
        #expect(try Sample.passes(Array(repeating: "other", count: terms).joined(separator: "||") + "||test"))
        #expect(try !Sample.passes(Array(repeating: "test", count: terms).joined(separator: "^^")))
    }

    @Test func lengthIsLimited() {
        #expect(fault(String(repeating: " ", count: 70_000))?.last == "^ filter is longer than 65536 characters")
    }

    @Test func noTextCrashes() throws {
        var generator = Xorshift(state: 0xF117E5)
        let pieces = [
            "test", "test.code", "test.value", "test.name", "test.handle", "test.uuid", "test.rssi", "other", "==",
            "!=",
            "===", "~=", "<", ">=", "contains", "matches", "in", "not", "any", "all", "{", "}", "(", ")", "[0:2]",
            "[-1]",
            "[", "]", ",", "..", "&&", "||", "^^", "!", "&", "0x1b", "-5", "01:02", "1.5", "\"a\"", "\"(a+)+$\"",
            "r\"\\d\"",
            "\"", "'", "'a'", "len(", "count(", "lower(", "true", "é", "\u{0}", "\\", "9999999999999999999999", ":",
            "-",
        ]
        let recorder = try Sample.record()
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined(separator: .random(using: &generator) ? " " : "")
            guard let filter = try? DisplayFilter(text, catalog: Sample.catalog) else { continue }
            _ = Sample.passes(filter, recorder, Sample.frame, Sample.reassembledBytes, Sample.sduBytes)
            _ = Sample.passes(filter, recorder, [], [], [])
        }
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...20, using: &generator)
            let text = String(
                decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, as: UTF8.self)
            _ = try? DisplayFilter(text, catalog: Sample.catalog)
        }
    }
}

struct FieldCatalogTests {
    @Test func fieldsAreFoundByName() {
        #expect(Sample.catalog["test.code"].map(\.label) == ["Code"])
        #expect(Sample.catalog["test.result"].count == 2)
        #expect(Sample.catalog["nothing"].isEmpty)
        #expect(Sample.catalog.names.first == "other")
        #expect(Sample.catalog.names.count == Set(Sample.catalog.names).count)
    }

    @Test(arguments: [
        ("test.coed", ["test.code"]), ("test.hndle", ["test.handle"]), ("Test.Code", ["test.code"]),
        ("uuid", ["test.uuid"]), ("", []), ("completely different", ["test.absent"]),
        (String(repeating: "a", count: 5_000), ["other.value"]),
    ])
    func nearestNames(name: String, expected: [String]) {
        #expect(Sample.catalog.nearest(to: name) == expected)
    }
}

/// A deterministic generator.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
