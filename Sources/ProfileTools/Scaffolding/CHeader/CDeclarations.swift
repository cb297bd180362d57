/// Data declarations of a C header.
struct CDeclarations {
    var structures: [CStructure] = []
    var enumerations: [CEnumeration] = []
    /// Declarations that could not be read.
    var notes: [CNote] = []
}

/// A note about an omission or an assumption.
struct CNote: Hashable {
    var line: Int
    var text: String
}

struct CStructure {
    /// Typedef name or tag; empty for an anonymous struct, which belongs to a field.
    var name: String
    var doc: String?
    var line: Int
    var isPacked: Bool
    var fields: [CField]
    /// Whether a part could not be read, so that offsets are unknown.
    var isBroken = false
}

struct CField {
    /// Empty for padding bits.
    var name: String
    var type: CType
    /// Number of array elements; `unbounded` for a flexible array member; nil for a non-array.
    var count: Int?
    /// Width of a bit-field.
    var bits: Int?
    var doc: String?
    var line: Int

    static let unbounded = -1
}

enum CType {
    case integer(bytes: Int, isSigned: Bool)
    case float(bytes: Int)
    case boolean
    case character
    /// Index of the struct.
    case structure(Int)
    case enumeration(Int)
}

struct CEnumeration {
    var name: String
    var doc: String?
    var line: Int
    var isPacked: Bool
    var cases: [(name: String, value: Int64, doc: String?)]

    /// Size in bytes: the smallest that holds all values if packed, otherwise that of an int.
    var bytes: Int {
        guard isPacked else { return 4 }
        let least = cases.map(\.value).min() ?? 0
        let most = cases.map(\.value).max() ?? 0
        return [1, 2, 4].first { size in
            least < 0 ? least >= -(1 << (8 * size - 1)) && most < 1 << (8 * size - 1) : most < 1 << (8 * size)
        } ?? 8
    }
}
