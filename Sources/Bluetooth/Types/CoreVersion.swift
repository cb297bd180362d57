public import Bytes

/// The Core Specification version that a controller implements (assigned numbers, "Core Specification versions").
public struct CoreVersion: WireInteger {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The version, e.g. "5.4".
    public var name: String? {
        let names = Self.names
        guard Int(rawValue) < names.count else { return nil }
        return names[Int(rawValue)]
    }

    /// Names of the values of a version field.
    public static let valueNames = ValueNames { Self(rawValue: UInt8(truncatingIfNeeded: $0)).name }

    /// By version number.
    private static let names = [
        "1.0b", "1.1", "1.2", "2.0 + EDR", "2.1 + EDR", "3.0 + HS", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3",
        "5.4", "6.0", "6.1",
    ]
}
