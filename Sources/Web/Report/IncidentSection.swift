import Bytes
import Causes
import Output

/// The section of a report about incidents: what failed, its cause, the frames that show it, and what to do.
struct IncidentSection {
    let list: IncidentList
    /// The command line that prints the frames that pass a display filter.
    let command: (_ filter: String) -> String

    // Limits of the section.
    private static let incidentRows = 100
    private static let consideredRows = 20
    private static let frames = 32
    private static let bytes = 120_000

    /// Empty if nothing went wrong.
    var html: String {
        if list.incidents.isEmpty { return "" }
        var markup = BoundedMarkup(limit: Self.bytes)
        for incident in list.incidents.prefix(Self.incidentRows) { markup.add(article(incident)) }
        let leftOut = max(list.incidents.count - Self.incidentRows, 0) + markup.leftOut + list.omitted
        if leftOut == 0 { return markup.html }
        return markup.html
            + "<p class=\"muted\">and \(leftOut.counted("more incident")); gattbench why lists them.</p>\n"
    }

    private func article(_ incident: Incident) -> String {
        let isCertain = incident.confidence == .certain
        let title = [incident.connection.map { "connection \($0)" }, incident.device.map { $0.legible(limit: 100) }]
            .compactMap { $0 }.joined(separator: ", ")
        let cause = incident.cause.map { "<code>\($0.html(100))</code>" } ?? "no cause found"
        var html = """
            <article class="rule \(isCertain ? "fail" : "warning") incident">
            <h4><span class="verdict">\(isCertain ? "✕" : "△") \(incident.what.words.html())</span> \(cause)\
            \(incident.confidence.map { " (\($0.rawValue))" } ?? "")</h4>
            <p><bdi>\(incident.text.html(1000))</bdi></p>

            """
        let entries = [("Where", title), ("Frames", frames(incident)), ("Advice", incident.advice)].filter {
            !$0.1.isEmpty
        }
        html += "<dl>\(entries.map { "<dt>\($0.0)</dt><dd><bdi>\($0.1.html(1000))</bdi></dd>" }.joined())</dl>\n"
        html += considered(incident)
        if !incident.frames.isEmpty {
            let numbers = incident.frames.prefix(Self.frames).map(String.init).joined(separator: ", ")
            html += "<p class=\"muted\"><code>\(command("frame.number in {\(numbers)}").html(2000))</code></p>\n"
        }
        return html + "</article>\n"
    }

    /// `40, 44 and 3 more`.
    private func frames(_ incident: Incident) -> String {
        let more = incident.frames.count - Self.frames
        return incident.frames.prefix(Self.frames).map(String.init).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    private func considered(_ incident: Incident) -> String {
        let all = incident.considered
        if all.isEmpty { return "" }
        let rows = all.prefix(Self.consideredRows).map {
            "<li><code>\($0.cause.html(100))</code>: <bdi>\($0.against.html(500))</bdi></li>"
        }
        let more = all.count - rows.count
        return "<details><summary>\(all.count.counted("other cause")) considered</summary>\n"
            + "<ul>\(rows.joined(separator: "\n"))</ul>\n"
            + (more > 0 ? "<p class=\"muted\">and \(more) more</p>\n" : "") + "</details>\n"
    }
}
