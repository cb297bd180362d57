package import Bytes

/// Content type of a column of `-T fields` or `-T csv`, for programs that read the output.
package enum ColumnType: String, Sendable, CaseIterable {
    /// An unsigned integer, in decimal, or in hexadecimal with `0x`.
    case unsigned
    case signed
    /// A number with decimals.
    case number
    /// 1 or 0.
    case boolean
    /// 1 if the field is present.
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
    /// Type of the field's column, as written by `TextWriter.writeValue`.
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
    /// Type of the column with this name; nil for an unknown name.
    package func columnType(of name: String) -> ColumnType? {
        let types = Set(self[name].map(\.columnType))
        return types.count > 1 ? .text : types.first
    }

    /// The name and the names of the fields below it.
    package func names(within name: String) -> [String] {
        names.filter { $0 == name || $0.hasPrefix(name + ".") }
    }
}
