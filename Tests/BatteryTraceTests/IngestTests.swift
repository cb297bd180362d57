import BatteryTrace
import Bytes
import Testing

@Suite struct IngestTests {
    /// A faulty URL, with a prefix of each fault.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var url: String
        var faults: [String]

        init(_ url: String, _ faults: String...) {
            self.url = url
            self.faults = faults
        }

        var testDescription: String { url }
    }

    private func read(_ parameters: String) throws(IngestURL.Refusal) -> BatteryHealth {
        try IngestURL.read("batterytrace://ingest?" + parameters, now: noon)
    }

    /// The example of the protocol document.
    @Test func theExample() throws {
        let battery = try read("cycles=123&health=0.94&first_use=2024-09-21&mfg=2024-08-30")
        #expect(
            battery
                == BatteryHealth(
                    cycles: 123, health: 0.94, firstUse: CivilDate("2024-09-21"), mfgDate: CivilDate("2024-08-30")))
    }

    @Test(arguments: [
        ("health=0.94", 0.94), ("health=94%25", 0.94), ("health=94", 0.94), ("health=1", 1), ("health=100", 1),
        ("health=100%25", 1), ("health=1%25", 0.01), ("health=1.5%25", 0.015), ("health=0.5%25", 0.005),
        ("health=%30%2E%39", 0.9), ("health=94.3", 0.943), ("health=0.001", 0.001), ("health=10", 0.1),
        // A new battery.
        ("health=1.01", 1.01), ("health=101", 1.01), ("health=101%25", 1.01), ("health=1.1", 1.1), ("health=110", 1.1),
        ("health=110%25", 1.1),
    ])
    func healthIsADecimalOrAPercentage(_ parameters: String, _ health: Double) throws {
        #expect(try read(parameters).health == health)
    }

    @Test(arguments: [
        ("cycles=0", BatteryHealth(cycles: 0)), ("cycles=10000", BatteryHealth(cycles: 10_000)),
        ("%63ycles=%31%32", BatteryHealth(cycles: 12)),
        ("mfg=2026-03-01&cycles=1", BatteryHealth(cycles: 1, mfgDate: CivilDate("2026-03-01"))),
        (
            "first_use=2024-02-29&health=1&mfg=2024-02-29",
            BatteryHealth(health: 1, firstUse: CivilDate("2024-02-29"), mfgDate: CivilDate("2024-02-29"))
        ),
    ])
    func orderIsFreeAndEitherOfTwoIsEnough(_ parameters: String, _ battery: BatteryHealth) throws {
        #expect(try read(parameters) == battery)
    }

    @Test("a parameter without a value is absent: the product's own template")
    func emptyValues() throws {
        #expect(try read("cycles=123&health=0.94&first_use=&mfg=") == BatteryHealth(cycles: 123, health: 0.94))
        #expect(try read("cycles=&health=94%25&first_use=&mfg=2024-08-30").cycles == nil)
        #expect(try read("cycles=%2012%20&health=94%20%25") == BatteryHealth(cycles: 12, health: 0.94))
        #expect(try read("cycles=+12+&health=94+%25") == BatteryHealth(cycles: 12, health: 0.94))
    }

    @Test(
        "dates as people and Shortcuts write them",
        arguments: [
            "2024-09-21", "2024-09-21T10:00:00Z", "2024-09-21T23:30:00.123%2B02:00", "2024-09-21%2010:00",
            "Sep%2021%2C%202024", "Sep 21, 2024", "September%2021%202024", "Sept.%2021%2C%202024", "21%20Sep%202024",
            "21.%20September%202024", "SATURDAY%2C%20September%2021%2C%202024%20at%2010:00%20AM", "21.09.2024",
            "21.9.2024", "2024/09/21", "9/21/2024", "21/09/2024", "Sep+21%2C+2024",
        ])
    func writtenDates(_ text: String) throws {
        #expect(try read("cycles=1&first_use=\(text)").firstUse == CivilDate("2024-09-21"))
    }

    @Test(
        "a date that may be two days, or none",
        arguments: [
            "9/8/2024", "2024", "Sep 2024", "Sep 31, 2024", "Se 21, 2024", "21 Smarch 2024", "31.02.2024", "1.2.24",
            "2024-09-21T", "2024-09-21Tnoon", "2024-09-21x10:00", "Sep 21, 2024 at noon", "21-09-2024", "9/21/2024/1",
            "Sep 21, 2024, 2025",
        ])
    func ambiguousDates(_ text: String) {
        #expect(throws: IngestURL.Refusal.self) { try read("cycles=1&first_use=\(text)") }
    }

    @Test func theShortcutIsCalledAndAnswers() {
        #expect(
            IngestURL.shortcutCall("Battery Cycles")
                == "shortcuts://x-callback-url/run-shortcut?name=Battery%20Cycles&x-success=batterytrace://ingest-ready"
        )
        #expect(IngestURL.shortcutCall("Ä&1").contains("name=%C3%84%261&"))
        #expect(IngestURL.isReadySignal("batterytrace://ingest-ready"))
        #expect(IngestURL.isReadySignal("batterytrace://ingest-ready?result=ok"))
        #expect(!IngestURL.isReadySignal("batterytrace://ingest-readyy"))
        #expect(!IngestURL.isReadySignal("batterytrace://ingest?cycles=1"))
    }

    static let wrong = [
        Wrong("", "scheme", "URL: expected a query"),
        Wrong("batterytrace://ingest", "URL: expected a query"),
        Wrong("batterytrace://ingest?", "URL: expected NAME=VALUE", "URL: expected cycles, health or both"),
        Wrong("http://ingest?cycles=1", "scheme: expected batterytrace://; found \"http://\""),
        Wrong("BatteryTrace://ingest?cycles=1", "scheme"),
        Wrong("batterytrace:ingest?cycles=1", "scheme"),
        Wrong("batterytrace://Ingest?cycles=1", "host: expected ingest"),
        Wrong("batterytrace://ingest/?cycles=1", "host"),
        Wrong("batterytrace://me@ingest:80?cycles=1", "host"),
        Wrong("batterytrace://ingest?cycles=1#top", "URL: expected no fragment"),
        Wrong("batterytrace://ingest?cycles=1&", "URL: expected NAME=VALUE"),
        Wrong("batterytrace://ingest?cycles", "URL: expected NAME=VALUE", "URL: expected cycles, health or both"),
        Wrong("batterytrace://ingest?cycles=", "URL: expected cycles, health or both"),
        Wrong(
            "batterytrace://ingest?cycles=&health=%20&first_use=2024-01-01&mfg=", "URL: expected cycles, health or both"
        ),
        Wrong("batterytrace://ingest?cycles=&cycles=1", "cycles: expected the parameter once", "URL: expected cycles"),
        Wrong("batterytrace://ingest?cycles=10001", "cycles"),
        Wrong("batterytrace://ingest?cycles=-1", "cycles"),
        Wrong("batterytrace://ingest?cycles=%2B1", "cycles"),
        Wrong("batterytrace://ingest?cycles=1.0", "cycles"),
        Wrong("batterytrace://ingest?cycles=99999999999999999999", "cycles"),
        Wrong("batterytrace://ingest?cycles=1&cycles=1", "cycles: expected the parameter once"),
        Wrong("batterytrace://ingest?cycles=1&%63ycles=1", "cycles: expected the parameter once"),
        Wrong("batterytrace://ingest?cycles=1&serial=X", "URL: expected only the parameters"),
        Wrong("batterytrace://ingest?Cycles=1", "URL: expected only the parameters", "URL: expected cycles, health"),
        Wrong("batterytrace://ingest?health=0", "health"),
        Wrong("batterytrace://ingest?health=0%25", "health"),
        Wrong("batterytrace://ingest?health=110.1", "health"),
        Wrong("batterytrace://ingest?health=110.1%25", "health"),
        Wrong("batterytrace://ingest?health=1.11", "health: expected a decimal"),
        Wrong("batterytrace://ingest?health=1.5", "health: expected a decimal"),
        Wrong("batterytrace://ingest?health=9.9", "health: expected a decimal"),
        Wrong("batterytrace://ingest?health=0,94", "health"),
        Wrong("batterytrace://ingest?health=-0.5", "health"),
        Wrong("batterytrace://ingest?health=nan", "health"),
        Wrong("batterytrace://ingest?health=1e-1", "health"),
        Wrong("batterytrace://ingest?health=94%", "health: expected % and two hex digits"),
        Wrong("batterytrace://ingest?health=%2", "health: expected % and two hex digits"),
        Wrong("batterytrace://ingest?health=%FF", "health: expected % and two hex digits"),
        // Decoded once, not twice: %39 remains.
        Wrong("batterytrace://ingest?health=%2539", "health: expected a decimal"),
        Wrong("batterytrace://ingest?cycles=1&mfg=2024-8-30", "mfg: expected a date, YYYY-MM-DD"),
        Wrong("batterytrace://ingest?cycles=1&mfg=2023-02-29", "mfg: expected a date, YYYY-MM-DD"),
        Wrong("batterytrace://ingest?cycles=1&mfg=2026-03-02", "mfg: expected a date that is not in the future"),
        Wrong("batterytrace://ingest?first_use=2024-01-01", "URL: expected cycles, health or both"),
        Wrong(
            "batterytrace://ingest?cycles=1&first_use=2024-08-29&mfg=2024-08-30",
            "mfg: expected a date no later than first_use, 2024-08-29"),
        // Every fault at once.
        Wrong(
            "batterytrace://ingested?cycles=x&health=2000&first_use=soon&mfg=%zz&color=red", "host", "cycles", "health",
            "first_use", "mfg", "URL: expected only the parameters"),
    ]

    @Test(arguments: wrong)
    func wrongURLsAreRefusedWithEveryFault(_ wrong: Wrong) {
        do throws(IngestURL.Refusal) {
            _ = try IngestURL.read(wrong.url, now: noon)
            Issue.record("it was taken")
        } catch {
            #expect(error.faults.count == wrong.faults.count, "\(error.faults)")
            for (fault, expected) in zip(error.faults, wrong.faults) {
                #expect(fault.description.hasPrefix(expected), "\(fault)")
            }
        }
        // BT-005 reports the same faults.
        let found = findings(inIngestURL: wrong.url, now: noon)
        #expect(found.count == wrong.faults.count)
        #expect(found.allSatisfy { $0.rule == "BT-005" && $0.severity == .error })
    }

    @Test func whatIsFoundIsSafeToPrint() {
        let text = "batterytrace://ingest?health=%1b%5b31m" + String(repeating: "x", count: 1000)
        let shown = findings(inIngestURL: text, now: noon).map(\.observed).joined()
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 })
        #expect(shown.count < 100)
        let long = "batterytrace://ingest?cycles=1&" + String(repeating: "a", count: 1_000_000)
        #expect(findings(inIngestURL: long, now: noon).map(\.subject) == ["URL"])
    }

    /// Every prefix of the example is either rejected or a valid URL; none traps.
    @Test func everyPrefixOfTheExampleIsHandled() {
        let url = "batterytrace://ingest?cycles=123&health=94%25&first_use=2024-09-21&mfg=2024-08-30"
        let taken = (0...url.count).filter { findings(inIngestURL: String(url.prefix($0)), now: noon).isEmpty }
        // cycles=1, 12, 123; health=, 94, 94%25; first_use= and the complete date; mfg= and the complete date.
        #expect(taken.count == 10)
    }

    @Test func theSamePayloadWithinAMinuteIsStoredOnce() throws {
        var log = SnapshotLog()
        let battery = BatteryHealth(cycles: 123, health: 0.94)
        guard case .stored(let first) = log.ingest(battery, at: time(0)) else {
            Issue.record("the first was not stored")
            return
        }
        #expect(first.id == 1 && first.date == noon)
        #expect(log.ingest(battery, at: time(60)) == .repeated(first))
        #expect(log.ingest(battery, at: time(-60)) == .repeated(first))
        #expect(log.snapshots == [first])
        guard case .stored(let other) = log.ingest(BatteryHealth(cycles: 124, health: 0.94), at: time(30)),
            case .stored(let later) = log.ingest(battery, at: time(60.001))
        else {
            Issue.record("another payload, or a later one, was not stored")
            return
        }
        #expect(log.snapshots == [first, other, later])
        #expect(log.snapshots.map(\.id) == [1, 2, 3])
    }
}
