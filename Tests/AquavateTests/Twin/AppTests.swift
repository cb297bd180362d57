import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import Aquavate

/// The reference client with a puck's twin.
struct AppTests {
    /// A puck just powered on, and an app.
    private static func pair(
        _ memory: PuckMemory = PuckMemory(), quirks: QuirkSelection = QuirkSelection(), capacity: Int = 244
    ) throws -> (puck: PuckFixture, app: ClientFixture) {
        let puck = try PuckFixture(quirks, memory: memory)
        return (puck, ClientFixture(try PuckApp(.shipped), at: puck.bench, capacity: capacity))
    }

    @Test("all drinks come, whatever a notification can carry", arguments: [20, 182, 244], [1, 100, 600])
    func sync(_ capacity: Int, _ count: Int) throws {
        let (puck, app) = try Self.pair(PuckFixture.memory(drinks: (1...count).map { 30 + $0 }), capacity: capacity)
        app.task("sync")
        app.wait(60)
        #expect(app.notes("sync_done").map { $0["new"] } == [.number(count)])
        #expect(app.notes("sync_failed").isEmpty)
        #expect((app.client as? PuckApp)?.drinkCount == count)
        #expect(puck.memory?.drinks.unsyncedCount == 0)
        #expect(!app.isConnected)
    }

    @Test("what the puck counts and never sends does not keep the app busy")
    func ghosts() throws {
        var memory = PuckFixture.memory(drinks: [40, 50, 60])
        memory.drinks.delete(1)
        memory.drinks.delete(2)
        memory.drinks.delete(3)
        let (_, app) = try Self.pair(memory)
        app.task("sync")
        app.wait(60)
        #expect(app.notes("sync_failed").count == 1)
        let starts = app.actions.filter { $0 == .write("sync_control", hex("0000 0300 01 00 1100")) }
        #expect(starts.count == 1)
        #expect(app.actions.contains(.write("sync_control", hex("0000 0000 00 00 0000"))))
    }

    @Test("drinks that a deleted one kept from being marked come twice, and count once (Q-02)")
    func resentDrinks() throws {
        var memory = PuckFixture.memory(drinks: [40, 50, 60])
        memory.drinks.delete(1)
        let (puck, app) = try Self.pair(memory)
        app.task("sync")
        app.wait(60)
        #expect((app.client as? PuckApp)?.drinkCount == 2)
        #expect(puck.memory?.drinks.unsyncedCount == 0)
    }

    @Test("a connection that is wanted is kept, and drinks come as they are drunk")
    func stay() throws {
        let (puck, app) = try Self.pair()
        app.task("connect")
        app.wait(100)
        puck.happen("sip", 60)
        app.wait(300)
        #expect(app.isConnected)
        #expect((app.client as? PuckApp)?.drinkCount == 1)
        let pings = app.actions.filter { $0 == .write("command", hex("02000000")) }
        #expect(pings.count >= 12)
        app.task("disconnect")
        app.wait(1)
        #expect(!app.isConnected)
        app.wait(100)
        #expect(!app.isConnected)
        #expect(puck.sleep == "normal")
    }

