import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import LifeCount

/// The counter, row by row of counter profile 1. The bytes are those of the description.
struct CounterTwinTests {
    // MARK: - Advertising and values

    @Test func itAdvertisesItsServiceAndItsName() throws {
        var bench = try CounterFixture()
        let advertising = try #require(bench.take().advertising)
        // Flags, and the service with the base UUID 4C434E54-xxxx-4C69-6665-436F756E7400, little-endian.
        #expect(advertising.data == hex("02 01 06 11 07 00746E756F436566694C0100544E434C"))
        #expect(advertising.scanResponse == [15, 0x09] + Array("LifeCount-A5C3".utf8))
        #expect(advertising.interval == .milliseconds(500))
    }

    @Test func itAdvertisesWheneverNotConnected() throws {
        var bench = try CounterFixture()
        _ = bench.take()
        bench.connect()
        bench.wait(100)
        #expect(bench.take().advertising == nil)
        bench.disconnect()
        #expect(bench.take().advertising != nil)
    }

    @Test func itTellsWhatItIs() throws {
        var bench = try CounterFixture()
        let actions = bench.take()
        #expect(actions.value("counter_info") == hex("01010201c3a50f1e0700030000000002"))
        #expect(actions.value("manufacturer_name") == Array("LifeCount".utf8))
        #expect(actions.value("model_number") == Array("Counter v1".utf8))
        #expect(actions.value("firmware_revision") == Array("1.2".utf8))
        #expect(actions.value("serial_number") == Array("1E0FA5C3".utf8))
        #expect(actions.value("battery_level") == [87])
    }

    @Test func statusIsThatOfTheDescription() throws {
        var bench = try CounterFixture()
        bench.begin()
        #expect(bench.request("01 3e2aa469 f401").indication == hex("800100"))
        bench.happen("next_number", 42)
        bench.click()
        #expect(bench.request("05 2a000000").indication == hex("800500"))
        bench.wait(3600)
        #expect(bench.status() == hex("100e00002a00000057010000"))
    }

    // MARK: - Events

