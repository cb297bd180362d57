import Bluetooth
import Bytes
import Emulation
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Transports

@testable import Workbench

/// Syncs with pucks whose dialect the user has not named.
struct DialectSyncTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private struct Run {
        var notes: [String] = []
        var problem: String?
        var drinks: [Record] = []
    }

    /// Syncs with pucks that have drunk from 3 times on; each speaks one of the dialects.
    ///
    /// - Parameter tasks: the tasks for a device, by dialect; nil for those of `sync`.
    private func run(
        _ dialects: [String], tasks: [String: [Stimulus]]? = nil, further: [Stimulus] = [], isContinuous: Bool = false
    ) throws -> Run {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        let schema = BuiltInPlugins.all.compactMap { $0.tables }
        let tables = try #require(BuiltInPlugins.tables(of: "aquavate"))
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec("tcp-client:127.0.0.1:6402"))
        options.deviceLimit = dialects.count
        let own = tasks ?? tables.tasks.mapValues { names in names.map { Stimulus($0) } }
        try options.setTasks(own, further: further)
        var world = VirtualWorld(seed: 1, start: Timestamp(seconds: 1_772_434_800, nanoseconds: 0))
        for (index, dialect) in dialects.enumerated() {
            var settings = EmulatedDevice.Settings()
            settings.dialect = dialect
            let twin = try plugin.makeTwin(TwinSettings(dialect: dialect, seed: UInt64(index)))
            let puck = world.add(
                try EmulatedDevice(plugin.profile, twin: twin, settings),
                address: Address(value: 0x0242_0000_0001 + UInt64(index) << 8))
            world.perform(.stimulus(Stimulus("history", Double(3 + index))), device: puck)
            world.perform(.stimulus(Stimulus("motion")), device: puck)
        }
        let app = world.add(
            try EmulationSession(options).makeClient(hasStore: true), address: Address(value: 0x0242_0000_00F0))
        let store = try SQLiteStore.open(path: folder.path("store.sqlite"), schema: schema)
        let sync = SyncSession(
            store, plugin: "aquavate", transport: "tcp-client:127.0.0.1:6402", tasks: options.tasks ?? [],
            isContinuous: isContinuous)
        var run = Run()
        for task in sync.nextTasks() ?? [] { world.perform(ConnectedClient.Input.task(task), client: app) }
        while isContinuous || !sync.isDone, let events = world.step(notAfter: world.now + .seconds(60)) {
            if world.now > Timestamp(seconds: 1_772_434_900, nanoseconds: 0) { break }
            for event in events where event.station == app {
                guard case .reported(let reported) = event.kind else { continue }
                if case .note(let note) = reported { run.notes.append(note.name) }
                if let input = sync.take(reported, world.client(app), event.session, at: event.time) {
                    world.perform(input, client: app)
                }
            }
        }
        run.problem = try sync.end(at: world.now)
        run.drinks = try store.rows(of: "aquavate_drinks")
        return run
    }

    /// The client assumes `shipped` until it has discovered the puck's attributes.
    @Test(arguments: ["shipped", "prd"]) func theTasksOfTheRecognizedDialectAreDone(dialect: String) throws {
        let run = try run([dialect])
        #expect(run.problem == nil)
        #expect(run.drinks.count == 3)
        #expect(run.notes.count { $0 == "connected" } == 1)
        #expect(run.notes.contains("dialect_recognized") == (dialect == "prd"))
        #expect(run.notes.contains("activity") == (dialect == "shipped"))
    }

    @Test func aTaskThatTheDialectLacksFailsOnce() throws {
        let run = try run(["prd"], further: [Stimulus("delete_drink", 1), Stimulus("set_capacity", 700)])
        #expect(run.problem == "delete_drink: the dialect prd has no way to do this")
        #expect(run.notes.count { $0 == "delete_drink_failed" } == 1)
        #expect(run.notes.contains("set_capacity_done"))
        #expect(run.notes.count { $0 == "connected" } == 1)
        #expect(run.drinks.count == 3)
    }

    /// A gateway receives from two pucks at once, each in its own dialect.
    @Test(arguments: [["shipped", "prd"], ["prd", "shipped"]])
    func pucksOfTwoDialectsAreReceivedTogether(dialects: [String]) throws {
        let tasks = ["shipped": [Stimulus("connect")], "prd": [Stimulus("connect")]]
        let run = try run(dialects, tasks: tasks, isContinuous: true)
        #expect(run.problem == nil)
        let drinks = Dictionary(grouping: run.drinks) { $0.text("device") }.mapValues(\.count)
        #expect(drinks.values.sorted() == [3, 4])
    }
}
