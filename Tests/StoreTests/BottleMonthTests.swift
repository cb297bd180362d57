import Bluetooth
import Bytes
import Emulation
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Radio
import Store
import TestKit
import Testing

@testable import Workbench

/// Long runs of a gateway with three bottles, in virtual time: drinks at random times, hours out of range, lost links,
/// reboots, and an attribute table that changes.
///
/// `GATTBENCH_BOTTLE_DAYS` is the number of days: 14 by default, 30 for a month.
struct BottleMonthTests {
    private static let days = ProcessInfo.processInfo.environment["GATTBENCH_BOTTLE_DAYS"].flatMap { Int($0) } ?? 14

    @Test func everyDrinkIsKeptOnceAndAcknowledgedThen() throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 39)
        let household = try Household(in: folder)
        for day in 0..<Self.days {
            for event in Self.events(ofDay: day, &random) { try household.perform(event) }
        }
        // Each bottle is picked up twice: at the first time, the gateway may still leave it alone.
        for pause in [600.0, 1800] {
            for bottle in household.bottles {
                try household.perform(.init(.back, bottle, after: 0))
                try household.perform(.init(.stimulus("motion"), bottle, after: 0))
            }
            try household.run(for: pause)
        }
        #expect(try household.end() == nil)

        let kept = try household.kept()
        for bottle in household.bottles {
            #expect(household.drunk[bottle].count > Self.days * 4)
            #expect(kept[bottle].sorted() == household.drunk[bottle].sorted(), "bottle \(bottle)")
        }
        #expect(household.acknowledgements > Self.days * 3)
        #expect(household.prematureAcknowledgements.isEmpty)
        #expect(household.lostConnections > Self.days / 2)
    }

    /// What happens in a day, in order: six drinks of each bottle, which is filled in the morning and taken away for some
    /// hours.
    private static func events(ofDay day: Int, _ random: inout SplitMix64) -> [Household.Event] {
        var events: [Household.Event] = []
        for bottle in 0..<Household.count {
            func add(_ kind: Household.Event.Kind, hours: Double) {
                events.append(.init(kind, bottle, after: (Double(day) * 24 + hours) * 3600))
            }
            add(.stimulus("charge", 100), hours: 0.1)
            add(.stimulus("refill", 830), hours: 0.2 + 0.01 * Double(bottle))
            let away = Double.random(in: 1...10, using: &random)
            add(.away, hours: away)
            add(.back, hours: away + Double.random(in: 0.5...6, using: &random))
            for _ in 1...6 {
                add(
                    .stimulus("sip", Double(Int.random(in: 40...110, using: &random))),
                    hours: Double.random(in: 0.5...15, using: &random))
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                add(.stimulus("power_cycle"), hours: Double.random(in: 0.5...15, using: &random))
            }
        }
        // In a connection of the first bottle.
        if day == 3 { events.append(.init(.tableChange, 0, after: 3 * 86_400 + 3600)) }
        return events.sorted { $0.seconds < $1.seconds }
    }
}

/// Three bottles, and the gateway that keeps them synced.
private final class Household {
    struct Event {
        enum Kind {
            case stimulus(String, Double? = nil)
            case away, back
            /// The attribute table changes in the next connection.
            case tableChange
        }

        var kind: Kind
        var bottle: Int
        /// Seconds since the start; 0 for now.
        var seconds: Double

        init(_ kind: Kind, _ bottle: Int, after seconds: Double) {
            (self.kind, self.bottle, self.seconds) = (kind, bottle, seconds)
        }
    }

