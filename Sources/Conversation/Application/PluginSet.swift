package import Bluetooth
package import Bytes
package import PluginKit
package import Profile

/// The plugins of a run, as the pipeline asks for them: by attribute type, by what a device shows of itself.
package struct PluginSet: Sendable {
    package let plugins: [DevicePlugin]
    /// Plugins that the user named, by their indices: weak evidence is enough for them.
    package let named: [Int]
    /// Evidence of devices, of all plugins.
    let evidence: EvidenceTable
    /// The plugins as protocols: a field of each one's name, in the order of `plugins`.
    package let protocols: [Field]
    /// What plugins call services and attributes, by the plugins' indices; those that describe any device come last.
    private let names: [UUID: [(plugin: Int, title: String)]]
    /// Types of attributes whose values have to be followed in order.
    let followedTypes: Set<UUID>
    /// Plugins that read an attribute type, by their indices; those that describe one kind of device come first.
    private let readers: [UUID: [Reading]]
    /// Plugins that read what is advertised.
    private let advertised: [GAP.DataOwner: [Advertised]]

    /// How one plugin reads an attribute type. A class: every frame with a value passes it on.
    package final class Reading: Sendable {
        /// Index in `plugins`.
        package let plugin: Int
        package let reader: AttributeReader
        /// The characteristic as a field that is there with each of its values: `aquavate.drink_data`; nil for
        /// descriptors, and where all values have a type of the characteristic's name, which is a field.
        package let characteristic: Field?
        /// Whether what is written to it may decide what other values mean.
        let decidesOthers: Bool
        /// Whether values of others answer what is written to it.
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

    /// How one plugin reads data that are advertised.
    private struct Advertised: Sendable {
        let plugin: Int
        let reader: AdvertisedReader
        /// How data begin that are the plugin's, by its evidence; empty where it says nothing.
        let prefixes: [[UInt8]]

        /// Whether the data by themselves are the plugin's.
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

    /// How to read an attribute type of a device that `plugin` describes, -1 for none: by that plugin, else by one that
    /// describes any device, else, if no plugin describes the device, by the only one that knows the type.
    package func reading(of type: UUID, plugin: Int) -> Reading? {
        guard let readings = readers[type] else { return nil }
        if let own = readings.first(where: { $0.plugin == plugin }) { return own }
        if let general = readings.first(where: { plugins[$0.plugin].isGeneral }) { return general }
        return plugin < 0 && readings.count == 1 ? readings[0] : nil
    }

    /// What to call a service or an attribute of a device that `plugin` describes, -1 for none: its name there, else that
    /// of a plugin which describes any device.
    package func name(of type: UUID, plugin: Int) -> String? {
        name(of: type) { $0 == plugin }
    }

    /// What to call a service or an attribute of devices that only those plugins describe for which `describes` holds.
    package func name(of type: UUID, where describes: (Int) -> Bool) -> String? {
        guard let titles = names[type] else { return nil }
        let own = titles.first { describes($0.plugin) } ?? titles.first { plugins[$0.plugin].isGeneral }
        return own?.title
    }

    /// The plugin that is taken for devices which show too little of any: the only one that the user named and that
    /// describes a kind of device; -1 for none.
    package var assumed: Int {
        guard named.count == 1, !plugins[named[0]].isGeneral else { return -1 }
        return named[0]
    }

    /// The ids of plugins that rival each other, in order.
    package func ids(ofRivals rivals: Set<[Int]>) -> [[String]] {
        rivals.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.map { plugins[$0].id } }
    }

    /// Every field that values of the plugins record.
    package var fields: [Field] {
        let ofTypes = plugins.flatMap(\.fields)
        let numbers = Set(ofTypes.lazy.filter { $0.format != .group }.map(\.name))
        // A characteristic whose name is that of a number, too, is found by the number.
        let characteristics = readers.values.joined().compactMap(\.characteristic)
            .filter { !numbers.contains($0.name) }
        return protocols + ofTypes + characteristics.sorted { $0.name < $1.name }
    }

    /// The length that all values have which are read from an attribute type; nil where they differ or are not known.
    func readLength(of type: UUID, plugin: Int) -> Int? {
        let lengths = Set((reading(of: type, plugin: plugin)?.reader.layouts(for: .read) ?? []).map(\.lengths))
        guard lengths.count == 1, let length = lengths.first, length.lowerBound == length.upperBound
        else { return nil }
        return length.lowerBound
    }

    /// Whether anything that is advertised is read.
    package var readsAdvertising: Bool { !advertised.isEmpty }

    /// Whether which plugin describes an advertiser decides how its data are read: not where only plugins read them that
    /// describe no device.
    let dependsOnAdvertiser: Bool

    /// How to read data that a device advertises which `plugin` describes, -1 for none: by that plugin, else by the only
    /// one that they belong to, else by one that describes any device.
    package func advertisedForm(
        of carrier: GAP.DataOwner, _ data: RawSpan, plugin: Int
    ) -> (plugin: Int, layout: Layout)? {
        var form: (plugin: Int, layout: Layout)?
        var isAmbiguous = false
        guard let candidates = advertised[carrier] else { return nil }
        for candidate in candidates where candidate.plugin == plugin || candidate.owns(data) {
            // Plugins that describe any device come last.
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
    /// Whether the first bytes are these.
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
    /// Types of the attributes that have to be followed in order: what conditions of the profile ask for, what messages
    /// are made of, and what the behaviour wants to know.
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
