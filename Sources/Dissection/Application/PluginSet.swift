package import BluetoothTypes
import Bytes
package import PluginKit

/// The plugins of a run, as the pipeline asks for them: by attribute type, by what a device shows of itself.
package struct PluginSet: Sendable {
    package let plugins: [DevicePlugin]
    /// Evidence of devices, of all plugins.
    let evidence: EvidenceTable
    /// Names of services and attributes that the assigned numbers do not have.
    let names: [UUID: String]
    /// Types of attributes whose values have to be followed in order.
    let followedTypes: Set<UUID>
    /// Plugins that read an attribute type, by their indices; those that describe one kind of device come first.
    private let readers: [UUID: [Reading]]
    private let advertisedServices: [UUID: Advertised]
    private let advertisedCompanies: [UInt16: Advertised]

    /// How one plugin reads an attribute type.
    package struct Reading: Sendable {
        /// Index in `plugins`.
        package let plugin: Int
        package let reader: AttributeReader
    }

    /// How one plugin reads data that are advertised.
    struct Advertised: Sendable {
        let plugin: Int
        let reader: AdvertisedReader
    }

    package static let none = PluginSet([])

    package init(_ plugins: [DevicePlugin]) {
        self.plugins = plugins
        evidence = EvidenceTable(plugins)
        var names: [UUID: String] = [:]
        var readers: [UUID: [Reading]] = [:]
        var followed: Set<UUID> = []
        var services: [UUID: Advertised] = [:]
        var companies: [UInt16: Advertised] = [:]
        for (index, plugin) in plugins.enumerated() {
            let profile = plugin.profile.profile
            for service in profile.services {
                names[service.uuid] = names[service.uuid] ?? service.title
                for characteristic in service.characteristics {
                    names[characteristic.uuid] = names[characteristic.uuid] ?? characteristic.title
                }
            }
            for (type, reader) in plugin.profile.attributes {
                readers[type, default: []].append(Reading(plugin: index, reader: reader))
            }
            for reader in plugin.profile.advertising {
                let advertised = Advertised(plugin: index, reader: reader)
                switch reader.carrier {
                case .serviceData(let service): services[service] = services[service] ?? advertised
                case .manufacturerData(let company): companies[company] = companies[company] ?? advertised
                }
            }
            followed.formUnion(plugin.followedTypes)
        }
        self.names = names
        self.readers = readers.mapValues { readings in
            readings.filter { !plugins[$0.plugin].isGeneral } + readings.filter { plugins[$0.plugin].isGeneral }
        }
        followedTypes = followed
        advertisedServices = services
        advertisedCompanies = companies
    }

    /// How to read an attribute type of a device that `plugin` describes, -1 for none: by that plugin, else by one that
    /// describes any device, else by the only one that knows the type.
    package func reading(of type: UUID, plugin: Int) -> Reading? {
        guard let readings = readers[type] else { return nil }
        if readings.count == 1 { return readings[0] }
        if let own = readings.first(where: { $0.plugin == plugin }) { return own }
        return readings.first { plugins[$0.plugin].isGeneral }
    }

    /// How to read the service data of a service.
    func advertised(service: UUID) -> Advertised? { advertisedServices[service] }

    /// How to read the manufacturer data of a company.
    func advertised(company: UInt16) -> Advertised? { advertisedCompanies[company] }

    /// Whether anything that is advertised is read.
    var readsAdvertising: Bool { !advertisedServices.isEmpty || !advertisedCompanies.isEmpty }
}

extension DevicePlugin {
    /// Types of the attributes that have to be followed in order: what conditions of the profile ask for, what messages
    /// are made of, and what the behaviour wants to know.
    fileprivate var followedTypes: Set<UUID> {
        let definition = profile.profile
        let named = Set(definition.messages.map(\.characteristic)).union(behaviour?.followed ?? [])
            .union(profile.contextCharacteristics)
        var types = Set(profile.attributes.filter { $0.value.usesContext }.keys)
        for service in definition.services {
            for characteristic in service.characteristics where named.contains(characteristic.name) {
                types.insert(characteristic.uuid)
            }
        }
        return types
    }
}
