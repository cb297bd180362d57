import Bluetooth
import Bytes
import Conformance
import Conversation
import Dissection
import Output
import PluginKit
import Profile
import Workbench

/// A report as a single HTML page: summary, incidents, verdicts with ladders, attribute tables, last values, plots, commands.
struct ReportPage {
    let report: CaptureReport
    let words: ReportWords
    let ladder: FindingLadder

    // Row and byte limits of the sections.
    private static let deviceRows = 20
    private static let ruleRows = 30
    private static let findingRows = 3
    private static let reasonRows = 100
    private static let attributeRows = 400
    private static let valueRows = 300
    private static let findingBytes = 700_000
    private static let tableBytes = 250_000
    private static let valueBytes = 120_000
    private static let plotBytes = 450_000

    init(_ report: CaptureReport) {
        self.report = report
        words = ReportWords(report.verdicts.legible())
        ladder = FindingLadder(report.index, report.marks)
    }

    var html: String {
        let name = report.source.name.split(separator: "/").last.map(String.init) ?? report.source.name
        var page = Page("\(name.legible(limit: 100)): \(headline)")
        page.style = String(decoding: PackageResources.report_css.dropLast(), as: UTF8.self)
        let sections = [
            section("summary", "Summary", summary), section("why", "Why", incidents),
            section("verdicts", "Verdicts", verdicts), section("differences", "Differences", differences),
            section("tables", "Attribute tables", tables), section("values", "Last values", values),
            section("plots", "Plots", plots), section("commands", "Commands", commands),
        ].compactMap { $0 }
        let links = sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" }.joined()
        page.add(markup: "<nav aria-label=\"Contents\"><ul>\(links)</ul></nav>\n<main>")
        for section in sections { page.add(markup: section.html) }
        page.add(
            markup:
                "</main>\n<footer>gattbench \(Program.version.html()). Times are seconds from the first frame.</footer>"
        )
        return page.html
    }

    private var headline: String { words.headline(isStrict: report.options.checking.isStrict) }

    private func section(_ id: String, _ title: String, _ content: String) -> (id: String, title: String, html: String)?
    {
        if content.isEmpty { return nil }
        return (id, title, "<section id=\"\(id)\">\n<h2>\(title)</h2>\n\(content)</section>")
    }

    /// `and 3 more rules`; empty for none.
    func more(_ count: Int, _ noun: String, _ rest: String = "") -> String {
        count > 0 ? "<p class=\"muted\">and \(count.counted("more \(noun)"))\(rest)</p>\n" : ""
    }

    private func list(_ entries: [(name: String, value: String?)]) -> String {
        let rows = entries.compactMap { name, value in
            value.map { "<dt>\(name)</dt><dd><bdi>\($0.html(1000))</bdi></dd>" }
        }
        return rows.isEmpty ? "" : "<dl>\(rows.joined())</dl>\n"
    }
}

// MARK: - Summary

extension ReportPage {
    private var summary: String {
        let (statistics, checked) = (report.statistics.statistics, words.report)
        let outcome = checked.outcome(isStrict: report.options.checking.isStrict)
        let (sign, kind) =
            switch outcome {
            case .obeyed: ("✓", "pass")
            case .broken: ("✕", "fail")
            case .undecided: ("?", "undecided")
            }
        var html = "<p class=\"outcome \(kind)\">\(sign) \(headline.html())</p>\n"
        for warning in report.warnings { html += "<p class=\"notice\">Damaged: <bdi>\(warning.html())</bdi></p>\n" }
        for omission in checked.omissions.prefix(Self.deviceRows) {
            html += "<p class=\"notice\">Not checked: <bdi>\(omission.text.html())</bdi></p>\n"
        }
        let devices = report.statistics.tracker.devices.devices
        let present = devices.indices.filter { devices[$0].connections + devices[$0].advertisements > 0 }
        html += list([
            ("File", report.source.name), ("Format", report.format),
            ("Frames", "\(statistics.frames), \(statistics.bytes) bytes"),
            ("Began", statistics.first.map { "\($0)" }),
            ("Time", statistics.first.map { TimeText.span(statistics.last - $0) }),
            ("Devices", "\(present.count)"), ("Connections", "\(report.statistics.tracker.connections.count)"),
            ("Quality", words.quality.joined(separator: ", ")),
            ("Waivers", report.options.waivers),
        ])
        let first = present.sorted {
            (devices[$0].connections, devices[$0].advertisements) > (
                devices[$1].connections, devices[$1].advertisements
            )
        }
        .prefix(Self.deviceRows)
        guard !first.isEmpty else { return html }
        let rows = first.map { number -> [String] in
            let device = devices[number]
            let match = report.statistics.match(Int32(number))
            let plugin = match.plugin >= 0 ? report.statistics.plugins.plugins[match.plugin].id : ""
            let signal = device.strongestRSSI == 127 ? "" : "\(device.weakestRSSI) to \(device.strongestRSSI) dBm"
            return [
                device.title.legible(limit: 100), device.address.map { "\($0.address)" } ?? "", plugin,
                "\(device.connections)", "\(device.advertisements)", signal,
            ]
        }
        return html
            + Page.table(
                ["device", "address", "plugin", "connections", "advertisements", "signal"], rows, label: "Devices")
            + more(present.count - first.count, "device")
    }
}

