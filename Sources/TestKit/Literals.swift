package import BluetoothTypes

// In scripts a number is a UUID or a handle where one is expected.

extension UUID: ExpressibleByIntegerLiteral {
    /// A 16- or 32-bit UUID.
    package init(integerLiteral value: UInt32) {
        self.init(value)
    }
}

extension Handle: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt16) {
        self.init(value)
    }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt16) {
        self.init(value)
    }
}
