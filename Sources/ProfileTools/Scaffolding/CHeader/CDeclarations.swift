/// What a C header declares about data.
struct CDeclarations {
    var structures: [CStructure] = []
    var enumerations: [CEnumeration] = []
    /// What could not be read, with its line.
    var notes: [CNote] = []
}

/// Something that was left out or assumed.
struct CNote: Hashable {
    var line: Int
    var text: String
}

/// A struct.
struct CStructure {
    /// Its typedef's name, or its tag; empty for one without, which belongs to a field.
    var name: String
    var doc: String?
    var line: Int
    var isPacked: Bool
    var fields: [CField]
    /// Whether something in it could not be read, so that its places are not known.
    var isBroken = false
}

/// A field of a struct.
struct CField {
    /// Empty for bits that are only filled up.
    var name: String
    var type: CType
    /// Elements of an array; `unbounded` for one that goes on to the end. Nil for no array.
    var count: Int?
    /// Width of a bit-field.
    var bits: Int?
    var doc: String?
    var line: Int

    static let unbounded = -1
}

/// The type of a field.
enum CType {
    case integer(bytes: Int, isSigned: Bool)
    case float(bytes: Int)
    case boolean
    case character
    /// By its index.
    case structure(Int)
    case enumeration(Int)
}

/// An enum.
struct CEnumeration {
    var name: String
    var doc: String?
    var line: Int
    var isPacked: Bool
    var cases: [(name: String, value: Int64, doc: String?)]

    /// Bytes that its values take: of a packed one the fewest, else those of an int.
    var bytes: Int {
        guard isPacked else { return 4 }
        let least = cases.map(\.value).min() ?? 0
        let most = cases.map(\.value).max() ?? 0
        return [1, 2, 4].first { size in
            least < 0 ? least >= -(1 << (8 * size - 1)) && most < 1 << (8 * size - 1) : most < 1 << (8 * size)
        } ?? 8
    }
}
