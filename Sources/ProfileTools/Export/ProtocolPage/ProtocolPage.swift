import Bluetooth
import Bytes
package import Profile

/// Generates a Markdown page that documents a device's protocol for firmware and app developers, from the profile.
package enum ProtocolPage {
    /// The page of a profile.
    package static func text(of profile: Profile) -> String {
        let sections =
            [identity(profile), match(profile)] + [attributes(profile), advertising(profile)]
            + [TypePages(profile).text, messages(profile), sequences(profile)]
            + [times(profile), rules(profile), vectors(profile)]
        return withoutHTML(sections.filter { !$0.isEmpty }.joined(separator: "\n").legibleText())
    }

    /// Escapes HTML in the page: docs may be Markdown, and HTML would run in a browser. The page's own anchors are
    /// kept.
    private static func withoutHTML(_ page: String) -> String {
        var text = ""
        var isAnchor = false
        for (index, part) in page.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
            let isEnd = isAnchor && part.hasPrefix("/a>")
            let id = part.dropFirst(6).prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            isAnchor = part == "a id=\"\(id)\">"
            let isTag = part.first.map { $0.isLetter || "/!?".contains($0) } ?? false
            if index > 0 { text += isTag && !isAnchor && !isEnd ? "&lt;" : "<" }
            text += part
        }
        return text
    }

    /// A doc as Markdown paragraphs; lines that would be headings are escaped.
    static func paragraphs(_ doc: String) -> String {
        doc.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            let start = line.drop { $0 == " " || $0 == "\t" }
            let isUnderline = !start.isEmpty && start.allSatisfy { $0 == "=" || $0 == "-" || $0 == " " }
            return (start.hasPrefix("#") || isUnderline ? "\\\(start)" : "\(line)") + "\n"
        }.joined() + "\n"
    }

    // MARK: - Identity

    private static func identity(_ profile: Profile) -> String {
        let header = profile.header
        var text = "# \(header.title)\n\n"
        if let doc = header.doc { text += paragraphs(doc) }
        let rows = [
            ("Plugin", "`\(header.id)`"), ("Version", header.version), ("Vendor", header.vendor),
            ("Firmware", header.firmware), ("Largest ATT_MTU", header.mtu.map { "\($0) bytes" }),
            ("Licence", header.licence),
        ]
        text += MarkdownTable(["", ""], rows.compactMap { row in row.1.map { [row.0, $0] } }).text
        if !header.dialects.isEmpty {
            text += "\nDialects:\n\n"
            for dialect in header.dialects {
                text += "- `\(dialect.id)`: \(dialect.title)\(dialect.doc.map { ". \($0.legibleLine())" } ?? "")\n"
            }
        }
        if !header.sources.isEmpty {
            text += "\nSources:\n\n" + header.sources.map { "- \($0)\n" }.joined()
        }
        return text
    }

    private static func match(_ profile: Profile) -> String {
        if profile.match.isEmpty { return "" }
        let rows = profile.match.map { evidence in
            [words(evidence.sign), "\(evidence.weight)", evidence.dialect ?? ""]
        }
        return "## How the device is recognised\n\n"
            + "Weights of what a device shows are added; from \(Profile.Evidence.threshold) on it is taken for one of these.\n\n"
            + MarkdownTable(["Sign", "Weight", "Dialect"], rows).text
    }

    private static func words(_ sign: Profile.Evidence.Sign) -> String {
        switch sign {
        case .name(let pattern): "its name matches `\(pattern)`"
        case .service(let uuid): "it has the service `\(uuid)`"
        case .characteristic(let uuid): "it has the characteristic `\(uuid)`"
        case .manufacturer(let company, let prefix):
            "manufacturer data of company `\(hex(UInt64(company), digits: 4))`"
                + (prefix.isEmpty ? "" : " that begin with `\(hex(prefix))`")
        case .serviceData(let uuid, let prefix):
            "service data of `\(uuid)`" + (prefix.isEmpty ? "" : " that begin with `\(hex(prefix))`")
        case .deviceInformation(let name, let pattern): "its \(name.asWords) matches `\(pattern)`"
        }
    }

    // MARK: - Attributes

    private static func attributes(_ profile: Profile) -> String {
        if profile.services.isEmpty { return "" }
        var text = "## Attributes\n"
        for service in profile.services {
            let comments = [service.dialect.map { "dialect `\($0)`" }, service.isOptional ? "optional" : nil]
            let comment = comments.compactMap { $0 }.joined(separator: ", ")
            text += "\n### \(service.title)\n\n`\(service.uuid)`\(comment.isEmpty ? "" : " (\(comment))")\n\n"
            if let doc = service.doc { text += paragraphs(doc) }
            let rows = service.characteristics.map { one in
                [
                    one.title + (one.isOptional ? " (optional)" : ""), "`\(one.uuid)`",
                    one.properties.names.joined(separator: ", "), values(one.readings),
                    one.length.map(words) ?? "", one.knownHandles.map { "`\($0)`" }.joined(separator: ", "),
                    one.doc ?? "",
                ]
            }
            text +=
                MarkdownTable(["Characteristic", "UUID", "Properties", "Value", "Bytes", "Handle", ""], rows).text
            for one in service.characteristics where !one.descriptors.isEmpty {
                text += "\nDescriptors of \(one.title):\n\n"
                for descriptor in one.descriptors {
                    let value = descriptor.reading.map { ": \(words($0))" } ?? ""
                    text += "- \(descriptor.title) (`\(descriptor.uuid)`)\(value)\n"
                }
            }
        }
        return text
    }

    /// The types of a characteristic's values; operations with the same types are combined.
    private static func values(_ readings: [OperationKind: PayloadChoice]) -> String {
        var groups: [(operations: [String], words: String)] = []
        for operation in OperationKind.allCases {
            guard let choice = readings[operation] else { continue }
            let words = words(choice)
            if let index = groups.firstIndex(where: { $0.words == words }) {
                groups[index].operations.append(operation.rawValue)
            } else {
                groups.append(([operation.rawValue], words))
            }
        }
        if groups.count == 1 { return groups[0].words }
        return groups.map { "\($0.operations.joined(separator: ", ")): \($0.words)" }.joined(separator: "; ")
    }

    private static func words(_ choice: PayloadChoice) -> String {
        choice.alternatives.map { one in
            link(one.type) + (one.condition.map { " if `\($0.text)`" } ?? "")
        }.joined(separator: ", else ")
    }

    private static func advertising(_ profile: Profile) -> String {
        if profile.advertising.isEmpty { return "" }
        let rows = profile.advertising.map { one in
            let carrier =
                switch one.carrier {
                case .service(let uuid): "service data of `\(uuid)`"
                case .company(let company): "manufacturer data of company `\(hex(UInt64(company), digits: 4))`"
                }
            return [carrier, words(one.reading)]
        }
        return "## Advertising\n\n" + MarkdownTable(["Data", "Value"], rows).text
    }
}

