import Bytes
import PluginKit

/// A check as JSON, result by result: what a large capture comes to is never held as a whole.
package struct JSONReport {
    private let report: CheckReport

    /// Bytes that are put together before they are handed on.
    private static let pageSize = 64 << 10

    package init(_ report: CheckReport) {
        self.report = report
    }

    /// Writes all of it; `write` gets piece after piece.
    package func write(_ write: (RawSpan) throws -> Void) throws {
        var page = TextWriter(capacity: 2 * Self.pageSize)
        page.write("{\n")
        member("file", .string(report.file), to: &page)
        member("frames", .integer(report.frames), to: &page)
        if let times = report.times {
            member("first", .string(Self.time(times.lowerBound)), to: &page)
            member("last", .string(Self.time(times.upperBound)), to: &page)
        }
        member(
            "summary", .object(of: report.summary.map { (name: $0.name, value: .integer($0.count)) }), to: &page)
        member(
            "quality", .object(of: report.quality.all.map { (name: $0.name, value: .integer($0.count)) }), to: &page)
        member("devices", .array(report.devices.map(Self.device)), to: &page)
        member("unused_waivers", .array(report.unusedWaivers.map(Self.waiver)), to: &page)
        page.write("  \"results\": [")
        for (index, result) in report.results.enumerated() {
            page.write(index == 0 ? "\n    " : ",\n    ")
            self.result(result).write(to: &page, indentation: 4)
            if page.count >= Self.pageSize {
                try write(page.span)
                page.truncate(to: 0)
            }
        }
        page.write(report.results.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
        try write(page.span)
    }

    private func member(_ name: String, _ value: JSONText, to page: inout TextWriter) {
        page.write("  \"\(name)\": ")
        value.write(to: &page, indentation: 2)
        page.write(",\n")
    }
}

// MARK: - Parts

extension JSONReport {
    private static func device(_ device: CheckedDevice) -> JSONText {
        .members([
            "title": .string(device.title), "address": device.address.map { .string($0) },
            "plugin": device.plugin.map { .string($0) }, "dialect": device.dialect.map { .string($0) },
            "firmware": device.firmware.map { .string($0) }, "connections": .integer(device.connections),
        ])
    }

    private static func waiver(_ waiver: Waiver) -> JSONText {
        .members([
            "rule": .string(waiver.rule), "device": waiver.device.map { .string($0) },
            "firmware": waiver.firmware.map { .string($0) }, "reason": .string(waiver.reason),
            "link": waiver.link.map { .string($0) }, "expires": waiver.expires.map { .string($0.description) },
        ])
    }

    /// The first finding stands beside the verdict, all that were kept in a list of their own.
    private func result(_ result: RuleResult) -> JSONText {
        let rule = report.rules[result.rule]
        let tally = result.tally
        let first = tally.findings.first
        return .members([
            "rule": .string(rule.id), "verdict": .string(result.verdict.name), "text": .string(rule.text),
            "role": .string(rule.role.rawValue), "severity": .string(rule.severity.rawValue),
            "source": rule.source.map { .string($0) },
            "device": result.device.map { .string(report.devices[$0].title) },
            "connection": result.connection.map { .integer($0) },
            "reason": result.verdict.reason.map { .string($0) },
            "passes": tally.isEmpty ? nil : .integer(tally.passes),
            "failures": tally.isEmpty ? nil : .integer(tally.failures),
            "undecided": tally.undecided == 0 ? nil : .integer(tally.undecided),
            "frames": first.map { .array($0.moments.map { .integer($0.frame) }) },
            "expected": first.map { .string($0.expected) }, "observed": first.map { .string($0.observed) },
            "quirk": (first?.quirk ?? (first == nil ? nil : rule.quirk)).map { .string($0) },
            "hint": first == nil ? nil : rule.hint.map { .string($0) },
            "waiver": result.waiver.map(Self.waiver),
            "findings": first == nil ? nil : .array(tally.findings.map(Self.finding)),
        ])
    }

    private static func finding(_ finding: Finding) -> JSONText {
        .members([
            "frames": .array(
                finding.moments.map { .members(["number": .integer($0.frame), "time": .string(time($0.time))]) }),
            "bytes": finding.bytes.isEmpty ? nil : .string(hex(finding.bytes)),
            "expected": .string(finding.expected), "observed": .string(finding.observed),
        ])
    }

    private static func time(_ nanoseconds: Int64) -> String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(Timestamp(nanoseconds: nanoseconds))
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        var text = TextWriter(capacity: 2 * bytes.count)
        text.writeHex(bytes[...])
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
