package import Bluetooth

/// Information that a controller has returned.
package struct ControllerInformation: Hashable, Sendable {
    /// HCI version, an assigned number; 12 is Core 5.3.
    package var version: UInt8 = 0
    /// Company identifier.
    package var manufacturer: UInt16 = 0
    package var publicAddress = Address(value: 0)
    package var leFeatures = LinkLayerFeatures(bits: 0)
    /// A bit for each command (Vol 4, Part E, 6.27); empty where the controller did not return it.
    package var supportedCommands: [UInt8] = []
    /// Longest load of an ACL data packet for LE, in bytes.
    package var packetLength = 27
    /// ACL data packets for LE that the controller keeps.
    package var packetCount = 1
    /// Whether LE uses the buffers of BR/EDR.
    package var hasSharedBuffers = false
    /// In bytes.
    package var maximumAdvertisingData = 31

    package init() {}

    /// Commands whose support the host asks for: octet and bit of the answer to Read Local Supported Commands.
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

    /// Whether the controller does extended advertising, scanning and connecting with all that they need.
    package var supportsExtendedAdvertising: Bool {
        let needed: [Command] = [
            .setAdvertisingSetRandomAddress, .setExtendedAdvertisingParameters, .setExtendedAdvertisingData,
            .setExtendedScanResponseData, .setExtendedAdvertisingEnable, .setExtendedScanParameters,
            .setExtendedScanEnable, .extendedCreateConnection,
        ]
        return needed.allSatisfy(supports)
    }
}
