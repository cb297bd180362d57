public import Bytes

extension LL {
    /// How a captured link layer packet begins.
    public enum CaptureFormat: UInt8, Sendable, Hashable {
        /// With its access address (LINKTYPE_BLUETOOTH_LE_LL, 251).
        case bare
        /// With a ten-byte pseudo-header (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, 256).
        case radio
        /// With an nRF Sniffer header (LINKTYPE_NORDIC_BLE, 272).
        case nordic
        /// With a PPI header (LINKTYPE_PPI, 192).
        case ppi
    }

    /// What kind of physical channel a packet was heard on.
    public enum Traffic: UInt8, Sendable, Hashable {
        /// The sniffer did not say: the access address tells advertising from data.
        case unspecified
        /// Advertising, periodic advertising included.
        case advertising
        /// A connection.
        case data
        case connectedIsochronous
        case broadcastIsochronous
    }

    /// What the sniffer knew about a packet, whatever the capture's format.
    public struct CaptureHeader: Hashable, Sendable {
        /// Nil when unknown, as are all others.
        public var channel: Channel?
        /// Received power in dBm.
        public var signal: Int8?
        /// Noise in dBm.
        public var noise: Int8?
        public var phy: PHY?
        public var direction = Direction.unknown
        public var traffic = Traffic.unspecified
        /// Which auxiliary advertising PDU, if the sniffer followed the pointers.
        public var auxiliary: AdvertisingContext?
        public var crc = Check.unknown
        public var mic = Check.unknown
        /// Whether the bytes are still encrypted; nil when the sniffer did not say.
        public var isEncrypted: Bool?
        /// Whether the sniffer has decrypted the bytes.
        public var isDecrypted = false
        public var accessAddressOffenses: UInt8?
        public var referenceAccessAddress: AccessAddress?
        /// Connection event counter.
        public var eventCounter: UInt16?
        /// The sniffer's own clock at the packet's start, in µs; wraps around.
        public var timestamp: UInt32?
        /// From the end of the last packet to the start of this one, in µs.
        public var deltaTime: UInt32?

        /// A packet about which nothing is known.
        public init() {}
    }
}

extension LL.CaptureHeader {
    /// Reads the pseudo-header of a captured packet; the reader then stands at the access address.
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
            case 256: try self.init(.radio, reading: &reader)
            default:
                throw reader.invalid(
                    LL.Fields.ppiLinkType, length: 0,
                    expected: "251 or 256, a Bluetooth LE link layer, not \(header.linkType)")
            }
        }
    }

    /// What a LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR pseudo-header says.
    public init(_ header: LL.RadioHeader) {
        typealias Flags = LL.RadioHeader.Flags
        let flags = header.flags
        // Of converters from a format without a channel.
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

    /// What an nRF Sniffer header says.
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
            // Some firmware leaves the flag clear on encrypted packets: clear, it says nothing.
            if flags.isEncrypted {
                mic = flags.isMICValid ? .valid : .invalid
                // The sniffer checks the MIC by decrypting, and hands on what it decrypted.
                isDecrypted = flags.isMICValid
                isEncrypted = !flags.isMICValid
            }
        }
    }

    /// What a PPI header says.
    public init(_ header: LL.PPIHeader) {
        guard let info = header.ubertooth else { return }
        channel = LL.Channel(frequency: info.frequency)
        signal = info.signalAverage
    }

    /// What a packet with this access address is; no connection may use that of advertising (Vol 6, Part B, 2.1.2).
    public func traffic(of accessAddress: LL.AccessAddress) -> LL.Traffic {
        if accessAddress == .advertising { return .advertising }
        return traffic == .unspecified ? .data : traffic
    }

    /// Whether a coding indicator follows the access address.
    public var hasCodingIndicator: Bool { phy == .leCoded }
}
