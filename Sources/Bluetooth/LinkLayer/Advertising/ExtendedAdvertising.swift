public import Bytes

extension LL {
    /// The common payload of all extended and periodic advertising PDUs, from ADV_EXT_IND to AUX_CONNECT_RSP (Vol 6,
    /// Part B, 2.3.4).
    public struct ExtendedAdvertising: AdvertisingPDU, Hashable {
        public var mode: AdvertisingMode
        /// AdvA; TxAdd is its type.
        public var advertiser: Address?
        /// TargetA; RxAdd is its type.
        public var target: Address?
        public var cteInfo: CTEInfo?
        /// ADI: the advertising set and the version of its data.
        public var dataInfo: AdvertisingDataInfo?
        /// AuxPtr: the location of the next PDU.
        public var auxPointer: AuxPointer?
        /// The location of the periodic advertising train.
        public var syncInfo: SyncInfo?
        /// In dBm, −127 to 126.
        public var txPower: Int8?
        /// Additional controller advertising data (ACAD): AD structures for the controller; may be empty.
        public var controllerData: [UInt8]
        /// The host's advertising data, or a fragment of it.
        public var data: [UInt8]
        /// Whether the extended header has a flags byte although it has no fields.
        var hasEmptyFlags = false
        /// Bit 7 of the flags; reserved.
        var reservedFlag = false

        public init(
            mode: AdvertisingMode, advertiser: Address? = nil, target: Address? = nil, cteInfo: CTEInfo? = nil,
            dataInfo: AdvertisingDataInfo? = nil, auxPointer: AuxPointer? = nil, syncInfo: SyncInfo? = nil,
            txPower: Int8? = nil, controllerData: [UInt8] = [], data: [UInt8] = []
        ) {
            self.mode = mode
            self.advertiser = advertiser
            self.target = target
            self.cteInfo = cteInfo
            self.dataInfo = dataInfo
            self.auxPointer = auxPointer
            self.syncInfo = syncInfo
            self.txPower = txPower
            self.controllerData = controllerData
            self.data = data
        }

        public init(
            reading reader: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            let group = reader.begin(Fields.extendedHeader)
            let lengthAndMode = try reader.readBits(Fields.extendedLengthAndMode, as: UInt8.self)
            self.init(mode: AdvertisingMode(rawValue: lengthAndMode >> 6))
            var header = try reader.slice(count: Int(lengthAndMode & 0x3F), lengthSetBy: Fields.extendedLength)
            if !header.isAtEnd { try readHeader(&header, advertisingData: advertisingData) }
            reader.end(group)
            if !reader.isAtEnd { data = try advertisingData(&reader) }
        }

        /// The addresses in the extended header, as the two low bits of its flags. The reader is positioned before the
        /// header.
        static func addresses(ahead reader: borrowing ByteReader) -> UInt8 {
            let bytes = reader.rest
            guard bytes.byteCount >= 2, bytes.byte(at: 0) & 0x3F > 0 else { return 0 }
            return bytes.byte(at: 1) & 3
        }

        private mutating func readHeader(
            _ header: inout ByteReader, advertisingData: AdvertisingDataReader
        ) throws(DecodeError) {
            let flags: UInt8 = try header.read(Fields.extendedFlags)
            header.recordBits(flags, Fields.extendedFlagBits)
            reservedFlag = flags & 0x80 != 0
            hasEmptyFlags = header.isAtEnd && flags & 0x7F == 0
            if flags & 0x01 != 0 { advertiser = try header.readAddress(Fields.advertisingAddress) }
            if flags & 0x02 != 0 { target = try header.readAddress(Fields.targetAddress) }
            if flags & 0x04 != 0 {
                cteInfo = try header.read(Fields.extendedCTEInfo)
                header.recordBits(cteInfo?.rawValue ?? 0, Fields.extendedCTEInfoBits)
            }
            if flags & 0x08 != 0 {
                dataInfo = try header.read(Fields.dataInfo)
                header.recordBits(dataInfo?.rawValue ?? 0, Fields.dataInfoBits)
            }
            if flags & 0x10 != 0 { auxPointer = try AuxPointer(reading: &header) }
            if flags & 0x20 != 0 { syncInfo = try SyncInfo(reading: &header) }
            if flags & 0x40 != 0 { txPower = try header.read(Fields.extendedTxPower) }
            guard !header.isAtEnd else { return }
            let group = header.begin(Fields.controllerData)
            controllerData = try advertisingData(&header)
            header.end(group)
        }

