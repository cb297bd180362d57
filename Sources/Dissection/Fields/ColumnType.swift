package import Bytes

/// What the columns of `-T fields` and `-T csv` hold, for programs that read them.
package enum ColumnType: String, Sendable, CaseIterable {
    /// A whole number from 0 on, in decimal, or in hexadecimal with `0x`.
    case unsigned
    case signed
    /// A number with decimals.
    case number
    /// 1 or 0.
    case boolean
    /// 1 where the frame has it.
    case presence
    /// Hexadecimal digits.
    case bytes
    case text
    /// `aa:bb:cc:dd:ee:ff`.
    case address
    /// 32 hexadecimal digits.
    case uuid
    /// ISO 8601, UTC.
    case timestamp
    /// Seconds since 1970, UTC, with nine decimals.
    case epoch
    /// Seconds with nine decimals.
    case duration
}

extension Field {
    /// What its column holds, as `TextWriter.writeValue` writes it.
    package var columnType: ColumnType {
        if isSecret { return .text }
        if isMeasured { return isScaled ? .number : format == .signed ? .signed : .unsigned }
        switch format {
        case .group: return name.utf8.contains(UInt8(ascii: ".")) ? .presence : .text
        case .decimal, .hex: return .unsigned
        case .signed: return .signed
        case .boolean: return .boolean
        case .number, .float: return .number
        case .timestamp: return .timestamp
        case .time: return name == FrameFields.time.name ? .epoch : .duration
        case .address: return .address
        case .bytes: return .bytes
        case .uuid128, .bigEndianUUID128: return .uuid
        case .dotted, .text: return .text
        }
    }
}

extension FieldCatalog {
    /// What the column of a name holds; nil when nobody has the name.
    package func columnType(of name: String) -> ColumnType? {
        let types = Set(self[name].map(\.columnType))
        return types.count > 1 ? .text : types.first
    }

    /// The name, and those of the fields within it.
    package func names(within name: String) -> [String] {
        names.filter { $0 == name || $0.hasPrefix(name + ".") }
    }
}
