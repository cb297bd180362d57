package import Bluetooth
import Bytes
import CWiresharkLua
package import Profile

/// Generates a Lua dissector for Wireshark that shows a device's values under the field names of `decode`.
///
/// The script tracks each connection: it learns handles from discovery, matches responses to requests, and reads values
/// by the profile's types. It leaves Wireshark's own dissection unchanged and works with Wireshark 3.6 and later, that
/// is with Lua 5.2 and 5.4.
///
/// Fields with a name of Wireshark's, `btatt.…`, are declared below the plugin's id, as `standard.btatt.…`: Wireshark
/// already declares those names, possibly with other types.
package enum WiresharkLua {
    /// The script for a profile; `imported` contains attribute tables of devices whose discovery is not in the
    /// captures.
    package static func script(
        for profile: Profile, imported: GATT.KnownTables = GATT.KnownTables()
    ) -> String {
        var writer = LuaWriter(plugin: profile.header.id, needsIdentifiers: profile.comparesText)
        let outlines = OutlineMaker(profile)
        let types = profile.payloadTypes.compactMap { outlines.outline(of: $0) }
        let nodes = types.map { (type: $0, code: writer.type($0)) }
        let attributes = AttributeTables(profile, imported: imported)
        let id = profile.header.id
        return """
            -- \(comment(profile.header.title)), profile \(comment(profile.header.version)), for Wireshark and tshark.
            --
            -- Made by "gattbench plugins export \(id) --to wireshark-lua": change the profile, not this file.
            -- tshark -X lua_script:\(id).lua -r FILE, or put it into Wireshark's folder of personal Lua plugins.

            local protocol = Proto(\(LuaWriter.quoted(id)), \(LuaWriter.quoted(profile.header.title)))

            local expert = {
                too_short = ProtoExpert.new(
                    "\(id).too_short", "The value is too short", expert.group.MALFORMED, expert.severity.ERROR),
                unexpected = ProtoExpert.new(
                    "\(id).unexpected", "Not as the profile says", expert.group.PROTOCOL, expert.severity.WARN),
            }
            protocol.experts = expert

            \(expressions)
            -- Fields ---------------------------------------------------------------------------------------------

            local names = {
            \(numbered(writer.nameTables))
            }

            local fields = {
                message = ProtoField.string("\(id).put_together", "Message"),
            \(numbered(writer.fields))
            }
            protocol.fields = fields

            -- Types ----------------------------------------------------------------------------------------------

            local types = {}

            \(nodes.map { "types.\($0.type.name) = \($0.code)\n" }.joined(separator: "\n"))
            \(attributes.code)
            \(runtime)
            """.trimmingTrailingSpaces
    }

    /// Parts common to all scripts.
    private static let expressions = unsafe text(wiresharkLuaExpressions())
    private static let runtime = unsafe [
        wiresharkLuaChecksums(), wiresharkLuaValues(), wiresharkLuaLinks(), wiresharkLuaAttributes(),
        wiresharkLuaMessages(), wiresharkLuaDissector(),
    ].map { unsafe text($0) }.joined(separator: "\n")

    private static func text(_ part: WiresharkLuaText) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: part.text, count: part.length), as: UTF8.self)
    }

    /// A text for a single-line comment.
    private static func comment(_ text: String) -> String {
        text.legibleLine()
    }

    private static func numbered(_ lines: [String]) -> String {
        lines.enumerated().map { "    [\($0 + 1)] = \($1)," }.joined(separator: "\n")
    }
}

extension String {
    /// The text without trailing spaces.
    fileprivate var trimmingTrailingSpaces: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.last == " " ? String($0.reversed().drop { $0 == " " }.reversed()) : String($0) }
            .joined(separator: "\n")
    }
}

extension LuaWriter {
    /// The table of a whole type, with its shortest and longest length.
    mutating func type(_ outline: FieldOutline) -> String {
        let lengths = outline.lengths
        let longest = lengths.upperBound == .max ? "" : ", longest = \(lengths.upperBound)"
        return String(node(outline, indent: "").dropLast()) + ", shortest = \(lengths.lowerBound)\(longest)}"
    }
}

extension Profile {
    /// Whether a condition compares a field with a name.
    fileprivate var comparesText: Bool {
        expressions.contains { $0.root.comparesText }
    }

    /// All conditions and lengths of types.
    private var expressions: [Expression] {
        let choices = services.flatMap(\.characteristics).flatMap { $0.readings.values } + messages.map(\.reading)
        return choices.flatMap { $0.alternatives.compactMap(\.condition) } + fieldExpressions
    }

    private var fieldExpressions: [Expression] {
        types.flatMap(\.allFields).flatMap { field in
            var found = [field.condition].compactMap { $0 }
            if case .computed(let expression)? = field.count { found.append(expression) }
            switch field.kind {
            case .text(.computed(let expression), _), .bytes(.computed(let expression)): found.append(expression)
            default: break
            }
            return found
        }
    }
}
