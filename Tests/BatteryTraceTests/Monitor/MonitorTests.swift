import Bytes
import PluginKit
import Profile
import Testing

@testable import BatteryTrace

/// The client that monitors a battery: its requests, its stored samples, and the start and end of sessions.
struct MonitorTests {
    private static let level = "battery_level"

    /// A monitor and the changes that it has committed, as in a store.
    private struct Run {
        var monitor: BatteryMonitor
        var samples: [ChargeSample] = []
        var sessions: [Int64: Record] = [:]
        var notes: [String] = []
        var requests: [ClientAction] = []

        init() throws {
            monitor = try BatteryMonitor(
                EstimateSettings(capacity: 3274), labels: .init(model: "iPhone16,1", charger: "20W PD", notes: "desk"),
                interval: 60)
        }

        mutating func give(_ input: ClientInput, at seconds: Double) {
            for action in monitor.handle(input, at: time(seconds)) {
                switch action {
                case .commit(let changes): for change in changes { make(change) }
                case .event(let note): notes.append(note.name)
                default: requests.append(action)
                }
            }
        }

        mutating func notify(_ percent: UInt8, at seconds: Double) { give(.notified(level, [percent]), at: seconds) }

        private mutating func make(_ change: StoreChange) {
            switch change {
            case .add(let rows, BatteryTables.samples): samples += rows.compactMap { ChargeSample($0) }
            case .add(let rows, BatteryTables.sessions):
                for row in rows {
                    if let start = row.integer("start_ns"), sessions[start] == nil { sessions[start] = row }
                }
            case .mark(let row, BatteryTables.sessions, let key):
                guard let start = key.integer("start_ns"), let known = sessions[start] else { return }
                let others = known.fields.filter { row[$0.name] == nil }
                sessions[start]?.fields = others + row.fields
            default: Issue.record("\(change)")
            }
        }

        /// Start, end and average of each session.
        var kept: [(start: Double, end: Double?, row: Record)] {
            sessions.sorted { $0.key < $1.key }.map { start, row in
                func seconds(_ time: Int64) -> Double { Timestamp(nanoseconds: time).seconds(since: noon) }
                return (seconds(start), row.integer("end_ns").map(seconds), row)
            }
        }
    }

    @Test func itSubscribesAndReadsAtTheInterval() throws {
        var run = try Run()
        run.give(.task(Stimulus("monitor")), at: 0)
        run.give(.connected(capacity: 20), at: 1)
        #expect(run.requests == [.connect, .subscribe(Self.level, true), .read(Self.level)])
        #expect(run.monitor.deadline == nil)
        run.give(.read(Self.level, .success([40])), at: 2)
        #expect(run.monitor.deadline == time(62))
        run.give(.time, at: 62)
        #expect(run.requests.last == .read(Self.level) && run.monitor.deadline == nil)
    }

    @Test func aSessionIsKeptWhileItLastsAndEndsUnplugged() throws {
        var run = try Run()
        run.give(.connected(capacity: 20), at: 0)
        for step in 0...10 { run.notify(UInt8(40 + step), at: 60 * Double(step)) }
        #expect(run.kept.map(\.start) == [0] && run.kept.map(\.end) == [nil])
        // 1 % in 60 s of 3274 mAh is 1964.4 mA, 7.504 W.
        let average = try #require(run.kept[0].row.real("avg_w"))
        #expect(average.rounded(toDecimals: 3) == 7.504)
        #expect(run.kept[0].row.text("charger") == "20W PD" && run.kept[0].row.text("model") == "iPhone16,1")
        #expect(run.samples.count == 11)
        #expect(run.samples.last?.estimate?.watts.rounded(toDecimals: 3) == 7.504)
        run.notify(49, at: 700)
        #expect(run.kept.map(\.end) == [600])
        #expect(run.notes.filter { $0.hasPrefix("session") } == ["session_began", "session_ended"])
        #expect(run.samples.last?.state == .unplugged)
    }

