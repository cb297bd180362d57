import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// The acceptance scenarios of section 17, by number, in virtual time.
struct AcceptanceTests {
    @Test("1, 2: the first values after a wake-up, and the first evaluation")
    func firstValues() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [45, 150]))
        #expect(puck.sleepNormally())
        puck.wakeUp()
        #expect(puck.isAdvertising)
        let boot = puck.bench.seconds - 0.5
        puck.connect()
        #expect(puck.bench.read("current_state") == hex("00000000 0000 0000 0000 00 00 0000"))
        #expect(puck.syncStatus()?.count == 2)
        puck.wait(4)
        #expect(puck.states.isEmpty)
        let setDown = puck.bench.seconds
        puck.happen("place_bottle")
        puck.wait(10)
        let first = try #require(puck.states.first)
        #expect(first.seconds >= boot + 5)
        #expect((2...4.5).contains(first.seconds - setDown), "\(first.seconds - setDown)")
        #expect(first.state.flags.stable)
        #expect(first.state.unsynced == 2)
    }

    @Test("3: a drink of 45 ml")
    func drink() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        puck.wait(15)
        let before = try #require(puck.states.last?.state)
        puck.happen("sip", 45)
        puck.wait(3.2)
        let setDown = puck.bench.seconds
        puck.wait(12)
        let after = try #require(puck.states.last)
        #expect(after.state.dailyTotal == before.dailyTotal + 45)
        #expect(after.state.unsynced == before.unsynced + 1)
        #expect(after.seconds - setDown <= 9)
        puck.start(1, chunkSize: 17)
        #expect(puck.chunks.last?.records.map(\.amount) == [45])
        #expect(puck.chunks.last?.records.map(\.type) == [.gulp])
        let level = try #require(puck.chunks.last?.records.last?.levelAfter)
        #expect((784...785).contains(level))
    }

    @Test(
        "4: just below a pour and just a pour",
        arguments: [(99.9, 99, DeviceProfile.DrinkType.gulp), (100.0, 100, .pour)])
    func pour(_ drunk: (ml: Double, amount: Int, type: DeviceProfile.DrinkType)) throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        puck.wait(10)
        puck.happen("sip", drunk.ml)
        puck.wait(15)
        puck.start(1, chunkSize: 17)
        #expect(puck.chunks.last?.records.map(\.amount) == [drunk.amount])
        #expect(puck.chunks.last?.records.map(\.type) == [drunk.type])
    }

    @Test("5: too little for a drink, too little for a refill, a refill")
    func thresholds() throws {
        var memory = PuckMemory()
        memory.surroundings.water = 500
        let puck = try PuckFixture(memory: memory)
        puck.wait(10)
        puck.happen("sip", 29)
        puck.wait(15)
        #expect(puck.bench.notes("drink_stored").isEmpty)
        let baseline = puck.twin?.board.baseline
        // 99 ml above the baseline, which the 29 ml below it had left unchanged.
        puck.happen("refill", 500 + 99)
        puck.wait(15)
        #expect(puck.bench.notes("refill").isEmpty)
        #expect(puck.twin?.board.baseline == baseline)
        puck.happen("refill", 500 + 100)
        puck.wait(15)
        #expect(puck.bench.notes("refill").count == 1)
        #expect(puck.bench.notes("drink_stored").isEmpty)
        #expect(puck.memory?.drinks.unsyncedCount == 0)
    }

    @Test("6: a chunk that is longer than a notification")
    func longChunk() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: (1...20).map { 30 + $0 }))
        puck.wait(2)
        puck.connect()
        puck.start(20, chunkSize: 20)
        let reported = try #require(puck.bench.reported("drink_data").first)
        #expect(reported.bytes.count == 244)
        #expect(reported.bytes.prefix(6) == hex("0000 0100 14 00")[...])
        #expect(puck.bench.read("drink_data")?.count == 286)
    }

    @Test("7: three chunks")
    func threeChunks() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: (1...42).map { 30 + $0 }))
        puck.wait(2)
        puck.connect()
        puck.start(42, chunkSize: 17)
        puck.acknowledge()
        puck.acknowledge()
        #expect(puck.chunks.map(\.recordCount) == [17, 17, 8])
        #expect(puck.chunks.map(\.chunkIndex) == [0, 1, 2])
        #expect(puck.chunks.map(\.totalChunks) == [3, 3, 3])
        #expect(puck.chunks.flatMap(\.records).map(\.recordId) == Array(1...42))
        #expect(puck.syncStatus()?.count == 42)
        puck.acknowledge()
        #expect(puck.states.last?.state.unsynced == 0)
        #expect(puck.syncStatus() == SyncStatus(count: 0, status: .idle, chunkSize: 17))
    }

    @Test("8: a connection that is lost amid a transfer")
    func interruptedTransfer() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [31, 32, 33]))
        puck.wait(2)
        puck.connect()
        puck.start(3, chunkSize: 1)
        puck.acknowledge()
        puck.bench.disconnect()
        puck.connect()
        #expect(puck.syncStatus()?.count == 3)
        puck.start(3, chunkSize: 1)
        #expect(puck.chunks.last?.chunkIndex == 0)
        #expect(puck.chunks.last?.records.map(\.recordId) == [1])
    }

    @Test("9: a deleted drink among those to be sent")
    func deletedDrink() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [31, 32, 33]))
        puck.wait(2)
        puck.connect()
        puck.command("12 01000000")
        #expect(puck.states.count == 1)
        puck.start(3, chunkSize: 17)
        #expect(puck.chunks.last?.records.map(\.recordId) == [2, 3])
        puck.acknowledge()
        #expect(puck.states.last?.state.unsynced == 1)
        puck.start(3, chunkSize: 17)
        #expect(puck.chunks.last?.records.map(\.recordId) == [3])
        puck.acknowledge()
        #expect(puck.states.last?.state.unsynced == 0)
    }

    @Test("10: nothing but deleted drinks")
    func onlyDeleted() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [31]))
        puck.wait(2)
        puck.connect()
        puck.command("12 01000000")
        puck.start(1, chunkSize: 17)
        puck.wait(6)
        #expect(puck.chunks.isEmpty)
        #expect(puck.syncStatus()?.status == .inProgress)
        puck.query()
        #expect(puck.syncStatus()?.status == .idle)
    }

    @Test("11: an unknown drink is deleted")
    func unknownDrink() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        let ticket = puck.command("12 E7030000")
        #expect(puck.states.count == 1)
        #expect(puck.bench.answer(ticket) == .accepted)
    }

    @Test("12: a Bottle Config with a wrong scale")
    func wrongScale() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        let before = puck.bench.read("bottle_config")
        let ticket = puck.bench.write("bottle_config", hex("00004842 0F010000 3E03 B80B"))
        #expect(puck.bench.answer(ticket) == .accepted)
        #expect(puck.bench.read("bottle_config") == before)
    }

    @Test("13: a chunk of wake events that is not there")
    func missingChunk() throws {
        let puck = try PuckFixture()
        for _ in 0..<23 {
            #expect(puck.sleepNormally())
            puck.wakeUp()
        }
        puck.connect()
        puck.command("30 000000")
        #expect(puck.bench.reported("activity_stats").last?.bytes.first == 23)
        puck.command("31 020000")
        #expect(puck.bench.reported("activity_stats").last?.bytes.prefix(4) == hex("02 03 03 00")[...])
        puck.command("31 0A0000")
        puck.command("31 030000")
        #expect(puck.bench.reported("activity_stats").count == 2)
    }

    @Test("14: a calibration that nobody goes on with")
    func abandonedCalibration() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.happen("lift")
        puck.wait(2)
        puck.connect()
        puck.command("20 000000")
        puck.wait(75)
        try #require(puck.calibrations.map(\.state) == [1, 2, 3, 10])
        let times = puck.calibrations.map(\.seconds)
        #expect(times[2] - times[0] >= 3)
        #expect((59...66).contains(times[3] - times[2]))
        puck.happen("place_bottle")
        puck.wait(600)
        #expect(puck.isAwake)
        puck.bench.disconnect()
        puck.wait(60)
        #expect(!puck.isAwake)
    }

    @Test("15: kept awake, and left alone")
    func keptAwake() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        for _ in 0..<20 {
            puck.wait(25)
            puck.command("02 000000")
        }
        #expect(!puck.bench.clients.isEmpty)
        let last = puck.bench.seconds
        #expect(puck.bench.wait(upTo: 60) { $0.clients.isEmpty })
        #expect((29...32).contains(puck.bench.seconds - last))
        #expect(puck.sleep == "normal")
    }

    @Test("16: the battery runs down, and is charged")
    func lowBattery() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        puck.wait(10)
        puck.happen("battery", 24)
        puck.command("02 000000")
        puck.wait(6)
        #expect(puck.states.last?.state.flags.lowBattery == true)
        #expect(puck.states.last?.state.battery == 24)
        puck.happen("battery", 19)
        puck.wait(6)
        #expect(puck.bench.clients.isEmpty)
        #expect(puck.sleep == "lockout")
        puck.happen("battery", 24)
        puck.wait(1000)
        #expect(puck.sleep == "lockout")
        puck.happen("motion")
        puck.wait(2)
        #expect(puck.sleep == "lockout")
        puck.happen("battery", 25)
        #expect(puck.bench.wait(upTo: 905) { _ in puck.isAwake })
        #expect(!puck.isAdvertising)
        puck.wait(60)
        #expect(puck.sleep == "normal")
        puck.wakeUp()
        #expect(puck.isAdvertising)
    }

    @Test("17: record IDs begin anew")
    func clearedHistory() throws {
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: [31, 32, 33]))
        puck.wait(10)
        puck.connect()
        puck.command("06 000000")
        puck.wait(8)
        puck.happen("sip", 60)
        puck.wait(15)
        puck.start(10, chunkSize: 17)
        #expect(puck.chunks.last?.records.map(\.recordId) == [1])
    }

    @Test("18: a timer wakes it up")
    func timerWake() throws {
        let puck = try PuckFixture()
        #expect(puck.sleepNormally())
        let asleep = puck.bench.log.count
        puck.wait(2 * 3600 + 20)
        let awake = puck.bench.notes("awake").last
        #expect(awake?["reason"] == .text("health_check"))
        #expect(!puck.bench.log[asleep...].contains { if case .advertise = $0.action { true } else { false } })
    }
}