    @Test("a calibration, from the empty bottle to the full one")
    func calibration() throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let (puck, app) = try Self.pair(memory)
        app.task("calibrate")
        app.wait(20)
        puck.happen("refill", 830)
        app.wait(40)
        let states = app.notes("calibration_state").compactMap { $0["state"] }
        #expect(
            states
                == ["triggered", "started", "wait_empty", "measure_empty", "wait_full", "measure_full", "complete"]
                .map { .text($0) })
        #expect(app.notes("calibration_done").map { $0["scale"] } == [.real(435.960240963855_4)])
        #expect(!app.isConnected)
        #expect(puck.memory?.calibration == CellScale(scale: 435.96024, empty: 118_146, full: 479_993))
    }

    @Test("a task begins anew when the puck's attributes have changed meanwhile")
    func changedAttributes() throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let (puck, app) = try Self.pair(memory)
        app.task("calibrate")
        app.wait(20)
        #expect(app.notes("ready").count == 1)
        app.rediscover()
        app.wait(20)
        #expect(app.notes("ready").count == 2)
        puck.happen("refill", 830)
        app.wait(40)
        let start = AppSession(try PuckWire()).command(.startCalibration)
        #expect(app.actions.count { $0 == start } == 2)
        #expect(app.notes("calibration_done").count == 1)
        #expect(app.notes("calibration_failed").isEmpty)
    }

    @Test("a calibration is cancelled while it waits for the full bottle")
    func cancelledCalibration() throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let (puck, app) = try Self.pair(memory)
        app.task("calibrate")
        app.wait(20)
        app.task("cancel_calibration")
        app.wait(10)
        #expect(app.notes("calibration_state").last?["state"] == .text("idle"))
        #expect(app.notes("calibration_failed").map { $0["reason"] } == [.text("it was cancelled")])
        #expect(puck.memory?.calibration == nil)
        #expect(!app.isConnected)
    }

    @Test("after a calibration a puck weighs within 5 ml", arguments: [100.0, 415, 730])
    func calibratedAccuracy(_ water: Double) throws {
        var memory = PuckMemory.factory
        memory.surroundings.water = 0
        let (puck, app) = try Self.pair(memory)
        app.task("calibrate")
        app.wait(20)
        puck.happen("refill", 830)
        app.wait(60)
        puck.happen("refill", water)
        puck.wait(15)
        let read = try #require(puck.bench.read("current_state"))
        let level = try #require(puck.state(read)?.level)
        #expect(abs(Double(level) - water) <= 5)
    }

    @Test("the statistics of activity, chunk by chunk")
    func activity() throws {
        let (puck, app) = try Self.pair()
        for _ in 0..<12 {
            #expect(puck.sleepNormally())
            puck.wakeUp()
        }
        app.task("fetch_activity")
        app.wait(20)
        #expect(app.notes("activity").map { $0["wake_events"] } == [.number(12)])
        #expect(puck.bench.reported("activity_stats").map(\.bytes.count) == [12, 84, 20])
    }

    @Test("the goal is written with scale and tare as they were read")
    func goal() throws {
        let (puck, app) = try Self.pair()
        app.task("set_goal", 3000)
        app.task("set_goal", 3000)
        app.wait(20)
        let writes = app.actions.filter { if case .write("bottle_config", _) = $0 { true } else { false } }
        #expect(writes == [.write("bottle_config", hex("E1FAD943 0F010000 3E03 B80B"))])
        #expect(puck.memory?.goal == 3000)
    }

    @Test("a drink is deleted, and the puck confirms it")
    func delete() throws {
        let (puck, app) = try Self.pair(PuckFixture.memory(drinks: [40]))
        app.task("delete_drink", 1)
        app.wait(20)
        #expect(app.notes("delete_drink_done").count == 1)
        #expect(puck.memory?.drinks.pendingCount == 0)
    }

    @Test("a deletion that nothing confirms within 5 s has failed")
    func unconfirmedDeletion() throws {
        var session = AppSession(try PuckWire())
        var procedure = CommandProcedure(deleting: 9)
        let start = Timestamp(nanoseconds: 0)
        _ = procedure.begin(at: start, &session)
        #expect(procedure.deadline == start + .seconds(5))
        for (input, seconds, ends) in [
            (ClientInput.written("command", nil), 1.0, false), (.time, 4.9, false), (.time, 5, true),
        ] {
            var hasEnded = false
            if case .done = procedure.take(input, at: start + .seconds(seconds), &session) { hasEnded = true }
            #expect(hasEnded == ends, "after \(seconds) s")
        }
    }

    /// The puck's day begins at midnight of its own epoch, which is ahead of UTC if an offset was set. The first
    /// state of a connection may be older than SET_TIME: it confirms the offset that is known, and shows no other.
    @Test(
        "the drinks of the puck's day are deleted with it",
        arguments: [
            ([], nil, 1_769_904_000), ([1_769_983_200], 0, 1_769_904_000),
            ([1_769_990_395, 1_769_990_400], 7200, 1_769_990_400),
            ([1_769_990_400, 1_769_990_400], nil, 1_769_904_000),
            ([1_769_979_600], nil, 1_769_904_000), ([1_769_979_600, 1_769_983_200], 0, 1_769_904_000),
            ([0, 1_769_990_200], nil, 1_769_904_000), ([0], nil, 1_769_904_000),
        ] as [([Int], Int?, Int64)])
    func resetDay(stateTimes: [Int], offset: Int?, start: Int64) throws {
        var session = AppSession(try PuckWire())
        // 2026-02-01T22:00:00Z.
        let now = Timestamp(seconds: 1_769_983_200, nanoseconds: 0)
        for time in stateTimes {
            var state = CurrentState()
            state.timestamp = time
            session.learnOffset(from: .notified("current_state", session.wire.bytes(state, as: .currentState)), at: now)
        }
        #expect(session.offset == offset)
        var procedure = CommandProcedure("reset_day", .resetDaily)
        guard case .goOn(let requests) = procedure.begin(at: now, &session),
            case .done(let actions) = procedure.take(.written("command", nil), at: now, &session)
        else {
            Issue.record("the command ends with its response")
            return
        }
        #expect(requests == [.write("command", hex("05 00 0000"))])
        #expect(
            actions.last
                == .commit([
                    .markAll(["is_deleted": .integer(1)], in: PuckTables.drinks, from: ["timestamp": .integer(start)])
                ]))
    }

    /// The bottle's offset from UTC comes before its drinks, once an evaluation after SET_TIME has confirmed it. A
    /// bottle on its side makes no evaluation.
    @Test(
        "the offset from UTC is kept",
        arguments: [
            (0, "place_bottle", 0), (9, "place_bottle", 32_400), (-5, "place_bottle", -18_000), (9, "lay_down", nil),
        ] as [(Int, String, Int64?)])
    func offset(hours: Int, pose: String, offset: Int64?) throws {
        var memory = PuckFixture.memory(drinks: [40])
        memory.timeZone = hours
        let (puck, app) = try Self.pair(memory)
        puck.wait(10)
        puck.happen(pose)
        app.task("sync")
        app.wait(60)
        let commits = app.actions.compactMap { if case .commit(let changes) = $0 { changes } else { nil } }
        guard case .set(let bottle, in: PuckTables.bottles)? = commits.first?.first,
            case .add(let drinks, to: PuckTables.drinks)? = commits.dropFirst().first?.first
        else {
            Issue.record("\(commits)")
            return
        }
        #expect(bottle.integer("utc_offset_s") == offset)
        #expect(drinks.count == 1 && drinks[0].integer("received_at") != nil)
        #expect(app.notes("sync_done").count == 1)
    }

    @Test(
        "a state before the first measurement tells no battery level",
        arguments: [
            (hex("00000000 00000000 00000000 0000"), nil), (hex("E8030000 0000 9C01 E204 50 05 0000"), 80),
        ] as [([UInt8], Int64?)])
    func bootState(state: [UInt8], battery: Int64?) throws {
        var session = AppSession(try PuckWire())
        var procedure = Introduction(dialect: .shipped)
        let now = Timestamp(nanoseconds: 0)
        _ = procedure.begin(at: now, &session)
        _ = procedure.take(.read("current_state", .success(state)), at: now, &session)
        let step = procedure.take(.read("sync_control", .success(hex("0000 0000 00 00 0000"))), at: now, &session)
        guard case .done(let actions) = step, case .commit(let changes)? = actions.last,
            case .set(let bottle, in: PuckTables.bottles)? = changes.first
        else {
            Issue.record("\(step)")
            return
        }
        #expect(bottle.integer("battery_percent") == battery)
        #expect(bottle.integer("level_ml") == battery.map { _ in 412 })
    }

    /// State restoration: the system keeps the connection of an app that it ends; a notification relaunches the app.
    @Test("a notification relaunches an app that the system has ended, with its connection")
    func restoredConnection() throws {
        let (puck, app) = try Self.pair()
        app.task("connect")
        app.wait(20)
        app.task("system_terminate")
        let count = app.actions.count
        puck.happen("sip", 60)
        app.wait(40)
        #expect(app.notes("relaunched").map { $0["restored"] } == [.text("connection")])
        #expect(app.notes("reconnected").map { $0["in"] } == [.text("background")])
        #expect(app.actions.dropFirst(count).contains(.subscribe("drink_data", true)))
        #expect((app.client as? PuckApp)?.drinkCount == 1)
    }

    /// What happens to the app while it looks for the puck, and the connection requests that it then leaves with the
    /// system, by their number of looks: 5 in the background, 3 for an app that was ended.
    @Test(
        "a connection request is left with the system",
        arguments: [
            (["background"], [5]), (["background", "system_terminate"], [5, 3]), (["system_terminate"], [3]),
            (["background", "terminate"], [5]), (["background", "foreground"], [5]), (["foreground"], []),
            (["terminate"], []),
        ] as [([String], [Int])])
    func connectionRequests(tasks: [String], looks: [Int]) throws {
        var app = try PuckApp(.shipped, seed: 1)
        let now = Timestamp(nanoseconds: 0)
        var requests: [SystemSearch] = []
        for task in tasks {
            var actions = app.handle(.task(Stimulus(task)), at: now)
            if actions == [.disconnect] { actions = app.handle(.disconnected, at: now) }
            requests += actions.compactMap { if case .requestConnection(let search) = $0 { search } else { nil } }
        }
        #expect(requests.map(\.looks) == looks)
        #expect(requests.allSatisfy { $0.delay >= .zero && $0.delay < $0.period })
    }

    @Test("a reconnection in the background is told from any other", arguments: ["connect", "background"])
    func backgroundReconnection(task: String) throws {
        var app = try PuckApp(.shipped)
        let now = Timestamp(nanoseconds: 0)
        _ = app.handle(.task(Stimulus(task)), at: now)
        let notes = app.handle(.connected(capacity: 244), at: now).compactMap { action -> TwinNote? in
            if case .event(let note) = action { note } else { nil }
        }
        #expect(
            notes == (task == "background" ? [TwinNote("reconnected", ["in": .text("background")])] : []))
    }

    @Test(
        "in the dialect prd the level is the weight less that of the empty bottle",
        arguments: [(hex("AB02"), 412), (hex("0A01"), 0), (hex("0000"), nil)] as [([UInt8], Int64?)])
    func levelOfWeight(weight: [UInt8], level: Int64?) throws {
        var session = AppSession(try PuckWire())
        var procedure = Introduction(dialect: .prd)
        let now = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)
        _ = procedure.begin(at: now, &session)
        _ = procedure.take(.read("prd_bottle_config", .success(hex("3E03 0F010000"))), at: now, &session)
        _ = procedure.take(.read("current_weight", .success(weight)), at: now, &session)
        let step = procedure.take(.read("sync_status", .success(hex("0000"))), at: now, &session)
        guard case .done(let actions) = step, case .commit(let changes)? = actions.last,
            case .set(let bottle, in: PuckTables.bottles)? = changes.first
        else {
            Issue.record("\(step)")
            return
        }
        #expect(bottle.integer("level_ml") == level)
        #expect(bottle.integer("level_time") == level.map { _ in 1_769_947_200 })
    }

    @Test("the first writes of a connection are the subscriptions and the time")
    func introduction() throws {
        let (_, app) = try Self.pair()
        app.task("sync")
        app.wait(20)
        #expect(
            app.actions.prefix(8) == [
                .connect, .subscribe("current_state", true), .subscribe("drink_data", true),
                .subscribe("activity_stats", true), .subscribe("calibration_state", true),
                .subscribe("battery_level", true), .write("command", hex("10 41407F69")), .read("manufacturer_name"),
            ])
        #expect(!app.actions.contains(.read("drink_data")))
    }
}
