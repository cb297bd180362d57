/// A problem in a packet, a value or a text file: its location, a description and advice on how to fix it.
public struct Diagnostic: Error, Hashable, Sendable {
    public enum Severity: String, Sendable {
        /// Informational: nothing is wrong.
        case note
        /// The capture is incomplete, the traffic is unusual, or a value does not match its profile.
        case warning
        /// A violation of the specification or of the file's format.
        case error
    }

    public enum Location: Hashable, Sendable {
        /// Wireshark's name of a layer (`btatt`), or a plugin or field, and the offset in the frame or the reassembled
        /// PDU.
        case bytes(layer: String, offset: Int)
        /// Line and column in a text file, from 1.
        case text(line: Int, column: Int)
    }

    public var severity: Severity
    public var location: Location
    /// The problem found and the expected state.
    public var text: String
    /// How to fix it; nil where the text already says so.
    public var advice: String?
    /// The name of the check that reported it; nil if a reader did.
    public var check: String?

    public init(
        _ severity: Severity, at location: Location, _ text: String, advice: String? = nil, check: String? = nil
    ) {
        self.severity = severity
        self.location = location
        self.text = text
        self.advice = advice
        self.check = check
    }

    public init(_ severity: Severity, _ layer: String, offset: Int = 0, _ text: String) {
        self.init(severity, at: .bytes(layer: layer, offset: offset), text)
    }

    /// An error in a layer.
    public init(_ error: DecodeError, in layer: String) {
        self.init(.error, layer, offset: error.offset, error.description)
    }

    /// The layer; empty in a text file.
    public var layer: String {
        if case .bytes(let layer, _) = location { layer } else { "" }
    }

    /// The offset in bytes; 0 in a text file.
    public var offset: Int {
        if case .bytes(_, let offset) = location { offset } else { 0 }
    }

    /// One line in the style of compilers: `profile.yaml:3:5: error: unknown key; did you mean "name"? [unknown-name]`.
    /// A location in bytes gives `session.btsnoop: btatt at byte 9: error: …`.
    public func line(in file: String) -> String {
        let place =
            switch location {
            case .bytes(let layer, let offset): " \(layer) at byte \(offset)"
            case .text(let line, let column): "\(line):\(column)"
            }
        let (file, text) = (file.legible(), text.legible())
        let advice = advice.map { "; \($0.legible())" } ?? ""
        let check = check.map { " [\($0)]" } ?? ""
        return "\(file):\(place): \(severity.rawValue): \(text)\(advice)\(check)"
    }
}
