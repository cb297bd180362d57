public import Bytes

/// What a device looks like to its user (assigned numbers, 2.6): category in bits 6 to 15, sub-category below.
public struct Appearance: WireInteger {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The category, sub-category 0.
    public var category: Appearance { Appearance(rawValue: rawValue & 0xFFC0) }

    /// The assigned name, e.g. "Sports Watch"; the category's for a sub-category without one.
    public var name: String? {
        NumberTable.appearances[rawValue] ?? NumberTable.appearances[category.rawValue]
    }

    /// The names of an appearance's values, for fields that hold one.
    public static let valueNames = ValueNames { Self(rawValue: UInt16(truncatingIfNeeded: $0)).name }
}
