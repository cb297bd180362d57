package import Bluetooth

/// Information that a controller has returned.
package struct ControllerInformation: Hashable, Sendable {
    /// HCI version, an assigned number; 12 is Core 5.3.
    package var version: UInt8 = 0
    /// Company identifier.
    package var manufacturer: UInt16 = 0
    package var publicAddress = Address(value: 0)
    package var leFeatures = LinkLayerFeatures(bits: 0)
    /// Bitmap of supported commands (Vol 4, Part E, 6.27); empty if the controller did not return it.
    package var supportedCommands: [UInt8] = []
    /// Maximum LE ACL data packet payload, in bytes.
    package var packetLength = 27
    /// Number of LE ACL data packets that the controller can buffer.
    package var packetCount = 1
    /// Whether LE shares the buffers of BR/EDR.
    package var hasSharedBuffers = false
    /// Maximum length of advertising data, in bytes.
    package var maximumAdvertisingData = 31

    package init() {}

    /// Commands whose support the host checks: octet × 8 + bit in the answer to Read Local Supported Commands.
    enum Command: Int, Sendable {
        case writeLEHostSupport = 198
        case setDataLength = 270
        case writeSuggestedDataLength = 272
        case setPHY = 286
        case setAdvertisingSetRandomAddress = 289
        case setExtendedAdvertisingParameters = 290
        case setExtendedAdvertisingData = 291
        case setExtendedScanResponseData = 292
        case setExtendedAdvertisingEnable = 293
        case readMaximumAdvertisingDataLength = 294
        case setExtendedScanParameters = 301
        case setExtendedScanEnable = 302
        case extendedCreateConnection = 303
    }

    func supports(_ command: Command) -> Bool {
        let (octet, bit) = (command.rawValue / 8, command.rawValue % 8)
        return octet < supportedCommands.count && supportedCommands[octet] >> UInt8(bit) & 1 == 1
    }

    /// Whether the controller supports extended advertising, scanning and connecting with all the commands they need.
    package var supportsExtendedAdvertising: Bool {
        let needed: [Command] = [
            .setAdvertisingSetRandomAddress, .setExtendedAdvertisingParameters, .setExtendedAdvertisingData,
            .setExtendedScanResponseData, .setExtendedAdvertisingEnable, .setExtendedScanParameters,
            .setExtendedScanEnable, .extendedCreateConnection,
        ]
        return needed.allSatisfy(supports)
    }
}
