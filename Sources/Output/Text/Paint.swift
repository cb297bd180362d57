import Bytes
import Conformance
import Profile

/// Terminal colours; `none` if the output is no terminal or `NO_COLOR` is set.
package struct Paint: Sendable {
    var plain: [UInt8]
    package var faint: [UInt8]
    var peer: [UInt8]
    package var name: [UInt8]
    var warning: [UInt8]
    var error: [UInt8]

    package static let none = Paint(plain: [], faint: [], peer: [], name: [], warning: [], error: [])

    package static let ansi = Paint(
        plain: escape("0"), faint: escape("2"), peer: escape("36"), name: escape("1"), warning: escape("33"),
        error: escape("31"))

    func of(_ severity: Diagnostic.Severity) -> [UInt8] {
        switch severity {
        case .note: faint
        case .warning: warning
        case .error: error
        }
    }

    func write(_ text: String, in color: KeyPath<Paint, [UInt8]>, to output: inout TextWriter) {
        output.write(self[keyPath: color])
        output.write(text)
        output.write(plain)
    }

    package func painted(_ text: String, in color: KeyPath<Paint, [UInt8]>) -> String {
        var output = TextWriter(capacity: text.utf8.count + 16)
        write(text, in: color, to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private static func escape(_ code: String) -> [UInt8] { [0x1B] + Array("[\(code)m".utf8) }
}

extension Paint {
    /// Writes `FAIL AQ-060` or `WARN AQ-213`: a broken rule with the severity of its result.
    func write(broken rule: RuleInfo, _ severity: RuleDefinition.Severity, to output: inout TextWriter) {
        switch severity {
        case .error: write("FAIL ", in: \.error, to: &output)
        case .warning: write("WARN ", in: \.warning, to: &output)
        }
        write(rule.id, in: \.name, to: &output)
    }
}
