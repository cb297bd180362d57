import Dissection

/// Colours of the terminal output; `none` where it is not a terminal or `NO_COLOR` is set.
package struct Paint: Sendable {
    var plain: [UInt8]
    var faint: [UInt8]
    var peer: [UInt8]
    var name: [UInt8]
    var warning: [UInt8]
    var error: [UInt8]

    package static let none = Paint(plain: [], faint: [], peer: [], name: [], warning: [], error: [])

    package static let ansi = Paint(
        plain: escape("0"), faint: escape("2"), peer: escape("36"), name: escape("1"), warning: escape("33"),
        error: escape("31"))

    func of(_ severity: Diagnosis.Severity) -> [UInt8] {
        switch severity {
        case .note: faint
        case .warning: warning
        case .error: error
        }
    }

    private static func escape(_ code: String) -> [UInt8] { [0x1B] + Array("[\(code)m".utf8) }
}
