package import Bytes
package import Conformance
package import PluginKit

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

    /// A report as the user wants it.
    package func applied(to report: CheckReport) -> CheckReport {
        var report = report
        switch role {
        case .peripheral: report.keep(.peripheral)
        case .client: report.keep(.client)
        case .both: break
        }
        report.apply(waivers, on: day)
        return report
    }
}