// MARK: - Incidents and verdicts

extension ReportPage {
    private var incidents: String {
        IncidentSection(list: report.incidents) { command("decode -V -Y \($0.shellWord)") }.html
    }

    private var verdicts: String {
        let checked = words.report
        guard !checked.results.isEmpty else { return "<p>No rule could be evaluated.</p>\n" }
        let counts = checked.countsByDevice
        func count(_ device: Int?) -> VerdictCounts { counts[device ?? checked.devices.count] }
        let broken = Set(words.brokenRules().flatMap { $0.results.map(\.device) })
        let all = (checked.devices.indices.map(Int?.some) + [nil]).filter { !count($0).isEmpty }
        let failing = all.filter(broken.contains)
        let devices = failing + all.filter { !broken.contains($0) }
        let rows = devices.prefix(Self.deviceRows).map { device in
            [title(device)] + ReportWords.verdicts.map { "\(count(device)[$0])" }
        }
        let head = ["device"] + ReportWords.verdicts.map(\.asWords)
        var html = Page.table(head, Array(rows), label: "Rules by device and verdict")
        html += more(devices.count - Self.deviceRows, "device")
        var findings = BoundedMarkup(limit: Self.findingBytes)
        for device in failing.prefix(Self.deviceRows) {
            findings.add("<h3><bdi>\(heading(device).html())</bdi></h3>\n")
            let rules = words.brokenRules { $0.device == device }
            for rule in rules.prefix(Self.ruleRows) { findings.add(self.rule(rule)) }
            findings.add(more(rules.count - Self.ruleRows, "rule"))
        }
        html += findings.html
        html += more(failing.count - Self.deviceRows, "device", " with failed rules")
        if findings.leftOut > 0 {
            html +=
                "<p class=\"notice\">The page has no room for \(findings.leftOut.counted("failed rule")) more; "
                + "gattbench check lists all.</p>\n"
        }
        return html + waived + undecided
    }

    private func title(_ device: Int?) -> String {
        device.map { words.names.devices[$0].legible(limit: 100) } ?? "the capture"
    }

    private func heading(_ device: Int?) -> String {
        guard let device else { return title(nil) }
        let metadata = words.report.devices[device]
        return [
            title(device), metadata.address == metadata.title ? nil : metadata.address,
            metadata.plugin.map { $0 + (metadata.dialect.map { " (\($0))" } ?? "") },
            metadata.firmware.map { "firmware \($0)" },
        ].compactMap { $0 }.joined(separator: ", ")
    }

