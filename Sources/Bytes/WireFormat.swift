/// A structure with an encoding on the wire: one function reads it, another writes it.
///
/// `init(reading:)` serves both decoding and dissection: with a recorder in the reader, it also records the field tree.
public protocol WireFormat: Sendable {
    /// Reads the value at the reader's position; throws at the first invalid field.
    init(reading reader: inout ByteReader) throws(DecodeError)

    /// Appends the value's bytes.
    func write(to writer: inout ByteWriter)
}

extension WireFormat {
    /// The value's bytes.
    public var encoded: [UInt8] { ByteWriter.bytes { write(to: &$0) } }

    /// Reads the value from `bytes`.
    public init(decoding bytes: [UInt8], recorder: FieldRecorder? = nil) throws(DecodeError) {
        var reader = ByteReader(bytes.span, recorder: recorder)
        self = try Self(reading: &reader)
    }
}