    static let count = 3
    private static let addresses = (0..<count).map { Address(value: 0x240A_C412_A3F4 + UInt64($0) << 8) }
    /// 2026-03-02T07:00:00Z.
    private static let start = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)

    let bottles = Array(0..<Household.count)
    private var world: VirtualWorld
    private let client: Int
    /// Reads what is on disk beside the gateway's store.
    private let reader: SQLiteStore
    private let sync: SyncSession
    private var random = SplitMix64(seed: 7)
    /// Inputs of bottles at later times, in order.
    private var due: [(time: Timestamp, input: EmulatedDevice.Input, bottle: Int)] = []
    private var hasTableChange = false
    /// IDs of the last received chunk, by session.
    private var chunks: [Int: [Int64]] = [:]

    /// IDs of the drinks that each bottle has recorded.
    private(set) var drunk = Array(repeating: [Int](), count: Household.count)
    private(set) var acknowledgements = 0
    /// Drinks that were acknowledged before they were on disk.
    private(set) var prematureAcknowledgements: [String] = []
    private(set) var lostConnections = 0

    init(in folder: TemporaryFolder) throws {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        let schema = BuiltInPlugins.all.compactMap { $0.tables }
        let store = try SQLiteStore.open(path: folder.path("store.sqlite"), schema: schema)
        reader = try SQLiteStore.open(path: folder.path("store.sqlite"), schema: schema)
        sync = SyncSession(store, plugin: "aquavate", transport: "radio:", tasks: [], isContinuous: true)
        let dialect = try plugin.dialect(nil)
        var settings = TwinSettings(dialect: dialect)
        var world = VirtualWorld(seed: 1, start: Self.start)
        for (bottle, address) in Self.addresses.enumerated() {
            (settings.seed, settings.address) = (UInt64(bottle) + 1, address)
            var own = EmulatedDevice.Settings()
            (own.dialect, own.seed) = (dialect, settings.seed)
            let device = try EmulatedDevice(plugin.profile, twin: plugin.makeTwin(settings), own)
            _ = world.add(device, address: address)
        }
        settings.address = nil
        var gateway = ConnectedClient(plugin.profile, client: plugin.makeClient(settings), seed: 2)
        for _ in 1..<Self.count { gateway.add(plugin.makeClient(settings)) }
        gateway.hasStore = true
        gateway.look(for: Self.addresses, namePrefix: nil, peers: .known(Set(Self.addresses)))
        client = world.add(gateway, address: Address(value: 0x0242_0000_0002))
        self.world = world
        let tables = try #require(BuiltInPlugins.tables(of: "aquavate"))
        for task in tables.gatewayTasks[dialect ?? ""] ?? [] {
            self.world.perform(ConnectedClient.Input.task(Stimulus(task)), client: client)
        }
    }

    /// Waits for the time of an event and lets it happen.
    func perform(_ event: Event) throws {
        if event.seconds > 0 { try run(until: Self.start + .seconds(event.seconds)) }
        switch event.kind {
        case .stimulus(let name, let amount):
            world.perform(EmulatedDevice.Input.stimulus(Stimulus(name, amount)), device: event.bottle)
        case .away: world.setAttenuation(Path.outOfRange.attenuation, between: event.bottle, and: client)
        case .back: world.setAttenuation(Path().attenuation, between: event.bottle, and: client)
        case .tableChange: hasTableChange = true
        }
    }

    func run(for seconds: Double) throws { try run(until: world.now + .seconds(seconds)) }

    private func run(until end: Timestamp) throws {
        while true {
            let limit = min(end, due.first?.time ?? end)
            if let events = world.step(notAfter: limit) {
                for event in events { try handle(event) }
            } else if let first = due.first, first.time <= limit {
                due.removeFirst()
                world.perform(first.input, device: first.bottle)
            } else {
                return
            }
        }
    }

    /// Ends the gateway; returns its problem.
    func end() throws -> String? {
        #expect(!hasTableChange)
        return try sync.end(at: world.now)
    }

    /// IDs of the drinks in the store, by bottle.
    func kept() throws -> [[Int]] {
        let rows = try reader.rows(of: "aquavate_drinks")
        return Self.addresses.map { address in
            rows.filter { $0.text("device") == "\(address)" }.compactMap { $0.integer("record_id").map { Int($0) } }
        }
    }

    private func handle(_ event: VirtualWorld.Event) throws {
        guard case .reported(let reported) = event.kind else { return }
        guard event.station == client else {
            if case .note(let note) = reported, note.name == "drink_stored", case .number(let id)? = note["id"] {
                drunk[event.station].append(id)
            }
            return
        }
        switch reported {
        case .note(let note) where note.name == "connected": connected(event.session, at: event.time)
        case .value(.notify, "drink_data", let bytes):
            chunks[event.session] = stride(from: 6, to: bytes.count - 13, by: 14).map { place in
                bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int64($1) }
            }
        // An acknowledgement is command 2.
        case .value(.write, "sync_control", let bytes) where bytes.count == 8 && bytes[4] == 2:
            try acknowledged(by: event.session)
        default: break
        }
        if let input = sync.take(reported, world.client(client), event.session, at: event.time) {
            world.perform(input, client: client)
        }
    }

    /// Lets some of the connections be lost, each at another time, and the table change in one.
    private func connected(_ session: Int, at now: Timestamp) {
        if session == 0, hasTableChange {
            hasTableChange = false
            due.append((time: now + .seconds(2), input: .changeServices, bottle: session))
        } else if Int.random(in: 0..<6, using: &random) == 0 {
            lostConnections += 1
            let delay = Duration.milliseconds(Int.random(in: 100...4000, using: &random))
            due.append((time: now + delay, input: .dropLink, bottle: session))
        }
        due.sort { $0.time < $1.time }
    }

    private func acknowledged(by session: Int) throws {
        acknowledgements += 1
        for id in chunks[session] ?? [] {
            var rows: Int64 = 0
            try reader.forEachRow(
                of: StoredQuery(
                    """
                    SELECT count(*) FROM aquavate_drinks JOIN peers ON peers.id = peer_id
                    WHERE record_id = ? AND peers.address = '\(Self.addresses[session])'
                    """, [id])
            ) { rows = $0[0] }
            if rows != 1 { prematureAcknowledgements.append("bottle \(session), drink \(id): \(rows) rows") }
        }
    }
}
