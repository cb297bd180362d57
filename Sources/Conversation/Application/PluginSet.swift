package import Bluetooth
package import Bytes
package import PluginKit
package import Profile

/// The plugins of a run, indexed for the pipeline by attribute type and by the evidence of devices.
package struct PluginSet: Sendable {
    package let plugins: [DevicePlugin]
    /// Plugins that the user named, by their indices: weak evidence suffices for them.
    package let named: [Int]
    /// Evidence for devices, of all plugins.
    let evidence: EvidenceTable
    /// The plugins as protocols: a field with each plugin's name, in the order of `plugins`.
    package let protocols: [Field]
    /// Names of services and attributes, with the plugins' indices, in the order of `plugins`.
    private let names: [UUID: [(plugin: Int, title: String)]]
    /// Attribute types whose values must be tracked in order.
    let followedTypes: Set<UUID>
    /// Plugins' readings of each attribute type; those of plugins for one kind of device come first.
    private let readers: [UUID: [Reading]]
    /// Plugins' readers of advertising data.
    private let advertised: [GAP.DataOwner: [Advertised]]

    /// How one plugin reads an attribute type. A class, because every frame with a value passes it on.
    package final class Reading: Sendable {
        /// Index in `plugins`.
        package let plugin: Int
        package let reader: AttributeReader
        /// A field for the characteristic that is recorded with each of its values: `aquavate.drink_data`; nil for
        /// descriptors, and where all values have a type with the characteristic's name, which is itself a field.
        package let characteristic: Field?
        /// Whether writes to it may determine the meaning of other values.
        let decidesOthers: Bool
        /// Whether other values answer writes to it.
        let isRequest: Bool
        /// Whether the plugin's behaviour follows its values.
        let isFollowed: Bool

        init(
            plugin: Int, reader: AttributeReader, characteristic: Field?, decidesOthers: Bool, isRequest: Bool,
            isFollowed: Bool
        ) {
            self.plugin = plugin
            self.reader = reader
            self.characteristic = characteristic
            self.decidesOthers = decidesOthers
            self.isRequest = isRequest
            self.isFollowed = isFollowed
        }
    }

    /// How one plugin reads advertising data.
    private struct Advertised: Sendable {
        let plugin: Int
        let reader: AdvertisedReader
        /// Prefixes of the plugin's data, according to its evidence; empty if that states none.
        let prefixes: [[UInt8]]

        /// Whether the data has one of the prefixes, or the plugin states none.
        func owns(_ data: RawSpan) -> Bool {
            if prefixes.isEmpty { return true }
            for prefix in prefixes where data.begins(with: prefix) { return true }
            return false
        }
    }

    package static let none = PluginSet([])

    package init(_ plugins: [DevicePlugin], named: [Int] = []) {
        self.plugins = plugins
        self.named = named
        evidence = EvidenceTable(plugins, named: named)
        var names: [UUID: [(plugin: Int, title: String)]] = [:]
        func name(_ type: UUID, _ title: String, _ plugin: Int) {
            if names[type, default: []].last?.plugin != plugin { names[type, default: []].append((plugin, title)) }
        }
        var readers: [UUID: [Reading]] = [:]
        var followed: Set<UUID> = []
        var advertised: [GAP.DataOwner: [Advertised]] = [:]
        let deciding = plugins.reduce(into: Set<String>()) { $0.formUnion($1.profile.contextCharacteristics) }
        for (index, plugin) in plugins.enumerated() {
            let profile = plugin.profile.profile
            for service in profile.services {
                name(service.uuid, service.title, index)
                for characteristic in service.characteristics {
                    name(characteristic.uuid, characteristic.title, index)
                }
            }
            for (type, reader) in plugin.profile.attributes {
                readers[type, default: []].append(
                    Reading(
                        plugin: index, reader: reader,
                        characteristic: reader.service == nil || reader.hasOnly(reader.name)
                            ? nil : Field("\(plugin.id).\(reader.name)", reader.title, .group),
                        decidesOthers: deciding.contains(reader.name),
                        isRequest: plugin.profile.requests.contains(reader.name),
                        isFollowed: plugin.behaviour?.followed.contains(reader.name) ?? false))
            }
            for reader in plugin.profile.advertising {
                advertised[reader.carrier, default: []].append(
                    Advertised(plugin: index, reader: reader, prefixes: profile.prefixes(of: reader.carrier)))
            }
            followed.formUnion(plugin.followedTypes)
        }
        self.names = names
        protocols = plugins.map { Field($0.id, $0.profile.profile.header.title, .group) }
        self.readers = readers.mapValues { readings in
            readings.filter { !plugins[$0.plugin].isGeneral } + readings.filter { plugins[$0.plugin].isGeneral }
        }
        followedTypes = followed
        self.advertised = advertised.mapValues { readers in
            readers.filter { !plugins[$0.plugin].isGeneral } + readers.filter { plugins[$0.plugin].isGeneral }
        }
        dependsOnAdvertiser = advertised.values.joined().contains { !plugins[$0.plugin].isGeneral }
    }

    /// How to read an attribute type of a device that `plugin` describes (-1 for none): with that plugin, else with one
    /// for any device, else, if no plugin describes the device, with the only plugin that knows the type.
    package func reading(of type: UUID, plugin: Int) -> Reading? {
        guard let readings = readers[type] else { return nil }
        if let own = readings.first(where: { $0.plugin == plugin }) { return own }
        if let general = readings.first(where: { plugins[$0.plugin].isGeneral }) { return general }
        return plugin < 0 && readings.count == 1 ? readings[0] : nil
    }

    /// The name of a service or an attribute of a device that `plugin` describes (-1 for none): that plugin's name for
    /// it, else the name by a plugin for any device.
    package func name(of type: UUID, plugin: Int) -> String? {
        name(of: type) { $0 == plugin }
    }

    /// The name of a service or an attribute by a plugin for which `describes` holds, else by a plugin for any device.
    package func name(of type: UUID, where describes: (Int) -> Bool) -> String? {
        guard let titles = names[type] else { return nil }
        let own = titles.first { describes($0.plugin) } ?? titles.first { plugins[$0.plugin].isGeneral }
        return own?.title
    }

    /// The plugin assumed for devices with too little evidence for any: the only one that the user named, if it
    /// describes a kind of device; -1 for none.
    package var assumed: Int {
        guard named.count == 1, !plugins[named[0]].isGeneral else { return -1 }
        return named[0]
    }

    /// The IDs of rival plugins, in order.
    package func ids(ofRivals rivals: Set<[Int]>) -> [[String]] {
        rivals.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.map { plugins[$0].id } }
    }

    /// Every field that values of the plugins record.
    package var fields: [Field] {
        let ofTypes = plugins.flatMap(\.fields)
        let numbers = Set(ofTypes.lazy.filter { $0.format != .group }.map(\.name))
        // A characteristic that shares its name with a number is found by the number.
        let characteristics = readers.values.joined().compactMap(\.characteristic)
            .filter { !numbers.contains($0.name) }
        return protocols + ofTypes + characteristics.sorted { $0.name < $1.name }
    }

    /// The length of all values that are read from an attribute type; nil if their lengths differ or are not known.
    func readLength(of type: UUID, plugin: Int) -> Int? {
        let lengths = Set((reading(of: type, plugin: plugin)?.reader.layouts(for: .read) ?? []).map(\.lengths))
        guard lengths.count == 1, let length = lengths.first, length.lowerBound == length.upperBound
        else { return nil }
        return length.lowerBound
    }

    /// Whether any plugin reads advertising data.
    package var readsAdvertising: Bool { !advertised.isEmpty }

    /// Whether the plugin that describes an advertiser affects how its data is read: not if only plugins for any device
    /// read advertising data.
    let dependsOnAdvertiser: Bool

    /// How to read advertising data of a device that `plugin` describes (-1 for none): with that plugin, else with the
    /// only plugin that owns the data, else with one for any device.
    package func advertisedForm(
        of carrier: GAP.DataOwner, _ data: RawSpan, plugin: Int
    ) -> (plugin: Int, layout: Layout)? {
        var form: (plugin: Int, layout: Layout)?
        var isAmbiguous = false
        guard let candidates = advertised[carrier] else { return nil }
        for candidate in candidates where candidate.plugin == plugin || candidate.owns(data) {
            // Plugins for any device come last.
            if form != nil, plugins[candidate.plugin].isGeneral { break }
            guard let layout = candidate.reader.layout(of: data, in: NoContext()) else { continue }
            if candidate.plugin == plugin { return (plugin, layout) }
            if let form, form.plugin != candidate.plugin { isAmbiguous = true }
            form = form ?? (candidate.plugin, layout)
        }
        return isAmbiguous ? nil : form
    }
}

extension RawSpan {
    func begins(with prefix: [UInt8]) -> Bool {
        guard prefix.count <= byteCount else { return false }
        let prefix = prefix.span.rawBytes
        var index = 0
        while index + 8 <= prefix.byteCount {
            let word: UInt64 = littleEndian(at: index)
            if word != prefix.littleEndian(at: index) { return false }
            index += 8
        }
        while index < prefix.byteCount {
            if byte(at: index) != prefix.byte(at: index) { return false }
            index += 1
        }
        return true
    }
}

extension DevicePlugin {
    /// Types of the attributes to track in order: those in conditions of the profile, those that carry messages, and
    /// those that the behaviour follows.
    fileprivate var followedTypes: Set<UUID> {
        let definition = profile.profile
        let named = Set(definition.messages.map(\.characteristic)).union(behaviour?.followed ?? [])
            .union(profile.contextCharacteristics).union(profile.requests)
        var types = Set(profile.attributes.filter { $0.value.usesContext }.keys)
        for service in definition.services {
            for characteristic in service.characteristics where named.contains(characteristic.name) {
                types.insert(characteristic.uuid)
            }
        }
        return types
    }
}
