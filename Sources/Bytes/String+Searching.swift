// The standard library's equivalents are generic over patterns, and link regular expressions into the program.
extension StringProtocol {
    package func includes(_ text: String) -> Bool {
        let (bytes, sought) = (Array(utf8), Array(text.utf8))
        return bytes.indices.contains { bytes[$0...].starts(with: sought) } || sought.isEmpty
    }

    /// Replaces a scalar by a text, even where combining marks follow it: to a shell, a quotation mark with a combining
    /// mark still ends a word.
    package func replacing(_ scalar: Unicode.Scalar, by text: String) -> String {
        unicodeScalars.reduce(into: "") { $0 += $1 == scalar ? text : String($1) }
    }
}
