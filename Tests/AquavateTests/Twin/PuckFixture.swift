import Bytes
import PDUTestKit
import PluginKit
import TestKit

@testable import Aquavate

/// A puck's twin, with accessors for the values of its protocol.
final class PuckFixture {
    let bench: TwinFixture
    private let wire: PuckWire

    /// 2026-02-01 12:00:00 UTC.
    static let noon = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)

    /// A puck, by default without noise.
    init(
        _ quirks: QuirkSelection = QuirkSelection(), memory: PuckMemory? = nil, seed: UInt64 = 1, noise: Double = 0,
        at start: Timestamp = noon
    ) throws {
        wire = try PuckWire()
        let settings = TwinSettings(seed: seed, quirks: quirks, storage: memory?.json)
        let twin = try PuckTwin<ShippedFirmware>(settings, .shipped)
        bench = TwinFixture(twin, at: start)
        bench.happen("set_noise", noise)
    }

    // MARK: The puck

    var twin: PuckTwin<ShippedFirmware>? { bench.twin as? PuckTwin<ShippedFirmware> }
    var isAwake: Bool { twin?.firmware != nil }
    var isAdvertising: Bool { bench.advertising != nil }
    /// The puck's nonvolatile memory.
    var memory: PuckMemory? { twin?.board.stored }
    /// The sleep state; nil while awake.
    var sleep: String? { if case .asleep(let sleep, _)? = twin?.power { sleep.rawValue } else { nil } }

    func wait(_ seconds: Double) { bench.wait(seconds) }
    func happen(_ name: String, _ amount: Double? = nil) { bench.happen(name, amount) }

    /// Leaves the bottle standing until the puck has slept for a second.
    func sleepNormally() -> Bool {
        happen("place_bottle")
        let sleeps = bench.wait(upTo: 400) { _ in self.sleep != nil }
        wait(1)
        return sleeps
    }

    /// Wakes the puck by lifting it, and waits for the boot.
    func wakeUp() {
        happen("lift")
        wait(2)
    }

    /// An app disconnects, and reconnects after a sip to sync and to calibrate.
    func comeBack(_ app: ClientFixture, sip amount: Double) {
        app.task("disconnect")
        app.wait(300)
        happen("sip", amount)
        app.wait(20)
        app.task("sync")
        app.wait(60)
        happen("pour_out")
        app.wait(20)
        app.task("calibrate")
        app.wait(25)
        happen("refill")
        app.wait(60)
    }

    // MARK: The client

    /// Connects, subscribes to everything and sets the time, as clients do.
    func connect(capacity: Int = 244, setsTime: Bool = true) {
        bench.connect(capacity: capacity)
        bench.subscribe("current_state", "drink_data", "activity_stats", "calibration_state", "battery_level")
        if setsTime { setTime() }
    }

    func setTime() {
        let now = UInt32(clamping: bench.now.nanoseconds / 1_000_000_000)
        command([0x10] + little(now))
    }

    @discardableResult
    func command(_ bytes: [UInt8]) -> TwinTicket? { bench.write("command", bytes) }
    @discardableResult
    func command(_ text: String) -> TwinTicket? { command(hex(text)) }

    func start(_ count: UInt16, chunkSize: UInt16) {
        bench.write("sync_control", [0, 0] + little(count) + [1, 0] + little(chunkSize))
    }
    func acknowledge() { bench.write("sync_control", hex("0000000002000000")) }
    func query() { bench.write("sync_control", hex("0000000000000000")) }

    /// Unsynced records and status, as Sync Control reads.
    func syncStatus() -> SyncStatus? {
        bench.read("sync_control").flatMap { wire.value(of: $0, as: .syncStatus, SyncStatus.self) }
    }

    // MARK: - Notified values

    var states: [(seconds: Double, state: State)] {
        bench.reported("current_state").compactMap { reported in state(reported.bytes).map { (reported.seconds, $0) } }
    }

    /// Current State, decoded from its bytes.
    struct State: Decodable, Hashable {
        struct Flags: Decodable, Hashable {
            var timeValid, calibrated, stable, calMeasuring, calResult, lowBattery: Bool
        }
        var timestamp: Int
        var weight: Int?
        var level: Int?
        var rawAdc: Int?
        var dailyTotal: Int
        var battery: Int
        var flags: Flags
        var unsynced: Int
    }

    func state(_ bytes: [UInt8]) -> State? { wire.value(of: bytes, as: .currentState, State.self) }

    /// Complete drink chunks, as notified.
    var chunks: [DrinkChunkValue] {
        bench.reported("drink_data").compactMap { wire.value(of: $0.bytes, as: .drinkChunk, DrinkChunkValue.self) }
    }

    /// Notified calibration states, with their times.
    var calibrations: [(seconds: Double, state: UInt8)] {
        bench.reported("calibration_state").compactMap { reported in reported.bytes.first.map { (reported.seconds, $0) }
        }
    }

    /// A memory with drinks of these amounts, one hour apart; the last one was an hour ago.
    static func memory(drinks amounts: [Int]) -> PuckMemory {
        var memory = PuckMemory()
        for (index, amount) in amounts.enumerated() {
            memory.drinks.store(
                timestamp: 1_769_947_200 - 3600 * (amounts.count - index), amount: amount, level: 500)
        }
        return memory
    }
}
