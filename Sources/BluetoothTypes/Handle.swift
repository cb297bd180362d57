import Bytes

/// An attribute handle; 0 is reserved (Vol 3, Part F, 3.2.2).
package struct Handle: WireInteger, Comparable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package init(_ value: UInt16) {
        rawValue = value
    }

    package static func < (one: Handle, other: Handle) -> Bool { one.rawValue < other.rawValue }
}

extension Handle: CustomStringConvertible {
    /// `0x001f`.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// The handle that a controller gives to a connection, 0x0000 to 0x0EFF (Vol 4, Part E, 5.3.1).
package struct ConnectionHandle: WireInteger {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package init(_ value: UInt16) {
        rawValue = value
    }
}
