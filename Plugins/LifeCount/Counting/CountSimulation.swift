import Bytes
import PluginKit
import Profile

/// `gattbench lifecount simulate`: entries of the source simulator, for development and as a fallback (section 8C of
/// the requirements).
enum CountSimulation {
    private static let rate = CommandParameter.option(
        "rate", .number(0.01...600), placeholder: "people",
        help: "People who pass in a minute, on average; 10 by default.")
    private static let minutes = CommandParameter.option(
        "minutes", .number(1...10_080), placeholder: "minutes", help: "How long, up to the present; 60 by default.")
    private static let device = CommandParameter.option(
        "device", .number(1...4_294_967_295), placeholder: "id", help: "Device ID of the counter; 1 by default.")
    private static let seed = CommandParameter.option(
        "seed", .number(0...9_007_199_254_740_992), placeholder: "number",
        help: "Seed of the random numbers; 1 by default.")

    /// Maximum number of entries per command.
    private static let limit = 1_000_000

    static let command = PluginCommand(
        name: "simulate",
        abstract: "Simulate people who pass a counter: add entries of the source simulator to a location.",
        discussion: """
            People pass at random times, never more of them out than are inside. The entries are in the store, and in reports, \
            which tell how many are simulated. A counter with its radio and its gateway is simulated by “gattbench gateway \
            lifecount --transport radio:”.
            """,
        examples: ["simulate --location 7", "simulate --location 7 --rate 40 --minutes 480 --seed 5"],
        parameters: [CountCommands.target, device, rate, minutes, seed, CountCommands.now], usesStore: true
    ) { input throws(CommandError) in
        let end = Timestamp(seconds: try CountCommands.present(input), nanoseconds: 0)
        let minutes = Int64(input.number(minutes) ?? 60)
        let device = Int64(input.number(device) ?? 1)
        let last = try CountCommands.number(of: CounterTables.lastNumber(of: .simulator, device: device), input)
        var passages = PassageSource(seed: UInt64(input.number(seed) ?? 1))
        var rows: [Record] = []
        var inside = 0
        passages.setRate(input.number(rate) ?? 10, at: end.advanced(nanoseconds: -minutes * 60_000_000_000))
        while let time = passages.next, time <= end, rows.count < limit {
            let delta = passages.pass(at: time, inside: inside)
            inside += delta
            let milliseconds = time.nanoseconds / 1_000_000
            rows.append(
                CountEntry(
                    location: input.number(CountCommands.target).map { Int64($0) } ?? 0, device: device,
                    time: milliseconds, isDeviceTime: true, received: milliseconds, delta: Int64(delta),
                    source: .simulator, sequenceNumber: last + Int64(rows.count) + 1, boot: 0, gatewaySession: 0
                ).row)
        }
        var output = CommandOutput("\(rows.count) entries added, \(inside) inside\n")
        output.storeChanges = [.addNew(rows, to: CounterTables.entries)]
        return output
    }
}
