package import Bluetooth

/// What a virtual controller is and can do.
package struct ControllerConfiguration: Sendable {
    /// Public address.
    package var address: Address
    /// 0x0D is 5.4.
    package var version = CoreVersion(rawValue: 0x0D)
    /// Company identifier; 0xFFFF belongs to nobody.
    package var company: UInt16 = 0xFFFF
    package var features = LinkLayerFeatures.virtual
    /// Longest ACL data packet, 27 to 251, in bytes.
    package var aclPacketLength: UInt16 = 251
    /// ACL data packets that it keeps, 1 to 255.
    package var aclPacketCount: UInt8 = 12
    /// Devices on the filter accept list, at most.
    package var acceptListSize: UInt8 = 16
    /// Devices on the resolving list, at most.
    package var resolvingListSize: UInt8 = 16
    /// Advertising sets, 1 to 239.
    package var advertisingSets: UInt8 = 8
    /// Connections at one time.
    package var connections = 64
    /// Strength that signals leave with where the host has no wish, in dBm.
    package var power: Int8 = 0
    /// By how much its clock is fast, in parts per million; -500 to 500.
    package var clockError = 0.0

    package init(address: Address) {
        self.address = address
    }

    /// A controller of Bluetooth 4.0: no longer packets than 27 bytes, few buffers, legacy advertising.
    package static func old(address: Address) -> ControllerConfiguration {
        var configuration = ControllerConfiguration(address: address)
        configuration.version = CoreVersion(rawValue: 0x06)
        configuration.features = LinkLayerFeatures([.encryption])
        configuration.aclPacketLength = 27
        configuration.aclPacketCount = 4
        configuration.resolvingListSize = 0
        return configuration
    }
}

/// A feature that the virtual controllers know, by the number of its bit (Vol 6, Part B, 4.6).
package enum ControllerFeature: Int, CaseIterable, Sendable {
    case encryption = 0
    case connectionParameterRequest = 1
    case extendedReject = 2
    case peripheralFeatureExchange = 3
    case dataLength = 5
    case privacy = 6
    case phy2M = 8
    case phyCoded = 11
    case extendedAdvertising = 12
    case channelSelection2 = 14
}

extension LinkLayerFeatures {
    package init(_ features: [ControllerFeature]) {
        self.init(bits: features.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    }

    /// All that the virtual controllers can do.
    package static let virtual = LinkLayerFeatures(ControllerFeature.allCases)

    func contains(_ feature: ControllerFeature) -> Bool { contains(feature.rawValue) }
}
