/// The text of a profile in parts: what decoding needs at once, and each type by itself.
///
/// Most of a profile is about values that a capture does not have, or for other commands than `decode`: rules, vectors.
/// It is cut where a line begins with a key, so sections and types must stand there in block style, and no anchor may be
/// used across them. The profiles that travel inside the program are written so, and a test holds them to it.
struct ProfileText {
    /// Sections that say what a device is and what it has.
    private(set) var outline = ""
    /// The types in the order of the file, each as a mapping of one key.
    private(set) var types: [(name: String, text: String)] = []

    /// Sections of the outline.
    private static let outlineSections: Set = ["profile", "match", "gatt", "descriptors", "advertising", "messages"]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var section = ""
        var type: String?
        var start = 0
        var line = 0
        while start < bytes.count {
            // The part goes on to the next line that begins one.
            var (nextSection, nextType): (String?, String?) = (nil, nil)
            repeat {
                line = bytes[line...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
                nextSection = Self.key(bytes[line...], indentation: 0)
                if section == "types" { nextType = Self.key(bytes[line...], indentation: 2) }
            } while line < bytes.count && nextSection == nil && nextType == nil
            let part = String(decoding: bytes[start..<line], as: UTF8.self)
            if section == "types", let type { types.append((type, part)) }
            if Self.outlineSections.contains(section) { outline += part }
            start = line
            type = nextType
            section = nextSection ?? section
        }
    }

    /// The key that stands after so many blanks; nil where something else does.
    private static func key(_ rest: ArraySlice<UInt8>, indentation: Int) -> String? {
        guard rest.prefix(indentation).allSatisfy({ $0 == UInt8(ascii: " ") }) else { return nil }
        let name = rest.dropFirst(indentation).prefix { isInNames($0) }
        guard !name.isEmpty, rest.dropFirst(indentation + name.count).first == UInt8(ascii: ":") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Whether names are made of such characters.
    private static func isInNames(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
