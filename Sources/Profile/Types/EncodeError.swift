/// Why a value cannot be put into bytes.
package struct EncodeError: Error, Hashable, Sendable {
    /// The field within the type, by the names on the way to it; empty for the value as a whole.
    package var path: String
    /// What was expected and what was found.
    package var text: String

    package init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension EncodeError: CustomStringConvertible {
    package var description: String { path.isEmpty ? text : "\(path): \(text)" }
}
