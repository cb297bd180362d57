import PluginKit

extension ResultStore {
    /// What the shards of a check found, as one: rules and devices in the order in which the capture shows them.
    ///
    /// `numbers` gives the index of each rule of a shard in the whole.
    static func merged(_ books: [ResultStore]) -> (whole: ResultStore, numbers: [[Int]]) {
        if books.count == 1 { return (books[0], [Array(books[0].rules.indices)]) }
        let whole = ResultStore()
        let rules = whole.addRules(of: books)
        let devices = whole.addDevices(of: books)
        for (shard, place) in ordered(books, \.tallies, by: \.order) {
            let (key, tally, order) = books[shard].tallies[place]
            whole.order = order
            whole.add(
                tally, rule: rules[shard][Int(key.rule)],
                device: key.device < 0 ? -1 : devices[shard][Int(key.device)], connection: Int(key.connection))
        }
        return (whole, rules)
    }

    /// The places of all entries of the shards, in the order in which a check without shards has them.
    private static func ordered<Entry>(
        _ books: [ResultStore], _ entries: KeyPath<ResultStore, [Entry]>, by order: KeyPath<Entry, Int>
    ) -> [(shard: Int, place: Int)] {
        var all: [(order: Int, shard: Int, place: Int)] = []
        for (shard, book) in books.enumerated() {
            for (place, entry) in book[keyPath: entries].enumerated() {
                all.append((entry[keyPath: order], shard, place))
            }
        }
        return all.sorted { $0 < $1 }.map { ($0.shard, $0.place) }
    }

    private func addRules(of books: [ResultStore]) -> [[Int]] {
        var numbers = books.map { $0.rules.map { _ in 0 } }
        var known: [String: Range<Int>] = [:]
        for (shard, place) in Self.ordered(books, \.ruleEntries, by: \.order) {
            let entry = books[shard].ruleEntries[place]
            let rules = books[shard].rules[entry.first..<(entry.first + entry.count)]
            let origin = rules.first.map { "\($0.plugin ?? "") \($0.id)" } ?? ""
            let range = known[origin] ?? add(Array(rules))
            known[origin] = range
            for (rule, number) in range.enumerated() { numbers[shard][entry.first + rule] = number }
        }
        return numbers
    }

    private func addDevices(of books: [ResultStore]) -> [[Int32]] {
        var numbers = books.map { $0.devices.map { _ in Int32(-1) } }
        var known: [DeviceKey: Int32] = [:]
        for (shard, number) in Self.ordered(books, \.deviceEntries, by: \.order) {
            let device = books[shard].devices[number]
            let key = books[shard].deviceEntries[number].key
            if let listed = known[key] { update(listed) { $0.add(device) } }
            let listed = known[key] ?? add(device, key)
            known[key] = listed
            numbers[shard][number] = listed
        }
        return numbers
    }
}

extension CheckedDevice {
    /// Takes in what another shard knows of the same device.
    fileprivate mutating func add(_ other: CheckedDevice) {
        plugin = plugin ?? other.plugin
        dialect = dialect ?? other.dialect
        firmware = firmware ?? other.firmware
        connections += other.connections
        isCentral = isCentral || other.isCentral
    }
}
