import Bluetooth
import Bytes
import Captures
import Conversation
import Output
import PluginKit
import Profile

/// Collects what the connections of a capture share in its outline: attributes and the bytes of values, in bounded memory.
final class OutlineStore {
    private(set) var outline: CaptureOutline
    private let plugins: PluginSet
    private var places: [AttributePath: Int32] = [:]
    /// Attributes by table version and handle, while their table is known and does not grow.
    private var resolved: [Key: Int32] = [:]
    private var procedures = 0
    private var pairings = 0
    private var names = AttributeNames()

    private var tables: [TableKey: GATT.Table] = [:]
    /// Tables of servers at the ends of their connections; equal ones are kept once.
    private var servers: [ServerKey: ServerOutline] = [:]
    private var tableEntries = 0

    private struct TableKey: Hashable {
        let version: TableVersion
        let entries: Int
    }

    private struct ServerKey: Hashable {
        let table: GATT.Table
        let plugin: Int
    }

    private struct Key: Hashable {
        let version: TableVersion
        let handle: Handle
        let entries: Int
    }

    /// Procedures kept of a capture.
    static let procedureLimit = 250_000
    /// Bytes kept of all values, and of one value.
    static let (byteLimit, valueLimit) = (32 << 20, 1024)
    /// Connections and pairings kept of a capture.
    static let (connectionLimit, pairingLimit) = (10_000, 10_000)
    /// Entries kept of all tables; later tables are not compared.
    static let tableLimit = 500_000
    /// Tables that are remembered while attributes are looked up in them.
    private static let rememberedTables = 64
    /// Attributes found by handle that are remembered.
    private static let resolvedLimit = 65_536

    init(file: String, plugins: PluginSet) {
        outline = CaptureOutline(file: file)
        self.plugins = plugins
    }

    /// Takes a place for one more procedure; returns false if there is no room, and counts it.
    func addProcedure() -> Bool {
        guard procedures < Self.procedureLimit, outline.bytes.count < Self.byteLimit else {
            outline.omittedProcedures += 1
            return false
        }
        procedures += 1
        return true
    }

    /// Takes a place for one more pairing; returns false if there is no room.
    func addPairing() -> Bool {
        pairings += 1
        return pairings <= Self.pairingLimit
    }

    /// Adds a connection that has ended.
    func add(_ connection: ConnectionOutline) { outline.connections.append(connection) }

    func omitConnection() { outline.omittedConnections += 1 }

    /// Sets the number of frames, and sorts the connections.
    func finish(frames: Int) {
        outline.frames = frames
        outline.connections.sort { $0.number < $1.number }
    }

    /// Changes a connection that has ended.
    func update(_ change: (inout ConnectionOutline) -> Void) {
        for index in outline.connections.indices { change(&outline.connections[index]) }
    }

    // MARK: Attributes

    /// The number of the attribute at a handle of the server that a frame concerns; -1 for handle 0.
    func attribute(at handle: Handle, _ frame: EventFrame) -> Int32 {
        guard handle.rawValue != 0 else { return -1 }
        let server = frame.server
        let key = Key(version: frame.tableVersion, handle: handle, entries: Self.entries(of: server))
        if let known = resolved[key] { return known }
        let found: (path: AttributePath, name: String)
        if let server, let (attribute, _) = server.attribute(at: handle), attribute.kind != .unknown {
            let path = AttributePath(
                attribute, in: table(TableKey(version: key.version, entries: key.entries), server))
            found = (path, name(path, plugin: plugin(frame)))
        } else {
            found = (AttributePath(unknownAt: handle), "handle \(handle)")
        }
        let place = place(of: found.path, found.name)
        if resolved.count >= Self.resolvedLimit { resolved.removeAll(keepingCapacity: true) }
        resolved[key] = place
        return place
    }

    /// Number of entries of a server's table, which grows with discovery.
    static func entries(of server: AttributeTableStore.Version?) -> Int {
        server.map { $0.discovered.count + ($0.earlier?.count ?? 0) } ?? 0
    }

    private func place(of path: AttributePath, _ name: String) -> Int32 {
        if let place = places[path] { return place }
        let place = Int32(truncatingIfNeeded: outline.attributes.count)
        outline.attributes.append(OutlinedAttribute(path, name: name))
        places[path] = place
        return place
    }

    /// Index of the plugin that describes the server of a frame; -1 for none.
    func plugin(_ frame: EventFrame) -> Int { frame.view.batch.matches[frame.tableVersion]?.plugin ?? -1 }

