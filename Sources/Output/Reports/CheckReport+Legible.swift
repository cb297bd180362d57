import Bytes
package import Conformance
import PluginKit

extension CheckReport {
    /// The report with legible texts: device names and observations may contain any characters, and texts of profiles
    /// and waivers may span several lines.
    ///
    /// There may be many results; `isShown` excludes those that are not shown.
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
    /// The failure with legible texts.
    package func legible() -> FoundFailure {
        var failure = self
        failure.rule.makeLegible()
        failure.device?.makeLegible()
        failure.finding.makeLegible()
        return failure
    }
}

extension CheckedDevice {
    /// A blank name counts as missing.
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
