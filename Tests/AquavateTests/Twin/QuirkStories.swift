import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// A scenario that shows one misbehaviour, and the result with and without it.
struct QuirkStory: Sendable, CustomTestStringConvertible {
    var quirk: PuckQuirk
    var memory: PuckMemory
    /// Start of the scenario, in seconds after noon.
    var start: Int64
    /// Runs the scenario and returns the result.
    var seen: @Sendable (PuckFixture) throws -> String
    var shown: String
    var meant: String

    var testDescription: String { quirk.rawValue }

    /// The result of a puck with this misbehaviour or without it.
    func emit(_ quirks: QuirkSelection) throws -> String {
        try seen(PuckFixture(quirks, memory: memory, at: PuckFixture.noon + .seconds(start)))
    }

    init(
        _ quirk: PuckQuirk, memory: PuckMemory = PuckMemory(), start: Int64 = 0, shown: String, meant: String,
        _ seen: @escaping @Sendable (PuckFixture) throws -> String
    ) {
        self.quirk = quirk
        self.memory = memory
        self.start = start
        self.seen = seen
        self.shown = shown
        self.meant = meant
    }

    /// A half-full bottle with these drinks, some of them deleted.
    private static func memory(drinks: [Int] = [], deleted: [Int] = [], water: Double = 500) -> PuckMemory {
        var memory = PuckFixture.memory(drinks: drinks)
        for id in deleted { memory.drinks.delete(id) }
        memory.surroundings.water = water
        return memory
    }

    /// A bottle that weighs 7 g less than at calibration, with 419 ml in it.
    private static var lighterBottle: PuckMemory {
        var memory = memory(water: 419)
        memory.calibration?.rebase(empty: 118_146 + 3052)
        return memory
    }

    private static var uncalibrated: PuckMemory {
        var memory = PuckMemory()
        memory.isCalibrationValid = false
        memory.goal = 3000
        return memory
    }

