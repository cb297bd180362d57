import BluetoothTypes
import Bytes
import GAP
import PluginKit

extension TwinAdvertising {
    /// What a device says of itself if its profile is all that is known: the services and manufacturer data by which it is
    /// recognised, and its name. What the advertisement does not hold is in the scan response.
    init(of profile: Profile, dialect: String?) {
        let signs = profile.match.filter { $0.dialect == nil || $0.dialect == dialect }.map(\.sign)
        var services = signs.compactMap { if case .service(let uuid) = $0 { uuid } else { nil } }
        // A profile of values that any device may have is told by none of them.
        if profile.match.isEmpty { services = profile.services(of: dialect).map(\.uuid) }
        let long = services.filter { $0.uuid16 == nil }
        let short = services.filter { $0.uuid16 != nil }
        var structures: [GAP.AdvertisingStructure] = [.flags(Self.discoverable)]
        if !short.isEmpty { structures.append(.serviceUUIDs16(short)) }
        if !long.isEmpty { structures.append(.serviceUUIDs128(long)) }
        for case .manufacturer(let company, let data) in signs {
            structures.append(.manufacturerData(company: company, data))
        }
        if let name = profile.emulation?.name { structures.append(.completeLocalName(name)) }
        var parts: [[UInt8]] = [[], []]
        for structure in structures {
            let bytes = GAP.AdvertisingData([structure]).encoded
            let part = parts.firstIndex { $0.count + bytes.count <= Self.maximumLength }
            if let part { parts[part] += bytes }
        }
        let interval = profile.emulation?.interval.map { Duration.seconds($0) } ?? Self.usualInterval
        self.init(data: parts[0], scanResponse: parts[1], interval: interval)
    }

    /// LE General Discoverable Mode, BR/EDR not supported (Vol 3, Part C, 9.2.4).
    private static let discoverable: GAP.Flags = [.leGeneralDiscoverable, .bredrNotSupported]
    /// Bytes of a legacy advertisement, and of its scan response.
    private static let maximumLength = 31
    private static let usualInterval = Duration.milliseconds(100)
}
