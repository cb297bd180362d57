package import Bytes
package import Conformance
package import PluginKit
import Profile
import Transports

/// Options of `check`.
package struct CheckOptions: Sendable {
    package enum Role: String, Sendable, CaseIterable {
        case peripheral, client, both
    }

    package var role = Role.both
    /// Whether warnings count as failures.
    package var isStrict = false
    package var waivers: [Waiver] = []
    /// The date that decides whether a waiver has expired.
    package var day: CivilDate

    package init(day: CivilDate) {
        self.day = day
    }

    package static func readWaivers(_ path: String) throws -> [Waiver] {
        try WaiverReader.read(TextFile.read(path), file: path)
    }

    /// Whether a failure is reported: it concerns the selected role, and no valid waiver covers it.
    package func concern(_ failure: FoundFailure) -> Bool {
        if let side = role.side, !failure.rule.concerns(side) { return false }
        return !waivers.contains {
            !$0.isExpired(on: day)
                && $0.concerns(
                    rule: failure.rule.id, title: failure.device?.title, address: failure.device?.address,
                    firmware: failure.device?.firmware)
        }
    }

    /// The report, restricted to the selected role and with the waivers applied.
    package func applied(to report: CheckReport) -> CheckReport {
        var report = report
        if let side = role.side { report.keep(side) }
        report.apply(waivers, on: day)
        return report
    }
}

extension CheckOptions.Role {
    /// The role whose rules are reported; nil for both.
    fileprivate var side: RuleDefinition.Role? {
        switch self {
        case .peripheral: .peripheral
        case .client: .client
        case .both: nil
        }
    }
}

extension CivilDate {
    /// The current date in UTC.
    package static var today: CivilDate { CivilDate(daysSince1970: SystemClock().now.nanoseconds / 86_400_000_000_000) }
}
