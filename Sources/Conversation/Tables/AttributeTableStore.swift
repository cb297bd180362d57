package import Bluetooth
import Bytes

/// The known attribute tables of all servers, in versions.
///
/// A **table version** is a server's table during one connection, until Service Changed. It holds the
/// attributes that discovery showed in that connection and those known before. Frames refer to versions, so attributes
/// discovered later also name earlier frames of the same span.
package struct AttributeTableStore: Sendable {
    /// The contents of one version of a server's table, valid for a span of traffic.
    package struct Version: Sendable {
        /// The server, in `Tracker.devices`; -1 where it is not known.
        package var device: Int32 = -1
        /// Attributes discovered in this span.
        package var discovered = GATT.Table()
        /// The table known before the span; dropped when discovery contradicts it.
        package var earlier: GATT.Table?
        /// The source of `earlier`.
        package var earlierConfidence = GATT.Confidence.remembered
        /// Database Hash that the server reported (Vol 3, Part G, 7.3).
        package var databaseHash: [UInt8]?
        /// Handles of the values that the tracker monitors.
        var watched = ServerValueHandles()
        /// The `TableGrowth` stage that `discovered` has reached; nil if it grew in another way.
        fileprivate var stage: Int32? = TableGrowth.start

        /// Whether no attribute of the table is known.
        var isEmpty: Bool { discovered.isEmpty && earlier?.isEmpty != false }

        /// The known attribute at a handle, and the source of that knowledge.
        package func attribute(at handle: Handle) -> (GATT.Attribute, GATT.Confidence)? {
            let known = discovered.attribute(at: handle)
            if let known, known.kind != .unknown { return (known, .discovered) }
            if let old = earlier?.attribute(at: handle), old.kind != .unknown { return (old, earlierConfidence) }
            return known.map { ($0, .discovered) }
        }

        /// The whole table: discovered attributes take precedence over those known before.
        package var table: GATT.Table {
            guard var table = earlier else { return discovered }
            guard !discovered.isEmpty else { return table }
            for service in discovered.services { _ = table.learn(service) }
            for characteristic in discovered.characteristics { _ = table.learn(characteristic) }
            for descriptor in discovered.descriptors { _ = table.learn(descriptor) }
            return table
        }
    }

    /// A version in storage: tens of thousands have ended, and a few still grow.
    private struct Entry: Sendable {
        var device: Int32
        /// Index in `growing` during the span; -1 once the span has ended, when this entry holds the contents.
        var growingPlace: Int32
        /// Indices in `tables`; -1 for none.
        var discoveredTable: Int32 = 0
        var earlierTable: Int32 = -1
        var databaseHash: [UInt8]?
        var watched = ServerValueHandles()
        var earlierConfidence = GATT.Confidence.remembered
    }

    /// The versions, by `TableVersion.index`.
    private var entries = PagedArray<Entry>()
    /// Contents of the versions whose spans have not ended, and the free places among them.
    private var growing: [Version] = []
    private var freeGrowingPlaces: [Int32] = []
    private var growth = TableGrowth()
    /// Tables of equal content share their storage: thousands of devices of one kind cost one table. The first table is
    /// empty.
    private var tables = [GATT.Table()]
    private var placesOfTables: [GATT.Table: Int32] = [:]
    /// Number of entries in all tables that are kept.
    private var tableEntries = 0

    /// Versions kept; a later one replaces the last.
    static let versionLimit = 500_000
    /// Entries kept in all tables together, enough for tens of thousands of real tables. Tables beyond that are
    /// forgotten when their connection ends, so a flood of them cannot fill memory.
    static let entryLimit = 500_000

    /// Opens a version for a server, with the table known before.
    mutating func open(_ device: Int32, earlier: GATT.Table?, confidence: GATT.Confidence) -> TableVersion {
        append(
            Version(
                device: device, earlier: earlier, earlierConfidence: confidence,
                watched: earlier.map { ServerValueHandles(of: $0) } ?? ServerValueHandles()))
    }

    /// Opens a version for a server that has had one before.
    mutating func open(_ device: Int32, after version: TableVersion) -> TableVersion {
        let before = self[version]
        let confidence = before.discovered.isEmpty ? before.earlierConfidence : .remembered
        return append(
            Version(device: device, earlier: before.table, earlierConfidence: confidence, watched: before.watched))
    }

    /// Adds a version; beyond the limit it replaces the last one.
    private mutating func append(_ contents: Version) -> TableVersion {
        if entries.count < Self.versionLimit { entries.append(Entry(device: contents.device, growingPlace: -1)) }
        let index = entries.count - 1
        entries[index].device = contents.device
        if entries[index].growingPlace < 0 {
            entries[index].growingPlace = freeGrowingPlaces.popLast() ?? addGrowingPlace()
        }
        growing[Int(entries[index].growingPlace)] = contents
        return TableVersion(index: Int32(index))
    }

    private mutating func addGrowingPlace() -> Int32 {
        growing.append(Version())
        return Int32(growing.count - 1)
    }

    /// The contents of a version.
    package subscript(version: TableVersion) -> Version {
        let entry = entries[Int(version.index)]
        if entry.growingPlace >= 0 { return growing[Int(entry.growingPlace)] }
        return Version(
            device: entry.device, discovered: tables[Int(entry.discoveredTable)],
            earlier: entry.earlierTable < 0 ? nil : tables[Int(entry.earlierTable)],
            earlierConfidence: entry.earlierConfidence, databaseHash: entry.databaseHash, watched: entry.watched,
            stage: nil)
    }

    /// Approximate bytes not shared with `other`, which may be an earlier copy; without the tables themselves, which
    /// copies share.
    func footprint(beside other: AttributeTableStore) -> Int {
        entries.footprint(beside: other.entries) + growing.count * MemoryLayout<Version>.stride
            + placesOfTables.count * 64
    }

    /// The server of a version, in `Tracker.devices`; -1 where it is not known.
    func device(of version: TableVersion) -> Int32 { entries[Int(version.index)].device }

    /// The known attribute at a handle in a version, and the source of that knowledge; most versions looked up still
    /// grow.
    func attribute(at handle: Handle, of version: TableVersion) -> (GATT.Attribute, GATT.Confidence)? {
        let place = entries[Int(version.index)].growingPlace
        return place >= 0 ? growing[Int(place)].attribute(at: handle) : self[version].attribute(at: handle)
    }

    /// Index of a version in `growing`; a version that has ended grows again.
    private mutating func growingPlace(of version: TableVersion) -> Int {
        let index = Int(version.index)
        if entries[index].growingPlace < 0 {
            let contents = self[version]
            let place = freeGrowingPlaces.popLast() ?? addGrowingPlace()
            growing[Int(place)] = contents
            entries[index].growingPlace = place
        }
        return Int(entries[index].growingPlace)
    }

    /// Handles of the values that the tracker monitors.
    func watched(_ version: TableVersion) -> ServerValueHandles {
        let entry = entries[Int(version.index)]
        return entry.growingPlace < 0 ? entry.watched : growing[Int(entry.growingPlace)].watched
    }

    /// Opens a version for a server whose attributes in a range have changed; knowledge of its other attributes still
    /// holds.
    mutating func split(_ version: TableVersion, forgetting range: ClosedRange<Handle>) -> TableVersion {
        var contents = self[version]
        contents.discovered.forget(range)
        contents.earlier?.forget(range)
        contents.databaseHash = nil
        contents.watched.forget(range)
        contents.stage = nil
        return append(contents)
    }

    /// Effect of an observation on a version.
    enum Effect: Sendable {
        case agrees
        /// The observation contradicts the table known before the span, which is dropped.
        case endsEarlier
        /// The observation contradicts the span itself.
        case contradicts
    }

    /// Adds an entry that discovery showed.
    mutating func learn(_ version: TableVersion, _ entry: GATT.Table.Entry) -> Effect {
        let place = growingPlace(of: version)
        guard growing[place].discovered.learn(entry) != .contradiction else { return .contradicts }
        growing[place].stage = nil
        if case .characteristic(let characteristic) = entry { growing[place].watched.note(characteristic) }
        guard growing[place].earlier?.contradicts(entry) == true else { return .agrees }
        return endEarlier(place)
    }

    /// Applies a response that discovery of another server has already shown at the same stage; returns false if the
    /// response must be parsed.
    mutating func learn(_ version: TableVersion, _ response: RawSpan, to request: RequestFacts) -> Bool {
        guard let stage = stage(of: version), let next = growth.next(after: stage, response, to: request)
        else { return false }
        let place = growingPlace(of: version)
        growing[place].discovered = growth.table(at: next)
        growing[place].watched = growth.watched(at: next)
        growing[place].stage = next
        return true
    }

    /// The growth stage of a server's table that is known from discovery alone; nil for other tables.
    func stage(of version: TableVersion) -> Int32? {
        let entry = entries[Int(version.index)]
        guard entry.growingPlace >= 0, growing[Int(entry.growingPlace)].earlier == nil else { return nil }
        return growing[Int(entry.growingPlace)].stage
    }

    /// Remembers the effect of a response after a stage, for later servers.
    mutating func note(_ version: TableVersion, _ response: [UInt8], to request: RequestFacts, after stage: Int32) {
        guard entries.count < Self.versionLimit else { return }
        let place = growingPlace(of: version)
        growing[place].stage = growth.add(
            growing[place].discovered, growing[place].watched, after: stage, response, to: request)
    }

    /// Records the server's Database Hash; `previous` is the one that it reported before the span.
    mutating func noteHash(_ version: TableVersion, _ hash: [UInt8], previous: [UInt8]?) -> Effect {
        let place = growingPlace(of: version)
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

    /// Ends the span and stores the table in its smallest form.
    mutating func settle(_ version: TableVersion) {
        let place = entries[Int(version.index)].growingPlace
        guard place >= 0 else { return }
        let contents = growing[Int(place)]
        let stage = contents.stage
        let discoveredTable = stage.flatMap { growth[kept: $0] } ?? keep(contents.discovered)
        if let stage { growth[kept: stage] = discoveredTable }
        let earlierTable = contents.earlier.map { keep($0) } ?? -1
        entries[Int(version.index)] = Entry(
            device: contents.device, growingPlace: -1, discoveredTable: discoveredTable, earlierTable: earlierTable,
            databaseHash: contents.databaseHash, watched: contents.watched,
            earlierConfidence: contents.earlierConfidence)
        growing[Int(place)] = Version()
        freeGrowingPlaces.append(place)
    }

    /// Stores a table and returns its index in `tables`; equal tables share storage. When there is no room for more,
    /// the index is that of the empty table.
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

    /// A copy without the state that only further learning needs.
    func concluded() -> AttributeTableStore {
        var knowledge = self
        knowledge.growth = TableGrowth()
        knowledge.placesOfTables = [:]
        return knowledge
    }
}
