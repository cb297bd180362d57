import Bytes
import Testing

@Test(
    arguments: [
        ("pack(push, 1)", "1)", true), ("pack(push, 1)", "pack(", true), ("pack", "pack(", false), ("", "a", false),
        ("Größe", "öß", true), ("text", "", true),
    ])
func aTextIncludesOthers(_ text: String, _ other: String, _ includes: Bool) {
    #expect(text.includes(other) == includes)
}

@Test func scalarsAreReplaced() {
    #expect("a_b_".replacing("_", by: " ") == "a b ")
    #expect("a|b\r\n".replacing("|", by: "\\|").replacing("\n", by: " ") == "a\\|b\r ")
    #expect("it'\u{301}s".replacing("'", by: "_").unicodeScalars.elementsEqual("it_\u{301}s".unicodeScalars))
    #expect("".replacing("_", by: " ") == "")
}
