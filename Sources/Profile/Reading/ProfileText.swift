/// The profile of a built-in plugin, as the text of its file.
///
/// Decoding needs the outline at once, and a type when its first value arrives. Other commands need rules, vectors and
/// the emulation. Therefore the text is split at its top-level keys, and within `types` at the type names, and each
/// part is parsed on demand.
public struct ProfileText: Sendable {
    /// Path of the file, for diagnostics.
    public let file: String
    public let text: String
    /// Whether the parts together equal the profile. They do not if a part refers to another, as YAML aliases do.
    package let isDivisible: Bool

    private static let outlineSections: Set = ["profile", "match", "gatt", "descriptors", "advertising", "messages"]

    public init(file: String, text: String, isDivisible: Bool) {
        self.file = file
        self.text = text
        self.isDivisible = isDivisible
    }

    /// Validates the profile in a text; throws all faults found.
    package init(checking text: String, file: String) throws(ProfileFaults) {
        let profile = try CompiledProfile(ProfileReader.read(text, file: file)).profile
        let parts = ProfileText(file: file, text: text, isDivisible: true).parts
        let whole = YAMLDocument.read(text, FaultList())?.entries ?? []
        let types = whole.first { $0.key.text == "types" }?.value.entries ?? []
        let outline = whole.filter { Self.outlineSections.contains($0.key.text) }
        let isDivisible =
            parts.types.map(\.name) == profile.types.map(\.name)
            && parts.types.flatMap { YAMLDocument.read($0.text, FaultList())?.entries ?? [] }.map(\.shape)
                == types.map(\.shape)
            && (YAMLDocument.read(parts.outline, FaultList())?.entries ?? []).map(\.shape) == outline.map(\.shape)
        self.init(file: file, text: text, isDivisible: isDivisible)
    }

    /// Parses the complete profile.
    package func read() throws(ProfileFaults) -> Profile { try ProfileReader.read(text, file: file) }

    /// The outline, and each type in file order.
    var parts: (outline: String, types: [Part]) {
        var outline: [UInt8] = []
        var types: [Part] = []
        for section in Self.divide(Array(text.utf8)[...], indentation: 0) {
            if section.name == "types" {
                types = Self.divide(section.bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst(), indentation: 2)
            } else if Self.outlineSections.contains(section.name) {
                outline += section.bytes
            }
        }
        return (String(decoding: outline, as: UTF8.self), types)
    }

    /// A key with its value, as UTF-8.
    struct Part: Sendable {
        let name: String
        let bytes: ArraySlice<UInt8>

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Splits a text at the keys of one indentation level, in spaces.
    private static func divide(_ text: ArraySlice<UInt8>, indentation: Int) -> [Part] {
        var parts: [Part] = []
        var (name, start) = ("", text.startIndex)
        var line = text.startIndex
        while line < text.endIndex {
            let content = text[line...].drop { $0 == UInt8(ascii: " ") }
            if content.startIndex == line + indentation, let first = content.first, isNameByte(first) {
                if !name.isEmpty { parts.append(Part(name: name, bytes: text[start..<line])) }
                (name, start) = (String(decoding: content.prefix(while: isNameByte), as: UTF8.self), line)
            }
            line = text[line...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.endIndex
        }
        if !name.isEmpty { parts.append(Part(name: name, bytes: text[start...])) }
        return parts
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension YAMLNode {
    /// The entries of a mapping; empty for other nodes.
    fileprivate var entries: [Entry] { if case .mapping(let entries) = content { entries } else { [] } }

    /// A description of the tree without positions, for comparison.
    fileprivate var shape: String {
        switch content {
        case .scalar(let scalar): scalar.shape
        case .list(let nodes): "[\(nodes.map(\.shape).joined(separator: ","))]"
        case .mapping(let entries): "{\(entries.map(\.shape).joined(separator: ","))}"
        }
    }
}

extension YAMLNode.Entry {
    fileprivate var shape: String { "\(key.shape):\(value.shape)" }
}

extension YAMLNode.Scalar {
    fileprivate var shape: String { "\(isPlain)\(text.debugDescription)" }
}
