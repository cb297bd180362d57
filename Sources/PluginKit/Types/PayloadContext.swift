/// What is known around a value that the value's own bytes do not tell; conditions of a profile ask for it.
package protocol PayloadContext {
    /// A byte of what was written last to a characteristic on this connection; nil when nothing that long was.
    func written(to characteristic: String, at offset: Int) -> UInt8?
    /// Whether the device's attribute table has a characteristic; nil while that is not known.
    func has(_ characteristic: String) -> Bool?
    /// The request that the value answers; nil where none is known.
    var request: Value? { get }
}

extension PayloadContext {
    package var request: Value? { nil }
}

/// Nothing is known around the value.
package struct NoContext: PayloadContext {
    package init() {}
    package func written(to characteristic: String, at offset: Int) -> UInt8? { nil }
    package func has(_ characteristic: String) -> Bool? { nil }
}
