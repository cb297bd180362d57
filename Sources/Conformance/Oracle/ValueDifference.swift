import Bytes
import Profile

/// The difference between a value and the expected one, by the fields of their type.
struct ValueDifference {
    private(set) var expected: String
    private(set) var observed: String

    /// Maximum number of fields listed; further ones are counted.
    private static let fieldLimit = 4

    init(_ shown: [UInt8], from wanted: [UInt8], as layout: Layout?) {
        expected = Self.text(wanted)
        observed = Self.text(shown)
        guard let layout, let wantedFields = Self.fields(wanted, layout) else { return }
        guard let shownFields = Self.fields(shown, layout) else {
            expected = "\(wanted.count) bytes: \(Self.words(wanted, as: layout))"
            observed = "\(shown.count) bytes: \(Self.text(shown))"
            return
        }
        let shownTexts = Dictionary(shownFields, uniquingKeysWith: { $1 })
        let wantedTexts = Dictionary(wantedFields, uniquingKeysWith: { $1 })
        var paths = wantedFields.map(\.0).filter { shownTexts[$0] != wantedTexts[$0] }
        paths += shownFields.map(\.0).filter { wantedTexts[$0] == nil }
        if paths.isEmpty { return }
        let more = paths.count > Self.fieldLimit ? " and \(paths.count - Self.fieldLimit) more" : ""
        func words(_ texts: [String: String]) -> String {
            paths.prefix(Self.fieldLimit).map { "\($0) \(texts[$0] ?? "absent")" }.joined(separator: ", ") + more
        }
        expected = words(wantedTexts)
        observed = words(shownTexts)
    }

    /// A value in words: its first fields, or its bytes if it does not match the type.
    static func words(_ bytes: [UInt8], as layout: Layout?) -> String {
        guard let layout, let fields = fields(bytes, layout), !fields.isEmpty else { return text(bytes) }
        return fields.prefix(fieldLimit).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            + (fields.count > fieldLimit ? ", …" : "")
    }

    /// Paths and texts of all fields; nil if the bytes do not match the type.
    private static func fields(_ bytes: [UInt8], _ layout: Layout) -> [(String, String)]? {
        (try? layout.decode(bytes))?.fields
    }

    private static func text(_ bytes: [UInt8]) -> String { Value.text(of: bytes) }
}
