/// A cursor over the bytes of one PDU. Every read names its field.
///
/// Without a recorder, naming costs nothing: the name is evaluated only to record the field or to report it in an
/// error. Integers are little-endian, as almost everywhere in Bluetooth; the exceptions have `BigEndian` in their
/// names.
public struct ByteReader: ~Copyable, ~Escapable {
    @usableFromInline let bytes: RawSpan
    /// Offset of the next byte from the PDU's first byte.
    @usableFromInline var position: Int
    /// Offset of the PDU's first byte from the first byte of the frame (or of the reassembled buffer).
    public let origin: Int
    /// Receives the field tree; nil when no field tree is needed.
    public var recorder: FieldRecorder?
    /// The length field that delimits the PDU; nil where the frame delimits it.
    @usableFromInline let lengthSource: Field?
    /// Whether the capture truncated the packet. A PDU in it is decoded up to the last captured byte.
    public var isCut = false

    @_lifetime(copy bytes)
    @inlinable
    @inline(__always)
    public init(_ bytes: RawSpan, origin: Int = 0, recorder: FieldRecorder? = nil, lengthSource: Field? = nil) {
        self.bytes = bytes
        self.position = 0
        self.origin = origin
        self.recorder = recorder
        self.lengthSource = lengthSource
    }

    @_lifetime(copy bytes)
    @inlinable
    @inline(__always)
    public init(_ bytes: Span<UInt8>, origin: Int = 0, recorder: FieldRecorder? = nil) {
        self.init(unsafe bytes.bytes, origin: origin, recorder: recorder)
    }

    /// Number of unread bytes.
    @inlinable public var remaining: Int { bytes.byteCount &- position }

    /// Whether all bytes have been read.
    @inlinable public var isAtEnd: Bool { remaining == 0 }

    /// Offset of the next byte from the frame's first byte.
    @inlinable public var offset: Int { origin &+ position }

    /// The unread bytes.
    public var rest: RawSpan {
        @_lifetime(copy self)
        @inlinable get { bytes.extracting(droppingFirst: position) }
    }

    @inlinable
    @inline(__always)
    func require(_ count: Int, _ field: () -> Field) throws(DecodeError) {
        if remaining < count { throw truncated(field(), needed: count) }
    }

    /// The error for a field that needs more bytes than remain.
    public func truncated(_ field: Field, needed: Int) -> DecodeError {
        DecodeError(
            .truncated, field: field.label, offset: offset, needed: needed, available: remaining,
            lengthSource: lengthSource?.label, isSecret: field.isSecret)
    }

    /// Whether an error is only a consequence of the truncated capture.
    public func isExpected(_ error: DecodeError) -> Bool { isCut && error.reason == .truncated }

    /// Skips the captured part of a field that needs `count` bytes, and names it, if the packet is truncated; returns
    /// the error.
    @_lifetime(self: copy self)
    @usableFromInline
    mutating func passPart(of field: Field, needing count: Int) -> DecodeError {
        let error = truncated(field, needed: count)
        if isCut { skipRest(field) }
        return error
    }

    /// The error for the value just read, `length` bytes long, that differs from `expected`.
    public func invalid(_ field: Field, length: Int, expected: String) -> DecodeError {
        DecodeError(
            .invalid(expected), field: field.label, offset: offset - length, needed: length, available: length,
            lengthSource: lengthSource?.label)
    }
}

// MARK: - Integers

