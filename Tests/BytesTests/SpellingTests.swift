import Bytes
import Testing

struct SpellingTests {
    @Test(arguments: [
        ("opcode", ["opcode"]), ("opcdoe", ["opcode"]), ("opcod", ["opcode"]), ("oopcode", ["opcode"]),
        ("code", ["btatt.code"]), ("handel", ["handle"]), ("xyzzy", []), ("", []),
    ])
    func nearestNames(name: String, expected: [String]) {
        #expect(Spelling.nearest(to: name, among: ["opcode", "btatt.code", "handle"]) == expected)
    }

    @Test func suggestionsListTheNearest() {
        let names = ["opcode", "opcodes", "opcodex"]
        #expect(Spelling.suggestion(for: "opcod", among: names) == "; did you mean opcode?")
        #expect(Spelling.suggestion(for: "opcode", among: names, limit: 2) == "; did you mean opcode, opcodes?")
        #expect(Spelling.suggestion(names, last: " or ") == "; did you mean opcode, opcodes or opcodex?")
        #expect(Spelling.suggestion([]) == "" && Spelling.question([]) == nil)
    }

    @Test(arguments: ["": "\"\"", "a.pcap": "a.pcap"]) func anEmptyNameIsQuoted(name: String, expected: String) {
        #expect(name.quotedIfEmpty == expected)
    }

    /// The search stops only when no remaining path is within the tolerance.
    @Test func distancesAtTheToleranceAreFound() {
        let name = "abcdefghijklmnopqrst"
        let spellings = [
            "abcdefghijklmnopqrst": true, "vwxyzfghijklmnopqrst": true, "uvwxyzghijklmnopqrst": false,
            "abcdefghijklmnouvwxy": true, "abcdefghijklmnuvwxyz": false, "badcfehgjilkmnopqrst": false,
            "badcfehgjiklmnopqrst": true, "abcdefghijklmno": true, "abcdefghijklmn": false,
            "12345abcdefghijklmnopqrst": true, "123456abcdefghijklmnopqrst": false,
        ]
        for (spelling, isNear) in spellings {
            #expect(Spelling.nearest(to: name, among: [spelling]) == (isNear ? [spelling] : []), "\(spelling)")
        }
    }
}
