/// Context of a value that its own bytes do not contain; conditions of a profile read it.
public protocol PayloadContext {
    /// A byte of what was written last to a characteristic on this connection; nil when nothing that long was.
    func written(to characteristic: String, at offset: Int) -> UInt8?
    /// Whether the device's attribute table has a characteristic; nil while that is not known.
    func has(_ characteristic: String) -> Bool?
    /// The request that the value answers; nil where none is known.
    var request: Value? { get }
}

extension PayloadContext {
    public var request: Value? { nil }
}

/// What was written last to each characteristic, on one connection.
public struct WrittenValues: Sendable, Hashable {
    /// By the characteristics' names, of which a profile has only so many.
    private var values: [String: [UInt8]] = [:]

    /// Bytes of a value that are kept: all that an attribute can have (Vol 3, Part F, 3.2.9).
    private static let limit = 512

    public init() {}

    /// What was written last to a characteristic; nil where that is not known. Of a longer value than an attribute can
    /// have, the first bytes are kept.
    public subscript(characteristic: String) -> [UInt8]? {
        get { values[characteristic] }
        set { values[characteristic] = newValue.map { $0.count > Self.limit ? Array($0.prefix(Self.limit)) : $0 } }
    }

    /// A byte of what was written last to a characteristic; nil when nothing that long was.
    public func byte(at offset: Int, of characteristic: String) -> UInt8? {
        guard let value = values[characteristic], value.indices.contains(offset) else { return nil }
        return value[offset]
    }
}

/// Nothing is known around the value.
public struct NoContext: PayloadContext {
    public init() {}
    public func written(to characteristic: String, at offset: Int) -> UInt8? { nil }
    public func has(_ characteristic: String) -> Bool? { nil }
}