    @Test func anEventIsThatOfTheDescription() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("01 3e2aa469 f401")
        bench.click()
        bench.happen("next_number", 42)
        bench.click()
        #expect(bench.take().notified("count_event").last == hex("11012a0000003e2aa469f401c3a50f1e0700"))
    }

    @Test func anEventWithoutClockAndLocationIsThatOfTheDescription() throws {
        var bench = try CounterFixture(storage: nil)
        bench.begin()
        bench.happen("next_number", 42)
        bench.click()
        bench.happen("click_out")
        #expect(bench.take().notified("count_event").last == hex("01ff2b000000000000000000c3a50f1e0000"))
    }

    @Test func theFirstEventSinceABootIsThatOfTheDescription() throws {
        var bench = try CounterFixture()
        bench.click(5)
        bench.happen("reboot")
        bench.begin()
        _ = bench.request("01 7a2aa469 0000")
        _ = bench.take()
        bench.click(2)
        #expect(
            bench.take().notified("count_event") == [
                hex("5101000000007a2aa4690000c3a50f1e0700"), hex("1101010000007a2aa4690000c3a50f1e0700"),
            ])
    }

    @Test func zeroFollowsTheLastNumber() throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.happen("next_number", 4_294_967_294)
        bench.click(3)
        #expect(bench.take().events.map(\.number) == [.max - 1, .max, 0])
        // Acknowledging the event after the wrap acknowledges all.
        #expect(bench.request("05 00000000").indication == hex("800500"))
        #expect(bench.status().map { Array($0.suffix(2)) } == [0, 0])
    }

    @Test func aFailedSensorCountsNobody() throws {
        var bench = try CounterFixture()
        bench.begin()
        bench.happen("sensor_fault")
        bench.click()
        #expect(bench.take().events.isEmpty)
        #expect(bench.status()?[9] == 0x04)
        bench.happen("sensor_fault", 0)
        bench.click()
        #expect(bench.take().events == [EventSeen(number: 0, isFirst: true)])
    }

    // MARK: - Heartbeat and battery

    @Test func statusComesEveryThirtySecondsWhileSubscribed() throws {
        var bench = try CounterFixture()
        bench.connect()
        bench.wait(100)
        bench.subscribe("counter_status")
        _ = bench.take()
        bench.wait(29.9)
        #expect(bench.take().notified("counter_status").isEmpty)
        bench.wait(60.1)
        #expect(bench.take().notified("counter_status").map { $0.prefix(4) } == [130, 160, 190].map { [$0, 0, 0, 0] })
        bench.send(.subscribed("counter_status", [], CounterFixture.client))
        bench.wait(100)
        #expect(bench.take().notified("counter_status").isEmpty)
    }

    @Test func theBatteryIsToldWhenItChanges() throws {
        var bench = try CounterFixture()
        _ = bench.take()
        bench.happen("battery", 12)
        let actions = bench.take()
        #expect(actions.value("battery_level") == [12])
        #expect(actions.notified("battery_level") == [[12]])
        #expect(actions.contains(.store))
        #expect(bench.status()?[8] == 12)
        bench.happen("battery", 12)
        #expect(bench.take() == [])
    }

    // MARK: - Clock

    @Test func timesOfOneBootDoNotGoBack() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("01 3e2aa469 f401")
        bench.click()
        // Set back by ten seconds.
        _ = bench.request("01 342aa469 f401")
        bench.click()
        bench.wait(10.25)
        bench.click()
        let times = bench.take().notified("count_event").map { Array($0[6..<12]) }
        #expect(times == [hex("3e2aa469f401"), hex("3e2aa469f401"), hex("3e2aa469ee02")])
    }

    @Test func aClockThatIsLostIsToldByStatusAndEvents() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("01 3e2aa469 0000")
        #expect(bench.status()?[9] == 0x01)
        bench.happen("lose_clock")
        #expect(bench.status()?[9] == 0x00)
        _ = bench.take()
        bench.click()
        #expect(
            bench.take().notified("count_event").first.map { Array($0[0..<1] + $0[6..<12]) } == [
                0x41, 0, 0, 0, 0, 0, 0,
            ])
    }

    // MARK: - One gateway, one memory

    @Test func aSecondClientIsTurnedAway() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.take()
        bench.send(.connected(TwinClient(2)))
        #expect(bench.take() == [.disconnect(TwinClient(2))])
        bench.send(.disconnected(TwinClient(2)))
        bench.click()
        #expect(bench.take().events == [EventSeen(number: 0, isFirst: true)])
    }

    @Test func locationBootsAndBatterySurviveThePower() throws {
        var bench = try CounterFixture(storage: nil)
        bench.begin()
        _ = bench.request("03 2c01")
        bench.happen("battery", 33)
        bench.click(3)
        var next = try CounterFixture(storage: bench.twin.storage)
        #expect(next.take().value("counter_info") == hex("01010201c3a50f1e2c01020000000002"))
        #expect(next.status() == hex("000000000000000021000000"))
    }

    @Test(arguments: [
        "", "{}", "[1]", #"{"device_id":0,"location_id":7,"boot_count":2,"battery_percent":87}"#,
        #"{"device_id":1,"location_id":7,"boot_count":2,"battery_percent":101}"#,
        #"{"device_id":1,"location_id":70000,"boot_count":2,"battery_percent":1}"#,
    ])
    func storageOfAnotherFormIsRefused(_ json: String) {
        #expect(throws: TwinFault.self) { try CounterTwin(TwinSettings(storage: Array(json.utf8))) }
    }

    @Test func everySeedIsACounterOfItsOwn() throws {
        let ids = try (0...3 as ClosedRange<UInt64>).map { try CounterTwin(TwinSettings(seed: $0)).memory.deviceID }
        #expect(ids == [0x1E0F_A5C2, 0x1E0F_A5C3, 0x1E0F_A5C4, 0x1E0F_A5C5])
        #expect(CounterMemory(seed: 0xE1F0_5A3E).deviceID != 0)
    }

    @Test func aRebootBeginsAnew() throws {
        var bench = try CounterFixture()
        bench.begin()
        _ = bench.request("01 3e2aa469 0000")
        bench.click(3)
        bench.wait(50)
        _ = bench.take()
        bench.happen("reboot")
        let actions = bench.take()
        #expect(actions.first == .fallSilent)
        #expect(actions.advertising != nil)
        #expect(actions.contains(.store))
        #expect(actions.value("counter_info") == hex("01010201c3a50f1e0700040000000002"))
        bench.disconnect()
        #expect(bench.take() == [])
        #expect(bench.status() == hex("000000000000000057000000"))
    }

    // MARK: - Random passages

    @Test func aRateCountsSoManyOnAverage() throws {
        var bench = try CounterFixture()
        bench.happen("rate", 30)
        bench.wait(6 * 3600)
        let notes = bench.take().notes("counted")
        // The standard deviation of the expected 10,800 is 104.
        #expect((10_380...11_220).contains(notes.count))
        var inside = 0
        for note in notes {
            inside += note.number("delta") ?? 0
            #expect(inside >= 0)
        }
        #expect(notes.contains { $0.number("delta") == -1 })
        bench.happen("rate", 0)
        bench.wait(3600)
        #expect(bench.take() == [])
    }

    @Test func theSameSeedCountsTheSame() throws {
        func run(_ seed: UInt64) throws -> [TwinAction] {
            var bench = try CounterFixture(seed: seed)
            bench.begin()
            bench.happen("rate", 60)
            bench.wait(120)
            return bench.take()
        }
        let first = try run(7)
        #expect(first.events.count > 60)
        #expect(try run(7) == first)
        #expect(try run(8) != first)
    }

    @Test(arguments: CounterStimulus.allCases)
    func noAmountDoesHarm(_ stimulus: CounterStimulus) throws {
        var bench = try CounterFixture()
        bench.begin()
        for amount in [-1, 0, 1e-300, 1e300, .infinity, -.infinity, .nan] {
            bench.happen(stimulus.rawValue, amount)
            bench.click()
        }
        bench.happen("unheard_of", 1)
        #expect(bench.status()?.count == 12)
    }

    @Test func keysAreUnique() {
        let keys = CounterStimulus.allCases.compactMap(\.definition.key)
        #expect(Set(keys).count == keys.count)
    }
}
