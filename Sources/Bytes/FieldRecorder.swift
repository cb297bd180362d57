/// One occurrence of a field in a frame.
public struct RecordedField {
    /// The field's declaration.
    public let field: Field
    /// The number; for generated `.text`, the index of the text.
    public let value: UInt64
    /// Offset in its buffer, in bytes.
    public let offset: UInt32
    /// Length in bytes; for a group, of all its contents.
    public var length: UInt32
    /// Depth, buffer and flags, one byte each: packed, because comparisons run over millions of fields.
    @usableFromInline var standing: UInt32

    /// Nesting depth: 0 for a protocol layer.
    @inlinable public var depth: UInt8 { UInt8(truncatingIfNeeded: standing) }
    /// The buffer that `offset` refers to.
    @inlinable public var buffer: Buffer { Buffer(rawValue: UInt8(truncatingIfNeeded: standing >> 8)) ?? .frame }
    /// Whether the value is inferred and not in the bytes, such as a response's handle, which comes from its request.
    @inlinable public var isGenerated: Bool { standing & Self.generatedFlag != 0 }
    /// Whether the value is or contains key material; output masks it.
    @inlinable public var isSecret: Bool { standing & Self.secretFlag != 0 || isKey }
    /// Whether the field itself is key material, not only a field in it.
    @inlinable public var isKey: Bool { standing & Self.keyFlag != 0 || field.isSecret }

    @usableFromInline static let generatedFlag: UInt32 = 1 << 16
    @usableFromInline static let secretFlag: UInt32 = 1 << 17
    @usableFromInline static let keyFlag: UInt32 = 1 << 18

    /// The buffer that a field was read from.
    public enum Buffer: UInt8, Sendable {
        /// The captured frame.
        case frame
        /// A PDU reassembled from the fragments of several frames.
        case reassembled
        /// An SDU reassembled from several PDUs.
        case sdu
        /// The plain text of a PDU's encrypted payload.
        case decrypted
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

    /// Whether it is the same field at the same place; the values may differ.
    @inlinable
    @inline(__always)
    public func hasPlace(of other: RecordedField) -> Bool {
        field == other.field && offset == other.offset && length == other.length && standing == other.standing
    }
}

/// Collects the field tree as a `ByteReader` decodes: dissection and decoding share one function.
///
/// The tree is flat, in reading order, with a depth on every entry. The recorder owns the tree's memory and reuses it
/// for every frame: once the memory has grown, recording is a plain store.
@safe
public final class FieldRecorder {
    @usableFromInline var memory: UnsafeMutablePointer<RecordedField>
    @usableFromInline var capacity = 64
    /// Number of fields recorded so far.
    @inlinable public var count: Int { end }
    @usableFromInline var end = 0
    /// Generated texts, which are not in the bytes; `RecordedField.value` is the index.
    @inlinable public var texts: [String] { generated }
    @usableFromInline var generated: [String] = []
    @usableFromInline var depth: UInt8 = 0
    /// The buffer of the fields recorded next.
    public var buffer: RecordedField.Buffer = .frame
    /// Whether bit fields of an integer are recorded.
    public var recordsBits = true

    public init() {
        unsafe memory = .allocate(capacity: capacity)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// The fields recorded so far.
    public var fields: [RecordedField] {
        withExtendedLifetime(self) { unsafe Array(UnsafeBufferPointer(start: memory, count: end)) }
    }

    /// The fields recorded so far, without a copy. Valid only until the next recording.
    public var span: Span<RecordedField> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(memory), count: end)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Discards all fields, for the next frame.
    @inlinable
    public func reset() {
        end = 0
        if !generated.isEmpty { generated.removeAll(keepingCapacity: true) }
        depth = 0
        buffer = .frame
    }

    /// Records a field read at `offset`.
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

    /// Records a value that is not in the bytes.
    @inlinable
    public func addGenerated(_ field: Field, value: UInt64) {
        add(field, value: value, offset: 0, length: 0, isGenerated: true)
    }

    /// Records a text that is not in the bytes.
    public func addGenerated(_ field: Field, text: String) {
        generated.append(text)
        addGenerated(field, value: UInt64(generated.count - 1))
    }

    /// Records the fields that `body` adds as children of the last field.
    @inlinable
    public func nested(_ body: () -> Void) {
        depth &+= 1
        body()
        depth &-= 1
    }

    /// Opens a group; fields recorded until `end` are its children.
    @inlinable
    public func begin(_ group: Field, offset: Int, length: Int, isGenerated: Bool = false) -> Int {
        add(group, value: 0, offset: offset, length: length, isGenerated: isGenerated)
        depth += 1
        return end - 1
    }

    /// Records the fields from `start` on again; `body` adds fields after each. Groups among them must be closed.
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

    /// Closes the group that `begin` opened. The group ends before `offset`.
    @inlinable
    public func end(_ group: Int, offset: Int) {
        close(group)
        let start = unsafe Int(memory[group].offset)
        unsafe memory[group].length = UInt32(truncatingIfNeeded: max(0, offset - start))
    }

    /// Closes a group whose value is the bytes of its fields. It is key material if any of its fields is.
    @inlinable
    public func closeValue(_ group: Int) {
        close(group)
        for index in (group + 1)..<end where unsafe memory[index].isSecret {
            unsafe memory[group].standing |= RecordedField.secretFlag
        }
    }

    /// Marks a field, and all that was read from the bytes after it, as key material.
    public func markKeys(from first: Int) {
        for index in first..<end where unsafe !memory[index].isGenerated {
            unsafe memory[index].standing |= RecordedField.keyFlag
        }
    }

    /// Reopens a group. Nothing but its children may have been added since it was opened.
    public func reopen(_ group: Int) {
        precondition(group >= 0 && group < end, "the group is not recorded")
        depth = unsafe memory[group].depth + 1
    }

    /// Returns to a group's level without changing its length, as after a decode error in the group.
    @inlinable
    public func close(_ group: Int) {
        precondition(group >= 0 && group < end, "the group is not recorded")
        depth = unsafe memory[group].depth
    }
}
