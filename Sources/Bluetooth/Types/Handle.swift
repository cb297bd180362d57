public import Bytes

/// An attribute handle; 0 is reserved (Vol 3, Part F, 3.2.2).
public struct Handle: WireInteger, Comparable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public init(_ value: UInt16) {
        rawValue = value
    }

    public static func < (one: Handle, other: Handle) -> Bool { one.rawValue < other.rawValue }
}

extension Handle: CustomStringConvertible {
    /// `0x001f`.
    public var description: String { "0x" + String(hex: rawValue, digits: 4) }
}

/// A connection handle assigned by a controller, 0x0000 to 0x0EFF (Vol 4, Part E, 5.3.1).
public struct ConnectionHandle: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public init(_ value: UInt16) {
        rawValue = value
    }

    /// The highest valid connection handle.
    public static let last = Self(0x0EFF)

    /// Whether controllers use the handle for debug data. All handles above `last` are debug handles. Below it,
    /// Qualcomm uses 0x0EDC and MediaTek 0x0EFD, 0x05FE and 0x05FF; a controller may also assign these to a connection.
    public var isDebugHandle: Bool {
        rawValue > Self.last.rawValue || [0x0EDC, 0x0EFD, 0x05FE, 0x05FF].contains(rawValue)
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
