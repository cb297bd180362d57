package import Bluetooth
import Bytes
package import Host
import PluginKit
package import Profile

/// Devices that a client connects to without their address being named.
package enum PeerSelection: Hashable, Sendable {
    /// All devices; in the first 5 s of a search only these, if there are some.
    case any(first: Set<Address> = [])
    /// Only these devices.
    case known(Set<Address>)
    /// All devices but these.
    case new(except: Set<Address>)

    /// Duration for which a search prefers some devices.
    static let preference = Duration.seconds(5)

    /// Whether a search that began at `start` accepts a device.
    func accept(_ device: Address, searchingSince start: Timestamp, at now: Timestamp) -> Bool {
        switch self {
        case .any(let first): first.isEmpty || first.contains(device) || now >= start + Self.preference
        case .known(let devices): devices.contains(device)
        case .new(let known): !known.contains(device)
        }
    }

    /// Whether a client reconnects only to the device that it has found.
    var isBinding: Bool { if case .any = self { false } else { true } }
}

/// Recognizes the devices of a profile by their advertising data. Signs in advertisements and in scan responses add up.
package struct DeviceFinder: Sendable {
    private let signs: [(sign: Profile.Evidence.Sign, weight: Int, pattern: BytePattern?)]
    /// Indices of the signs seen from each device.
    private var shown: [DeviceAddress: Set<Int>] = [:]
    private var names: [DeviceAddress: String] = [:]
    /// The only accepted device; nil for any that shows enough signs.
    package var address: Address?
    /// Required prefix of the device's name; nil for any name.
    package var namePrefix: String?

    /// Maximum number of devices remembered; further ones are recognized by each advertisement alone.
    static let capacity = 256

    package init(_ profile: Profile) {
        signs = profile.match.map { evidence in
            guard case .name(let pattern) = evidence.sign else { return (evidence.sign, evidence.weight, nil) }
            return (evidence.sign, evidence.weight, try? BytePattern(Array(pattern.utf8)))
        }
    }

    /// The advertised name of a device; nil if none was seen.
    package func name(of address: DeviceAddress) -> String? { names[address] }

    package mutating func forgetAll() {
        shown = [:]
        names = [:]
    }

    /// Records the signs in an advertisement; returns whether all signs seen from its device identify it as one of the
    /// profile's.
    package mutating func record(_ advertisement: Host.Advertisement) -> Bool {
        var known = shown[advertisement.address] ?? []
        let services = advertisement.services
        if let name = advertisement.name, names.count < Self.capacity { names[advertisement.address] = name }
        let name = names[advertisement.address] ?? advertisement.name
        if let namePrefix, name?.hasPrefix(namePrefix) != true { return false }
        if let address { return advertisement.address.address == address }
        for (index, sign) in signs.enumerated() {
            let isShown =
                switch sign.sign {
                case .service(let uuid): services.contains(uuid)
                case .name: name.map { sign.pattern?.matches(Array($0.utf8)) == true } ?? false
                case .manufacturer, .serviceData: sign.sign.advertised.map { advertisement.shows($0) } ?? false
                case .characteristic, .deviceInformation: false
                }
            if isShown { known.insert(index) }
        }
        if shown.count < Self.capacity || shown[advertisement.address] != nil { shown[advertisement.address] = known }
        // A profile without signs matches the first connectable device.
        if signs.isEmpty { return advertisement.isConnectable }
        return known.reduce(0) { $0 + signs[$1].weight } >= Profile.Evidence.threshold
    }
}

extension Host.Advertisement {
    /// Whether the advertisement has data of this owner with this prefix.
    fileprivate func shows(_ sign: (owner: GAP.DataOwner, prefix: [UInt8])) -> Bool {
        let bytes = data
        var cursor = GAP.StructureCursor(bytes.span.rawBytes)
        while let (owner, place) = cursor.nextOwned() {
            if owner == sign.owner, bytes[place].starts(with: sign.prefix) { return true }
        }
        return false
    }
}
