import Bytes

/// The Link Layer packet within a sniffer's packet, and the sniffer's reception metadata.
package struct LinkLayerView {
    /// Offset of the access address in the batch.
    package var start: Int
    /// Number of bytes from the access address to the end.
    package var count: Int
    /// The reception metadata; nil if the format has none.
    package var reception: Reception?

    /// The pseudo-header of link type 256 (tcpdump.org, LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
    package struct Reception: Hashable {
        package var bytes: [UInt8]

        package static let size = 10

        /// A pseudo-header that states only that the packet is dewhitened, which holds for every capture.
        package static let unknown = Self(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    }
}

extension CapturedPacket {
    /// The packet as a Link Layer packet; nil for an HCI capture and for a packet with an invalid header.
    package func linkLayerView(in bytes: RawSpan) -> LinkLayerView? {
        switch encapsulation {
        case .linkLayer: LinkLayerView(start: start, count: count)
        case .linkLayerWithHeader: viewAfterPseudoHeader(in: bytes)
        case .nordic: viewAfterNordicHeader(in: bytes)
        case .ppi: viewAfterPPIHeader(in: bytes)
        case .h4, .h4WithDirection, .h1, .monitor, .monitorWithHeader, .packetLogger, .usb: nil
        }
    }

    private func viewAfterPseudoHeader(in bytes: RawSpan) -> LinkLayerView? {
        let size = LinkLayerView.Reception.size
        guard count >= size else { return nil }
        let header = (0..<size).map { bytes.byte(at: start + $0) }
        return LinkLayerView(
            start: start + size, count: count - size, reception: LinkLayerView.Reception(bytes: header))
    }

    /// PPI: version, flags, 16-bit header length and 32-bit link type of the content, little-endian; then fields, each
    /// with a type of 16 bits. Ubertooth's field stands before Link Layer packets whose link type is 147 in captures
    /// from before 251 existed.
    private func viewAfterPPIHeader(in bytes: RawSpan) -> LinkLayerView? {
        guard count >= 8 else { return nil }
        let size = Int(bytes.littleEndian(at: start + 2, as: UInt16.self))
        let linkType = LinkType(rawValue: bytes.littleEndian(at: start + 4))
        let isOfUbertooth = size >= 12 && count >= 12 && bytes.littleEndian(at: start + 8, as: UInt16.self) == 30006
        guard linkType == .linkLayer || linkType.rawValue == 147 && isOfUbertooth, (8...count).contains(size) else {
            return nil
        }
        return LinkLayerView(start: start + size, count: count - size)
    }

    /// nRF Sniffer, protocol versions 2 and 3 (Nordic's `sniffer_uart_protocol.txt`): a board number, a 6-byte packet
    /// header and a 10-byte radio header.
    private func viewAfterNordicHeader(in bytes: RawSpan) -> LinkLayerView? {
        let radio = start + 7
        let size = 17
        guard count >= size, (2...3).contains(bytes.byte(at: start + 3)), bytes.byte(at: radio) == 10 else {
            return nil
        }
        // Version 3 has a packet ID for it; in version 2, the access address decides.
        let isAdvertising =
            bytes.byte(at: start + 3) == 3
            ? bytes.byte(at: start + 6) == 2
            : count >= size + 4 && bytes.littleEndian(at: start + size, as: UInt32.self) == 0x8E89_BED6
        // AUX_ADV_IND, AUX_CHAIN_IND, AUX_SYNC_IND or AUX_SCAN_RSP: the PDU type does not distinguish them.
        let isAuxiliary = isAdvertising && count > size + 4 && bytes.byte(at: start + size + 4) & 0x0F == 0x07
        return LinkLayerView(
            start: start + size, count: count - size,
            reception: LinkLayerView.Reception(
                nordicFlags: bytes.byte(at: radio + 1), channel: bytes.byte(at: radio + 2),
                attenuation: bytes.byte(at: radio + 3), isAdvertising: isAdvertising, isAuxiliary: isAuxiliary))
    }
}

extension LinkLayerView.Reception {
    private enum Flag {
        static let dewhitened: UInt16 = 0x0001
        static let signalValid: UInt16 = 0x0002
        static let decrypted: UInt16 = 0x0008
        static let auxiliaryAdvertising: UInt16 = 1 << 7
        static let centralToPeripheral: UInt16 = 2 << 7
        static let peripheralToCentral: UInt16 = 3 << 7
        static let checksumChecked: UInt16 = 0x0400
        static let checksumValid: UInt16 = 0x0800
        static let integrityChecked: UInt16 = 0x1000
        static let integrityValid: UInt16 = 0x2000
    }

    /// Converts the nRF Sniffer header: `channel` is a channel index, `attenuation` the RSSI in -dBm.
    init(nordicFlags: UInt8, channel: UInt8, attenuation: UInt8, isAdvertising: Bool, isAuxiliary: Bool) {
        let isEncrypted = nordicFlags & 0x04 != 0
        let hasGoodIntegrity = nordicFlags & 0x08 != 0
        var flags = Flag.dewhitened | Flag.signalValid | Flag.checksumChecked
        if nordicFlags & 0x01 != 0 { flags |= Flag.checksumValid }
        if isAdvertising {
            // On secondary channels, the MIC bits hold the type of auxiliary PDU.
            if isAuxiliary, channel < 37 { flags |= Flag.auxiliaryAdvertising | UInt16(nordicFlags >> 1 & 0x03) << 12 }
        } else {
            flags |= nordicFlags & 0x02 != 0 ? Flag.centralToPeripheral : Flag.peripheralToCentral
            if isEncrypted { flags |= Flag.integrityChecked }
            if isEncrypted, hasGoodIntegrity { flags |= Flag.integrityValid | Flag.decrypted }
        }
        flags |= UInt16(nordicFlags >> 4 & 0x03) << 14
        self.init(
            radioChannel: Self.radioChannel(of: channel), signal: UInt8(truncatingIfNeeded: -Int(attenuation)),
            flags: flags)
    }

    /// A packet heard on a channel index with a signal strength in dBm, of which only the CRC was checked.
    init(channel: UInt8, signal: Int8, isChecksumValid: Bool) {
        self.init(
            radioChannel: Self.radioChannel(of: channel), signal: signal, phy: 0, isChecksumValid: isChecksumValid)
    }

    /// A packet on an RF channel, in order of frequency.
    ///
    /// - Parameters:
    ///   - signal: in dBm; nil if not stated.
    ///   - phy: 0 for LE 1M, 1 for LE 2M, 2 for LE Coded.
    ///   - isChecksumValid: nil if the CRC was not checked.
    init(radioChannel: UInt8, signal: Int8?, phy: UInt16, isChecksumValid: Bool?) {
        var flags = Flag.dewhitened | phy << 14
        if signal != nil { flags |= Flag.signalValid }
        if let isChecksumValid { flags |= Flag.checksumChecked | (isChecksumValid ? Flag.checksumValid : 0) }
        self.init(radioChannel: radioChannel, signal: UInt8(bitPattern: signal ?? 0), flags: flags)
    }

    private init(radioChannel: UInt8, signal: UInt8, flags: UInt16) {
        var writer = ByteWriter()
        writer.write(radioChannel)
        writer.write(signal)
        writer.write(0 as UInt8)
        writer.write(0 as UInt8)
        writer.write(0 as UInt32)
        writer.write(flags)
        bytes = writer.bytes
    }

    /// RF channel number, in order of frequency, for a channel index (Vol 6, Part B, 1.4.1).
    private static func radioChannel(of index: UInt8) -> UInt8 {
        switch index {
        case 0...10: index + 1
        case 11...36: index + 2
        case 37: 0
        case 38: 12
        default: index
        }
    }
}