    /// `battery label` may change an open session.
    @Test func labelsThatWereChangedStay() throws {
        var run = try Run()
        run.give(.connected(capacity: 20), at: 0)
        for step in 0...1 { run.notify(UInt8(40 + step), at: 60 * Double(step)) }
        let label: Record = ["charger": .text("MagSafe 15W"), "notes": .text("in its case")]
        for (start, row) in run.sessions {
            run.sessions[start]?.fields = row.fields.filter { label[$0.name] == nil } + label.fields
        }
        for step in 2...10 { run.notify(UInt8(40 + step), at: 60 * Double(step)) }
        run.notify(49, at: 700)
        #expect(run.kept.map(\.end) == [600])
        #expect(
            ["model", "charger", "notes"].map { run.kept[0].row.text($0) }
                == ["iPhone16,1", "MagSafe 15W", "in its case"])
    }

    @Test func fullEndsASession() throws {
        var run = try Run()
        run.give(.connected(capacity: 20), at: 0)
        for step in 0...3 { run.notify(UInt8(97 + step), at: 100 * Double(step)) }
        #expect(run.kept.map(\.end) == [300])
        #expect(run.samples.last?.state == .full)
    }

    /// The level of an unplugged, unused phone stays constant; a charge session must not last for ever.
    @Test func aLevelThatStaysEndsASession() throws {
        var run = try Run()
        run.give(.connected(capacity: 20), at: 0)
        for step in 0...5 { run.notify(UInt8(40 + step), at: 60 * Double(step)) }
        for minute in 6...30 { run.give(.read(Self.level, .success([45])), at: 60 * Double(minute)) }
        #expect(run.kept.map(\.end) == [300])
        #expect(run.kept[0].row.real("avg_w")?.rounded(toDecimals: 3) == 7.504)
        // After the session, a constant level is no longer stored.
        #expect(run.samples.count < 20)
    }

    @Test func aLostConnectionIsTakenUpAgain() throws {
        var run = try Run()
        run.give(.task(Stimulus("monitor")), at: 0)
        run.give(.connected(capacity: 20), at: 1)
        run.notify(40, at: 2)
        run.notify(41, at: 62)
        run.give(.disconnected, at: 70)
        #expect(run.monitor.deadline == time(72))
        run.give(.time, at: 72)
        #expect(run.requests.last == .connect)
        run.give(.disconnected, at: 102)
        #expect(run.monitor.deadline == time(106), "it waits for longer each time")
        run.give(.connected(capacity: 20), at: 110)
        run.give(.read(Self.level, .success([42])), at: 120)
        #expect(run.kept.map(\.start) == [2] && run.kept.map(\.end) == [nil])
        // A gap of more than ten minutes between samples starts a new session.
        run.notify(60, at: 800)
        run.notify(61, at: 860)
        #expect(run.kept.map(\.start) == [2, 800] && run.kept.map(\.end) == [120, nil])
    }

    @Test func whatIsNoLevelIsNotKept() throws {
        var run = try Run()
        run.give(.connected(capacity: 20), at: 0)
        run.notify(101, at: 1)
        run.give(.notified(Self.level, []), at: 2)
        run.give(.notified(Self.level, [1, 2]), at: 3)
        #expect(run.samples.isEmpty && run.notes == ["not_a_level", "not_a_level", "not_a_level"])
        run.give(.read(Self.level, .failure(.absent)), at: 4)
        #expect(run.notes.last == "monitor_failed" && run.requests.last == .disconnect)
    }

    // MARK: - Lines

    private func line(_ name: String, _ facts: KeyValuePairs<String, TwinNote.Amount>) -> String? {
        MonitorLine(TwinNote(name, facts))?.text(.utc)
    }

    @Test func linesAreThoseOfTheProduct() {
        func level(_ watts: Double) -> String? {
            line(
                "level",
                ["level": .number(81), "state": .text("charging"), "power_w": .real(watts), "eta_s": .real(1700)])
        }
        #expect(level(18.3) == " 81 %  Charging ~18 W (est.), full in 28 min")
        #expect(level(4.56) == " 81 %  Charging ~4.6 W (est.), full in 28 min")
        #expect(line("level", ["level": .number(100), "state": .text("full")]) == "100 %  Full")
        #expect(line("level", ["level": .number(5), "state": .text("unplugged")]) == "  5 %  Not charging")
        #expect(
            line(
                "session_ended",
                [
                    "delta_pct": .real(60), "duration_s": .real(1426), "avg_w": .real(18.95), "peak_w": .real(20),
                    "inferred_charger": .text("wired, fast"),
                ])
                == "Session ends: 60 % in 23 min 46 s, average 19 W, peak 20 W (est.); charger wired, fast (inferred)")
        #expect(line("discovered", [:]) == nil)
    }
}
