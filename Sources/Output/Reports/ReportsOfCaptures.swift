import Bytes
package import Conformance

/// JSON reports of several checks, as an array.
package struct JSONReports: ReportFormat {
    private let reports: [CheckReport]

    package init(_ reports: [CheckReport]) { self.reports = reports }

    package func write(to output: inout ReportOutput) throws {
        output.write("[\n")
        for (index, report) in reports.enumerated() {
            if index > 0 { output.write(",\n") }
            try JSONReport(report).write(to: &output)
        }
        output.write("]\n")
    }
}

/// JUnit XML report of several checks: the suites of all captures, with the file in their names.
package struct JUnitReports: ReportFormat {
    private let reports: [CheckReport]
    private let isStrict: Bool

    package init(_ reports: [CheckReport], isStrict: Bool = false) {
        (self.reports, self.isStrict) = (reports, isStrict)
    }

    package func write(to output: inout ReportOutput) throws {
        output.write(JUnitReport.beginning)
        var number = 0
        for report in reports {
            try JUnitReport(report, isStrict: isStrict, isOneOfSeveral: true).write(&number, to: &output)
        }
        output.write(JUnitReport.end)
    }
}

extension CheckSummary {
    /// The verdicts of several captures together: `2 captures: 180 pass, 1 inconclusive`.
    package static func sum(of reports: [CheckReport]) -> String {
        var counts = VerdictCounts()
        for report in reports { counts.add(report.counts) }
        return "\(reports.count.counted("capture")): \(words(counts))"
    }
}
