public import Bytes

/// Values with the sender's addresses, roles, features and preferred connection parameters.
extension GAP {
    /// Connection interval that the peripheral prefers (CSS, Part A, 1.9).
    public struct ConnectionIntervalRange: Value, Hashable {
        /// In 1.25 ms, 6 to 3200; 0xFFFF: no preference.
        public var minimum: UInt16
        /// In 1.25 ms, 6 to 3200; 0xFFFF: no preference.
        public var maximum: UInt16

        public init(minimum: UInt16, maximum: UInt16) {
            self.minimum = minimum
            self.maximum = maximum
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            minimum = try reader.read(Fields.connectionIntervalMinimum)
            maximum = try reader.read(Fields.connectionIntervalMaximum)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(minimum)
            writer.write(maximum)
        }
    }

    /// Device addresses: the intended recipients (CSS, Part A, 1.13 and 1.14), or the sender's address in out-of-band
    /// data.
    public struct DeviceAddresses: Value, Hashable {
        public var addresses: [Address]

        public init(addresses: [Address]) {
            self.addresses = addresses
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            addresses = []
            while !reader.isAtEnd { addresses.append(try reader.readAddress(Fields.address)) }
        }

        public func write(to writer: inout ByteWriter) {
            for address in addresses { writer.write(address) }
        }
    }

    /// Advertising interval of the sender (CSS, Part A, 1.15).
    public struct AdvertisingInterval: Value, Hashable {
        /// In 0.625 ms.
        public var interval: UInt16

        public init(interval: UInt16) {
            self.interval = interval
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            interval = try reader.read(Fields.advertisingInterval)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(interval)
        }
    }

    /// Advertising interval of the sender, for intervals above 16 bits (CSS, Part A, 1.15).
    public struct LongAdvertisingInterval: Value, Hashable {
        /// In 0.625 ms.
        public var interval: UInt32
        /// Size of the interval in bytes: 3 or 4.
        private var size: Int

        public init(interval: UInt32) {
            self.interval = interval
            size = interval < 1 << 24 ? 3 : 4
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            size = reader.remaining == 4 ? 4 : 3
            interval = UInt32(truncatingIfNeeded: try reader.read(Fields.advertisingInterval, bytes: size))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt64(interval), bytes: size)
        }
    }

    /// The sender's LE address (CSS, Part A, 1.16): the address, then its type.
    public struct LEDeviceAddress: Value, Hashable {
        public var address: Address
        /// Bit 0: 0 public, 1 random; the other bits are reserved.
        public var type: UInt8

        public init(address: Address, type: UInt8) {
            self.address = address
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            address = try reader.readAddress(Fields.address)
            type = try reader.readBits(Fields.addressTypeBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(address)
            writer.write(type)
        }
    }

    /// Roles that the sender supports (CSS, Part A, 1.17).
    public struct LERole: Value, Hashable {
        /// 0: peripheral, 1: central, 2: both, peripheral preferred, 3: both, central preferred.
        public var role: UInt8

        public init(role: UInt8) {
            self.role = role
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            role = try reader.read(Fields.leRole)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(role)
        }
    }

    /// Link Layer features of the sender (CSS, Part A, 1.19), without trailing zero bytes.
    public struct LESupportedFeatures: Value, Hashable {
        /// Feature 0 is bit 0 of the first byte.
        public var bytes: [UInt8]

        public init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// The features in the first eight bytes.
        public var features: LinkLayerFeatures {
            LinkLayerFeatures(bits: bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            bytes = []
            while !reader.isAtEnd {
                let byte: UInt8 = try reader.read(Fields.leFeatures)
                if bytes.count < Fields.leFeatureBits.count {
                    reader.recordBits(byte, Fields.leFeatureBits[bytes.count])
                }
                bytes.append(byte)
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bytes)
        }
    }

    /// The next channel map of periodic advertising (CSS, Part A, 1.20).
    public struct ChannelMapUpdate: Value, Hashable {
        public var channelMap: ChannelMap
        /// Periodic event counter at which the map takes effect.
        public var instant: UInt16

        public init(channelMap: ChannelMap, instant: UInt16) {
            self.channelMap = channelMap
            self.instant = instant
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            channelMap = try reader.readChannelMap(Fields.channelMap)
            instant = try reader.read(Fields.instant)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(channelMap)
            writer.write(instant)
        }
    }

    /// Subevents and response slots of periodic advertising with responses (CSS, Part A, 1.24).
    public struct PeriodicResponseTiming: Value, Hashable {
        /// Access address of the responses.
        public var accessAddress: UInt32
        public var subeventCount: UInt8
        /// In 1.25 ms.
        public var subeventInterval: UInt8
        /// From the start of a subevent to its first response slot, in 1.25 ms.
        public var responseSlotDelay: UInt8
        /// Between response slots, in 0.125 ms.
        public var responseSlotSpacing: UInt8

        public init(
            accessAddress: UInt32, subeventCount: UInt8, subeventInterval: UInt8, responseSlotDelay: UInt8,
            responseSlotSpacing: UInt8
        ) {
            self.accessAddress = accessAddress
            self.subeventCount = subeventCount
            self.subeventInterval = subeventInterval
            self.responseSlotDelay = responseSlotDelay
            self.responseSlotSpacing = responseSlotSpacing
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            accessAddress = try reader.read(Fields.responseAccessAddress)
            subeventCount = try reader.read(Fields.subeventCount)
            subeventInterval = try reader.read(Fields.subeventInterval)
            responseSlotDelay = try reader.read(Fields.responseSlotDelay)
            responseSlotSpacing = try reader.read(Fields.responseSlotSpacing)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(accessAddress)
            writer.write(subeventCount)
            writer.write(subeventInterval)
            writer.write(responseSlotDelay)
            writer.write(responseSlotSpacing)
        }
    }
}
