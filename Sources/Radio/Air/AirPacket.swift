package import Bluetooth
package import Bytes

/// A packet on the air as a sniffer beside the controllers receives it (Vol 6, Part B, 2.1).
package struct AirPacket: Hashable, Sendable {
    /// Physical channel and direction, as the pseudo-header of a capture states them.
    package enum Traffic: Hashable, Sendable {
        /// On a primary advertising channel.
        case advertising
        /// On a secondary advertising channel; AUX_SCAN_REQ and the PDUs of connecting are `.auxiliary`.
        case secondary(LL.AdvertisingContext)
        case central
        case peripheral
    }

    /// Start of the preamble.
    package var time: Timestamp
    package var channel: LL.Channel
    package var phy: LL.PHY
    package var accessAddress: LL.AccessAddress
    /// Header and payload.
    package var pdu: [UInt8]
    /// In the form of `LL.crc(of:initial:)`.
    package var crc: UInt32
    package var isCRCValid = true
    /// In dBm.
    package var signal: Int8
    package var traffic: Traffic
    /// Index of the sending controller.
    package var sender: Int

    /// The packet with the pseudo-header of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR (256).
    package var frame: [UInt8] {
        typealias Flags = LL.RadioHeader.Flags
        var flags =
            Flags.dewhitened | Flags.signalValid | Flags.referenceAccessAddressValid | Flags.crcChecked
            | UInt16(phy.rawValue & 3) << 14
        if isCRCValid { flags |= Flags.crcValid }
        switch traffic {
        case .advertising: break
        case .secondary(let context): flags |= Flags.auxiliaryAdvertising | Self.auxiliaryType(of: context) << 12
        case .central: flags |= Flags.centralData
        case .peripheral: flags |= Flags.peripheralData
        }
        let header = LL.RadioHeader(
            radioChannel: channel.radioChannel, signal: signal, referenceAccessAddress: accessAddress,
            flags: Flags(rawValue: flags))
        return ByteWriter.bytes { writer in
            header.write(to: &writer)
            writer.write(accessAddress)
            // Coding indicator: S=8.
            if phy == .leCoded { writer.write(0 as UInt8) }
            writer.write(pdu)
            LL.writeCRC(crc, to: &writer)
        }
    }

    /// The pseudo-header's type of auxiliary PDU.
    private static func auxiliaryType(of context: LL.AdvertisingContext) -> UInt16 {
        switch context {
        case .chain: 1
        case .periodic: 2
        case .scanResponse: 3
        default: 0
        }
    }
}
