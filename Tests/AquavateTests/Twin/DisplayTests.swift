import Bytes
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// The e-paper (requirements, "E-Paper Display"; sections 10.2, 10.6 and 10.7).
struct DisplayTests {
    /// The facts of the notes `display`, without their names.
    private func screens(_ bench: TwinFixture) -> [[TwinNote.Amount]] {
        bench.notes("display").map { $0.facts.map(\.value) }
    }

    private func message(_ screen: String, _ text: String) -> [TwinNote.Amount] { [.text(screen), .text(text)] }

    private func status(
        _ level: Int, today total: Int, battery: Int = 83, isLow: Bool = false, ble: Bool = true
    ) -> [TwinNote.Amount] {
        [.text("status"), .number(battery), .flag(isLow), .flag(ble), .number(level), .number(total)]
    }

    /// A puck of the requirements, without noise.
    private func required(_ memory: PuckMemory = PuckMemory(.prd), at start: Timestamp = PuckFixture.noon) throws
        -> TwinFixture
    {
        let bench = TwinFixture(try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd), at: start)
        bench.happen("set_noise", 0)
        return bench
    }

    // MARK: - Shipped

    @Test("the status is drawn at power-on, and after a drink")
    func drink() throws {
        let puck = try PuckFixture()
        #expect(puck.twin?.display == PuckScreen.blank.picture)
        puck.wait(8)
        #expect(screens(puck.bench) == [status(830, today: 0)])
        puck.happen("sip", 120)
        puck.wait(20)
        #expect(screens(puck.bench).dropFirst() == [status(709, today: 120)])
    }

    @Test("a level is drawn again if it differs by 10 ml", arguments: [(825.0, 0), (815, 1)])
    func threshold(_ level: Double, _ redraws: Int) throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.bench.forget()
        puck.happen("water", level)
        puck.wait(12)
        #expect(screens(puck.bench).count == redraws)
    }

    @Test("backpack mode is shown in sleep, waking at once, and the status after the boot")
    func backpack() throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.bench.forget()
        puck.happen("carry")
        #expect(puck.bench.wait(upTo: 200) { _ in puck.sleep == "backpack" })
        let mode = message("backpack", "backpack mode: double-tap firmly to wake up")
        #expect(screens(puck.bench) == [mode])
        #expect(puck.twin?.display?.contains { $0.contains("double-tap firmly to wake up") } == true)
        // The health checks draw nothing.
        puck.wait(3 * 3600)
        #expect(screens(puck.bench) == [mode])
        puck.happen("double_tap")
        #expect(screens(puck.bench).last == message("waking", "waking"))
        #expect(puck.bench.notes.last?.name == "display")
        puck.wait(2)
        #expect(puck.bench.notes("display").last?["current"] == .number(830))
        let drawn = screens(puck.bench).count
        puck.happen("place_bottle")
        puck.wait(12)
        #expect(screens(puck.bench).count == drawn)
    }

    @Test("sleep keeps the image, and a new day shows 0 ml", arguments: [Dialect.shipped, .prd])
    func newDay(_ dialect: Dialect) throws {
        // 22:30.
        let evening = Timestamp(seconds: 1_769_947_200 + 37_800, nanoseconds: 0)
        let bench = try dialect == .shipped ? PuckFixture(at: evening).bench : required(at: evening)
        bench.wait(8)
        bench.happen("sip", 50)
        #expect(bench.wait(upTo: 400) { !$0.notes("asleep").isEmpty })
        let drawn = screens(bench).count
        #expect(bench.wait(upTo: 7200) { !$0.notes("day_begins").isEmpty })
        let all = screens(bench)
        try #require(all.count == drawn + 1)
        // The requirements draw when the bottle is picked up, which is before the drink.
        #expect(all[drawn - 1] == (dialect == .shipped ? status(779, today: 50) : status(830, today: 0)))
        #expect(all[drawn] == status(779, today: 0, ble: false))
    }

    @Test("Bottle Emptied is shown for 3 s, then the status")
    func emptied() throws {
        var memory = PuckMemory()
        memory.shakeToEmpty = true
        let puck = try PuckFixture(memory: memory)
        puck.wait(8)
        puck.bench.forget()
        puck.happen("shake", 300)
        puck.wait(30)
        #expect(screens(puck.bench) == [message("emptied", "Bottle Emptied"), status(529, today: 0)])
    }

    @Test("the calibration prompts for the bottle")
    func calibration() throws {
        var memory = PuckMemory()
        memory.surroundings.water = 0
        let puck = try PuckFixture(memory: memory)
        puck.wait(8)
        puck.connect()
        puck.bench.forget()
        puck.command("20 000000")
        puck.wait(16)
        let prompts = ["Calibration", "Empty bottle", "Fill to 830ml"].map { message("calibration", $0) }
        #expect(screens(puck.bench) == prompts)
        puck.happen("refill")
        puck.wait(40)
        let ends = screens(puck.bench).dropFirst(prompts.count)
        #expect(ends.first == message("calibration", "Calibration complete"))
        #expect(ends.last == status(830, today: 0))
    }

    @Test("the warning follows the flag", arguments: [(24.0, true), (25, false)])
    func lowBattery(_ percent: Double, _ isLow: Bool) throws {
        let puck = try PuckFixture()
        puck.wait(8)
        puck.happen("battery", percent)
        puck.happen("sip", 50)
        puck.wait(15)
        #expect(screens(puck.bench).last == status(779, today: 50, battery: Int(percent), isLow: isLow))
    }

    // MARK: - Requirements

    @Test("the puck of the requirements draws when it is picked up, not when it is put down")
    func pickedUp() throws {
        let bench = try required()
        bench.wait(8)
        #expect(screens(bench) == [status(830, today: 0)])
        bench.happen("sip", 50)
        bench.wait(12)
        #expect(bench.notes("drink_stored").count == 1)
        #expect(screens(bench) == [status(830, today: 0), status(830, today: 0)])
        bench.happen("lift")
        bench.wait(1)
        #expect(screens(bench).last == status(779, today: 50))
        #expect(screens(bench).count == 3)
    }

    @Test("below 20 % the requirements' puck warns", arguments: [(19.0, true), (20, false)])
    func warning(_ percent: Double, _ isLow: Bool) throws {
        let bench = try required()
        bench.wait(8)
        bench.happen("battery", percent)
        bench.happen("lift")
        bench.wait(1)
        #expect(screens(bench).last == status(830, today: 0, battery: Int(percent), isLow: isLow))
    }

    @Test("Bottle Emptied, backpack mode and waking of the requirements")
    func messages() throws {
        let bench = try required()
        bench.wait(8)
        bench.happen("shake", 300)
        bench.wait(15)
        #expect(
            screens(bench).suffix(2) == [message("emptied", "Bottle Emptied"), status(529, today: 0)])
        bench.happen("double_tap")
        bench.wait(1)
        #expect(screens(bench).last == message("backpack", "backpack mode: double-tap firmly to wake up"))
        bench.happen("double_tap")
        #expect(screens(bench).last == message("waking", "waking"))
        bench.wait(2)
        #expect(screens(bench).last?.first == .text("status"))
    }

    // MARK: - The picture

    @Test("the picture has the arrangement of the requirements")
    func picture() {
        let screen = PuckScreen.status(
            PuckStatus(battery: 75, isBatteryLow: false, isRadioOn: true, level: 450, total: 1250, capacity: 830))
        #expect(
            screen.picture == [
                "┌──────────────────────────────┐",
                "│  [████░] 75%            BLE  │",
                "│                              │",
                "│       Current: 450ml         │",
                "│       Today:   1.2L          │",
                "│                              │",
                "│  ██████████████░░░░░░░░░░░░  │",
                "│                              │",
                "└──────────────────────────────┘",
            ])
    }

    @Test(
        "all pictures have the same size",
        arguments: [
            PuckScreen.blank, .backpack, .waking, .emptied, .prompt(.fill(830)),
            .status(
                PuckStatus(
                    battery: 100, isBatteryLow: true, isRadioOn: true, level: 65_535, total: 65_535, capacity: 0)),
        ])
    func size(_ screen: PuckScreen) {
        #expect(screen.picture.count == 9)
        #expect(Set(screen.picture.map(\.count)) == [32])
    }
}
