// Where a UUID or a handle is expected, a number in the source is one.

extension UUID: ExpressibleByIntegerLiteral {
    /// A 16- or 32-bit UUID.
    public init(integerLiteral value: UInt32) {
        self.init(value)
    }
}

extension Handle: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}
