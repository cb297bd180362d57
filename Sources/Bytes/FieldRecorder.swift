/// One occurrence of a field in a frame.
public struct RecordedField {
    /// The kind of field.
    public let field: Field
    /// The number, or for `.text` without bytes the index of the generated text.
    public let value: UInt64
    /// Offset in its buffer, in bytes.
    public let offset: UInt32
    /// Length in bytes; of a group: of all that it holds.
    public var length: UInt32
    /// Nesting: 0 for a protocol layer.
    public let depth: UInt8
    /// Which bytes `offset` counts in.
    public let buffer: Buffer
    /// True for a value that the bytes do not hold: it was concluded, as the handle of a response is from its request.
    public let isGenerated: Bool

    /// The bytes that a field was read from.
    public enum Buffer: UInt8, Sendable {
        /// The captured frame.
        case frame
        /// A PDU put together from the fragments of several frames.
        case reassembled
        /// An SDU put together from several PDUs.
        case sdu
    }

    @inlinable init(
        _ field: Field, value: UInt64, offset: Int, length: Int, depth: UInt8, buffer: Buffer, isGenerated: Bool
    ) {
        self.field = field
        self.value = value
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.length = UInt32(truncatingIfNeeded: length)
        self.depth = depth
        self.buffer = buffer
        self.isGenerated = isGenerated
    }
}

/// Collects the field tree that a `ByteReader` leaves behind: the one decode function's second view.
///
/// The tree is flat, in reading order, with a depth on every entry; it is reused from frame to frame, so recording
/// allocates nothing once it has grown.
public final class FieldRecorder {
    @inlinable public var fields: [RecordedField] { recorded }
    @usableFromInline var recorded: [RecordedField] = []
    /// Texts that are not in the bytes; `RecordedField.value` is the index.
    @inlinable public var texts: [String] { generated }
    @usableFromInline var generated: [String] = []
    @usableFromInline var depth: UInt8 = 0
    /// The bytes that what is recorded from now on is read from.
    public var buffer: RecordedField.Buffer = .frame
    /// Whether fields that are some bits of another one are recorded.
    public var recordsBits = true

    public init() {}

    /// Forgets everything, for the next frame.
    @inlinable
    public func reset() {
        if !recorded.isEmpty { recorded.removeAll(keepingCapacity: true) }
        if !generated.isEmpty { generated.removeAll(keepingCapacity: true) }
        depth = 0
        buffer = .frame
    }

    /// Records a field that was read at `offset`.
    @inlinable
    @inline(__always)
    public func add(_ field: Field, value: UInt64, offset: Int, length: Int, isGenerated: Bool = false) {
        recorded.append(
            RecordedField(
                field, value: value, offset: offset, length: length, depth: depth, buffer: buffer,
                isGenerated: isGenerated))
    }

    /// Records a value that the bytes do not hold.
    @inlinable
    public func addGenerated(_ field: Field, value: UInt64) {
        add(field, value: value, offset: 0, length: 0, isGenerated: true)
    }

    /// Records a text that the bytes do not hold.
    public func addGenerated(_ field: Field, text: String) {
        generated.append(text)
        addGenerated(field, value: UInt64(generated.count - 1))
    }

    /// Records what `body` adds as children of the field added last.
    @inlinable
    public func nested(_ body: () -> Void) {
        depth &+= 1
        body()
        depth &-= 1
    }

    /// Opens a group; what is recorded until `end` lies in it.
    @inlinable
    public func begin(_ group: Field, offset: Int, length: Int, isGenerated: Bool = false) -> Int {
        add(group, value: 0, offset: offset, length: length, isGenerated: isGenerated)
        depth += 1
        return recorded.count - 1
    }

    /// Closes the group that `begin` opened; it ends before `offset`.
    @inlinable
    public func end(_ group: Int, offset: Int) {
        recorded[group].length = UInt32(truncatingIfNeeded: max(0, offset - Int(recorded[group].offset)))
        depth = recorded[group].depth
    }

    /// Goes back to a group's level without touching its length, as after a decode error inside it.
    @inlinable
    public func close(_ group: Int) {
        depth = recorded[group].depth
    }
}