    /// A broken rule with its first findings.
    private func rule(_ broken: ReportWords.BrokenRule) -> String {
        let rule = words.report.rules[broken.rule]
        let isError = broken.severity == .error
        var html = """
            <article class="rule \(isError ? "fail" : "warning")">
            <h4><span class="verdict">\(isError ? "✕ failed" : "△ warning")</span> <code>\(rule.id.html())</code> \
            \(rule.text.html())</h4>

            """
        let effects = words.effects(of: broken.rule)
        html += list(
            [
                ("Source", rule.source), ("Hint", rule.hint),
                ("Known quirk", broken.results.lazy.compactMap(words.quirk).first),
                ("Waiver", broken.results.lazy.compactMap(ReportWords.expiry).first),
            ] + effects.prefix(Self.findingRows).map { ("Follows from it", $0) })
        html += more(effects.count - Self.findingRows, "consequence")
        let findings = broken.results.flatMap { result in result.tally.findings.map { (result, $0) } }
        for (result, finding) in findings.prefix(Self.findingRows) { html += self.finding(finding, result) }
        if let more = ReportWords.more(broken.results, than: min(findings.count, Self.findingRows)) {
            html += "<p class=\"muted\">\(more)</p>\n"
        }
        return html + "</article>\n"
    }

    private func finding(_ finding: Finding, _ result: RuleResult) -> String {
        let bytes = ladder.isSecret(finding) ? "(masked)" : ReportWords.bytes(of: finding, limit: 32)
        var html = "<div class=\"finding\">\n<p><bdi>\(words.place(of: finding, result).html())</bdi></p>\n"
        html += list([
            ("Expected", finding.expected), ("Observed", finding.observed),
            ("Bytes", finding.bytes.isEmpty ? nil : bytes),
        ])
        let ends = result.device.map { words.report.devices[$0].ends } ?? ("central", "peripheral")
        if let (table, range) = ladder.html(of: finding, between: ends) {
            let (first, last) = (range.lowerBound, range.upperBound)
            html += Page.wrapped(table, label: first == last ? "Frame \(first)" : "Frames \(first) to \(last)")
            let connection = result.connection.map { "connection == \($0) && " } ?? ""
            let filter =
                connection
                + (first == last ? "frame.number == \(first)" : "frame.number >= \(first) && frame.number <= \(last)")
            html +=
                "<p class=\"command\"><code>\(command("decode -V -Y \(filter.shellWord)").html(2000))</code></p>\n"
        }
        return html + "</div>\n"
    }

    private var waived: String {
        let results = words.report.results.filter { $0.verdict == .waived }
        let items = results.prefix(Self.reasonRows).map { result in
            "\(words.title(of: result)), \(title(result.device)): \(result.waiver.map(ReportWords.excuse) ?? "waived")"
        }
        return folded("\(results.count.counted("waived rule"))", items, of: results.count)
            + folded(
                "Unused waivers", words.report.unusedWaivers.prefix(Self.reasonRows).map(words.unused),
                of: words.report.unusedWaivers.count)
    }

    /// Undecided rules, once per reason.
    private var undecided: String {
        var seen: Set<String> = []
        let items = words.report.results.compactMap { result -> String? in
            guard case .inconclusive(let reason) = result.verdict else { return nil }
            let rule = words.report.rules[result.rule]
            let item = "\(rule.id) \(rule.text): \(reason)"
            return seen.insert(item).inserted ? item : nil
        }
        return folded(
            "\(items.count.counted("rule")) that the capture cannot decide", Array(items.prefix(Self.reasonRows)),
            of: items.count)
    }

    private func folded(_ title: String, _ items: [String], of count: Int) -> String {
        if items.isEmpty { return "" }
        let rows = items.map { "<li><bdi>\($0.html())</bdi></li>" }.joined(separator: "\n")
        return
            "<details><summary>\(title.html())</summary>\n<ul>\(rows)</ul>\n\(more(count - items.count, "line"))</details>\n"
    }
}

// MARK: - Tables and values

