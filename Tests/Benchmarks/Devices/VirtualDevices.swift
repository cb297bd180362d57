import Bluetooth
import Bytes
import Emulation
import PluginKit
import Radio
import Workbench

/// Measures hosts, virtual controllers and twins in one process: their speed without air time, and the share of a core
/// that a room full of devices needs.
struct VirtualDevices {
    /// A measurement and its limit.
    struct Row {
        var title: String
        var measured: Double
        var unit: String
        var limit: Double
        /// Whether the limit is a minimum.
        var isRate = false
        /// Bumble's result for the same task; nil if not measured.
        var bumbles: Double?

        var holds: Bool { isRate ? measured >= limit : measured <= limit }
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let puck: DevicePlugin

    init() throws {
        guard let entry = try PluginLibrary.builtIn()["aquavate"] else { throw Failure(description: "no aquavate") }
        puck = entry.plugin
    }

    func measured() throws -> [Row] {
        let bumble = BumblePair.measured()
        return [
            Row(
                title: "connect and discover", measured: 1000 * (try connecting()), unit: "ms", limit: 50,
                bumbles: bumble.map { 1000 * $0.connecting }),
            Row(
                title: "notifications", measured: try notifying(), unit: "a second", limit: 20_000, isRate: true,
                bumbles: bumble?.notifications),
            Row(
                title: "reads, one after the other", measured: try reading(), unit: "a second", limit: 4_300,
                isRate: true, bumbles: bumble?.reads),
            Row(title: "600 records synced", measured: 1000 * (try syncing()), unit: "ms", limit: 100),
            Row(
                title: "200 pucks advertising, 20 connected, each second of it", measured: 1000 * (try crowd()),
                unit: "ms", limit: 1000),
            Row(title: "a week of a puck", measured: try week(), unit: "s", limit: 2),
        ]
    }

    // MARK: - Two devices

    /// Seconds; the shortest of several rounds.
    private func connecting() throws -> Double {
        try shortest(of: 5) {
            var pair = try Pair(puck.profile, Flood(count: 0), Watcher())
            return try seconds { try pair.begin() }
        }
    }

    private func notifying() throws -> Double {
        let count = 20_000
        let duration = try shortest(of: 3) {
            var pair = try Pair(puck.profile, Flood(count: count), Watcher(subscribes: true, notifications: count))
            return try seconds {
                try pair.begin()
                try pair.goOn(until: Watcher.finished)
            }
        }
        return Double(count) / duration
    }

    private func reading() throws -> Double {
        let count = 5_000
        let duration = try shortest(of: 3) {
            var pair = try Pair(puck.profile, Flood(count: 0), Watcher(reads: count))
            return try seconds {
                try pair.begin()
                try pair.goOn(until: Watcher.finished)
            }
        }
        return Double(count) / duration
    }

    /// The app fetches as many records as a puck can store.
    private func syncing() throws -> Double {
        try shortest(of: 3) {
            let twin = try puck.makeTwin(TwinSettings())
            var pair = try Pair(puck.profile, twin, puck.makeClient(TwinSettings()))
            pair.happen(Stimulus("history", 600))
            try pair.begin(with: "connect")
            pair.want("sync")
            return try seconds { try pair.goOn(until: "sync_done") }
        }
    }

    // MARK: - Many devices, long runs

    /// Seconds of CPU work for a second of virtual time.
    private func crowd() throws -> Double {
        var world = VirtualWorld(seed: 1)
        for number in 0..<200 as Range<UInt64> {
            let twin = try puck.makeTwin(TwinSettings(seed: number))
            var settings = EmulatedDevice.Settings.shipped
            settings.seed = number
            let address = Address(value: 0x0242_0000_1000 + number)
            _ = world.add(try EmulatedDevice(puck.profile, twin: twin, settings), address: address)
            if number < 20 {
                let client = ConnectedClient(
                    puck.profile, client: puck.makeClient(TwinSettings()), address: DeviceAddress(address, .public))
                let index = world.add(client, address: Address(value: 0x0242_0000_2000 + number))
                world.perform(ConnectedClient.Input.task(Stimulus("connect")), client: index)
            }
        }
        // Pucks sleep after 30 s on a table.
        let length = 20
        return try seconds {
            var packets = 0
            while let events = world.step(notAfter: Timestamp(nanoseconds: 0) + .seconds(length)) {
                packets += events.count
            }
            guard packets > 10_000 else { throw Failure(description: "only \(packets) packets in a room of pucks") }
        } / Double(length)
    }

    private func week() throws -> Double {
        try shortest(of: 2) {
            var week = try PuckWeek(puck)
            return try seconds { try week.live() }
        }
    }

    // MARK: - Time

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func shortest(of rounds: Int, _ body: () throws -> Double) rethrows -> Double {
        var shortest = Double.infinity
        for _ in 0..<rounds { shortest = min(shortest, try body()) }
        return shortest
    }
}
