import Bytes

/// A report as one self-contained HTML file with charts, tables and text. It loads nothing and follows the reader's
/// light or dark scheme.
public struct Page: Sendable {
    public var title: String
    /// CSS rules in addition to those of every page.
    package var style = ""
    private var parts: [String] = []

    /// How good the state that a paragraph states is.
    public enum Severity: String, Sendable {
        case good, warning, critical
    }

    public init(_ title: String) {
        self.title = title
    }

    public mutating func add(heading text: String) { parts.append("<h2>\(text.escapedForXML)</h2>") }
    /// Adds a paragraph, with a severity beside a bar in its colour; the text must state it, too.
    public mutating func add(paragraph text: String, severity: Severity? = nil) {
        let attribute = severity.map { " class=\"\($0.rawValue)\"" } ?? ""
        parts.append("<p\(attribute)>\(text.escapedForXML)</p>")
    }
    /// Adds verbatim HTML in XML syntax; its texts must be escaped.
    package mutating func add(markup: String) { parts.append(markup) }
    public mutating func add(_ chart: Chart, width: Int = 720, height: Int = 260) {
        parts.append("<figure>\n\(chart.svg(width: width, height: height))</figure>")
    }

    /// Adds a table; numeric columns are right-aligned.
    public mutating func add(table head: [String], _ rows: [[String]]) { parts.append(Self.table(head, rows)) }

    /// A table as HTML, which scrolls on narrow pages. `label` describes it to screen readers.
    package static func table(_ head: [String], _ rows: [[String]], label: String? = nil) -> String {
        let isNumeric = head.indices.map { column in
            !rows.isEmpty
                && rows.allSatisfy { column < $0.count && isNumber($0[column]) }
        }
        func row(_ cells: [String], _ tag: String) -> String {
            let cells = cells.enumerated().map { column, text in
                let attribute = column < isNumeric.count && isNumeric[column] ? " class=\"number\"" : ""
                return "<\(tag)\(attribute)>\(text.escapedForXML)</\(tag)>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return wrapped(
            "<table>\n<thead>\(row(head, "th"))</thead>\n<tbody>\n"
                + rows.map { row($0, "td") }.joined(separator: "\n") + "\n</tbody>\n</table>", label: label)
    }

    /// Whether a cell is empty or begins with a number: `12`, `12.5 %`, `12:30`, not `0x12` or an address.
    private static func isNumber(_ cell: String) -> Bool {
        guard let first = cell.first else { return true }
        return (first.isNumber || first == "−")
            && cell.prefix { !$0.isWhitespace }.allSatisfy { !$0.isLetter || $0.isNumber }
    }

    /// A table in a region that scrolls on narrow pages, also by keyboard.
    package static func wrapped(_ table: String, label: String?) -> String {
        let name = label.map { " role=\"region\" aria-label=\"\($0.escapedForXML)\"" } ?? ""
        return "<div class=\"wide\" tabindex=\"0\"\(name)>\(table)</div>"
    }

    public var html: String {
        let parts = ["title": title.escapedForXML, "style": style, "body": parts.joined(separator: "\n")]
        return Self.template.map { parts[$0.name, default: ""] + $0.text }.joined()
    }

    /// The file `page.html`: part names and the text after each.
    private static let template: [(name: String, text: String)] = {
        let text = String(decoding: PackageResources.page_html, as: UTF8.self)
        return text.split(separator: "{{").map { piece in
            let halves = piece.split(separator: "}}", maxSplits: 1)
            return halves.count == 2 ? (String(halves[0]), String(halves[1])) : ("", String(piece))
        }
    }()
}

extension String {
    /// The text escaped for XML and HTML, including attributes; control characters are removed.
    public var escapedForXML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\t", "\n": text.unicodeScalars.append(scalar)
            case _ where scalar.isControl || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