extension ReportPage {
    private var tables: String {
        let tables = ServerTables(report.statistics, report.survey)
        let servers = tables.all
        let lines = PacketLines(report.index)
        var html = BoundedMarkup(limit: Self.tableBytes)
        for server in servers.prefix(Self.deviceRows) {
            let plugin = tables.plugin(of: server).map { " (\($0))" } ?? ""
            let title = server.device.title.legible(limit: 100) + plugin
            html.add("<h3><bdi>\(title.html())</bdi></h3>\n")
            let handles = server.handles
            var rows: [[String]] = []
            var properties = ""
            for handle in handles.prefix(Self.attributeRows) {
                guard let one = tables.attribute(handle, of: server, lines) else { continue }
                let kind = one["kind"]?.string ?? ""
                // A characteristic has one row, that of its value, to which its declaration adds the properties.
                let own = one["properties"]?.elements.compactMap(\.string).joined(separator: ", ")
                if kind == "characteristic" {
                    properties = own ?? ""
                    continue
                }
                let count = one["count"]?.number.map { "\(Int($0))" } ?? ""
                let last = one["last"]?.string.map { $0.legible(limit: 160) } ?? ""
                let packet = one["number"]?.number.map { "\(Int($0))" } ?? ""
                let name = (one["name"]?.string ?? one["type"]?.string ?? "").legible(limit: 100)
                let indentation = ["service": "", "descriptor": "\u{2003}\u{2003}"][kind] ?? "\u{2003}"
                rows.append([
                    "0x" + String(hex: handle.rawValue, digits: 4), indentation + name,
                    kind == "value" ? properties : kind, count, last, packet,
                ])
            }
            html.add(
                Page.table(
                    ["handle", "attribute", "properties", "uses", "last value", "frame"], rows,
                    label: "Attributes of \(title)"))
            html.add(more(handles.count - Self.attributeRows, "attribute"))
        }
        let rest = more(servers.count - Self.deviceRows, "server")
        return html.html + rest
            + (html.leftOut > 0 ? "<p class=\"muted\">The page has no room for some tables.</p>\n" : "")
    }

    private var values: String {
        guard let products = try? ProductList(report.survey, report.index).json else { return "" }
        var html = BoundedMarkup(limit: Self.valueBytes)
        for product in products.prefix(Self.deviceRows) {
            let title = [product["device"]?.string, product["title"]?.string].compactMap { $0?.legible(limit: 100) }
                .joined(separator: ", ")
            html.add("<h3><bdi>\(title.html())</bdi></h3>\n")
            let values = product["values"]?.elements ?? []
            let rows = values.prefix(Self.valueRows).map { value in
                [
                    value["characteristic"]?.string, value["label"]?.string, value["text"]?.string?.legible(limit: 200),
                    value["number"]?.number.map { "\(Int($0))" },
                ].map { ($0 ?? "").legible(limit: 300) }
            }
            html.add(Page.table(["message", "field", "value", "frame"], rows, label: "Last values of \(title)"))
            html.add(more(values.count - Self.valueRows, "value"))
        }
        return html.html + more(products.count - Self.deviceRows, "device")
            + (html.leftOut > 0 ? "<p class=\"muted\">The page has no room for some values.</p>\n" : "")
    }
}

// MARK: - Plots and commands

extension ReportPage {
    private var plots: String {
        let plots = report.plots
        guard !plots.charts.isEmpty else { return "" }
        var html = BoundedMarkup(limit: Self.plotBytes)
        for (chart, caption) in plots.charts {
            html.add(
                "<figure>\(chart.svg(width: 400, height: 190))"
                    + "<figcaption><bdi>\(caption.html(100))</bdi></figcaption></figure>\n")
        }
        return "<div class=\"charts\">\n\(html.html)</div>\n"
            + more(plots.leftOut + html.leftOut, "field", " with several values")
            + "<p class=\"muted\">\(plots.constant.counted("numeric field")) with one value throughout.</p>\n"
    }

    /// Commands that repeat the report or inspect the capture further.
    private var commands: String {
        let options = report.options
        let waivers = options.waivers.map { ["--waivers", $0] } ?? []
        let lines =
            [
                command("check", waivers + options.ruleArguments), command("web", waivers), command("stats"),
                command(
                    "report -o report.html",
                    waivers + (options.against.map { ["--against", $0] } ?? []) + options.ruleArguments),
            ] + (options.against.map { [command("diff", [$0])] } ?? [])
        return
            "<pre tabindex=\"0\" role=\"region\" aria-label=\"Commands\">\(lines.map { $0.html(2000) }.joined(separator: "\n"))</pre>\n"
    }

    private func command(_ words: String, _ arguments: [String] = []) -> String {
        let options = report.options
        let more = options.deviceArguments + arguments + [options.file]
        return (["gattbench \(words)"] + more.map(\.shellWord)).joined(separator: " ")
    }
}