    /// The id of the plugin that describes the server of a frame, unless it describes any device.
    func pluginID(_ frame: EventFrame) -> String? {
        let index = plugin(frame)
        return plugins.plugins.indices.contains(index) ? plugins.plugins[index].id : nil
    }

    private func name(_ path: AttributePath, plugin: Int) -> String {
        if let handle = path.handle { return "handle \(handle)" }
        func title(_ element: AttributePath.Element, isService: Bool = false) -> String {
            let assigned = isService ? names.service(element.type) : names.attribute(element.type)
            let name = plugins.name(of: element.type, plugin: plugin) ?? assigned
            return element.instance == 0 ? name : "\(name) #\(element.instance + 1)"
        }
        let owner = path.characteristic.map { title($0) }
        if let descriptor = path.descriptor {
            return [owner, title(descriptor)].compactMap { $0 }.joined(separator: " / ")
        }
        if let owner { return path.role == .declaration ? "\(owner) / declaration" : owner }
        return path.service.map { title($0, isService: true) } ?? "attribute"
    }

    /// A server's table with its names; nil where nothing of it is known, or where there is no room.
    func server(_ contents: AttributeTableStore.Version, plugin: Int) -> ServerOutline? {
        let key = ServerKey(table: contents.table, plugin: plugin)
        if key.table.isEmpty { return nil }
        if let known = servers[key] { return known }
        guard tableEntries + key.table.count <= Self.tableLimit else { return nil }
        tableEntries += key.table.count
        var own: [UUID: String] = [:]
        for type in key.table.services.map(\.type) + key.table.characteristics.map(\.type)
            + key.table.descriptors.map(\.type)
        {
            if let name = plugins.name(of: type, plugin: plugin) { own[type] = name }
        }
        let server = ServerOutline(table: key.table, names: own)
        servers[key] = server
        return server
    }

    /// The whole table of the server of a frame. The last ones are remembered, as putting one together takes time.
    private func table(_ key: TableKey, _ server: AttributeTableStore.Version) -> GATT.Table {
        if let known = tables[key] { return known }
        if tables.count >= Self.rememberedTables { tables.removeAll() }
        let table = server.table
        tables[key] = table
        return table
    }

    // MARK: Values

    /// Keeps the value that an ATT PDU carries; nil for a PDU without one, and for a key.
    func value(_ frame: EventFrame) -> ProcedureOutline.Value? {
        let (metadata, batch) = (frame.metadata, frame.view.batch)
        guard let attribute = metadata.attribute else { return nil }
        if attribute.opcode.listsValues { return listedValues(frame) }
        guard let piece = batch.valueOrPart(of: metadata) else { return nil }
        let bytes = batch.bytes(of: piece)
        let type = frame.server?.attribute(at: attribute.handle)?.0.type
        return keep(bytes, layout(of: bytes, type: type, frame))
    }

    /// Keeps the values of a PDU that can carry several, one after the other.
    private func listedValues(_ frame: EventFrame) -> ProcedureOutline.Value? {
        let (metadata, batch) = (frame.metadata, frame.view.batch)
        let values = batch.listedValues(of: metadata, plugins: plugins)
        guard let first = values.first else { return nil }
        let bytes = values.reduce(into: [UInt8]()) { $0 += batch.bytes(of: $1.piece) }
        guard values.count == 1 else { return keep(bytes[...], nil) }
        let type = batch.request(of: metadata)?.type ?? frame.server?.attribute(at: first.handle)?.0.type
        return keep(bytes[...], layout(of: bytes[...], type: type, frame))
    }

    private func keep(_ bytes: ArraySlice<UInt8>, _ layout: Layout?) -> ProcedureOutline.Value {
        let start = outline.bytes.count
        outline.bytes += bytes.prefix(Self.valueLimit)
        return ProcedureOutline.Value(range: start..<outline.bytes.count, length: bytes.count, layout: layout)
    }

    /// The type of a value in the profile of its device; nil if none describes it.
    private func layout(of bytes: ArraySlice<UInt8>, type: UUID?, _ frame: EventFrame) -> Layout? {
        let (metadata, batch) = (frame.metadata, frame.view.batch)
        guard let type, let operation = metadata.attribute?.opcode.operation,
            let reading = plugins.reading(of: type, plugin: plugin(frame))
        else { return nil }
        let number = ApplicationFacts.ValueNumber(frame: metadata.packet.number, value: 0)
        return batch.applications[number]?.layout
            ?? reading.reader.layout(for: operation, value: bytes.span.rawBytes, in: NoContext())
    }
}