extension ByteReader {
    /// Reads a little-endian integer.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
        _ field: @autoclosure () -> Field, as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        T(littleEndian: try load(field, recordedAs: { UInt64(truncatingIfNeeded: T(littleEndian: $0)) }))
    }

    /// Reads a big-endian integer.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func readBigEndian<T: FixedWidthInteger & BitwiseCopyable>(
        _ field: @autoclosure () -> Field, as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        T(bigEndian: try load(field, recordedAs: { UInt64(truncatingIfNeeded: T(bigEndian: $0)) }))
    }

    /// Reads a value that is an integer on the wire: an opcode, a handle, an error code.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func read<T: RawRepresentable>(
        _ field: @autoclosure () -> Field, as type: T.Type = T.self
    ) throws(DecodeError) -> T where T: WireInteger, T.RawValue: FixedWidthInteger & BitwiseCopyable {
        T(rawValue: try read(field(), as: T.RawValue.self))
    }

    /// Reads a little-endian integer of `size` bytes, 1 to 8, for widths without a Swift type.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func read(_ field: @autoclosure () -> Field, bytes size: Int) throws(DecodeError) -> UInt64 {
        try require(size, field)
        var value: UInt64 = 0
        for index in 0..<size {
            value |= UInt64(peekByte(at: position &+ index)) << (8 &* UInt64(index))
        }
        recorder?.add(field(), value: value, offset: offset, length: size)
        position &+= size
        return value
    }

    /// Records the bit fields of the integer just read, if the recorder wants bit fields. Each field's mask selects its
    /// bits.
    @inlinable
    @inline(__always)
    public func recordBits<T: FixedWidthInteger>(_ value: T, _ fields: @autoclosure () -> [Field]) {
        guard let recorder, recorder.recordsBits else { return }
        let size = MemoryLayout<T>.size
        recorder.nested {
            for field in fields() {
                recorder.add(
                    field, value: (UInt64(truncatingIfNeeded: value) & field.mask) >> field.mask.trailingZeroBitCount,
                    offset: offset &- size, length: size)
            }
        }
    }

    /// Reads a little-endian integer made up of bit fields. Each field's mask selects its bits. An error names the
    /// first field.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func readPacked<T: FixedWidthInteger & BitwiseCopyable>(
        _ fields: @autoclosure () -> [Field], as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        let size = MemoryLayout<T>.size
        if remaining < size { throw truncated(packed: fields(), needed: size) }
        let value = T(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: T.self))
        if let recorder {
            let raw = UInt64(truncatingIfNeeded: value)
            for field in fields() {
                recorder.add(
                    field, value: (raw & field.mask) >> field.mask.trailingZeroBitCount, offset: offset, length: size)
            }
        }
        position &+= size
        return value
    }

    @usableFromInline
    func truncated(packed fields: [Field], needed: Int) -> DecodeError {
        DecodeError(
            .truncated, field: fields.first?.label ?? "", offset: offset, needed: needed, available: remaining,
            lengthSource: lengthSource?.label)
    }

    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ field: () -> Field, recordedAs recorded: (T) -> UInt64
    ) throws(DecodeError) -> T {
        let size = MemoryLayout<T>.size
        try require(size, field)
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: T.self)
        recorder?.add(field(), value: recorded(value), offset: offset, length: size)
        position &+= size
        return value
    }

    @inlinable
    @inline(__always)
    func peekByte(at index: Int) -> UInt8 {
        unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
    }

    /// The next byte, unread; nil at the end.
    @inlinable public var nextByte: UInt8? { isAtEnd ? nil : peekByte(at: position) }
}

/// A number with a meaning, `rawValue` on the wire. Every raw value is allowed; unknown values are not errors.
public protocol WireInteger: RawRepresentable, Hashable, Sendable {
    init(rawValue: RawValue)
}

// MARK: - Bytes

extension ByteReader {
    /// Reads `count` bytes unchanged.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func readBytes(_ field: @autoclosure () -> Field, count: Int) throws(DecodeError) -> [UInt8] {
        let start = position
        try skip(field(), count: count)
        return unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0[start..<(start &+ count)]) }
    }

    /// Reads all remaining bytes.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func readRest(_ field: @autoclosure () -> Field) -> [UInt8] {
        let start = position
        skipRest(field())
        return unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0[start...]) }
    }

    /// Skips `count` bytes as one field.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func skip(_ field: @autoclosure () -> Field, count: Int) throws(DecodeError) {
        if remaining < count { throw passPart(of: field(), needing: count) }
        recorder?.add(field(), value: 0, offset: offset, length: count)
        position &+= count
    }

    /// Skips all remaining bytes as one field; records nothing when there are none.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func skipRest(_ field: @autoclosure () -> Field) {
        if isAtEnd { return }
        recorder?.add(field(), value: 0, offset: offset, length: remaining)
        position = bytes.byteCount
    }

    /// Skips all remaining bytes without naming them: they belong to a value that already has a name.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func passRest() {
        position = bytes.byteCount
    }

    /// Takes the next `count` bytes as a nested PDU whose length `field` states. A truncated packet yields the captured
    /// ones. Records nothing.
    @inlinable
    @inline(__always)
    @_lifetime(copy self)
    public mutating func slice(count: Int, lengthSetBy field: @autoclosure () -> Field) throws(DecodeError)
        -> ByteReader
    {
        if remaining < count, !isCut { throw truncated(field(), needed: count) }
        let start = position
        position &+= min(count, remaining)
        var slice = ByteReader(
            bytes.extracting(start..<position), origin: origin &+ start, recorder: recorder,
            lengthSource: recorder == nil ? nil : field())
        slice.isCut = position &- start < count
        return slice
    }
}

