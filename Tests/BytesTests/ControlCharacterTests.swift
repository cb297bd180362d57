import Bytes
import Testing

/// Characters that control a terminal or reorder text never reach the output.
@Suite struct ControlCharacterTests {
    /// ESC, BEL, DEL, C1, line separators and bidirectional controls.
    private static let controls: [Unicode.Scalar] = [
        "\u{1B}", "\u{7}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{61C}", "\u{200E}", "\u{2028}", "\u{202E}",
        "\u{2066}",
        "\u{2069}",
    ]

    @Test(arguments: controls) func textsHaveNone(_ scalar: Unicode.Scalar) {
        let code = String(scalar.value, radix: 16, uppercase: true)
        #expect("a\(scalar)\nb\t\r\n".legibleText() == "a\\u{\(code)}\nb\t\r\n")
        #expect("a\rb".legibleText() == "a\\rb")
        #expect("a\(scalar)\nb".legibleLine() == "a\\u{\(code)} b" || scalar == "\u{2028}")
    }

    @Test(arguments: controls, [0, 1, 7, 8, 9, 17]) func jsonEscapesThem(_ scalar: Unicode.Scalar, _ before: Int) throws
    {
        let text = String(repeating: "°", count: before) + "\(scalar)°…ä😀"
        let line = JSONValue.string(text).line
        #expect(!line.unicodeScalars.contains(scalar))
        #expect(try JSONValue(reading: Array(line.utf8)) == .string(text))
    }

    @Test func legibleCharactersStandAsTheyAreInJSON() {
        #expect(JSONValue.string("23 °C – 5 µm … ä 漢 😀").line == "\"23 °C – 5 µm … ä 漢 😀\"")
    }

    @Test func diagnosticsHaveNone() {
        let fault = Diagnostic(.error, at: .text(line: 1, column: 2), "unknown key \"\u{1B}[31m\nforged: error: x\"")
        #expect(fault.line(in: "a.yaml") == "a.yaml:1:2: error: unknown key \"\\u{1B}[31m\\nforged: error: x\"")
    }
}
