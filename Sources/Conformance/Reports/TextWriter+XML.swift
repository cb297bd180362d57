import Bytes

extension TextWriter {
    /// Writes a text for the content of an element or, in double quotes, the value of an attribute (XML 1.0, 2.2 and
    /// 2.4): line breaks survive in both, and what no XML may hold stands as U+FFFD.
    mutating func writeXML(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": write("&amp;" as StaticString)
            case "<": write("&lt;" as StaticString)
            case ">": write("&gt;" as StaticString)
            case "\"": write("&quot;" as StaticString)
            case "\t", "\n", "\r": write("&#\(scalar.value);")
            case "\u{20}"..."\u{7E}": write(UInt8(truncatingIfNeeded: scalar.value))
            case "\u{80}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": write(String(scalar))
            case "\u{7F}": write("&#127;" as StaticString)
            default: write("\u{FFFD}")
            }
        }
    }

    /// Writes an attribute with a blank before it.
    mutating func writeXML(attribute name: StaticString, _ value: String) {
        write(UInt8(ascii: " "))
        write(name)
        write("=\"" as StaticString)
        writeXML(value)
        write(UInt8(ascii: "\""))
    }
}
