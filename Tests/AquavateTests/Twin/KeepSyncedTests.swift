import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// A client that keeps a puck synced.
struct KeepSyncedTests {
    private static func pair(_ memory: PuckMemory = PuckMemory()) throws -> (puck: PuckFixture, app: ClientFixture) {
        let puck = try PuckFixture(memory: memory)
        let app = ClientFixture(try PuckApp(.shipped), at: puck.bench)
        app.task("keep_synced")
        return (puck, app)
    }

    private static func drinks(_ app: ClientFixture) -> Int? { (app.client as? PuckApp)?.drinkCount }

    private static func connections(_ app: ClientFixture) -> Int {
        app.exchanges.count { if case .connected = $0.exchange { true } else { false } }
    }

    @Test("the drinks of a day come as they are drunk, and the puck sleeps in between")
    func day() throws {
        let (puck, app) = try Self.pair()
        app.wait(600)
        for hour in 1...12 {
            puck.happen("sip", 60)
            app.wait(600)
            #expect(Self.drinks(app) == hour)
            #expect(puck.sleep == "normal" && !app.isConnected, "hour \(hour)")
            app.wait(3000)
        }
        #expect(puck.memory?.drinks.unsyncedCount == 0)
        #expect(Self.connections(app) <= 2 * 13)
        #expect(app.notes("sync_failed").isEmpty)
        // At most once an hour.
        #expect((6...13).contains(app.notes("activity").count))
    }

    @Test("a puck that is carried about falls asleep although it is synced")
    func carried() throws {
        let (puck, app) = try Self.pair()
        app.wait(600)
        puck.happen("carry")
        app.wait(900)
        #expect(puck.sleep == "backpack")
        #expect(!app.isConnected)
    }

    @Test("600 drinks of a time out of reach come in one connection")
    func manyDrinks() throws {
        let (puck, app) = try Self.pair(PuckFixture.memory(drinks: (1...600).map { 30 + $0 % 100 }))
        app.wait(120)
        #expect(Self.drinks(app) == 600)
        #expect(puck.memory?.drinks.unsyncedCount == 0)
        #expect(app.notes("sync_done").map { $0["records"] } == [.number(600)])
    }

    @Test("a lost connection is taken up again, less and less often while nothing can be fetched")
    func lostConnections() {
        var schedule = SyncSchedule()
        func pause(fetching records: Int? = nil) -> Duration {
            schedule.connected()
            if let records {
                let note = TwinNote("sync_done", ["records": .number(records)])
                schedule.record([.event(note)], at: Timestamp(nanoseconds: 0))
            }
            return schedule.pause(afterConnection: true)
        }
        #expect((0..<8).map { _ in pause() } == [3, 6, 12, 24, 48, 96, 192, 192].map { .seconds($0) })
        #expect(pause(fetching: 60) == .seconds(60))
        #expect(pause(fetching: 0) == .seconds(200))
        #expect(pause() == .seconds(3))
        // After a search that found nothing, the pause does not grow.
        #expect(schedule.pause(afterConnection: false) == .seconds(3))
    }

    @Test("a reboot is no end, and the tasks of the user are done besides")
    func reboot() throws {
        let (puck, app) = try Self.pair()
        app.wait(600)
        puck.happen("sip", 60)
        app.wait(8)
        puck.happen("power_cycle")
        app.wait(1200)
        puck.happen("sip", 70)
        app.task("set_goal", 3000)
        app.wait(600)
        #expect(puck.memory?.drinks.unsyncedCount == 0)
        #expect(app.notes("set_goal_done").count == 1)
        #expect(!app.isConnected)
    }

    @Test("it ends when it is told to")
    func terminate() throws {
        let (puck, app) = try Self.pair()
        app.wait(40)
        #expect(Self.connections(app) == 1 && !app.isConnected)
        app.task("terminate")
        puck.happen("sip", 60)
        app.wait(1200)
        #expect(Self.drinks(app) == 0)
    }
}
