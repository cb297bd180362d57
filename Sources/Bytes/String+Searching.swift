// What the standard library has for this is generic over patterns, and brings regular expressions into a program.
extension StringProtocol {
    /// Whether a text is anywhere in it.
    package func includes(_ text: String) -> Bool {
        let (bytes, sought) = (Array(utf8), Array(text.utf8))
        return bytes.indices.contains { bytes[$0...].starts(with: sought) } || sought.isEmpty
    }

    /// With a text in place of a scalar, also where that has combining marks: to a shell, a quotation mark ends a word all the same.
    package func replacing(_ scalar: Unicode.Scalar, by text: String) -> String {
        unicodeScalars.reduce(into: "") { $0 += $1 == scalar ? text : String($1) }
    }
}
