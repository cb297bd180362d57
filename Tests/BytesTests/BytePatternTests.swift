import Bytes
import Testing

struct BytePatternTests {
    @Test(arguments: [
        ("", "", true), ("", "abc", true), ("abc", "xxABCxx", true), ("abc", "ab", false), ("a.c", "abc", true),
        ("a.c", "a\nc", false), ("^abc$", "abc", true), ("^abc$", "abc\n", true), ("^abc$", "abcd", false),
        ("^b", "ab", false), ("a|b", "xb", true), ("^(a|b)+$", "abba", true), ("^(?:ab)*$", "ababab", true),
        ("^(ab)*$", "aba", false), ("colou?r", "color", true), ("colou?r", "colour", true), ("^a{3}$", "aaa", true),
        ("^a{3}$", "aa", false), ("^a{2,3}$", "aaaa", false), ("^a{2,}$", "aaaa", true), ("^a{0}$", "", true),
        ("a{,2}", "a{,2}", true), ("a{", "a{", true), ("[a-c]x", "Bx", true), ("[^a-c]x", "bx", false),
        ("[^a-c]x", "dx", true), ("[]a]", "]", true), ("[a\\]]", "]", true), ("[a-]", "-", true),
        ("\\d+", "ab12", true),
        ("\\D", "123", false), ("^\\w+$", "a_1", true), ("\\W", "a_1", false), ("a\\sb", "a b", true),
        ("\\S", " \t", false), ("\\bcat\\b", "a cat sat", true), ("\\bcat\\b", "concat", false),
        ("\\Bcat", "concat", true), ("\\x41", "a", true), ("\\.", "a", false), ("\\.", ".", true),
        ("a*?b", "aab", true),
        ("a++b", "aab", true), ("()", "x", true), ("(|a)b", "b", true), ("(a*)*b", "aaac", false), ("a||b", "", true),
        ("[\\d-]x", "-x", true), ("\\Aab\\z", "ab", true), ("^Puck-[0-9A-F]{4}$", "puck-00fF", true),
        ("^Puck-[0-9A-F]{4}$", "Puck-00f", false), ("^Puck-[0-9A-F]{4}$", "Puck-00fg", false),
        ("^Puck-[0-9A-F]{4}$", "Puck-00ff0", false), ("^Puck", "a Puck", false), ("^\\bcat", "cat", true),
        ("^ab\\b", "abc", false), ("^ab|c", "xc", true),
    ])
    func patternsAreFound(pattern: String, text: String, expected: Bool) throws {
        #expect(try BytePattern(Array(pattern.utf8)).matches(Array(text.utf8)) == expected)
    }

    @Test func bytesAreNoText() throws {
        #expect(try BytePattern(Array("\\xff\\x00.".utf8)).matches([1, 0xFF, 0, 0xFE]))
        #expect(try BytePattern([0xC3, 0xA9]).matches(Array("é".utf8)))
        #expect(try BytePattern(Array("^.{2}$".utf8)).matches(Array("é".utf8)))
    }

    @Test(arguments: [
        ("(", ") is missing"), (")", ") without ("), ("a)", ") without ("), ("[", "] is missing"),
        ("[a", "] is missing"),
        ("*", "* has nothing to repeat"), ("a**", "a quantifier follows another"),
        ("a{2}{3}", "a quantifier follows another"),
        ("a{3,2}", "the numbers of repetitions are out of order"),
        ("a{9999}", "a number of repetitions is greater than 1000"),
        ("a{99999999999999999999}", "a number of repetitions is greater than 1000"), ("\\", "a backslash ends it"),
        ("(?=a)", "groups are (…) or (?:…)"), ("(a)\\1", "\\1 is not known"),
        ("[z-a]", "a range of characters is out of order"),
        ("[\\d-z]", "a range of characters is out of order"), ("[[:alpha:]]", "[:name:] is not known"),
        ("(a{1000}){1000}", "it is too large"), ("((((){1000}){1000}){1000}){1000}", "it is too large"),
    ])
    func faultsAreNamed(pattern: String, message: String) {
        let fault = #expect(throws: BytePattern.Fault.self) { try BytePattern(Array(pattern.utf8)) }
        #expect(fault?.message == message)
    }

    @Test func nestingIsLimited() {
        let fault = #expect(throws: BytePattern.Fault.self) {
            try BytePattern([UInt8](repeating: UInt8(ascii: "("), count: 30_000))
        }
        #expect(fault?.message == "nested deeper than 100 groups")
    }

    /// A backtracking matcher would need 2^2000 steps here.
    @Test(arguments: ["(a+)+$", "(a|aa)+$", "(a|aa?)+$", "(.*a){12}$"])
    func noPatternTakesForEver(pattern: String) throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 2_000) + [UInt8(ascii: "!")]
        #expect(try !BytePattern(Array(pattern.utf8)).matches(text))
    }
}
