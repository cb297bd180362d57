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
        /// Told by discovery in this span.
        package var discovered = GATT.Table()
        /// Known before; dropped when discovery contradicts it.
        package var earlier: GATT.Table?
        /// How `earlier` came to be known.
        package var earlierConfidence = GATT.Confidence.remembered
        /// Database Hash that the server told (Vol 3, Part G, 7.3).
        package var databaseHash: [UInt8]?

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
    /// What the tables of settled bindings hold, those that share their storage counted once.
    private var settledCount = 0

    /// More bindings than this share the last one.
    static let bindingLimit = 300_000
    /// What the tables of settled bindings hold at most; those of later ones are forgotten.
    static let settledLimit = 1_000_000

    /// Opens a binding for a server, with what was known of it.
    mutating func bind(earlier: GATT.Table?, confidence: GATT.Confidence) -> Int32 {
        add(Binding(earlier: earlier, earlierConfidence: confidence))
    }

    private mutating func add(_ binding: Binding) -> Int32 {
        if bindings.count < Self.bindingLimit {
            bindings.append(binding)
        } else {
            bindings[bindings.count - 1] = binding
        }
        return Int32(bindings.count - 1)
    }

    package subscript(index: Int32) -> Binding { bindings[Int(index)] }

    /// Opens a binding for a server whose attributes in a range have changed: what is known of the others still holds.
    mutating func split(_ index: Int32, forgetting range: ClosedRange<Handle>) -> Int32 {
        var binding = bindings[Int(index)]
        binding.discovered.forget(range)
        binding.earlier?.forget(range)
        binding.databaseHash = nil
        return add(binding)
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
    mutating func learn(_ index: Int32, _ learn: (inout GATT.Table) -> GATT.Table.Learned) -> Effect {
        let index = Int(index)
        guard learn(&bindings[index].discovered) != .contradiction else { return .contradicts }
        guard var old = bindings[index].earlier, learn(&old) == .contradiction else { return .agrees }
        bindings[index].earlier = nil
        return .endsEarlier
    }

    /// Takes in the server's database hash; `previous` is the one that it told before the span.
    mutating func noteHash(_ index: Int32, _ hash: [UInt8], previous: [UInt8]?) -> Effect {
        let index = Int(index)
        if let known = bindings[index].databaseHash, known != hash { return .contradicts }
        bindings[index].databaseHash = hash
        guard let previous, previous != hash, bindings[index].earlier != nil else { return .agrees }
        bindings[index].earlier = nil
        return .endsEarlier
    }

    /// The span ends: keeps the table in its smallest form.
    mutating func settle(_ index: Int32) {
        let index = Int(index)
        bindings[index].discovered = share(bindings[index].discovered)
        bindings[index].earlier = bindings[index].earlier.map { share($0) }
    }

    private mutating func share(_ table: GATT.Table) -> GATT.Table {
        if let known = shared[table] { return known }
        guard settledCount + table.count <= Self.settledLimit else { return GATT.Table() }
        settledCount += table.count
        if shared.count < 4096 { shared[table] = table }
        return table
    }
}
