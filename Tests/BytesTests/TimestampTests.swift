import Bytes
import Testing

@Suite struct TimestampTests {
    /// Times in Unix seconds, as `date -u -d TEXT +%s` prints them.
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0 as Int64), ("2026-03-01T12:00:00Z", 1_772_366_400),
        ("2024-02-29T23:59:59Z", 1_709_251_199), ("2000-03-01T00:00:00Z", 951_868_800),
        ("1969-12-31T23:59:59Z", -1), ("2100-02-28T12:00:00Z", 4_107_499_200),
    ])
    func secondsAreThoseOfTheCalendar(_ text: String, _ seconds: Int64) {
        let time = Timestamp(seconds: seconds, nanoseconds: 0)
        #expect(Timestamp(rfc3339: text) == time)
        #expect(time.description == text)
        #expect(Timestamp(unixSeconds: String(seconds)) == time)
    }

    /// Forms that RFC 3339 allows besides the one that we write.
    @Test(arguments: [
        ("2026-03-01T12:00:00.25Z", "2026-03-01T12:00:00.250Z"), ("2026-03-01t13:30:00+01:30", "2026-03-01T12:00:00Z"),
        ("2026-03-01 04:00:00-08:00", "2026-03-01T12:00:00Z"), ("2026-06-30T23:59:60Z", "2026-07-01T00:00:00Z"),
        ("2026-03-01T12:00:00.1234567891Z", "2026-03-01T12:00:00.123456789Z"),
        ("2026-03-01T12:00:00.000001z", "2026-03-01T12:00:00.000001Z"),
    ])
    func otherForms(_ text: String, _ written: String) throws {
        #expect(try #require(Timestamp(rfc3339: text)).description == written)
    }

    @Test(arguments: [
        "", "2026", "2026-03-01", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z", "2026-03-01T12:00:61Z", "2026-03-01T12:00:00",
        "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00Zx", "26-03-01T12:00:00Z",
        "1600-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "２026-03-01T12:00:00Z",
    ])
    func whatIsNoTimeIsRefused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        ("0.5", 500_000_000 as Int64), ("-1.5", -1_500_000_000), ("1772366400.000000001", 1_772_366_400_000_000_001),
    ])
    func unixSecondsHaveDecimals(_ text: String, _ nanoseconds: Int64) {
        #expect(Timestamp(unixSeconds: text)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "-", "+1", "1.", ".5", "1e3", "0x10", "99999999999", "99999999999999999999999"])
    func whatAreNoUnixSecondsIsRefused(_ text: String) {
        #expect(Timestamp(unixSeconds: text) == nil)
    }

    /// Every day of 400 years, after which the calendar repeats.
    @Test func daysAndDatesAgree() throws {
        for day in -200_000...(-200_000 + 146_097) as ClosedRange<Int64> {
            let date = CivilDate(daysSince1970: day)
            try #require(date.daysSince1970 == day)
            try #require(CivilDate(year: date.year, month: date.month, day: date.day) == date)
            try #require(CivilDate(date.description) == date)
        }
    }

    @Test func writingKeepsTheDecimalsAskedFor() {
        func written(_ nanoseconds: Int64, _ decimals: Int) -> String {
            var text = TextWriter()
            text.writeISO8601(Timestamp(nanoseconds: nanoseconds), decimals: decimals)
            return String(decoding: text.bytes, as: UTF8.self)
        }
        #expect(written(0, 6) == "1970-01-01T00:00:00.000000Z")
        #expect(written(1, 6) == "1970-01-01T00:00:00.000000001Z")
        #expect(written(250_000_000, 0) == "1970-01-01T00:00:00.250Z")
        #expect(written(-1, 0) == "1969-12-31T23:59:59.999999999Z")
    }
}
