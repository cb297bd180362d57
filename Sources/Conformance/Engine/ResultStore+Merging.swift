import PluginKit

extension ResultStore {
    /// Merges the results of a check's shards: rules and devices are in the order in which they appear in the capture.
    ///
    /// `numbers` contains the merged index of each rule of a shard.
    static func merged(_ stores: [ResultStore]) -> (whole: ResultStore, numbers: [[Int]]) {
        if stores.count == 1 { return (stores[0], [Array(stores[0].rules.indices)]) }
        let whole = ResultStore()
        let rules = whole.addRules(of: stores)
        let devices = whole.addDevices(of: stores)
        for (shard, place) in ordered(stores.map { $0.tallies.map(\.order) }) {
            let entry = stores[shard].tallies[place]
            let key = entry.key
            whole.order = entry.order
            whole.add(
                entry.tally, rule: rules[shard][Int(key.rule)],
                device: key.device < 0 ? -1 : devices[shard][Int(key.device)], connection: Int(key.connection))
        }
        return (whole, rules)
    }

    /// Indices of all entries of the shards, in the order of a check without shards: by position in the capture, then
    /// by shard.
    private static func ordered(_ orders: [[Int]]) -> [(shard: Int, place: Int)] {
        let all = orders.enumerated().flatMap { shard, orders in orders.indices.map { (shard: shard, place: $0) } }
        return all.sorted { orders[$0.shard][$0.place] < orders[$1.shard][$1.place] }
    }

    private func addRules(of stores: [ResultStore]) -> [[Int]] {
        var numbers = stores.map { $0.rules.map { _ in 0 } }
        var known: [String: Range<Int>] = [:]
        for (shard, place) in Self.ordered(stores.map { $0.ruleEntries.map(\.order) }) {
            let entry = stores[shard].ruleEntries[place]
            let rules = stores[shard].rules[entry.first..<(entry.first + entry.count)]
            let origin = rules.first.map { "\($0.plugin ?? "") \($0.id)" } ?? ""
            let range = known[origin] ?? add(Array(rules))
            known[origin] = range
            for (rule, number) in range.enumerated() { numbers[shard][entry.first + rule] = number }
        }
        return numbers
    }

    private func addDevices(of stores: [ResultStore]) -> [[Int32]] {
        var numbers = stores.map { $0.devices.map { _ in Int32(-1) } }
        var known: [DeviceKey: Int32] = [:]
        for (shard, number) in Self.ordered(stores.map { $0.deviceEntries.map(\.order) }) {
            let device = stores[shard].devices[number]
            let key = stores[shard].deviceEntries[number].key
            if let listed = known[key] { update(listed) { $0.add(device) } }
            let listed = known[key] ?? add(device, key)
            known[key] = listed
            numbers[shard][number] = listed
        }
        return numbers
    }
}

extension CheckedDevice {
    /// Adds another shard's knowledge of the same device.
    fileprivate mutating func add(_ other: CheckedDevice) {
        plugin = plugin ?? other.plugin
        dialect = dialect ?? other.dialect
        firmware = firmware ?? other.firmware
        connections += other.connections
        isCentral = isCentral || other.isCentral
    }
}
