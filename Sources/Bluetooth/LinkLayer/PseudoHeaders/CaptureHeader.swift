public import Bytes

extension LL {
    /// Header format of a captured Link Layer packet.
    public enum CaptureFormat: UInt8, Sendable, Hashable {
        /// No header: starts with the access address (LINKTYPE_BLUETOOTH_LE_LL, 251).
        case bare
        /// A ten-byte pseudo-header (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, 256).
        case radio
        /// An nRF Sniffer header (LINKTYPE_NORDIC_BLE, 272).
        case nordic
        /// A PPI header (LINKTYPE_PPI, 192).
        case ppi
    }

    /// The type of physical channel.
    public enum Traffic: UInt8, Sendable, Hashable {
        /// Not recorded by the sniffer: the access address distinguishes advertising from data.
        case unspecified
        /// Advertising, including periodic advertising.
        case advertising
        /// A connection.
        case data
        case connectedIsochronous
        case broadcastIsochronous
    }

    /// The sniffer's metadata of a packet, independent of the capture format.
    public struct CaptureHeader: Hashable, Sendable {
        /// Nil if unknown, like the other optional properties.
        public var channel: Channel?
        /// RSSI in dBm.
        public var signal: Int8?
        /// Noise in dBm.
        public var noise: Int8?
        public var phy: PHY?
        public var direction = Direction.unknown
        public var traffic = Traffic.unspecified
        /// The auxiliary advertising PDU, if the sniffer followed the AuxPtrs.
        public var auxiliary: AdvertisingContext?
        public var crc = Check.unknown
        public var mic = Check.unknown
        /// Whether the bytes are still encrypted; nil if the sniffer did not record it.
        public var isEncrypted: Bool?
        /// Whether the sniffer decrypted the bytes.
        public var isDecrypted = false
        public var accessAddressOffenses: UInt8?
        public var referenceAccessAddress: AccessAddress?
        /// Connection event counter.
        public var eventCounter: UInt16?
        /// The sniffer's clock at the start of the packet, in µs; wraps around.
        public var timestamp: UInt32?
        /// From the end of the previous packet to the start of this one, in µs.
        public var deltaTime: UInt32?

        /// Metadata with all properties unknown.
        public init() {}
    }
}

extension LL.CaptureHeader {
    /// Reads the pseudo-header of a captured packet. Afterwards the reader is positioned at the access address.
    public init(_ format: LL.CaptureFormat, reading reader: inout ByteReader) throws(DecodeError) {
        switch format {
        case .bare: self.init()
        case .radio:
            let group = reader.begin(LL.Fields.radioLayer)
            self.init(try LL.RadioHeader(reading: &reader))
            reader.end(group)
        case .nordic:
            let group = reader.begin(LL.Fields.nordicLayer)
            self.init(try LL.NordicHeader(reading: &reader))
            reader.end(group)
        case .ppi:
            let group = reader.begin(LL.Fields.ppiLayer)
            let header = try LL.PPIHeader(reading: &reader)
            reader.end(group)
            switch header.linkType {
            case 251: self.init(header)
            // Ubertooth wrote it before link type 251 existed.
            case 147 where header.ubertooth != nil: self.init(header)
            case 256: try self.init(.radio, reading: &reader)
            default:
                throw reader.invalid(
                    LL.Fields.ppiLinkType, length: 0,
                    expected: "251 or 256, a Bluetooth LE link layer, not \(header.linkType)")
            }
        }
    }

    /// Converts a LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR pseudo-header.
    public init(_ header: LL.RadioHeader) {
        typealias Flags = LL.RadioHeader.Flags
        let flags = header.flags
        // Converters from a format without a channel write a blank header.
        channel = header.isBlank ? nil : LL.Channel(radioChannel: header.radioChannel)
        if flags.has(Flags.signalValid) { signal = header.signal }
        if flags.has(Flags.noiseValid) { noise = header.noise }
        if flags.has(Flags.accessAddressOffensesValid) { accessAddressOffenses = header.accessAddressOffenses }
        if flags.has(Flags.referenceAccessAddressValid) { referenceAccessAddress = header.referenceAccessAddress }
        phy = flags.phy
        isDecrypted = flags.has(Flags.decrypted)
        if isDecrypted { isEncrypted = false }
        if flags.has(Flags.crcChecked) { crc = flags.has(Flags.crcValid) ? .valid : .invalid }
        if flags.pduType != 1, flags.has(Flags.micChecked) { mic = flags.has(Flags.micValid) ? .valid : .invalid }
        switch flags.pduType {
        case 1:
            traffic = .advertising
            auxiliary = LL.AdvertisingContext(auxiliaryType: flags.auxiliaryType)
        case 2, 3: traffic = .data
        case 4, 5: traffic = .connectedIsochronous
        case 6: traffic = .broadcastIsochronous
        default: break
        }
        switch flags.pduType {
        case 2, 4: direction = .centralToPeripheral
        case 3, 5: direction = .peripheralToCentral
        default: break
        }
    }

    /// Converts an nRF Sniffer header.
    public init(_ header: LL.NordicHeader) {
        let flags = header.flags
        channel = LL.Channel(index: Int(header.channel))
        signal = Int8(clamping: -Int(header.attenuation))
        phy = flags.phy
        crc = flags.isCRCValid ? .valid : .invalid
        if header.version == 3 { timestamp = header.time } else { deltaTime = header.time }
        if header.isAdvertising {
            traffic = .advertising
            if channel?.isPrimary == false {
                auxiliary = LL.AdvertisingContext(auxiliaryType: flags.auxiliaryType)
            }
        } else {
            traffic = .data
            direction = flags.isFromCentral ? .centralToPeripheral : .peripheralToCentral
            eventCounter = header.eventCounter
            // Some firmware never sets the flag, even on encrypted packets: a clear flag has no meaning.
            if flags.isEncrypted {
                mic = flags.isMICValid ? .valid : .invalid
                // The sniffer checks the MIC by decrypting, and delivers the decrypted packet.
                isDecrypted = flags.isMICValid
                isEncrypted = !flags.isMICValid
            }
        }
    }

    /// Converts a PPI header.
    public init(_ header: LL.PPIHeader) {
        guard let info = header.ubertooth else { return }
        channel = LL.Channel(frequency: info.frequency)
        signal = info.signalAverage
    }

    /// The physical channel type of a packet with this access address. No connection may use the advertising access
    /// address (Vol 6, Part B, 2.1.2).
    public func traffic(of accessAddress: LL.AccessAddress) -> LL.Traffic {
        if accessAddress == .advertising { return .advertising }
        return traffic == .unspecified ? .data : traffic
    }

    /// Whether a coding indicator follows the access address.
    public var hasCodingIndicator: Bool { phy == .leCoded }
}
