package import Bluetooth

/// Identity and capabilities of a virtual controller.
package struct ControllerConfiguration: Sendable {
    /// Public address.
    package var address: Address
    /// 0x0D is 5.4.
    package var version = CoreVersion(rawValue: 0x0D)
    /// Company identifier; 0xFFFF is unassigned.
    package var company: UInt16 = 0xFFFF
    package var features = LinkLayerFeatures.virtual
    /// Maximum ACL data packet payload, 27 to 251 bytes.
    package var aclPacketLength: UInt16 = 251
    /// Number of ACL data buffers, 1 to 255.
    package var aclPacketCount: UInt8 = 12
    /// Maximum number of devices on the filter accept list.
    package var acceptListSize: UInt8 = 16
    /// Maximum number of devices on the resolving list.
    package var resolvingListSize: UInt8 = 16
    /// Number of advertising sets, 1 to 239.
    package var advertisingSets: UInt8 = 8
    /// Maximum number of concurrent connections.
    package var connections = 64
    /// Transmit power if the host has no preference, in dBm.
    package var power: Int8 = 0
    /// Clock error in parts per million, -500 to 500; positive if fast.
    package var clockError = 0.0

    package init(address: Address) {
        self.address = address
    }

    /// A Bluetooth 4.0 controller: 27-byte packets, few buffers, legacy advertising.
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

/// A feature supported by virtual controllers, by its bit number (Vol 6, Part B, 4.6).
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

    /// All features of virtual controllers.
    package static let virtual = LinkLayerFeatures(ControllerFeature.allCases)

    func contains(_ feature: ControllerFeature) -> Bool { contains(feature.rawValue) }
}