        public func write(to writer: inout ByteWriter) {
            let header = encodedHeader
            writer.write(UInt8(truncatingIfNeeded: header.count) & 0x3F | mode.rawValue << 6)
            writer.write(header)
            writer.write(data)
        }

        /// The extended header with its flags; empty if it has no content.
        private var encodedHeader: [UInt8] {
            var flags: UInt8 = reservedFlag ? 0x80 : 0
            let fields = ByteWriter.bytes { writer in
                if let advertiser {
                    flags |= 0x01
                    writer.write(advertiser)
                }
                if let target {
                    flags |= 0x02
                    writer.write(target)
                }
                if let cteInfo {
                    flags |= 0x04
                    writer.write(cteInfo)
                }
                if let dataInfo {
                    flags |= 0x08
                    writer.write(dataInfo)
                }
                if let auxPointer {
                    flags |= 0x10
                    auxPointer.write(to: &writer)
                }
                if let syncInfo {
                    flags |= 0x20
                    syncInfo.write(to: &writer)
                }
                if let txPower {
                    flags |= 0x40
                    writer.write(txPower)
                }
                writer.write(controllerData)
            }
            return fields.isEmpty && flags == 0 && !hasEmptyFlags ? [] : [flags] + fields
        }
    }

    /// AdvMode: whether the advertiser accepts connections, scan requests or neither, 2 bits (Vol 6, Part B, 2.3.4.2).
    public struct AdvertisingMode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let nonconnectableNonscannable = Self(rawValue: 0)
        public static let connectable = Self(rawValue: 1)
        public static let scannable = Self(rawValue: 2)
    }

    /// Length and type of a Constant Tone Extension (Vol 6, Part B, 2.5.2).
    public struct CTEInfo: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Length in 8 µs, 2 to 20.
        public var time: UInt8 { rawValue & 0x1F }
        /// 0: AoA, 1: AoD with slots of 1 µs, 2: AoD with slots of 2 µs.
        public var type: UInt8 { rawValue >> 6 }
    }

    /// ADI: the advertising set and the version of its data (Vol 6, Part B, 2.3.4.4).
    public struct AdvertisingDataInfo: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// DID, 12 bits: changes with the data.
        public var dataID: UInt16 { rawValue & 0x0FFF }
        /// SID, 4 bits: the advertising set.
        public var setID: UInt8 { UInt8(rawValue >> 12) }
    }

    /// AuxPtr: channel, time and PHY of the next PDU (Vol 6, Part B, 2.3.4.5).
    public struct AuxPointer: WireFormat, Hashable {
        /// Channel index in bits 0 to 5, clock accuracy in 6, offset units in 7.
        public var channelBits: UInt8
        /// Offset in bits 0 to 12, PHY in 13 to 15.
        public var offsetBits: UInt16

        public init(channelBits: UInt8, offsetBits: UInt16) {
            self.channelBits = channelBits
            self.offsetBits = offsetBits
        }

        /// Channel index, 0 to 36.
        public var channel: Channel { Channel(rawValue: channelBits & 0x3F) }
        /// Whether the advertiser's clock accuracy is 50 ppm or better; otherwise it is 500 ppm or better.
        public var isAccurate: Bool { channelBits & 0x40 != 0 }
        /// From the start of this packet to the start of the next, in µs.
        public var offset: Int { Int(offsetBits & 0x1FFF) * (channelBits & 0x80 == 0 ? 30 : 300) }
        public var phy: PHY { PHY(rawValue: UInt8(offsetBits >> 13)) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let group = reader.begin(Fields.auxPointer)
            channelBits = try reader.readBits(Fields.auxPointerChannelBits)
            offsetBits = try reader.readBits(Fields.auxPointerOffsetBits)
            reader.end(group)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(channelBits)
            writer.write(offsetBits)
        }
    }

    /// Channel map, timing and access address of a periodic advertising train (Vol 6, Part B, 2.3.4.6).
    public struct SyncInfo: WireFormat, Hashable {
        /// Offset in bits 0 to 12, offset units in 13, offset adjust in 14.
        public var offsetBits: UInt16
        /// Periodic advertising interval, in 1.25 ms.
        public var interval: UInt16
        /// The channel map; its three most significant bits are the sleep clock accuracy.
        public var channelMapAndAccuracy: ChannelMap
        public var accessAddress: AccessAddress
        /// CRCInit of the train, 24 bits.
        public var crcInit: UInt32
        /// paEventCounter of the PDU that the offset indicates.
        public var eventCounter: UInt16

        /// The field names of a SyncInfo, which depend on the enclosing PDU.
        public struct Names: Sendable {
            let offset: [Field]
            let interval: Field
            let channelMap: Field
            let sleepClockAccuracy: Field
            let accessAddress: Field
            let crcInit: Field
            let eventCounter: Field
        }

        public init(
            offsetBits: UInt16, interval: UInt16, channelMap: ChannelMap, sleepClockAccuracy: SleepClockAccuracy,
            accessAddress: AccessAddress, crcInit: UInt32, eventCounter: UInt16
        ) {
            self.offsetBits = offsetBits
            self.interval = interval
            self.channelMapAndAccuracy = ChannelMap(
                bits: channelMap.bits & ChannelMap.all.bits | UInt64(sleepClockAccuracy.rawValue) << 37)
            self.accessAddress = accessAddress
            self.crcInit = crcInit
            self.eventCounter = eventCounter
        }

        /// From the start of this packet to the next packet of the train, in µs; 0 if not given.
        public var offset: Int {
            Int(offsetBits & 0x1FFF) * (offsetBits & 0x2000 == 0 ? 30 : 300)
                + (offsetBits & 0x4000 == 0 ? 0 : 2_457_600)
        }
        public var channelMap: ChannelMap { ChannelMap(bits: channelMapAndAccuracy.bits & ChannelMap.all.bits) }
        public var sleepClockAccuracy: SleepClockAccuracy {
            SleepClockAccuracy(rawValue: UInt8(channelMapAndAccuracy.bits >> 37))
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let group = reader.begin(Fields.syncInfo)
            try self.init(reading: &reader, names: Fields.extendedSyncInfo)
            reader.end(group)
        }

        init(reading reader: inout ByteReader, names: Names) throws(DecodeError) {
            offsetBits = try reader.readBits(names.offset)
            interval = try reader.read(names.interval)
            channelMapAndAccuracy = try reader.readChannelMap(names.channelMap, bits: ChannelMap.channelCount)
            reader.recorder?
                .add(
                    names.sleepClockAccuracy, value: channelMapAndAccuracy.bits >> 37, offset: reader.offset - 1,
                    length: 1)
            accessAddress = try reader.read(names.accessAddress)
            crcInit = UInt32(truncatingIfNeeded: try reader.read(names.crcInit, bytes: 3))
            eventCounter = try reader.read(names.eventCounter)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(offsetBits)
            writer.write(interval)
            writer.write(channelMapAndAccuracy)
            writer.write(accessAddress)
            writer.write(UInt64(crcInit), bytes: 3)
            writer.write(eventCounter)
        }
    }
}
