/// Why a value cannot be put into bytes.
public struct EncodeError: Error, Hashable, Sendable {
    /// The field within the type, by the names on the way to it; empty for the value as a whole.
    public var path: String
    /// What was expected and what was found.
    public var text: String

    public init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension EncodeError: CustomStringConvertible {
    public var description: String { path.isEmpty ? text : "\(path): \(text)" }
}
