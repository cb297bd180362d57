/// Value of a field's `type`: a built-in type, or one of the profile's types.
package enum TypeWord {
    case unsigned(bytes: Int)
    case signed(bytes: Int)
    case float(bytes: Int)
    case medical(bytes: Int)
    case text, bytes, address, boolean
    /// A number as ASCII digits.
    case digits(base: Int)
    case uuid(bytes: Int)
    case named(String)

    /// The built-in types, in the order used by diagnostics and documentation.
    static let builtIns =
        integers.map { "u\($0)" } + integers.map { "i\($0)" } + [
            "f16", "f32", "f64", "sfloat", "float", "bool", "string", "bytes", "address", "uuid16", "uuid128",
            "ascii_decimal", "ascii_hex",
        ]

    /// Integer sizes, in bits.
    private static let integers = [8, 16, 24, 32, 40, 48, 56, 64]

    /// Summary of the built-in types for diagnostics.
    static let summary =
        "u8 to u64, i8 to i64, f16, f32, f64, sfloat, float, bool, string, bytes, address, uuid16, uuid128, "
        + "ascii_decimal, ascii_hex"

    /// The built-in type for another language's type name.
    static func foreign(_ word: String) -> String? {
        var name = word.lowercased()
        if name.hasSuffix("_t") { name.removeLast(2) }
        let others = [
            "byte": "u8", "uchar": "u8", "char": "string", "int": "i32", "uint": "u32", "short": "i16", "long": "i32",
            "half": "f16", "float16": "f16", "single": "f32", "float32": "f32", "double": "f64", "float64": "f64",
            "boolean": "bool", "str": "string", "text": "string", "utf8": "string", "data": "bytes", "mac": "address",
            "bdaddr": "address", "uuid": "uuid128",
        ]
        if let known = others[name] { return known }
        for (prefix, letter) in [("uint", "u"), ("int", "i")] where name.hasPrefix(prefix) {
            let word = letter + name.dropFirst(prefix.count)
            return builtIn(word).map(\.text)
        }
        return nil
    }

    package static func builtIn(_ word: String) -> TypeWord? {
        switch word {
        case "f16": return .float(bytes: 2)
        case "f32": return .float(bytes: 4)
        case "f64": return .float(bytes: 8)
        case "sfloat": return .medical(bytes: 2)
        case "float": return .medical(bytes: 4)
        case "bool": return .boolean
        case "string": return .text
        case "bytes": return .bytes
        case "address": return .address
        case "uuid16": return .uuid(bytes: 2)
        case "uuid128": return .uuid(bytes: 16)
        case "ascii_decimal": return .digits(base: 10)
        case "ascii_hex": return .digits(base: 16)
        default: break
        }
        guard let bits = Int(word.dropFirst()), integers.contains(bits) else { return nil }
        switch word.first {
        case "u" where word == "u\(bits)": return .unsigned(bytes: bits / 8)
        case "i" where word == "i\(bits)": return .signed(bytes: bits / 8)
        default: return nil
        }
    }

    /// As written in the profile.
    var text: String {
        switch self {
        case .unsigned(let bytes): "u\(bytes * 8)"
        case .signed(let bytes): "i\(bytes * 8)"
        case .float(let bytes): "f\(bytes * 8)"
        case .medical(let bytes): bytes == 2 ? "sfloat" : "float"
        case .text: "string"
        case .bytes: "bytes"
        case .address: "address"
        case .boolean: "bool"
        case .uuid(let bytes): "uuid\(bytes * 8)"
        case .digits(let base): base == 16 ? "ascii_hex" : "ascii_decimal"
        case .named(let name): name
        }
    }
}
