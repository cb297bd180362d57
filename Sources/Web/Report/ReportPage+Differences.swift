import Bytes
import Output
import PluginKit

/// The differences from another capture, `gattbench report --against`.
extension ReportPage {
    // Row and byte limits of the section.
    private static let pairRows = 50
    private static let differenceRows = 100
    private static let fieldRows = 8
    private static let differenceBytes = 300_000

    var differences: String {
        guard let comparison = report.comparison else { return "" }
        let verdict =
            comparison.isEmpty
            ? "No connection to compare."
            : comparison.differs ? "\(comparison.count.counted("difference"))." : "No differences."
        var html = BoundedMarkup(limit: Self.differenceBytes)
        html.add(
            "<p>\(verdict) A is <bdi>\(comparison.a.file.html())</bdi>, B is <bdi>\(comparison.b.file.html())</bdi>.</p>\n"
        )
        let pairs = comparison.connections
        for pair in pairs.prefix(Self.pairRows) { html.add(self.differences(of: pair)) }
        html.add(more(pairs.count - Self.pairRows, "pair", " of connections"))
        for (connections, side) in [(comparison.onlyA, "A"), (comparison.onlyB, "B")] where !connections.isEmpty {
            let names = connections.prefix(Self.pairRows).map { "\($0.number) (\($0.device.name.legible(limit: 100)))" }
            let rest = connections.count - names.count
            html.add(
                "<p>Connections only in \(side): <bdi>\(names.joined(separator: ", ").html(4000))</bdi>"
                    + (rest > 0 ? " and \(rest) more" : "") + "</p>\n")
        }
        return html.html
            + (html.leftOut > 0
                ? "<p class=\"notice\">The page has no room for some differences; gattbench diff lists all.</p>\n" : "")
    }

    private func differences(of pair: ConnectionComparison) -> String {
        let title = "Connection \(pair.a.number) of A, \(pair.b.number) of B: \(pair.b.device.name.legible(limit: 100))"
        var html = "<h3><bdi>\(title.html())</bdi></h3>\n"
        let rows = pair.differences.prefix(Self.differenceRows).map { difference -> [String] in
            let shown = difference.fields.prefix(Self.fieldRows)
            let more = difference.fields.count > shown.count ? ", …" : ""
            func cell(_ text: (FieldDifference) -> String?) -> String {
                let texts = shown.map { "\($0.name.legible(limit: 60)) \(text($0)?.legible(limit: 120) ?? "–")" }
                return texts.joined(separator: ", ") + more
            }
            let count = difference.count > 1 ? " (\(difference.count))" : ""
            return [
                difference.label, difference.subject.legible(limit: 160) + count, cell(\.a), cell(\.b),
                difference.frames,
            ]
        }
        if !rows.isEmpty { html += Page.table(["difference", "of", "A", "B", "frames"], rows, label: title) }
        html += more(pair.differences.count + pair.omitted - rows.count, "difference")
        let notes = DifferenceReport.notes(pair)
        if !notes.isEmpty { html += "<p class=\"muted\">\(notes.joined(separator: "; ").html())</p>\n" }
        return html
    }
}
