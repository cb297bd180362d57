import Bluetooth
import Bytes
import PluginKit
package import Profile

/// The evidence by which all plugins recognize their devices: numbered signs.
struct EvidenceTable: Sendable {
    /// A sign, and the plugin for which it is evidence.
    struct Entry: Sendable {
        let plugin: Int
        let sign: Profile.Evidence.Sign
        let weight: Int
        let dialect: String?
    }

    private(set) var entries: [Entry] = []
    /// Number of plugins, with evidence or without.
    private let plugins: Int
    /// Plugins that the user named, by their indices: weak evidence suffices for them.
    private let named: [Int]
    private var services: [UUID: SignSet] = [:]
    private var characteristics: [UUID: SignSet] = [:]
    private var advertised: [GAP.DataOwner: [(sign: UInt16, prefix: [UInt8])]] = [:]
    private var names: [TextSign] = []
    private var information: [UUID: [TextSign]] = [:]

    /// A sign in a text that the pattern matches.
    private typealias TextSign = (sign: UInt16, pattern: BytePattern)

    /// Signs kept; a thousand plugins have fewer.
    private static let limit = 10_000

    init(_ plugins: [DevicePlugin], named: [Int] = []) {
        self.plugins = plugins.count
        self.named = named
        for (index, plugin) in plugins.enumerated() {
            for evidence in plugin.profile.profile.match where entries.count < Self.limit {
                let sign = UInt16(entries.count)
                entries.append(
                    Entry(
                        plugin: index, sign: evidence.sign, weight: evidence.weight, dialect: evidence.dialect))
                switch evidence.sign {
                case .service(let uuid): services[uuid, default: SignSet()].insert(sign)
                case .characteristic(let uuid): characteristics[uuid, default: SignSet()].insert(sign)
                case .manufacturer(let company, let prefix):
                    advertised[.company(company), default: []].append((sign, prefix))
                case .serviceData(let uuid, let prefix):
                    advertised[.service(uuid), default: []].append((sign, prefix))
                case .name(let text):
                    if let pattern = try? BytePattern(Array(text.utf8)) { names.append((sign, pattern)) }
                case .deviceInformation(let name, let text):
                    guard let type = Self.informationTypes[name], let pattern = try? BytePattern(Array(text.utf8))
                    else { continue }
                    information[type, default: []].append((sign, pattern))
                }
            }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Signs in advertising data.
    func signs(inAdvertisingData data: RawSpan) -> SignSet {
        var signs = SignSet()
        if !services.isEmpty { Self.add(GAP.serviceUUIDs(in: data), of: services, to: &signs) }
        if advertised.isEmpty { return signs }
        var cursor = GAP.StructureCursor(data)
        while let (owner, place) = cursor.nextOwned() {
            guard let candidates = advertised[owner] else { continue }
            for (sign, prefix) in candidates where data.extracting(place).begins(with: prefix) { signs.insert(sign) }
        }
        return signs
    }

    func signs(inName name: String) -> SignSet {
        name.isEmpty ? SignSet() : Self.signs(names, in: Array(name.utf8))
    }

    func signs(in table: GATT.Table) -> SignSet {
        var signs = SignSet()
        if !services.isEmpty { Self.add(table.services.lazy.map(\.type), of: services, to: &signs) }
        if !characteristics.isEmpty {
            Self.add(table.characteristics.lazy.map(\.type), of: characteristics, to: &signs)
        }
        return signs
    }

    private static func add(_ types: some Sequence<UUID>, of known: [UUID: SignSet], to signs: inout SignSet) {
        for type in types {
            if let found = known[type] { signs.formUnion(found) }
        }
    }

    /// Signs in a string of the Device Information service.
    func signs(inInformation type: UUID, _ value: ArraySlice<UInt8>) -> SignSet {
        guard let candidates = information[type] else { return SignSet() }
        return Self.signs(candidates, in: Array(value.prefix { $0 != 0 }))
    }

    private static func signs(_ candidates: [TextSign], in text: [UInt8]) -> SignSet {
        var signs = SignSet()
        for (sign, pattern) in candidates where pattern.matches(text) { signs.insert(sign) }
        return signs
    }

    /// Whether any plugin's evidence includes strings of the Device Information service.
    var looksAtInformation: Bool { !information.isEmpty }

    /// Whether any plugin's evidence includes Device Information strings of a type.
    func looksAtInformation(of type: UUID) -> Bool { information[type] != nil }

    /// Device Information characteristics, by their names in profiles (Device Information Service 1.1, 3).
    private static let informationTypes: [String: UUID] = [
        "model_number": UUID(0x2A24), "serial_number": UUID(0x2A25), "firmware_revision": UUID(0x2A26),
        "hardware_revision": UUID(0x2A27), "software_revision": UUID(0x2A28), "manufacturer_name": UUID(0x2A29),
    ]
}

/// The result of matching a device's evidence against all plugins.
package struct PluginMatch: Sendable, Hashable {
    /// Index in `PluginSet.plugins`; -1 for none.
    package var plugin = -1
    /// The dialect that the evidence indicates; nil if it indicates none or several.
    package var dialect: String?
    /// Plugins whose evidence weighs the same, so that none is chosen.
    package var rivals: [Int] = []
    /// The plugin whose evidence almost suffices, if none is chosen.
    package var near: NearMatch?

    package init(plugin: Int = -1, dialect: String? = nil, rivals: [Int] = [], near: NearMatch? = nil) {
        self.plugin = plugin
        self.dialect = dialect
        self.rivals = rivals
        self.near = near
    }

    package static let none = PluginMatch()
}

/// A plugin whose evidence reaches `Profile.Evidence.nearThreshold` but not the threshold.
package struct NearMatch: Sendable, Hashable {
    /// Index in `PluginSet.plugins`.
    package var plugin: Int
    /// Sum of the weights of the signs that the device showed.
    package var weight: Int
    /// The signs that the device did not show, with their weights.
    package var missing: [Sign]

    package struct Sign: Sendable, Hashable {
        package var sign: Profile.Evidence.Sign
        package var weight: Int
    }
}

extension EvidenceTable {
    /// The plugin with the greatest weight of signs that a device showed. A plugin that the user named wins below the
    /// threshold, and among plugins of equal weight.
    func match(_ signs: SignSet) -> PluginMatch {
        if signs.isEmpty { return .none }
        let signs = signs.numbers
        var weights = Array(repeating: 0, count: plugins)
        for sign in signs { weights[entries[Int(sign)].plugin] += entries[Int(sign)].weight }
        let best = weights.max() ?? 0
        let isEnough = best >= Profile.Evidence.threshold
        var candidates = weights.indices.filter { weights[$0] == best }
        if !isEnough || candidates.count > 1 {
            let asked = isEnough ? named.filter(candidates.contains) : named.filter { weights[$0] > 0 }
            let heaviest = asked.map { weights[$0] }.max()
            let forced = asked.filter { weights[$0] == heaviest }
            guard forced.count == 1 else {
                if isEnough { return PluginMatch(rivals: candidates) }
                return PluginMatch(near: near(candidates[0], best, signs))
            }
            candidates = forced
        }
        return PluginMatch(plugin: candidates[0], dialect: dialect(of: candidates[0], signs))
    }

    /// A near match for a weight below the threshold; nil if the weight is too low for one.
    private func near(_ plugin: Int, _ weight: Int, _ shown: [UInt16]) -> NearMatch? {
        guard weight >= Profile.Evidence.nearThreshold else { return nil }
        let missing = entries.indices.filter { entries[$0].plugin == plugin && !shown.contains(UInt16($0)) }
            .map { NearMatch.Sign(sign: entries[$0].sign, weight: entries[$0].weight) }
        return NearMatch(plugin: plugin, weight: weight, missing: missing)
    }

    /// The dialect of a plugin, if all its signs that name a dialect agree; else nil.
    private func dialect(of plugin: Int, _ signs: [UInt16]) -> String? {
        let own = signs.lazy.map { entries[Int($0)] }.filter { $0.plugin == plugin }
        return Profile.dialect(supportedBy: own.map(\.dialect))
    }
}
