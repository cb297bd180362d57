// What the standard library has for this is generic over patterns, and brings regular expressions into a program.
extension StringProtocol {
    /// Whether a text is anywhere in it.
    package func includes(_ text: String) -> Bool {
        let (bytes, sought) = (Array(utf8), Array(text.utf8))
        return bytes.indices.contains { bytes[$0...].starts(with: sought) } || sought.isEmpty
    }

    /// With a text in place of each of some character.
    package func replacing(_ character: Character, by text: String) -> String {
        reduce(into: "") { $0.append(contentsOf: $1 == character ? text : String($1)) }
    }
}
