import Bytes
package import Conformance
import PluginKit

extension CheckReport {
    /// The report with its texts fit for reports that people read: what devices call themselves and what was observed of
    /// them may hold anything, and what profiles and waivers say may run over several lines.
    ///
    /// There may be many results, so that those that are not shown can be left out.
    package func legible(keeping isShown: (RuleResult) -> Bool = { _ in true }) -> CheckReport {
        var report = self
        report.results = results.filter(isShown)
        report.file = file.legible()
        for index in devices.indices { report.devices[index].makeLegible() }
        for index in rules.indices { report.rules[index].makeLegible() }
        for index in report.results.indices { report.results[index].makeLegible() }
        for index in unusedWaivers.indices { report.unusedWaivers[index].makeLegible() }
        for index in report.omissions.indices { report.omissions[index].makeLegible() }
        return report
    }
}

extension Omission {
    fileprivate mutating func makeLegible() {
        device = device?.legible()
        text = text.legibleLine()
    }
}

extension FoundFailure {
    /// The same of a failure that was just found.
    package func legible() -> FoundFailure {
        var failure = self
        failure.rule.makeLegible()
        failure.device?.makeLegible()
        failure.finding.makeLegible()
        return failure
    }
}

extension CheckedDevice {
    /// A name of blanks is none.
    fileprivate mutating func makeLegible() {
        address = address?.legible()
        title = title.contains { !$0.isWhitespace } ? title.legible() : address ?? "?"
        dialect = dialect?.legible()
        firmware = firmware?.legible()
    }
}

extension RuleInfo {
    fileprivate mutating func makeLegible() {
        id = id.legibleLine()
        text = text.legibleLine()
        source = source?.legibleLine()
        hint = hint?.legibleLine()
        quirk = quirk?.legibleLine()
    }
}

extension RuleResult {
    fileprivate mutating func makeLegible() {
        switch verdict {
        case .inconclusive(let reason): verdict = .inconclusive(reason.legibleLine())
        case .notApplicable(let reason): verdict = .notApplicable(reason.legibleLine())
        case .pass, .fail, .warning, .waived: break
        }
        for index in tally.findings.indices { tally.findings[index].makeLegible() }
        waiver?.makeLegible()
    }
}

extension Finding {
    fileprivate mutating func makeLegible() {
        expected = expected.legible()
        observed = observed.legible()
        quirk = quirk?.legibleLine()
    }
}

extension Waiver {
    fileprivate mutating func makeLegible() {
        rule = rule.legibleLine()
        device = device?.legible()
        reason = reason.legibleLine()
        link = link?.legibleLine()
    }
}
