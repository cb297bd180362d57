public import Bytes

extension LL {
    /// Undirected advertising: ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND (Vol 6, Part B, 2.3.1).
    public struct UndirectedAdvertising: AdvertisingPDU, Hashable {
        /// AdvA; TxAdd is its type.
        public var advertiser: Address
        /// AdvData, at most 31 bytes.
        public var data: [UInt8]

        public init(advertiser: Address, data: [UInt8]) {
            self.advertiser = advertiser
            self.data = data
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            advertiser = try reader.readAddress(Fields.advertisingAddress)
            data = try advertisingData(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(advertiser)
            writer.write(data)
        }
    }

    /// Response to a scan request: SCAN_RSP (Vol 6, Part B, 2.3.2.2).
    public struct ScanResponse: AdvertisingPDU, Hashable {
        /// AdvA; TxAdd is its type.
        public var advertiser: Address
        /// ScanRspData, at most 31 bytes.
        public var data: [UInt8]

        public init(advertiser: Address, data: [UInt8]) {
            self.advertiser = advertiser
            self.data = data
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            advertiser = try reader.readAddress(Fields.advertisingAddress)
            data = []
            if reader.isAtEnd { return }
            data = try reader.withinValue(Fields.scanResponseData, advertisingData)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(advertiser)
            writer.write(data)
        }
    }

    /// Directed advertising: ADV_DIRECT_IND (Vol 6, Part B, 2.3.1.2).
    public struct DirectedAdvertising: AdvertisingPDU, Hashable {
        /// AdvA; TxAdd is its type.
        public var advertiser: Address
        /// TargetA; RxAdd is its type.
        public var target: Address

        public init(advertiser: Address, target: Address) {
            self.advertiser = advertiser
            self.target = target
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            advertiser = try reader.readAddress(Fields.advertisingAddress)
            target = try reader.readAddress(Fields.targetAddress)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(advertiser)
            writer.write(target)
        }
    }

    /// Asks an advertiser for its scan response: SCAN_REQ, AUX_SCAN_REQ (Vol 6, Part B, 2.3.2.1).
    public struct ScanRequest: AdvertisingPDU, Hashable {
        /// ScanA; TxAdd is its type.
        public var scanner: Address
        /// AdvA; RxAdd is its type.
        public var advertiser: Address

        public init(scanner: Address, advertiser: Address) {
            self.scanner = scanner
            self.advertiser = advertiser
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            scanner = try reader.readAddress(Fields.scanningAddress)
            advertiser = try reader.readAddress(Fields.advertisingAddress)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(scanner)
            writer.write(advertiser)
        }
    }

    /// Opens a connection: CONNECT_IND, AUX_CONNECT_REQ (Vol 6, Part B, 2.3.3.1).
    public struct ConnectInd: AdvertisingPDU, Hashable {
        /// InitA, the future central; TxAdd is its type.
        public var initiator: Address
        /// AdvA, the future peripheral; RxAdd is its type.
        public var advertiser: Address
        /// AA: access address of the new connection.
        public var accessAddress: AccessAddress
        /// CRCInit of the new connection, 24 bits.
        public var crcInit: UInt32
        /// WinSize: transmit window, in 1.25 ms.
        public var windowSize: UInt8
        /// WinOffset, in 1.25 ms: from 1.25 ms (or more, after an auxiliary PDU) after the end of this PDU to the
        /// transmit window.
        public var windowOffset: UInt16
        /// Connection interval, in 1.25 ms, 6 to 3200.
        public var interval: UInt16
        /// Connection events that the peripheral may skip, 0 to 499.
        public var latency: UInt16
        /// Supervision timeout, in 10 ms, 10 to 3200.
        public var timeout: UInt16
        public var channelMap: ChannelMap
        /// Hop increment of Channel Selection Algorithm #1, 5 to 16.
        public var hop: UInt8
        public var sleepClockAccuracy: SleepClockAccuracy

        public init(
            initiator: Address, advertiser: Address, accessAddress: AccessAddress, crcInit: UInt32, windowSize: UInt8,
            windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, channelMap: ChannelMap,
            hop: UInt8, sleepClockAccuracy: SleepClockAccuracy
        ) {
            self.initiator = initiator
            self.advertiser = advertiser
            self.accessAddress = accessAddress
            self.crcInit = crcInit
            self.windowSize = windowSize
            self.windowOffset = windowOffset
            self.interval = interval
            self.latency = latency
            self.timeout = timeout
            self.channelMap = channelMap
            self.hop = hop
            self.sleepClockAccuracy = sleepClockAccuracy
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            initiator = try reader.readAddress(Fields.initiatorAddress)
            advertiser = try reader.readAddress(Fields.advertisingAddress)
            let group = reader.begin(Fields.linkLayerData)
            accessAddress = try reader.read(Fields.connectAccessAddress)
            crcInit = UInt32(truncatingIfNeeded: try reader.read(Fields.connectCRCInit, bytes: 3))
            windowSize = try reader.read(Fields.connectWindowSize)
            windowOffset = try reader.read(Fields.connectWindowOffset)
            interval = try reader.read(Fields.connectInterval)
            latency = try reader.read(Fields.connectLatency)
            timeout = try reader.read(Fields.connectTimeout)
            channelMap = try reader.readChannelMap(Fields.connectChannelMap)
            let hopAndAccuracy = try reader.readBits(Fields.connectHopAndAccuracy, as: UInt8.self)
            hop = hopAndAccuracy & 0x1F
            sleepClockAccuracy = SleepClockAccuracy(rawValue: hopAndAccuracy >> 5)
            reader.end(group)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(initiator)
            writer.write(advertiser)
            writer.write(accessAddress)
            writer.write(UInt64(crcInit), bytes: 3)
            writer.write(windowSize)
            writer.write(windowOffset)
            writer.write(interval)
            writer.write(latency)
            writer.write(timeout)
            writer.write(channelMap)
            writer.write(hop & 0x1F | sleepClockAccuracy.rawValue << 5)
        }
    }

    /// Maximum deviation of a sleep clock, 3 bits (Vol 6, Part B, 2.3.3.1, table 2.13).
    public struct SleepClockAccuracy: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The range, e.g. "0 ppm to 20 ppm".
        public var name: String? {
            let names = Self.names
            guard Int(rawValue) < names.count else { return nil }
            return names[Int(rawValue)]
        }

        static let valueNames = ValueNames { Self(rawValue: UInt8(truncatingIfNeeded: $0)).name }

        private static let names = [
            "251 ppm to 500 ppm", "151 ppm to 250 ppm", "101 ppm to 150 ppm", "76 ppm to 100 ppm",
            "51 ppm to 75 ppm", "31 ppm to 50 ppm", "21 ppm to 30 ppm", "0 ppm to 20 ppm",
        ]
    }
}
