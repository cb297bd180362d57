public import Bytes

/// External appearance of a device (assigned numbers, 2.6): category in bits 6 to 15, sub-category in bits 0 to 5.
public struct Appearance: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The category, with sub-category 0.
    public var category: Appearance { Appearance(rawValue: rawValue & 0xFFC0) }

    /// The assigned name, e.g. "Sports Watch"; the category's name for a sub-category without a name.
    public var name: String? {
        NumberTable.appearances[rawValue] ?? NumberTable.appearances[category.rawValue]
    }

    /// Names of the values of an appearance field.
    public static let valueNames = ValueNames { Self(rawValue: UInt16(truncatingIfNeeded: $0)).name }
}
