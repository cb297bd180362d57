/// Something that stands in a packet: read by one function, written by another.
///
/// `init(reading:)` serves decoding and display alike: with a recorder in the reader it leaves the field tree behind.
public protocol WireFormat: Sendable {
    /// Reads the value where the reader stands; throws at the first field that does not fit.
    init(reading reader: inout ByteReader) throws(DecodeError)

    /// Appends the value's bytes.
    func write(to writer: inout ByteWriter)
}

extension WireFormat {
    /// The value's bytes.
    public var encoded: [UInt8] { ByteWriter.bytes { write(to: &$0) } }

    /// Reads the value from all of `bytes`.
    public init(decoding bytes: [UInt8], recorder: FieldRecorder? = nil) throws(DecodeError) {
        var reader = ByteReader(bytes.span, recorder: recorder)
        self = try Self(reading: &reader)
    }
}
