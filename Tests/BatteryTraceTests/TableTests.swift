import Bluetooth
import Bytes
import PluginKit
import Profile
import Testing

@testable import BatteryTrace

/// Samples, snapshots and sessions as CSV.
@Suite struct TableTests {
    private func reading(_ csv: String) throws(CSV.Fault) -> SampleReading { try SampleReading(csv: Array(csv.utf8)) }

    @Test(arguments: [
        "time,level,state\n1772366400,0.5,charging\n1772366580.5,0.51,\n",
        "1772366400,0.50,charging\r\n2026-03-01T12:03:00.500Z,0.51\r\n",
        "\u{FEFF}Time,Level\n\"2026-03-01T13:00:00+01:00\",\"0.5\",charging\n\n1772366580.5,0.51",
    ])
    func samplesAreReadInEveryForm(_ csv: String) throws {
        let reading = try reading(csv)
        #expect(reading.samples == [sample(0, 0.5, .charging), sample(180.5, 0.51)])
        #expect(reading.rejections.isEmpty)
    }

    @Test func aLevelOutOfRangeIsRejectedWithItsLine() throws {
        let reading = try reading("time,level\n0,0.5\n1,-1\n2,1.01\n3,1\n4,0\n")
        #expect(reading.samples.map(\.level) == [0.5, 1, 0])
        #expect(
            reading.rejections == [
                "line 3: level -1 is not from 0 to 1, which a phone's simulator reports",
                "line 4: level 1.01 is not from 0 to 1",
            ])
        let many = (0..<50).map { "\($0),2\n" }.joined()
        let rejected = try self.reading(many)
        #expect(rejected.rejections.count == 10)
        #expect(rejected.furtherRejections == 40)
    }

    @Test(arguments: [
        ("time,percent\n", "line 1: the columns are"), ("0,0.5\nsoon,0.5\n", "line 2: \"soon\" is no time"),
        ("0,half\n", "line 1: \"half\" is no level"), ("0,0.5,plugged\n", "line 1: \"plugged\" is no state"),
        ("0\n", "line 1: time,level[,state] was expected; found 1"), ("0,0,,\n", "line 1: time,level[,state]"),
        ("5,0.5\n\n4,0.5\n", "line 3: the time 4 lies before"), ("0,\"0.5\n", "line 1: the quote"),
        ("0,0.5\n1,0.5\"\n", "line 2: a quote"), ("0,0.5\n0,1e-1\n", "line 2: \"1e-1\" is no level"),
        ("0,0.5\ntime,level\n", "line 2: \"time\" is no time"),
    ])
    func whatIsNoTableOfSamplesIsRefusedWithItsLine(_ csv: String, _ expected: String) {
        do throws(CSV.Fault) {
            _ = try reading(csv)
            Issue.record("no fault was found")
        } catch {
            #expect(error.description.hasPrefix(expected), "\(error)")
        }
    }

    @Test func levelsAreTakenFromObservedValues() {
        func observed(_ frame: Int, _ value: [UInt8]) -> ObservedValue {
            ObservedValue(
                time: time(Double(frame)), frame: frame, peer: .init(index: 1, title: "Puck"), type: 0x2A19,
                handle: 8, operation: .notify, value: value)
        }
        let reading = SampleReading(observed: [
            observed(1, [0]), observed(2, [100]), observed(3, [101]), observed(4, []), observed(5, [50, 0]),
        ])
        #expect(reading.samples == [sample(1, 0), sample(2, 1)])
        #expect(
            reading.rejections == [
                "frame 3: Battery Level 65 is not one octet from 0 to 100",
                "frame 4: Battery Level  is not one octet from 0 to 100",
                "frame 5: Battery Level 3200 is not one octet from 0 to 100",
            ])
    }

    // MARK: - Snapshots and sessions

    static let snapshots = [
        BatterySnapshot(
            id: 1, date: noon,
            battery: BatteryHealth(
                cycles: 123, health: 0.943, firstUse: CivilDate("2024-09-21"), mfgDate: CivilDate("2024-08-30"))),
        BatterySnapshot(id: 2, date: time(0.25), battery: BatteryHealth(health: 1)),
        BatterySnapshot(id: 7, date: time(90), battery: BatteryHealth(cycles: 0)),
    ]

    static let sessions = [
        ChargeSession(
            id: 1, start: noon, end: time(180), averageWatts: 2.501, peakWatts: 2.75, risenPercent: 1, duration: 180,
            model: "iPhone 15 Pro", charger: "20W \"PD\", white", notes: "two\r\nlines, äöü"),
        ChargeSession(id: 2, start: time(1000), risenPercent: -0.5, duration: 12.5, secondsToFull: 3600),
    ]

    @Test func snapshotsAreWrittenAsDocumented() {
        #expect(
            String(decoding: BatterySnapshot.table(Self.snapshots, in: .utc), as: UTF8.self) == """
                id,date,cycles,health,first_use,mfg_date,zone\r
                1,2026-03-01T12:00:00.000,123,0.943,2024-09-21,2024-08-30,UTC\r
                2,2026-03-01T12:00:00.250,,1,,,UTC\r
                7,2026-03-01T12:01:30.000,0,,,,UTC\r

                """)
    }

    @Test func sessionsAreWrittenAsDocumented() {
        let east = TimeZoneTable(name: "Asia/Kolkata", initialOffset: 19_800)
        #expect(
            String(decoding: ChargeSession.table(Self.sessions, in: east), as: UTF8.self) == """
                id,start,end,avg_w,peak_w,delta_pct,duration_s,eta_s,model,charger,notes,inferred_charger,zone,device\r
                1,2026-03-01T17:30:00.000,2026-03-01T17:33:00.000,2.501,2.75,1,180,,iPhone 15 Pro,"20W ""PD"", white","two\r
                lines, äöü",,UTC+05:30,\r
                2,2026-03-01T17:46:40.000,,,,-0.5,12.5,3600,,,,,UTC+05:30,\r

                """)
    }

    /// The store returns the rows that were written.
    @Test func rowsAreReadAsTheyWereWritten() {
        func numbered(_ row: Record, _ id: Int) -> Record {
            var row = row
            row.fields.append((name: "id", value: .integer(Int64(id))))
            return row
        }
        #expect(Self.snapshots.map { BatterySnapshot(numbered($0.row, $0.id)) } == Self.snapshots)
        #expect(Self.sessions.map { ChargeSession(numbered($0.row, $0.id)) } == Self.sessions)
        let estimate = ChargeEstimate(
            time: noon, milliamperes: 654.8, watts: 2.5, smoothedWatts: 2.4, secondsToFull: 90)
        let samples = [
            ChargeSample(time: noon, level: 0.5, state: .charging, estimate: estimate),
            ChargeSample(time: time(1), level: 1, state: .full),
        ]
        #expect(samples.map { ChargeSample($0.row) } == samples)
        #expect(BatterySnapshot([:]) == nil && ChargeSession([:]) == nil && ChargeSample([:]) == nil)
    }

    @Test func snapshotsOfOthersAreReadByTheirColumns() throws {
        let table = try SnapshotTable(
            csv: Array("Health,date,extra\n94%,2026-02-01,1\n0.95,2026-01-01T10:00:00Z,\n".utf8), now: noon)
        #expect(table.snapshots.map(\.battery.health) == [0.95, 0.94])
        #expect(table.snapshots.map(\.date.description) == ["2026-01-01T10:00:00Z", "2026-02-01T00:00:00Z"])
        #expect(table.ignored == ["\"extra\""])
        let own = try SnapshotTable(
            csv: BatterySnapshot.table(
                Self.snapshots.map { snapshot in
                    var snapshot = snapshot
                    snapshot.battery.health = snapshot.battery.health ?? 0.5
                    return snapshot
                }, in: TimeZoneTable(name: "America/New_York", initialOffset: -18_000)), now: time(100))
        #expect(own.snapshots.map(\.date) == Self.snapshots.map(\.date))
    }

    @Test(arguments: [
        ("", "line 1: expected a header row"), ("id,cycles\n", "line 1: expected the columns date and cycles"),
        ("date,health,date\n", "line 1: the column date stands there twice"),
        ("date,cycles\nnow,1\n", "line 2: date: expected a day or a time"),
        ("date,cycles\n2026-02-01\n", "line 2: expected 2 columns; found 1"),
        ("date,health\n2026-02-01,940\n", "line 2: health: expected a decimal above 0"),
        ("date,health\n2027-02-01,94\n", "line 2: date: \"2027-02-01\" lies in the future"),
        ("date,health\n2026-02-01,\n", "line 2: URL: expected cycles, health or both"),
    ])
    func aTableOfOthersIsRefusedWithItsLine(_ csv: String, _ expected: String) {
        do throws(CSV.Fault) {
            _ = try SnapshotTable(csv: Array(csv.utf8), now: noon)
            Issue.record("no fault was found")
        } catch {
            #expect(error.description.hasPrefix(expected), "\(error)")
        }
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0001, "0"), (2.5013, "2.501"), (2.5, "2.5"), (-1.05, "-1.05"), (0.9996, "1"), (100, "100"),
        (1e300, ""), (.nan, ""), (0.0625, "0.063"),
    ])
    func numbersHaveThreeDecimalsAtMost(_ watts: Double, _ text: String) {
        let session = ChargeSession(id: 1, start: noon, averageWatts: watts, risenPercent: 0, duration: 0)
        let fields = ["1", "2026-03-01T12:00:00.000", "", text, "", "0", "0", "", "", "", "", "", "UTC", ""]
        #expect(session.fields(in: .utc) == fields)
    }
}
