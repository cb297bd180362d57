import Bytes

/// A report as one self-contained HTML file, with charts, tables and text; it loads nothing and follows the reader's light or
/// dark scheme.
public struct Page: Sendable {
    public var title: String
    /// Rules of CSS beside those of every page.
    package var style = ""
    private var parts: [String] = []

    public init(_ title: String) {
        self.title = title
    }

    public mutating func add(heading text: String) { parts.append("<h2>\(text.escapedForXML)</h2>") }
    public mutating func add(paragraph text: String) { parts.append("<p>\(text.escapedForXML)</p>") }
    /// Adds HTML as it is, in the syntax of XML; its texts must be escaped.
    package mutating func add(markup: String) { parts.append(markup) }
    public mutating func add(_ chart: Chart, width: Int = 720, height: Int = 260) {
        parts.append("<figure>\n\(chart.svg(width: width, height: height))</figure>")
    }

    /// Adds a table; columns of numbers stand at the right.
    public mutating func add(table head: [String], _ rows: [[String]]) { parts.append(Self.table(head, rows)) }

    /// A table as HTML, which is scrolled where the page is narrower. `label` says what it is to those who do not see it.
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

    /// A table that is scrolled, with the keyboard too, where the page is narrower.
    package static func wrapped(_ table: String, label: String?) -> String {
        let name = label.map { " role=\"region\" aria-label=\"\($0.escapedForXML)\"" } ?? ""
        return "<div class=\"wide\" tabindex=\"0\"\(name)>\(table)</div>"
    }

    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <title>\(title.escapedForXML)</title>
        <style>
        :root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #d5d5d5 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --paper: #1b1b1b; --line: #4a4a4a } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 50rem;
          margin: 2rem auto; padding: 0 1rem }
        figure { margin: 1rem 0 } svg { max-width: 100%; height: auto } .wide { overflow-x: auto }
        table { border-collapse: collapse } th, td { text-align: left; padding: .2rem .8rem .2rem 0;
          border-bottom: 1px solid var(--line) } .number { text-align: right; font-variant-numeric: tabular-nums }
        \(style)
        </style>
        </head>
        <body>
        <h1>\(title.escapedForXML)</h1>
        \(parts.joined(separator: "\n"))
        </body>
        </html>

        """
    }
}

extension String {
    /// The text as it stands in XML and HTML, in attributes too; control characters are left out.
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
