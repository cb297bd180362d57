package import Bluetooth

/// An advertising event, legacy or extended, with all its PDUs (Vol 6, Part B, 4.4.2).
package struct Advertisement: Hashable, Sendable {
    /// The advertising set that receives responses.
    package struct Source: Hashable, Sendable {
        /// Index of the controller on its radio.
        package var controller: Int
        /// Advertising handle; `AdvertisingSet.legacyHandle` for legacy commands.
        package var set: UInt8
    }

    /// Recipient of responses; the radio fills in the controller.
    package var source: Source
    /// Nil for anonymous advertising.
    package var advertiser: DeviceAddress?
    /// Target of directed advertising; nil for undirected advertising.
    package var target: DeviceAddress?
    package var properties: AdvertisingProperties
    /// Bits 0 to 2: channels 37 to 39.
    package var channels: UInt8
    /// 1 LE 1M, 3 LE Coded.
    package var primaryPHY: HCI.PHY
    /// PHY of the data of extended advertising; none for legacy advertising.
    package var secondaryPHY: HCI.PHY
    /// 0 to 15; extended advertising only.
    package var setID: UInt8
    /// Changes with the data; extended advertising only.
    package var dataID: UInt16
    /// ChSel: whether the advertiser supports Channel Selection Algorithm #2.
    package var supportsAlgorithm2: Bool
    /// Transmit power, in dBm.
    package var power: Int8
    package var data: [UInt8]
}

/// Advertising Event Properties (Vol 4, Part E, 7.8.53).
package struct AdvertisingProperties: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let connectable = Self(rawValue: 0x0001)
    package static let scannable = Self(rawValue: 0x0002)
    package static let directed = Self(rawValue: 0x0004)
    package static let highDutyCycle = Self(rawValue: 0x0008)
    package static let legacy = Self(rawValue: 0x0010)
    package static let anonymous = Self(rawValue: 0x0020)
    package static let includesPower = Self(rawValue: 0x0040)
    /// All defined bits.
    package static let all = Self(rawValue: 0x007F)
}

/// Reception of a packet.
package struct Reception: Hashable, Sendable {
    /// In dBm.
    package var rssi: Int8
    /// Whether the scanner received it.
    package var isForScanner = false
    /// Whether the initiator received it.
    package var isForInitiator = false
}

/// A scan request (Vol 6, Part B, 2.3.2.1).
package struct ScanRequest: Hashable, Sendable {
    package var target: Advertisement.Source
    package var scanner: DeviceAddress
}

/// A connection request (Vol 6, Part B, 2.3.3.1).
package struct ConnectRequest: Hashable, Sendable {
    package var target: Advertisement.Source
    package var initiator: DeviceAddress
    package var advertiser: DeviceAddress
    package var timing: LinkTiming
    package var channelMap: ChannelMap
    /// Sleep clock accuracy of the central, 0 to 7.
    package var clockAccuracy: UInt8
    /// Initial PHY of the link.
    package var phy: HCI.PHY
    /// Whether no response is expected, as on primary channels.
    package var isLegacy: Bool
    /// ChSel: whether the initiator supports Channel Selection Algorithm #2.
    package var supportsAlgorithm2: Bool
    /// Whether both ends support Channel Selection Algorithm #2, so that the connection uses it.
    package var usesAlgorithm2: Bool
}

/// Connection timing parameters of a link.
package struct LinkTiming: Hashable, Sendable {
    /// 6 to 3200, in units of 1.25 ms.
    package var interval: UInt16
    /// Number of connection events that the peripheral may skip, 0 to 499.
    package var latency: UInt16
    /// 10 to 3200, in units of 10 ms.
    package var timeout: UInt16
}
