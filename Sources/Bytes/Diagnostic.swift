/// What is wrong in a packet, in a value or in a text file, where, and what mends it.
public struct Diagnostic: Error, Hashable, Sendable {
    public enum Severity: String, Sendable {
        /// Worth knowing: nothing is wrong.
        case note
        /// The recording lacks something, the traffic is odd, or a value is not as its profile says.
        case warning
        /// The specification or the file's format forbids it.
        case error
    }

    public enum Location: Hashable, Sendable {
        /// A layer by Wireshark's name (`btatt`), a plugin or a field, and the offset in the frame or the reassembled PDU.
        case bytes(layer: String, offset: Int)
        /// Line and column of a text file, from 1.
        case text(line: Int, column: Int)
    }

    public var severity: Severity
    public var location: Location
    /// What was found and what was expected.
    public var text: String
    /// What mends it; nil where the text says it.
    public var advice: String?
    /// The name of the check that found it; nil where a reader did.
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

    /// An error of a layer.
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

    /// A line as compilers print it: `profile.yaml:3:5: error: unknown key; did you mean "name"? [unknown-name]`; in bytes
    /// `session.btsnoop: btatt at byte 9: error: …`.
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
