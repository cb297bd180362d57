package import Bluetooth
import Bytes

/// What is known of the servers' attribute tables, each for the span of traffic that it holds for.
///
/// A **binding** is one server's table during one connection, until Service Changed. It has what discovery told in that
/// connection and what was known before; frames refer to bindings, so whatever a binding learns later names earlier
/// frames of its span too.
package struct AttributeTableStore: Sendable {
    /// One server's table during a span of traffic.
    package struct Binding: Sendable {
        /// The server, in `Tracker.devices`; -1 where it is not known.
        package var device: Int32 = -1
        /// Timestamped by discovery in this span.
        package var discovered = GATT.Table()
        /// Known before; dropped when discovery contradicts it.
        package var earlier: GATT.Table?
        /// How `earlier` came to be known.
        package var earlierConfidence = GATT.Confidence.remembered
        /// Database Hash that the server told (Vol 3, Part G, 7.3).
        package var databaseHash: [UInt8]?
        /// Where in the table the values are that the tracker watches.
        var watched = ServerValueHandles()
        /// How far `discovered` has grown, as `TableGrowth` counts it; nil where it grew in a way of its own.
        fileprivate var stage: Int32? = TableGrowth.start

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

    /// A binding as it is kept: tens of thousands of them have ended, and a few grow.
    private struct Entry: Sendable {
        var device: Int32
        /// Where in `growing` the binding is while its span lasts; -1 when it has ended, and the rest is told here.
        var place: Int32
        /// Indices in `tables`; -1 for none.
        var discovered: Int32 = 0
        var earlier: Int32 = -1
        var databaseHash: [UInt8]?
        var watched = ServerValueHandles()
        var earlierConfidence = GATT.Confidence.remembered
    }

    private var entries = PagedArray<Entry>()
    /// Bindings whose spans last, and the places in it that are free.
    private var growing: [Binding] = []
    private var freePlaces: [Int32] = []
    private var growth = TableGrowth()
    /// Tables of equal content share their storage: thousands of devices of one kind cost one table. The first one is
    /// empty.
    private var tables = [GATT.Table()]
    private var placesOfTables: [GATT.Table: Int32] = [:]
    /// Entries of all tables that are kept.
    private var tableEntries = 0

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
                watched: earlier.map { ServerValueHandles(of: $0) } ?? ServerValueHandles()))
    }

    /// Opens a binding for a server that has had one before.
    mutating func bind(_ device: Int32, after index: Int32) -> Int32 {
        let before = self[index]
        let confidence = before.discovered.isEmpty ? before.earlierConfidence : .remembered
        return append(
            Binding(device: device, earlier: before.table, earlierConfidence: confidence, watched: before.watched))
    }

    /// Adds a binding; when there are too many, in place of the last one.
    private mutating func append(_ binding: Binding) -> Int32 {
        if entries.count < Self.bindingLimit { entries.append(Entry(device: binding.device, place: -1)) }
        let index = entries.count - 1
        entries[index].device = binding.device
        if entries[index].place < 0 { entries[index].place = freePlaces.popLast() ?? addPlace() }
        growing[Int(entries[index].place)] = binding
        return Int32(index)
    }

    private mutating func addPlace() -> Int32 {
        growing.append(Binding())
        return Int32(growing.count - 1)
    }

    package subscript(index: Int32) -> Binding {
        let entry = entries[Int(index)]
        if entry.place >= 0 { return growing[Int(entry.place)] }
        return Binding(
            device: entry.device, discovered: tables[Int(entry.discovered)],
            earlier: entry.earlier < 0 ? nil : tables[Int(entry.earlier)],
            earlierConfidence: entry.earlierConfidence, databaseHash: entry.databaseHash, watched: entry.watched,
            stage: nil)
    }

    /// About how many bytes it takes beside another one, of which it may be a copy that has gone on; without the tables
    /// themselves, which copies share.
    func footprint(beside other: AttributeTableStore) -> Int {
        entries.footprint(beside: other.entries) + growing.count * MemoryLayout<Binding>.stride
            + placesOfTables.count * 64
    }

    /// The server of a binding, in `Tracker.devices`; -1 where it is not known.
    func device(of index: Int32) -> Int32 { entries[Int(index)].device }

    /// What a binding knows of the attribute at a handle, and how; most bindings that are asked last.
    func attribute(at handle: Handle, of index: Int32) -> (GATT.Attribute, GATT.Confidence)? {
        let place = entries[Int(index)].place
        return place >= 0 ? growing[Int(place)].attribute(at: handle) : self[index].attribute(at: handle)
    }

    /// Where in `growing` a binding is; one that has ended grows again.
    private mutating func place(_ index: Int32) -> Int {
        if entries[Int(index)].place < 0 {
            let binding = self[index]
            let place = freePlaces.popLast() ?? addPlace()
            growing[Int(place)] = binding
            entries[Int(index)].place = place
        }
        return Int(entries[Int(index)].place)
    }

    /// Where the values are that the tracker watches.
    func watched(_ index: Int32) -> ServerValueHandles {
        let entry = entries[Int(index)]
        return entry.place < 0 ? entry.watched : growing[Int(entry.place)].watched
    }

    /// Opens a binding for a server whose attributes in a range have changed: what is known of the others still holds.
    mutating func split(_ index: Int32, forgetting range: ClosedRange<Handle>) -> Int32 {
        var binding = self[index]
        binding.discovered.forget(range)
        binding.earlier?.forget(range)
        binding.databaseHash = nil
        binding.watched.forget(range)
        binding.stage = nil
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
        let place = place(index)
        guard growing[place].discovered.learn(entry) != .contradiction else { return .contradicts }
        growing[place].stage = nil
        if case .characteristic(let characteristic) = entry { growing[place].watched.note(characteristic) }
        guard growing[place].earlier?.contradicts(entry) == true else { return .agrees }
        return endEarlier(place)
    }

    /// Takes in a response of which another server's discovery has told all; false where it has to be read.
    mutating func learn(_ index: Int32, _ response: RawSpan, to request: RequestFacts) -> Bool {
        guard let stage = stage(of: index), let next = growth.next(after: stage, response, to: request)
        else { return false }
        let place = place(index)
        growing[place].discovered = growth.table(at: next)
        growing[place].watched = growth.watched(at: next)
        growing[place].stage = next
        return true
    }

    /// How far the table of a server has grown of which nothing is known but what discovery tells; nil for others.
    func stage(of index: Int32) -> Int32? {
        let entry = entries[Int(index)]
        guard entry.place >= 0, growing[Int(entry.place)].earlier == nil else { return nil }
        return growing[Int(entry.place)].stage
    }

    /// Remembers what a response has told after a stage, for the servers to come.
    mutating func note(_ index: Int32, _ response: [UInt8], to request: RequestFacts, after stage: Int32) {
        guard entries.count < Self.bindingLimit else { return }
        let place = place(index)
        growing[place].stage = growth.add(
            growing[place].discovered, growing[place].watched, after: stage, response, to: request)
    }

    /// Takes in the server's database hash; `previous` is the one that it told before the span.
    mutating func noteHash(_ index: Int32, _ hash: [UInt8], previous: [UInt8]?) -> Effect {
        let place = place(index)
        if let known = growing[place].databaseHash, known != hash { return .contradicts }
        growing[place].databaseHash = hash
        guard let previous, previous != hash, growing[place].earlier != nil else { return .agrees }
        return endEarlier(place)
    }

    private mutating func endEarlier(_ place: Int) -> Effect {
        growing[place].earlier = nil
        growing[place].watched = ServerValueHandles(of: growing[place].discovered)
        growing[place].stage = nil
        return .endsEarlier
    }

    /// The span ends: keeps the table in its smallest form.
    mutating func settle(_ index: Int32) {
        let place = entries[Int(index)].place
        guard place >= 0 else { return }
        let binding = growing[Int(place)]
        let stage = binding.stage
        let discovered = stage.flatMap { growth[kept: $0] } ?? keep(binding.discovered)
        if let stage { growth[kept: stage] = discovered }
        let earlier = binding.earlier.map { keep($0) } ?? -1
        entries[Int(index)] = Entry(
            device: binding.device, place: -1, discovered: discovered, earlier: earlier,
            databaseHash: binding.databaseHash, watched: binding.watched,
            earlierConfidence: binding.earlierConfidence)
        growing[Int(place)] = Binding()
        freePlaces.append(place)
    }

    /// Where a table is kept in storage that equal tables share: as an empty one when there is no room for more.
    private mutating func keep(_ table: GATT.Table) -> Int32 {
        if table.isEmpty { return 0 }
        if let known = placesOfTables[table] { return known }
        guard tableEntries + table.count <= Self.entryLimit else { return 0 }
        tableEntries += table.count
        let place = Int32(tables.count)
        tables.append(table)
        placesOfTables[table] = place
        return place
    }

    /// The same without what only learning more needs.
    func concluded() -> AttributeTableStore {
        var knowledge = self
        knowledge.growth = TableGrowth()
        knowledge.placesOfTables = [:]
        return knowledge
    }
}
