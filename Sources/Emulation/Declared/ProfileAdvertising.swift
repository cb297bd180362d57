import Bluetooth
import Bytes
import PluginKit
import Profile

extension TwinAdvertising {
    /// Advertised data and the AD structure that carries them.
    typealias Part = (carrier: EmulationDefinition.AdvertisedData.Carrier, value: [UInt8])

    /// The advertising data derived from a profile alone: the data of its section `emulate`, its match services and
    /// data prefixes, and its name. Structures that do not fit in the advertisement go into the scan response.
    init(of profile: Profile, dialect: String?, data: [Part] = []) {
        let signs = profile.match.filter { $0.dialect == nil || $0.dialect == dialect }.map(\.sign)
        var services = signs.compactMap { if case .service(let uuid) = $0 { uuid } else { nil } }
        // A profile without match signs advertises all its services.
        if profile.match.isEmpty { services = profile.services(of: dialect).map(\.uuid) }
        let long = services.filter { $0.uuid16 == nil }
        let short = services.filter { $0.uuid16 != nil }
        var structures: [GAP.AdvertisingStructure] = [.flags(Self.discoverable)]
        structures += data.map { GAP.AdvertisingStructure($0.carrier, $0.value) }
        if !short.isEmpty { structures.append(.serviceUUIDs16(short)) }
        if !long.isEmpty { structures.append(.serviceUUIDs128(long)) }
        for (owner, prefix) in signs.compactMap(\.advertised)
        where !data.contains(where: { $0.carrier == .data(owner) }) {
            structures.append(GAP.AdvertisingStructure(.data(owner), prefix))
        }
        if let name = profile.emulation?.name { structures.append(.completeLocalName(name)) }
        var parts: [[UInt8]] = [[], []]
        for structure in structures {
            let bytes = GAP.AdvertisingData([structure]).encoded
            let part = parts.firstIndex { $0.count + bytes.count <= Self.maximumLength }
            if let part { parts[part] += bytes }
        }
        let interval = profile.emulation?.interval.map { Duration.seconds($0) } ?? Self.usualInterval
        self.init(
            data: parts[0], scanResponse: parts[1], interval: interval,
            isConnectable: profile.emulation?.isConnectable ?? !profile.services(of: dialect).isEmpty)
    }

    /// LE General Discoverable Mode, BR/EDR not supported (Vol 3, Part C, 9.2.4).
    private static let discoverable: GAP.Flags = [.leGeneralDiscoverable, .bredrNotSupported]
    /// Maximum length of legacy advertising data and of scan response data, in bytes.
    private static let maximumLength = 31
    private static let usualInterval = Duration.milliseconds(100)
}

extension GAP.AdvertisingStructure {
    fileprivate init(_ carrier: EmulationDefinition.AdvertisedData.Carrier, _ value: [UInt8]) {
        switch carrier {
        case .data(.company(let company)): self = .manufacturerData(company: company, value)
        case .data(.service(let uuid)): self = .serviceData(uuid, value)
        case .structure(let type): self.init(GAP.DataType(rawValue: type), value)
        }
    }
}
