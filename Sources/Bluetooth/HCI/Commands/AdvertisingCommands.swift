public import Bytes

extension HCI {
    /// Sets the advertising parameters (Vol 4, Part E, 7.8.5).
    public struct LESetAdvertisingParameters: Command, Hashable {
        public static let opcode = Opcode.leSetAdvertisingParameters

        /// 0x20 to 0x4000, in 0.625 ms.
        public var intervalMin: UInt16
        /// 0x20 to 0x4000, in 0.625 ms.
        public var intervalMax: UInt16
        /// 0 ADV_IND, 1 and 4 ADV_DIRECT_IND (high and low duty cycle), 2 ADV_SCAN_IND, 3 ADV_NONCONN_IND.
        public var type: UInt8
        public var ownType: AddressType
        /// Target of directed advertising.
        public var peerType: AddressType
        public var peer: Address
        /// Bits 0 to 2: channels 37 to 39.
        public var channelMap: UInt8
        /// Devices that may scan (bit 0) and connect (bit 1): 0 all, 1 devices on the filter accept list.
        public var filterPolicy: UInt8

        public init(
            intervalMin: UInt16, intervalMax: UInt16, type: UInt8 = 0, ownType: AddressType,
            peerType: AddressType = .publicDevice, peer: Address = Address(value: 0), channelMap: UInt8 = 7,
            filterPolicy: UInt8 = 0
        ) {
            self.intervalMin = intervalMin
            self.intervalMax = intervalMax
            self.type = type
            self.ownType = ownType
            self.peerType = peerType
            self.peer = peer
            self.channelMap = channelMap
            self.filterPolicy = filterPolicy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            intervalMin = try reader.read(Parameter.leAdvertisingIntervalMin.inCommand)
            intervalMax = try reader.read(Parameter.leAdvertisingIntervalMax.inCommand)
            type = try reader.read(Parameter.leAdvertisingType.inCommand)
            ownType = try reader.read(Parameter.leOwnAddressType.inCommand)
            peerType = try reader.read(Parameter.lePeerAddressType.inCommand)
            peer = try reader.readAddress(Parameter.bdAddr.inCommand)
            channelMap = try reader.read(Parameter.leAdvertisingChannelMap.inCommand)
            reader.recordBits(channelMap, Parameter.leAdvertisingChannelMap.parts(HCI.Side.command))
            filterPolicy = try reader.read(Parameter.leAdvertisingFilterPolicy.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(intervalMin)
            writer.write(intervalMax)
            writer.write(type)
            writer.write(ownType)
            writer.write(peerType)
            writer.write(peer)
            writer.write(channelMap)
            writer.write(filterPolicy)
        }
    }

    /// Sets the advertising data (Vol 4, Part E, 7.8.7).
    public struct LESetAdvertisingData: Command, Hashable {
        public static let opcode = Opcode.leSetAdvertisingData

        /// AD structures, at most 31 bytes.
        public var data: [UInt8]

        public init(data: [UInt8]) {
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self = try Self(reading: &reader, hooks: .none)
        }

        public init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError) {
            data = try reader.readLegacyData(Parameter.advertisingData.inCommand, hooks)
        }

        public func write(to writer: inout ByteWriter) {
            writer.writeLegacyData(data)
        }
    }

    /// Sets the scan response data (Vol 4, Part E, 7.8.8).
    public struct LESetScanResponseData: Command, Hashable {
        public static let opcode = Opcode.leSetScanResponseData

        /// AD structures, at most 31 bytes.
        public var data: [UInt8]

        public init(data: [UInt8]) {
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self = try Self(reading: &reader, hooks: .none)
        }

        public init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError) {
            data = try reader.readLegacyData(Parameter.scanResponseData.inCommand, hooks)
        }

        public func write(to writer: inout ByteWriter) {
            writer.writeLegacyData(data)
        }
    }

    /// Starts or stops advertising (Vol 4, Part E, 7.8.9).
    public struct LESetAdvertisingEnable: Command, Hashable {
        public static let opcode = Opcode.leSetAdvertisingEnable

        /// 0 stop, 1 start.
        public var enable: UInt8

        public init(enable: Bool) {
            self.enable = enable ? 1 : 0
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            enable = try reader.read(Parameter.leAdvertisingEnable.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(enable)
        }
    }

    /// Sets the scan parameters (Vol 4, Part E, 7.8.10).
    public struct LESetScanParameters: Command, Hashable {
        public static let opcode = Opcode.leSetScanParameters

        /// 0 passive, 1 active (with scan requests).
        public var type: UInt8
        /// 4 to 0x4000, in 0.625 ms.
        public var interval: UInt16
        /// 4 to 0x4000, in 0.625 ms.
        public var window: UInt16
        public var ownType: AddressType
        /// 0 and 2 all devices, 1 and 3 devices on the filter accept list; 2 and 3 also accept unresolved directed
        /// addresses.
        public var filterPolicy: UInt8

        public init(
            type: UInt8, interval: UInt16, window: UInt16, ownType: AddressType, filterPolicy: UInt8 = 0
        ) {
            self.type = type
            self.interval = interval
            self.window = window
            self.ownType = ownType
            self.filterPolicy = filterPolicy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            type = try reader.read(Parameter.leScanType.inCommand)
            interval = try reader.read(Parameter.leScanInterval.inCommand)
            window = try reader.read(Parameter.leScanWindow.inCommand)
            ownType = try reader.read(Parameter.leOwnAddressType.inCommand)
            filterPolicy = try reader.read(Parameter.leScanFilterPolicy.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(type)
            writer.write(interval)
            writer.write(window)
            writer.write(ownType)
            writer.write(filterPolicy)
        }
    }

    /// Starts or stops scanning (Vol 4, Part E, 7.8.11).
    public struct LESetScanEnable: Command, Hashable {
        public static let opcode = Opcode.leSetScanEnable

        /// 0 stop, 1 start.
        public var enable: UInt8
        /// 1: reports each advertiser once.
        public var filterDuplicates: UInt8

        public init(enable: Bool, filterDuplicates: Bool) {
            self.enable = enable ? 1 : 0
            self.filterDuplicates = filterDuplicates ? 1 : 0
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            enable = try reader.read(Parameter.leScanEnable.inCommand)
            filterDuplicates = try reader.read(Parameter.leFilterDuplicates.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(enable)
            writer.write(filterDuplicates)
        }
    }
}

extension ByteReader {
    /// Reads a length and 31 bytes, of which `length` are valid. A fault in the data is thrown after all bytes have
    /// been read.
    @_lifetime(self: copy self)
    fileprivate mutating func readLegacyData(
        _ field: @autoclosure () -> Field, _ hooks: HCI.Hooks
    ) throws(DecodeError) -> [UInt8] {
        let lengthField = HCI.Parameter.leDataLength.inCommand
        let length: UInt8 = try read(lengthField)
        if length > 31 { throw invalid(lengthField, length: 1, expected: "\(length) is more than 31 bytes") }
        var room = try slice(count: 31, lengthSetBy: lengthField)
        var data = try room.slice(count: Int(length), lengthSetBy: lengthField)
        let bytes = data.restBytes
        let fault = data.readAdvertisingData(field(), hooks)
        room.skipRest(HCI.Parameter.padding.inCommand)
        if let fault { throw fault }
        return bytes
    }
}

extension ByteWriter {
    fileprivate mutating func writeLegacyData(_ data: [UInt8]) {
        let data = data.prefix(31)
        write(UInt8(truncatingIfNeeded: data.count))
        write(Array(data))
        write([UInt8](repeating: 0, count: 31 - data.count))
    }
}
