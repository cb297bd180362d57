import PluginKit

/// Results by rule, device and connection, in bounded memory: beyond the limit, further results are summed up by rule.
final class ResultStore {
    /// Key of a tally: indices of the rule and the device, and number of the connection; -1 and 0 for no device and no
    /// connection.
    struct Key: Hashable, Comparable, BitwiseCopyable {
        var rule: Int32
        var device: Int32
        var connection: Int32

        static func < (one: Key, other: Key) -> Bool {
            (one.rule, one.device, one.connection) < (other.rule, other.device, other.connection)
        }
    }

    /// The outcomes for a key, with the position in the capture at which they were added.
    struct Entry {
        let key: Key
        var tally: Tally
        let order: Int
    }

    private(set) var rules: [RuleInfo] = []
    private(set) var devices: [CheckedDevice] = []
    /// The identity of each listed device with the position at which it was listed, and the ranges of listed rules
    /// likewise.
    private(set) var deviceEntries: [(key: DeviceKey, order: Int)] = []
    private(set) var ruleEntries: [(first: Int, count: Int, order: Int)] = []
    /// Position in the capture, which orders the entries of several shards: the number of the frame, or a step of the
    /// end.
    var order = 0
    /// The outcomes in the order in which they were added, and the index of each key.
    private(set) var tallies: [Entry] = []
    private var places = PlaceTable()
    /// Number of findings in all tallies.
    private var findings = 0
    /// Recent failures; nil if failures are not reported while the check is running.
    var failureQueue: FailureQueue?

    /// Maximum number of individual results; further ones are summed up.
    private static let resultLimit = 50_000
    /// Maximum number of findings.
    private static let findingLimit = 10_000
    /// Maximum number of listed devices.
    private static let deviceLimit = 1000

    init() {}

    /// A device of the tracker by its index, or a device without an address at one end of a connection.
    enum DeviceKey: Hashable {
        case device(Int32)
        case stranger(connection: Int, isSender: Bool)
    }

    /// Lists rules and returns their indices.
    func add(_ rules: [RuleInfo]) -> Range<Int> {
        ruleEntries.append((self.rules.count, rules.count, order))
        self.rules += rules
        return (self.rules.count - rules.count)..<self.rules.count
    }

    /// Lists a device and returns its index; -1 if too many are listed.
    func add(_ device: CheckedDevice, _ key: DeviceKey) -> Int32 {
        guard devices.count < Self.deviceLimit else { return -1 }
        devices.append(device)
        deviceEntries.append((key, order))
        return Int32(devices.count - 1)
    }

    /// Updates the entry of a device.
    func update(_ device: Int32, _ change: (inout CheckedDevice) -> Void) {
        if device >= 0 { change(&devices[Int(device)]) }
    }

    /// Adds outcomes of a rule.
    func add(_ tally: Tally, rule: Int, device: Int32, connection: Int) {
        var key = Key(rule: Int32(rule), device: device, connection: Int32(clamping: connection))
        if device < 0, connection > 0 || tallies.count >= Self.resultLimit { key.connection = 0 }
        var place = places.place(of: key, in: tallies)
        if place == nil, tallies.count >= Self.resultLimit {
            key = Key(rule: Int32(rule), device: -1, connection: 0)
            place = places.place(of: key, in: tallies)
        }
        var tally = tally
        if !tally.findings.isEmpty {
            tally.findings = Array(tally.findings.prefix(max(0, Self.findingLimit - findings)))
            findings += tally.findings.count
        }
        if let place {
            tallies[place].tally.add(tally)
        } else {
            tallies.append(Entry(key: key, tally: tally, order: order))
            places.insert(key, at: tallies.count - 1, in: tallies)
        }
    }

    /// Whether no further findings are stored.
    var isFull: Bool { findings >= Self.findingLimit }

    /// The steps after the last frame. The orders of each step follow those of the step before.
    enum End: Int {
        case connections, advertisers, capture, devices, general

        /// The order of the entry with this number within the step.
        func order(of number: Int) -> Int { (rawValue + 1) << 56 | number }
    }

    /// Removes all tallies and returns them, sorted by rule, device and connection.
    func takeTallies() -> [Entry] {
        places = PlaceTable()
        var taken: [Entry] = []
        swap(&taken, &tallies)
        taken.sort { $0.key < $1.key }
        return taken
    }
}

/// Index of tallies by key: a hash table with linear probing. Every outcome of every connection is looked up in it. Its
/// keys are internal numbers, so it needs no hash that resists crafted keys.
private struct PlaceTable {
    private struct Slot {
        /// Index in the list; -1 if the slot is free.
        var place: Int32 = -1
        /// The upper half of the hash, compared before the key in the list.
        var tag: UInt32 = 0
    }

    /// At least half of the slots are free.
    private var slots = Array(repeating: Slot(), count: 1024)

    /// Index of a key; nil if it is not in the list.
    func place(of key: ResultStore.Key, in list: [ResultStore.Entry]) -> Int? {
        let place = Int(slots[slot(of: key, key.hash, in: list)].place)
        return place < 0 ? nil : place
    }

    /// Adds the key of the entry that was appended to the list.
    mutating func insert(_ key: ResultStore.Key, at place: Int, in list: [ResultStore.Entry]) {
        if 2 * list.count > slots.count {
            slots = Array(repeating: Slot(), count: 4 * slots.count)
            for place in list.indices { take(list[place].key, at: place, in: list) }
        } else {
            take(key, at: place, in: list)
        }
    }

    private mutating func take(_ key: ResultStore.Key, at place: Int, in list: [ResultStore.Entry]) {
        let hash = key.hash
        slots[slot(of: key, hash, in: list)] = Slot(place: Int32(place), tag: UInt32(hash >> 32))
    }

    /// The slot of a key, or the free slot for it.
    private func slot(of key: ResultStore.Key, _ hash: UInt64, in list: [ResultStore.Entry]) -> Int {
        let tag = UInt32(hash >> 32)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot].place >= 0, slots[slot].tag != tag || list[Int(slots[slot].place)].key != key {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}

extension ResultStore.Key {
    fileprivate var hash: UInt64 {
        let parts = UInt64(UInt32(bitPattern: rule)) << 32 | UInt64(UInt32(bitPattern: device))
        let product = (parts ^ UInt64(UInt32(bitPattern: connection)) << 16) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