// MARK: - Groups

extension ByteReader {
    /// Opens a group of fields in the recorded tree. Pass the result to `end`.
    @inlinable
    @inline(__always)
    public func begin(_ group: @autoclosure () -> Field) -> Int {
        recorder?.begin(group(), offset: offset, length: remaining) ?? 0
    }

    /// Closes a group that ends `count` bytes after the current position.
    @inlinable
    @inline(__always)
    public func end(_ group: Int, after count: Int) {
        recorder?.end(group, offset: offset &+ count)
    }

    /// The unread bytes, not recorded.
    @inlinable
    @inline(__always)
    public var restBytes: [UInt8] {
        let start = position
        return unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0[start...]) }
    }

    /// Records the remaining bytes as one value; the fields read in `body` are its parts.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func withinValue<Result>(
        _ field: @autoclosure () -> Field, _ body: (inout ByteReader) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        let group = recorder?.begin(field(), offset: offset, length: remaining)
        defer { if let group { recorder?.closeValue(group) } }
        return try body(&self)
    }

    /// Closes the group at the current position.
    @inlinable
    @inline(__always)
    public func end(_ group: Int) {
        recorder?.end(group, offset: offset)
    }
}

extension ByteReader {
    /// Reads a little-endian integer made up of bit fields. The fields take its place in the tree.
    @_lifetime(self: copy self)
    public mutating func readBits<T: FixedWidthInteger & BitwiseCopyable>(
        _ fields: @autoclosure () -> [Field], as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        T(truncatingIfNeeded: try readBits(fields(), bytes: MemoryLayout<T>.size))
    }

    /// Reads a little-endian integer of `size` bytes, 1 to 8, made up of bit fields.
    @_lifetime(self: copy self)
    public mutating func readBits(_ fields: @autoclosure () -> [Field], bytes size: Int) throws(DecodeError)
        -> UInt64
    {
        if remaining < size, let field = fields().first { throw truncated(field, needed: size) }
        let start = position
        position &+= size
        let value = (0..<size).reduce(0 as UInt64) { $0 | UInt64(peekByte(at: start &+ $1)) << (8 &* UInt64($1)) }
        if let recorder {
            for field in fields() {
                let bits = (value & field.mask) >> UInt64(field.mask.trailingZeroBitCount)
                recorder.add(field, value: bits, offset: origin &+ start, length: size)
            }
        }
        return value
    }
}

extension ByteReader {
    /// Reads a little-endian integer that encodes a physical number, and records that number.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
        _ field: @autoclosure () -> Field, as type: T.Type = T.self, meaning number: (T) -> Double
    ) throws(DecodeError) -> T {
        T(littleEndian: try load(field, recordedAs: { number(T(littleEndian: $0)).bitPattern }))
    }
}

extension ByteReader {
    /// Reads an integer of 1 to 8 bytes whose width and byte order are known only at run time. Records nothing: the
    /// caller may record a value derived from it instead.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    public mutating func take(bytes size: Int, _ order: ByteOrder, _ field: Field) throws(DecodeError) -> UInt64 {
        try require(size, { field })
        let start = position
        position &+= size
        switch size {
        case 1: return UInt64(peekByte(at: start))
        case 2: return UInt64(bytes.integer(at: start, order, as: UInt16.self))
        case 4: return UInt64(bytes.integer(at: start, order, as: UInt32.self))
        default: return takeBytes(start, size, order)
        }
    }

    /// An integer of a width without a Swift type.
    @inline(never)
    @usableFromInline
    func takeBytes(_ start: Int, _ size: Int, _ order: ByteOrder) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<size {
            let place = order == .littleEndian ? index : size &- 1 &- index
            value |= UInt64(peekByte(at: start &+ place)) << (8 &* UInt64(index))
        }
        return value
    }
}
