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
    /// Depth, buffer and flags, a byte for each: fields are compared by the million.
    @usableFromInline var standing: UInt32

    /// Nesting: 0 for a protocol layer.
    @inlinable public var depth: UInt8 { UInt8(truncatingIfNeeded: standing) }
    /// Which bytes `offset` counts in.
    @inlinable public var buffer: Buffer { Buffer(rawValue: UInt8(truncatingIfNeeded: standing >> 8)) ?? .frame }
    /// True for a value that the bytes do not hold: it was concluded, as the handle of a response is from its request.
    @inlinable public var isGenerated: Bool { standing & Self.generatedFlag != 0 }
    /// Whether the value is key material or holds some, which output masks.
    @inlinable public var isSecret: Bool { standing & Self.secretFlag != 0 || field.isSecret }

    @usableFromInline static let generatedFlag: UInt32 = 1 << 16
    @usableFromInline static let secretFlag: UInt32 = 1 << 17

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
        standing = UInt32(depth) | UInt32(buffer.rawValue) << 8 | (isGenerated ? Self.generatedFlag : 0)
    }

    /// Whether it is the same field at the same place, whatever its value.
    @inlinable
    @inline(__always)
    public func hasPlace(of other: RecordedField) -> Bool {
        field == other.field && offset == other.offset && length == other.length && standing == other.standing
    }
}

/// Collects the field tree that a `ByteReader` leaves behind: the one decode function's second view.
///
/// The tree is flat, in reading order, with a depth on every entry. The recorder owns the memory that it lies in, which is
/// used again for every frame: recording is a plain store once it has grown.
@safe
public final class FieldRecorder {
    @usableFromInline var memory: UnsafeMutablePointer<RecordedField>
    @usableFromInline var capacity = 64
    /// Number of fields so far.
    @inlinable public var count: Int { end }
    @usableFromInline var end = 0
    /// Texts that are not in the bytes; `RecordedField.value` is the index.
    @inlinable public var texts: [String] { generated }
    @usableFromInline var generated: [String] = []
    @usableFromInline var depth: UInt8 = 0
    /// The bytes that what is recorded from now on is read from.
    public var buffer: RecordedField.Buffer = .frame
    /// Whether fields that are some bits of another one are recorded.
    public var recordsBits = true

    public init() {
        unsafe memory = .allocate(capacity: capacity)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// The fields so far.
    public var fields: [RecordedField] {
        withExtendedLifetime(self) { unsafe Array(UnsafeBufferPointer(start: memory, count: end)) }
    }

    /// The fields so far, to look at without copying them, while nothing is recorded.
    public var span: Span<RecordedField> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(memory), count: end)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Forgets everything, for the next frame.
    @inlinable
    public func reset() {
        end = 0
        if !generated.isEmpty { generated.removeAll(keepingCapacity: true) }
        depth = 0
        buffer = .frame
    }

    /// Records a field that was read at `offset`.
    @inlinable
    @inline(__always)
    public func add(_ field: Field, value: UInt64, offset: Int, length: Int, isGenerated: Bool = false) {
        if end == capacity { grow() }
        unsafe (memory + end).initialize(
            to: RecordedField(
                field, value: value, offset: offset, length: length, depth: depth, buffer: buffer,
                isGenerated: isGenerated))
        end &+= 1
    }

    @inline(never)
    @usableFromInline
    func grow() {
        let larger = UnsafeMutablePointer<RecordedField>.allocate(capacity: 2 * capacity)
        unsafe larger.moveInitialize(from: memory, count: end)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity *= 2
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
        return end - 1
    }

    /// Records the fields from `start` on again, each followed by what `body` records beside it. Groups among them must be
    /// closed.
    public func extend(from start: Int, _ body: (RecordedField) -> Void) {
        let recorded = Array(fields[start...])
        let standing = (depth, buffer)
        end = start
        for field in recorded {
            if end == capacity { grow() }
            unsafe (memory + end).initialize(to: field)
            end += 1
            (depth, buffer) = (field.depth, field.buffer)
            body(field)
        }
        (depth, buffer) = standing
    }

    /// Closes the group that `begin` opened; it ends before `offset`.
    @inlinable
    public func end(_ group: Int, offset: Int) {
        close(group)
        let start = unsafe Int(memory[group].offset)
        unsafe memory[group].length = UInt32(truncatingIfNeeded: max(0, offset - start))
    }

    /// Closes a group whose field has the bytes of its fields as its value: it is key material if one of them is.
    @inlinable
    public func closeValue(_ group: Int) {
        close(group)
        for index in (group + 1)..<end where unsafe memory[index].isSecret {
            unsafe memory[group].standing |= RecordedField.secretFlag
        }
    }

    /// Opens a group again, to which nothing but its own fields was added since.
    public func reopen(_ group: Int) {
        precondition(group >= 0 && group < end, "the group is not recorded")
        depth = unsafe memory[group].depth + 1
    }

    /// Goes back to a group's level without touching its length, as after a decode error inside it.
    @inlinable
    public func close(_ group: Int) {
        precondition(group >= 0 && group < end, "the group is not recorded")
        depth = unsafe memory[group].depth
    }
}
