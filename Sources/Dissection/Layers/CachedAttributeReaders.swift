import Bluetooth
import Captures
import Conversation

/// An attribute resolved for dissection: its names and the decoding of its values, shared by all frames.
final class CachedAttributeReader {
    fileprivate let tableVersion: TableVersion
    fileprivate let handle: Handle
    /// The attribute, without a value; nil if it is unknown.
    let use: DissectedFrame.AttributeUse?
    /// The plugin's decoding of its values; nil if no plugin decodes them.
    let reading: PluginSet.Reading?

    fileprivate init(
        _ handle: Handle, of tableVersion: TableVersion, _ use: DissectedFrame.AttributeUse?,
        _ reading: PluginSet.Reading?
    ) {
        self.tableVersion = tableVersion
        self.handle = handle
        self.use = use
        self.reading = reading
    }
}

/// Caches attributes while a batch is dissected. Tables do not change within a batch, and most frames use the same few
/// attributes.
struct CachedAttributeReaders {
    private var places: [CachedAttributeReader?] = Array(repeating: nil, count: Self.count)
    private var names = AttributeNames()
    /// The batch, identified by its first frame number.
    private var batch = -1

    /// A power of two; each place caches the last attribute that maps to it.
    private static let count = 64

    /// The attribute at a handle in a version of the server's table; nil if nothing is known of the server.
    mutating func attribute(
        _ handle: Handle, of tableVersion: TableVersion, in batch: borrowing TrackedBatch, _ plugins: PluginSet
    ) -> CachedAttributeReader? {
        if let first = batch.metadata.first?.packet.number, first != self.batch {
            self.batch = first
            for place in places.indices { places[place] = nil }
        }
        let place = (Int(handle.rawValue) &+ 7 &* Int(tableVersion.index)) & (Self.count - 1)
        if let known = places[place], known.handle == handle, known.tableVersion == tableVersion { return known }
        guard let table = batch.tableVersions[tableVersion] else { return nil }
        let attribute = handle.rawValue == 0 ? nil : table.attribute(at: handle)
        places[place] = known(handle, of: tableVersion, attribute, batch.matches[tableVersion]?.plugin ?? -1, plugins)
        return places[place]
    }

    /// The attribute at a handle with the type that the client requested, if the server's table does not contain it.
    mutating func attribute(
        _ handle: Handle, of tableVersion: TableVersion, type: UUID, in batch: borrowing TrackedBatch,
        _ plugins: PluginSet
    ) -> CachedAttributeReader {
        let known = attribute(handle, of: tableVersion, in: batch, plugins)
        if let known, known.use?.attribute.type != nil { return known }
        var attribute = known?.use?.attribute ?? GATT.Attribute(handle: handle, type: type, kind: .unknown)
        attribute.type = type
        return self.known(
            handle, of: tableVersion, (attribute, .discovered), batch.matches[tableVersion]?.plugin ?? -1, plugins)
    }

    private mutating func known(
        _ handle: Handle, of tableVersion: TableVersion, _ attribute: (GATT.Attribute, GATT.Confidence)?, _ plugin: Int,
        _ plugins: PluginSet
    ) -> CachedAttributeReader {
        let reading = attribute?.0.type.flatMap { plugins.reading(of: $0, plugin: plugin) }
        return CachedAttributeReader(handle, of: tableVersion, attribute.map { use($0, $1, plugin, plugins) }, reading)
    }

    private mutating func use(
        _ attribute: GATT.Attribute, _ confidence: GATT.Confidence, _ plugin: Int, _ plugins: PluginSet
    ) -> DissectedFrame.AttributeUse {
        DissectedFrame.AttributeUse(
            AttributeInWords(
                attribute, confidence,
                service: attribute.service.map { plugins.name(of: $0.type, plugin: plugin) ?? names.service($0.type) },
                owner: attribute.nameableOwner.map { plugins.name(of: $0, plugin: plugin) ?? names.attribute($0) },
                name: attribute.nameableType.map {
                    plugins.name(of: $0, plugin: plugin) ?? names.attribute($0)
                } ?? attribute.plainName))
    }
}

/// An attribute and its names, shared by all its uses.
final class AttributeInWords: Sendable {
    let attribute: GATT.Attribute
    let confidence: GATT.Confidence
    let service: String?
    let owner: String?
    let name: String?

    init(
        _ attribute: GATT.Attribute, _ confidence: GATT.Confidence, service: String?, owner: String?, name: String?
    ) {
        self.attribute = attribute
        self.confidence = confidence
        self.service = service
        self.owner = owner
        self.name = name
    }
}