// MARK: - Text

extension ProtocolPage {
    /// A link to a type's section.
    static func link(_ type: String) -> String { "[\(type)](#\(anchor(type)))" }

    /// The anchor of a type's section.
    static func anchor(_ type: String) -> String { "type-\(type)" }

    static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// `14`, `4 to 13` or `6 or more`.
    static func words(_ lengths: ClosedRange<Int>) -> String {
        if lengths.upperBound == .max {
            return lengths.lowerBound == 0 ? "any number of" : "\(lengths.lowerBound) or more"
        }
        return lengths.lowerBound == lengths.upperBound
            ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
    }
}

/// A Markdown table; empty columns are left out.
struct MarkdownTable {
    private let columns: [String]
    private let rows: [[String]]

    init(_ columns: [String], _ rows: [[String]]) {
        let used = columns.indices.filter { index in rows.contains { !$0[index].isEmpty } }
        self.columns = used.map { columns[$0] }
        self.rows = rows.map { row in used.map { row[$0] } }
    }

    var text: String {
        if columns.isEmpty { return "" }
        let lines = [columns, columns.map { _ in "---" }] + rows.map { $0.map(Self.escaped) }
        return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    /// Joins the lines of a cell and escapes `|`, which would end the cell.
    private static func escaped(_ cell: String) -> String {
        cell.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("|", by: "\\|")
    }
}
