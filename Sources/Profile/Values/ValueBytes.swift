import Bytes

/// The bytes of a value, without copying, with access to numbers by offset: nil beyond the end.
public struct ValueBytes: Sendable {
    private let slice: ArraySlice<UInt8>

    public init(_ slice: ArraySlice<UInt8>) {
        self.slice = slice
    }

    public init(_ bytes: [UInt8]) {
        slice = bytes[...]
    }

    public var count: Int { slice.count }
    public var isEmpty: Bool { slice.isEmpty }
    public var array: [UInt8] { Array(slice) }

    /// The byte at an offset; nil beyond the end.
    public func u8(_ offset: Int) -> UInt8? {
        guard offset >= 0, offset < slice.count else { return nil }
        return slice[slice.startIndex + offset]
    }

    /// The little-endian number at an offset; nil if it extends beyond the end.
    public func u16(_ offset: Int) -> UInt16? {
        guard let low = u8(offset), let high = u8(offset + 1) else { return nil }
        return UInt16(low) | UInt16(high) << 8
    }

    /// The little-endian number at an offset; nil if it extends beyond the end.
    public func u32(_ offset: Int) -> UInt32? {
        guard let low = u16(offset), let high = u16(offset + 2) else { return nil }
        return UInt32(low) | UInt32(high) << 16
    }

    package func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result { body(slice.span.rawBytes) }
}

extension ValueBytes: Hashable {}
