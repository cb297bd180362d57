import PluginKit

/// Results by rule, device and connection, in bounded memory: beyond the limit, later results are added up by rule.
final class ResultStore {
    /// What a tally is about: indices of the rule and the device, number of the connection; -1 and 0 for none.
    struct Key: Hashable, Comparable {
        var rule: Int32
        var device: Int32
        var connection: Int32

        static func < (one: Key, other: Key) -> Bool {
            (one.rule, one.device, one.connection) < (other.rule, other.device, other.connection)
        }
    }

    private(set) var rules: [RuleInfo] = []
    private(set) var devices: [CheckedDevice] = []
    /// The identity of each listed device and when it was listed, and the same of the rules of each origin.
    private(set) var deviceEntries: [(key: DeviceKey, order: Int)] = []
    private(set) var ruleEntries: [(first: Int, count: Int, order: Int)] = []
    /// Where the check stands, by which entries of several shards are put in order: the number of the frame, or a step of
    /// the end.
    var order = 0
    /// What came of the rules, as it was taken in, and the place of each.
    private(set) var tallies: [(key: Key, tally: Tally, order: Int)] = []
    private var places: [Key: Int32] = [:]
    /// Findings that are kept, in all.
    private var findings = 0
    /// The latest failures; nil while nobody asks for them.
    var news: FailureQueue?

    /// Results that are listed by themselves; the others are put together.
    private static let resultLimit = 50_000
    /// Findings that are kept.
    private static let findingLimit = 10_000
    /// Devices that are listed.
    private static let deviceLimit = 1000

    init() {}

    /// A device of the tracker by its index, or the device without an address at the other end of a connection.
    enum DeviceKey: Hashable {
        case device(Int32)
        case stranger(connection: Int)
    }

    /// Lists rules; their indices.
    func add(_ rules: [RuleInfo]) -> Range<Int> {
        ruleEntries.append((self.rules.count, rules.count, order))
        self.rules += rules
        return (self.rules.count - rules.count)..<self.rules.count
    }

    /// Lists a device; -1 when there are too many.
    func add(_ device: CheckedDevice, _ key: DeviceKey) -> Int32 {
        guard devices.count < Self.deviceLimit else { return -1 }
        devices.append(device)
        deviceEntries.append((key, order))
        return Int32(devices.count - 1)
    }

    /// Changes what is told of a device.
    func update(_ device: Int32, _ change: (inout CheckedDevice) -> Void) {
        if device >= 0 { change(&devices[Int(device)]) }
    }

    /// Takes in what came of a rule.
    func add(_ tally: Tally, rule: Int, device: Int32, connection: Int) {
        var key = Key(rule: Int32(rule), device: device, connection: Int32(clamping: connection))
        if device < 0, connection > 0 || tallies.count >= Self.resultLimit { key.connection = 0 }
        var place = places[key]
        if place == nil, tallies.count >= Self.resultLimit {
            key = Key(rule: Int32(rule), device: -1, connection: 0)
            place = places[key]
        }
        var tally = tally
        if !tally.findings.isEmpty {
            tally.findings = Array(tally.findings.prefix(max(0, Self.findingLimit - findings)))
            findings += tally.findings.count
        }
        if let place {
            tallies[Int(place)].tally.add(tally)
        } else {
            places[key] = Int32(tallies.count)
            tallies.append((key, tally, order))
        }
    }

    /// Whether no more findings are kept.
    var isFull: Bool { findings >= Self.findingLimit }

    /// The steps of the end, each with room for the entries of the one before.
    enum End: Int {
        case connections, advertisers, capture, devices, general

        /// The order of the entry with this number in the step.
        func order(of number: Int) -> Int { (rawValue + 1) << 56 | number }
    }

    /// All that was taken in, by rule, device and connection; the book has no more of it afterwards.
    func takeTallies() -> [(key: Key, tally: Tally, order: Int)] {
        places = [:]
        var taken: [(key: Key, tally: Tally, order: Int)] = []
        swap(&taken, &tallies)
        taken.sort { $0.key < $1.key }
        return taken
    }
}