    static let all: [QuirkStory] = [
        QuirkStory(
            .overlongChunks, memory: memory(drinks: Array(repeating: 40, count: 20)), shown: "244 of 286",
            meant: "244 of 244"
        ) { puck in
            puck.ready()
            puck.start(20, chunkSize: 20)
            return "\(puck.bench.reported("drink_data")[0].bytes.count) of \(puck.bench.read("drink_data")?.count ?? 0)"
        },
        QuirkStory(
            .countsDeleted, memory: memory(drinks: [40, 50], deleted: [1]), shown: "2, then 1", meant: "1, then 0"
        ) {
            puck in
            puck.ready()
            let before = puck.syncStatus()?.count ?? -1
            puck.start(2, chunkSize: 17)
            puck.acknowledge()
            return "\(before), then \(puck.syncStatus()?.count ?? -1)"
        },
        QuirkStory(.zeroesAfterBoot, shown: "battery 0", meant: "battery 83") { puck in
            _ = puck.sleepNormally()
            puck.wakeUp()
            return "battery \(puck.bench.read("current_state").flatMap { puck.state($0)?.battery } ?? -1)"
        },
        QuirkStory(.fastestInterval, shown: "051206000600", meant: "05120c001800") { puck in
            puck.wait(2)
            return hexText(puck.bench.advertising?.data.suffix(6) ?? [])
        },
        QuirkStory(.stringsWithNUL, shown: "9 16", meant: "8 5") { puck in
            puck.wait(2)
            return ["manufacturer_name", "firmware_revision"].map { "\(puck.bench.read($0)?.count ?? 0)" }
                .joined(separator: " ")
        },
        QuirkStory(.stationAddress, shown: "Aquavate-A3F2", meant: "Aquavate-A3F4") { $0.bench.twin.deviceName ?? "" },
        QuirkStory(.localTimestamps, memory: memory(), shown: "7200 s ahead", meant: "0 s ahead") { puck in
            puck.happen("set_time_zone", 2)
            puck.ready()
            puck.wait(8)
            let state = puck.bench.read("current_state").flatMap { puck.state($0) }
            let ahead = (state?.timestamp ?? 0) - 1_769_947_200
            return "\(ahead / 3600 * 3600) s ahead"
        },
        QuirkStory(.silentTimerWakes, shown: "silent", meant: "advertises") { puck in
            _ = puck.sleepNormally()
            _ = puck.bench.wait(upTo: 8000) { _ in puck.isAwake }
            return puck.isAdvertising ? "advertises" : "silent"
        },
        QuirkStory(.twoMinuteWindow, memory: memory(drinks: [50]), shown: "awake after 100 s", meant: "asleep") {
            puck in
            puck.happen("place_bottle")
            puck.wait(100)
            return puck.isAwake ? "awake after 100 s" : "asleep"
        },
        QuirkStory(.stickyStable, shown: "stable", meant: "not stable") { puck in
            puck.ready()
            puck.wait(8)
            puck.happen("lift")
            puck.wait(3)
            return puck.states.last?.state.flags.stable == true ? "stable" : "not stable"
        },
        QuirkStory(.clockChipKeepsTime, shown: "2000", meant: "2026") { puck in
            puck.ready()
            _ = puck.sleepNormally()
            puck.wakeUp()
            return "\(CivilDate(daysSince1970: Int64((puck.twin?.board.time ?? 0) / 86_400)).year)"
        },
        QuirkStory(.clearRestartsIDs, memory: memory(drinks: [40, 50]), shown: "1", meant: "3") { puck in
            puck.ready()
            puck.command("06 000000")
            puck.wait(4)
            return "\(puck.memory?.drinks.nextId ?? 0)"
        },
        QuirkStory(.unclampedLevel, memory: lighterBottle, shown: "-7", meant: "0") { puck in
            puck.wait(8)
            puck.happen("sip", 419)
            puck.wait(20)
            return "\(puck.memory?.drinks.drinks.last?.level ?? 99)"
        },
        QuirkStory(.echoesConfig, memory: uncalibrated, shown: "2500", meant: "3000") { puck in
            puck.ready()
            let bytes = puck.bench.read("bottle_config") ?? []
            return "\(UInt16(bytes[10]) | UInt16(bytes[11]) << 8)"
        },
        QuirkStory(.takesNoNumber, shown: "taken", meant: "left") { puck in
            puck.ready()
            puck.bench.write("bottle_config", hex("0000C07F 0F010000 3E03 B80B"))
            return puck.memory?.goal == 3000 ? "taken" : "left"
        },
        QuirkStory(.shrinkingTare, shown: "271 270", meant: "271 271") { puck in
            puck.ready()
            let first = puck.bench.read("bottle_config") ?? []
            puck.bench.write("bottle_config", first)
            let second = puck.bench.read("bottle_config") ?? []
            return [first, second].map { "\(UInt16($0[4]) | UInt16($0[5]) << 8)" }.joined(separator: " ")
        },
        QuirkStory(.hiddenCompletion, memory: memory(drinks: [40]), shown: "0", meant: "2") { puck in
            puck.ready()
            puck.start(1, chunkSize: 17)
            puck.acknowledge()
            return "\(puck.syncStatus()?.status.rawValue ?? -1)"
        },
        QuirkStory(.shakeOffAtFirst, memory: memory(), shown: "00000000, a drink", meant: "01000000, no drink") {
            puck in
            puck.ready()
            puck.wait(8)
            puck.happen("shake", 200)
            puck.wait(20)
            let settings = hexText(puck.bench.read("device_settings") ?? [])
            return "\(settings), \(puck.bench.notes("drink_stored").isEmpty ? "no" : "a") drink"
        },
        QuirkStory(.lateReadings, memory: memory(water: 0), shown: "0", meant: "118146") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(16)
            return "\(puck.emptyReadingTold)"
        },
        QuirkStory(.staleCalibrationState, memory: memory(water: 0), shown: "1", meant: "6") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(1)
            puck.bench.disconnect()
            puck.wait(15)
            return "\(puck.bench.read("calibration_state")?.first ?? 99)"
        },
        QuirkStory(.anyWriteIsActivity, shown: "awake", meant: "asleep") { puck in
            puck.ready()
            puck.wait(20)
            puck.command("FF")
            puck.wait(20)
            return puck.isAwake ? "awake" : "asleep"
        },
        QuirkStory(.staleDeleteTotal, memory: memory(drinks: [40]), shown: "1 more, 40", meant: "0 more, 0") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("12 01000000")
            let total = puck.states.last?.state.dailyTotal ?? -1
            let count = puck.states.count
            puck.command("12 63000000")
            return "\(puck.states.count - count) more, \(total)"
        },
        QuirkStory(.sleeplessAfterCalibration, shown: "awake", meant: "asleep") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(1)
            puck.command("21 000000")
            puck.wait(60)
            return puck.isAwake ? "awake" : "asleep"
        },
        QuirkStory(.queryAborts, memory: memory(drinks: [40, 50]), shown: "0", meant: "1") { puck in
            puck.ready()
            puck.start(2, chunkSize: 1)
            puck.query()
            return "\(puck.syncStatus()?.status.rawValue ?? -1)"
        },
        QuirkStory(.countsRollovers, start: 11 * 3600, shown: "1", meant: "0") { puck in
            // From 11 pm to half past midnight.
            puck.wait(1.5 * 3600)
            return "\(puck.twin?.board.activity.timerWakes ?? -1)"
        },
        QuirkStory(.wideScaleLimits, memory: memory(water: 0), shown: "10", meant: "9") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(16)
            // Half a bottle: a scale of about 218.
            puck.happen("refill", 415)
            puck.wait(140)
            return "\(puck.calibrations.last?.state ?? 99)"
        },
        QuirkStory(.lateCancel, memory: memory(water: 0), shown: "9", meant: "0") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(16)
            puck.happen("refill", 830)
            _ = puck.bench.wait(upTo: 30) { _ in puck.calibrations.last?.state == 7 }
            puck.command("21 000000")
            puck.wait(15)
            return "\(puck.calibrations.last?.state ?? 99)"
        },
        QuirkStory(.uninitialisedCalibration, shown: "uncalibrated", meant: "calibrated") { puck in
            puck.ready()
            puck.command("04 82CD0100 F9520700 E1FAD943")
            puck.happen("power_cycle")
            puck.wait(2)
            return puck.twin?.firmware?.calibration == nil ? "uncalibrated" : "calibrated"
        },
        QuirkStory(.silentClear, shown: "0", meant: "1") { puck in
            puck.ready()
            puck.command("06 000000")
            puck.wait(4)
            return "\(puck.states.count)"
        },
        QuirkStory(
            .totalOverMidnight, memory: memory(drinks: [40]), start: 12 * 3600 - 60, shown: "40", meant: "0"
        ) { puck in
            puck.ready()
            // Kept awake past midnight.
            for _ in 0..<4 {
                puck.wait(20)
                puck.command("02 000000")
            }
            return "\(puck.states.last?.state.dailyTotal ?? -1)"
        },
        QuirkStory(.blockedLoop, memory: memory(water: 0), shown: "1", meant: "1 2") { puck in
            puck.ready()
            puck.wait(8)
            puck.command("20 000000")
            puck.wait(1)
            return puck.calibrations.map { "\($0.state)" }.joined(separator: " ")
        },
        QuirkStory(.missedReadings, shown: "0 counts", meant: "479993 counts") { puck in
            var lowest = Int.max
            for _ in 0..<150 {
                puck.wait(0.2)
                lowest = min(lowest, puck.twin?.firmware?.reading ?? lowest)
            }
            return "\(lowest) counts"
        },
    ]
}

extension PuckFixture {
    /// Waits for the boot and connects.
    func ready() {
        wait(2)
        connect()
    }

    /// The empty reading in the last notified Calibration State.
    var emptyReadingTold: Int {
        guard let bytes = bench.reported("calibration_state").last?.bytes, bytes.count == 12 else { return -1 }
        return Int(bytes[2]) | Int(bytes[3]) << 8 | Int(bytes[4]) << 16
    }
}
