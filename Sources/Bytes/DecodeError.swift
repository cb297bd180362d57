/// Why decoding of a PDU stopped: the offset, the missing bytes and the field that stated the length.
///
/// A decode error is a finding about the bytes, not a failure of the program: the dissector turns it into a
/// `Diagnostic` and keeps the fields read before it.
public struct DecodeError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The bytes ended before the field did.
        case truncated
        /// The field's value is outside the range that the specification allows; the text states the expected values.
        case invalid(String)
    }

    public var reason: Reason
    /// Label of the field being read, e.g. "Attribute Handle".
    public var field: String
    /// Offset of the field from the frame's first byte.
    public var offset: Int
    /// Bytes that the field needs.
    public var needed: Int
    /// Bytes that remained.
    public var available: Int
    /// Label of the length field that delimits the bytes being read; nil where the frame delimits them.
    public var lengthSource: String?
    /// Whether the field is key material: output masks the part that was captured.
    public var isSecret: Bool

    public init(
        _ reason: Reason, field: String, offset: Int, needed: Int, available: Int, lengthSource: String? = nil,
        isSecret: Bool = false
    ) {
        self.reason = reason
        self.field = field
        self.offset = offset
        self.needed = needed
        self.available = available
        self.lengthSource = lengthSource
        self.isSecret = isSecret
    }
}

extension DecodeError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .truncated:
            let cause = lengthSource.map { " (the length is set by \($0))" } ?? ""
            return "\(field): needs \(needed.counted("byte")), \(available) left\(cause)"
        case .invalid(let expected):
            return "\(field): \(expected)"
        }
    }
}
