/// Points in time of profiles: counted in steps from an epoch, written as RFC 3339 has them.
package enum ISO8601 {
    /// Nanoseconds since 1970 of `2026-02-01T12:00:00Z`, in any form that RFC 3339 allows, or of a date alone; nil for
    /// anything else, and for what is no Int64.
    package static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        let text = String(text)
        if let time = Timestamp(rfc3339: text) { return time.nanoseconds }
        guard let date = CivilDate(text) else { return nil }
        return nanoseconds(date.daysSince1970, epoch: 0, step: 86_400_000_000_000)
    }

    /// Decimals that tell steps of so many nanoseconds apart: 0, 3, 6 or 9.
    package static func decimals(step: Int64) -> Int {
        if step % 1_000_000_000 == 0 { return 0 }
        if step % 1_000_000 == 0 { return 3 }
        return step % 1000 == 0 ? 6 : 9
    }

    /// Nanoseconds since 1970 of a raw time; nil where that is no Int64.
    package static func nanoseconds(_ raw: Int64, epoch: Int64, step: Int64) -> Int64? {
        let (start, isTooFar) = epoch.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, isTooLong) = raw.multipliedReportingOverflow(by: step)
        let (sum, isTooMuch) = start.addingReportingOverflow(span)
        return isTooFar || isTooLong || isTooMuch ? nil : sum
    }
}
