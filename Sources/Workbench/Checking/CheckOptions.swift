package import Bytes
package import Conformance
package import PluginKit
import Profile
import Transports

/// What the user asks of `check`.
package struct CheckOptions: Sendable {
    package enum Role: String, Sendable, CaseIterable {
        case peripheral, client, both
    }

    package var role = Role.both
    /// Warnings count as failures.
    package var isStrict = false
    package var waivers: [Waiver] = []
    /// The day on which waivers are looked at; they expire.
    package var day: CivilDate

    package init(day: CivilDate) {
        self.day = day
    }

    /// The waivers in a file.
    package static func readWaivers(_ path: String) throws -> [Waiver] {
        try WaiverReader.read(TextFile.read(path), file: path)
    }

    /// Whether the user wants to know of a failure now: it is about the side that was asked for, and nothing excuses it.
    package func concern(_ failure: FoundFailure) -> Bool {
        if let side = role.side, !failure.rule.concerns(side) { return false }
        return !waivers.contains {
            !$0.isExpired(on: day)
                && $0.concerns(
                    rule: failure.rule.id, title: failure.device?.title, address: failure.device?.address,
                    firmware: failure.device?.firmware)
        }
    }

    /// A report as the user wants it.
    package func applied(to report: CheckReport) -> CheckReport {
        var report = report
        if let side = role.side { report.keep(side) }
        report.apply(waivers, on: day)
        return report
    }
}

extension CheckOptions.Role {
    /// The side whose rules are wanted; nil for both.
    fileprivate var side: RuleDefinition.Role? {
        switch self {
        case .peripheral: .peripheral
        case .client: .client
        case .both: nil
        }
    }
}

extension CivilDate {
    /// The day that it is, UTC.
    package static var today: CivilDate { CivilDate(daysSince1970: SystemClock().now.nanoseconds / 86_400_000_000_000) }
}
