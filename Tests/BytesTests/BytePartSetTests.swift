import Bytes
import Testing

struct BytePartSetTests {
    @Test(arguments: [
        ([""], "", true), ([], "abc", false), (["abc"], "ababc", true), (["aab"], "aaab", true),
        (["abd"], "ababc", false), (["abcd", "bc"], "xabcx", true), (["abcd", "bd"], "abcbd", true),
        (["ababx", "bab"], "ababab", true),
        (["b", "aaaa"], "aaa", false),
    ])
    func partsAreFound(parts: [String], text: String, expected: Bool) {
        #expect(BytePartSet(parts.map { Array($0.utf8) }).isFound(in: Array(text.utf8)) == expected)
    }

    @Test func aPartThatOftenBreaksOffIsFoundInOneWalk() {
        let part = [UInt8](repeating: 0x61, count: 30_000) + [0x62]
        let bytes = [UInt8](repeating: 0x61, count: 256 * 1024)
        #expect(!BytePartSet([part]).isFound(in: bytes))
        #expect(BytePartSet([part]).isFound(in: bytes + [0x62]))
    }
}
