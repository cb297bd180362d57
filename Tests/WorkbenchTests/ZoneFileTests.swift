import Bytes
import Foundation
import PluginKit
import TestKit
import Testing

@testable import Workbench

/// Time zones of the system's database (RFC 8536).
struct ZoneFileTests {
    private func time(_ text: String) throws -> Int64 {
        try #require(Timestamp(rfc3339: text)).nanoseconds / 1_000_000_000
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Paris"), "tzdata is missing"),
        arguments: [
            ("Europe/Paris", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
            ("Europe/Paris", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
            ("Europe/Paris", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"),
            ("America/New_York", "2026-03-08T07:00:00Z", "2026-03-08T03:00:00-04:00"),
            ("America/New_York", "2026-11-01T06:00:00Z", "2026-11-01T01:00:00-05:00"),
            ("Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00+05:45"),
            ("Australia/Sydney", "2026-12-31T13:00:00Z", "2027-01-01T00:00:00+11:00"),
            // Beyond the transitions in the file, by the rule at its end.
            ("Europe/Paris", "2100-07-01T00:00:00Z", "2100-07-01T02:00:00+02:00"),
            ("America/New_York", "2100-12-01T05:00:00Z", "2100-12-01T00:00:00-05:00"),
            ("UTC", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"),
        ])
    func offsetsAreThoseOfTheDatabase(name: String, utc: String, local: String) throws {
        let zone = try #require(ZoneFile.zone(name))
        #expect(zone.text(try time(utc)) == local)
        #expect(zone.time(ofLocal: zone.local(try time("2026-06-01T00:00:00Z"))) == (try time("2026-06-01T00:00:00Z")))
    }

    @Test(arguments: ["Europe/Nowhere", "../../etc/passwd", "", "/etc/localtime", "Europe/", "Europe", "tzdata.zi"])
    func whatIsNoZoneIsNone(name: String) {
        #expect(ZoneFile.zone(name) == nil)
    }

    @Test func theZoneOfTheUserIsThatOfTZ() {
        #expect(ZoneFile.local(environment: ["TZ": "UTC"]) == .utc)
        #expect(ZoneFile.local(environment: ["TZ": ":UTC"]) == .utc)
        #expect(ZoneFile.localName(environment: ["TZ": ":UTC"]) == "UTC")
    }

    /// A name that the database has can be looked up again.
    @Test func theNameOfTheUsersZoneIsKnown() {
        let name = ZoneFile.localName(environment: [:])
        #expect(name == nil || name.flatMap { ZoneFile.zone($0) } != nil)
    }

    @Test(
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, [1_774_746_000, 1_792_890_000]),
            ("EST5EDT,M3.2.0,M11.1.0", 2026, [1_772_953_200, 1_793_512_800]),
            // In the southern hemisphere, summer begins in the old year; names in angle brackets.
            ("<-03>3<-02>,M10.3.0/0,M2.3.0/0", 2026, [1_771_120_800, 1_792_292_400]),
            ("UTC0", 2026, []), ("XXX3YYY,J60/0,J300/0", 2024, [1_709_262_000, 1_729_994_400]),
            ("XXX3YYY,59/0,299/0", 2024, [1_709_175_600, 1_729_908_000]),
        ] as [(String, Int64, [Int64])])
    func rulesGiveTheTransitionsOfAYear(text: String, year: Int64, times: [Int64]) throws {
        #expect(try #require(ZoneRule(text)).transitions(in: year).map(\.time) == times)
    }

    @Test(arguments: [
        "", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x",
        "CET-9999",
    ])
    func whatIsNoRuleIsNone(text: String) {
        #expect(ZoneRule(text) == nil)
    }

    /// Truncated or damaged files are rejected or read, but never trap.
    @Test func damagedFilesAreRefused() throws {
        let path = "/usr/share/zoneinfo/Europe/Paris"
        guard let data = FileManager.default.contents(atPath: path) else { return }
        let bytes = Array(data)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(TimeZoneTable(reading: Array(bytes[..<length]), name: "x", ruleYears: 1) == nil || length > 1000)
        }
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0xFF
            let zone = TimeZoneTable(reading: damaged, name: "x", ruleYears: 1)
            _ = zone?.time(ofLocal: 1_772_434_800)
        }
        #expect(TimeZoneTable(reading: [], name: "x", ruleYears: 1) == nil)
    }
}
