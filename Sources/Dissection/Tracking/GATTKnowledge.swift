package import BluetoothTypes
package import GATT

/// What is known of the servers' attribute tables, each for the span of traffic that it holds for.
///
/// A **binding** is one server's table during one connection, until Service Changed. It has what discovery told in that
/// connection and what was known before; frames refer to bindings, so whatever a binding learns later names earlier
/// frames of its span too.
package struct GATTKnowledge: Sendable {
    /// One server's table during a span of traffic.
    package struct Binding: Sendable {
        /// The server, in `Tracker.devices`; -1 where it is not known.
        package var device: Int32 = -1
        /// Told by discovery in this span.
        package var discovered = GATT.Table()
        /// Known before; dropped when discovery contradicts it.
        package var earlier: GATT.Table?
        /// How `earlier` came to be known.
        package var earlierConfidence = GATT.Confidence.remembered
        /// Database Hash that the server told (Vol 3, Part G, 7.3).
        package var databaseHash: [UInt8]?
        /// Where in the table the values are that the tracker watches.
        var watched = WatchedValues()

        /// Whether nothing is known of the table.
        var isEmpty: Bool { discovered.isEmpty && earlier?.isEmpty != false }

        /// What is known of the attribute at a handle, and how.
        package func attribute(at handle: Handle) -> (GATT.Attribute, GATT.Confidence)? {
            let known = discovered.attribute(at: handle)
            if let known, known.kind != .unknown { return (known, .discovered) }
            if let old = earlier?.attribute(at: handle), old.kind != .unknown { return (old, earlierConfidence) }
            return known.map { ($0, .discovered) }
        }

        /// The whole table: what was discovered over what was known before.
        package var table: GATT.Table {
            guard var table = earlier else { return discovered }
            guard !discovered.isEmpty else { return table }
            for service in discovered.services { _ = table.learn(service) }
            for characteristic in discovered.characteristics { _ = table.learn(characteristic) }
            for descriptor in discovered.descriptors { _ = table.learn(descriptor) }
            return table
        }
    }

    package private(set) var bindings: [Binding] = []
    /// Tables of equal content share their storage: thousands of devices of one kind cost one table.
    private var shared: [GATT.Table: GATT.Table] = [:]
    /// Entries of all shared tables.
    private var entries = 0

    /// Spans that are told apart; what comes later shares the last one.
    static let bindingLimit = 500_000
    /// Entries kept in all tables together: tens of thousands of tables as real devices have them. Tables beyond that
    /// are forgotten when their connection ends, so a flood of them cannot fill memory.
    static let entryLimit = 500_000

    /// Opens a binding for a server, with what was known of it.
    mutating func bind(_ device: Int32, earlier: GATT.Table?, confidence: GATT.Confidence) -> Int32 {
        append(
            Binding(
                device: device, earlier: earlier, earlierConfidence: confidence,
                watched: earlier.map { WatchedValues(of: $0) } ?? WatchedValues()))
    }

    /// Opens a binding for a server that has had one before.
    mutating func bind(_ device: Int32, after index: Int32) -> Int32 {
        let before = bindings[Int(index)]
        let confidence = before.discovered.isEmpty ? before.earlierConfidence : .remembered
        return append(
            Binding(device: device, earlier: before.table, earlierConfidence: confidence, watched: before.watched))
    }

    /// Adds a binding; when there are too many, in place of the last one.
    private mutating func append(_ binding: Binding) -> Int32 {
        if bindings.count < Self.bindingLimit {
            bindings.append(binding)
        } else {
            bindings[bindings.count - 1] = binding
        }
        return Int32(bindings.count - 1)
    }

    package subscript(index: Int32) -> Binding { bindings[Int(index)] }

    /// Where the values are that the tracker watches.
    func watched(_ index: Int32) -> WatchedValues { bindings[Int(index)].watched }

    /// Opens a binding for a server whose attributes in a range have changed: what is known of the others still holds.
    mutating func split(_ index: Int32, forgetting range: ClosedRange<Handle>) -> Int32 {
        var binding = bindings[Int(index)]
        binding.discovered.forget(range)
        binding.earlier?.forget(range)
        binding.databaseHash = nil
        binding.watched.forget(range)
        return append(binding)
    }

    /// What became of something that a span was told.
    enum Effect: Sendable {
        case agrees
        /// It contradicts what was known before the span, which is forgotten.
        case endsEarlier
        /// It contradicts what this very span has told.
        case contradicts
    }

    /// Takes in what discovery told.
    mutating func learn(_ index: Int32, _ entry: GATT.Table.Entry) -> Effect {
        let index = Int(index)
        guard bindings[index].discovered.learn(entry) != .contradiction else { return .contradicts }
        if case .characteristic(let characteristic) = entry { bindings[index].watched.note(characteristic) }
        guard bindings[index].earlier?.contradicts(entry) == true else { return .agrees }
        return endEarlier(index)
    }

    /// Takes in the server's database hash; `previous` is the one that it told before the span.
    mutating func noteHash(_ index: Int32, _ hash: [UInt8], previous: [UInt8]?) -> Effect {
        let index = Int(index)
        if let known = bindings[index].databaseHash, known != hash { return .contradicts }
        bindings[index].databaseHash = hash
        guard let previous, previous != hash, bindings[index].earlier != nil else { return .agrees }
        return endEarlier(index)
    }

    private mutating func endEarlier(_ index: Int) -> Effect {
        bindings[index].earlier = nil
        bindings[index].watched = WatchedValues(of: bindings[index].discovered)
        return .endsEarlier
    }

    /// The span ends: keeps the table in its smallest form.
    mutating func settle(_ index: Int32) {
        let index = Int(index)
        bindings[index].discovered = share(bindings[index].discovered)
        bindings[index].earlier = bindings[index].earlier.map { share($0) }
    }

    /// The table in storage that equal tables share; an empty one when there is no room for more.
    private mutating func share(_ table: GATT.Table) -> GATT.Table {
        if table.isEmpty { return table }
        if let known = shared[table] { return known }
        guard entries + table.count <= Self.entryLimit else { return GATT.Table() }
        entries += table.count
        shared[table] = table
        return table
    }
}
