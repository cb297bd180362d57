import Bytes

/// Finds the values of fields by name. Each field's names are collected once: a filter may name thousands of values,
/// and some fields have names for up to 65,536.
final class FilterValueNames {
    /// The value names of one field.
    struct Names {
        /// The values of each lower-case name, as ascending ranges.
        fileprivate(set) var ranges: [String: [ClosedRange<Int128>]] = [:]
        /// The names as displayed.
        fileprivate(set) var names: [String] = []
    }

    private var known: [Field: Names] = [:]

    /// The names of a field's possible values: at most 16 bits, or 8 bits if the field does not declare its width. Nil
    /// for a field without value names.
    func of(_ field: Field) -> Names? {
        if let found = known[field] { return found }
        guard let names = field.names else { return nil }
        var found = Names()
        for value in Self.values(of: field, names) {
            guard let name = names[value] else { continue }
            if found.add(Int128(value), name.lowercased()) { found.names.append(name) }
            // Only names from a table have alternative keys.
            guard names.values != nil, let key = names.key(value)?.lowercased() else { continue }
            if key != name.lowercased() { _ = found.add(Int128(value), key) }
        }
        known[field] = found
        return found
    }

    private static func values(of field: Field, _ names: ValueNames) -> any Sequence<UInt64> {
        if let values = names.values { return values }
        let greatest: UInt64
        switch field.format {
        case _ where field.mask != 0: greatest = field.mask >> UInt64(field.mask.trailingZeroBitCount)
        case .hex(let digits): greatest = digits < 4 ? 1 << UInt64(4 * max(0, digits)) - 1 : 0xFFFF
        default: greatest = 0xFF
        }
        return 0...min(greatest, 0xFFFF)
    }
}

extension FilterValueNames.Names {
    /// Adds a value greater than all before; returns whether its name is new.
    fileprivate mutating func add(_ value: Int128, _ name: String) -> Bool {
        guard let last = ranges[name]?.last else {
            ranges[name] = [value...value]
            return true
        }
        if last.upperBound + 1 == value {
            ranges[name]?.removeLast()
            ranges[name]?.append(last.lowerBound...value)
        } else {
            ranges[name]?.append(value...value)
        }
        return false
    }
}
