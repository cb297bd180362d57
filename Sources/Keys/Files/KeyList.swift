/// gattbench's own file of keys: one `KIND:HEX[@ADDRESS]` a line, and comments from `#` at the start of a line or after
/// a blank.
enum KeyList: KeyFileFormat {
    static let name = "list of keys"

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool { KeySpec.isLikely(line.trimmed) }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        var keys: [KnownKey] = []
        for line in text.lines where !line.isBlank && !line.begins(with: "#") {
            do throws(KeySpec.Fault) {
                let spec = try KeySpec(withoutComment(line.trimmed))
                keys.append(text.key(spec.value, of: spec.address))
            } catch {
                throw text.error(error.description, in: line)
            }
            if keys.count > KeyFile.keyLimit { break }
        }
        return keys
    }

    private static func withoutComment(_ text: Substring) -> Substring {
        var end = text.endIndex
        var before: Character?
        for index in text.indices {
            if text[index] == "#", before == " " || before == "\t" {
                end = index
                break
            }
            before = text[index]
        }
        guard let last = text[..<end].lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return text[...last]
    }
}
