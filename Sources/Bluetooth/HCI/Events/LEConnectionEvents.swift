public import Bytes

extension HCI {
    /// Reads the parameters that begin LE Connection Complete and all versions of LE Enhanced Connection Complete (Vol
    /// 4, Part E, 7.7.65.1 and 7.7.65.10).
    public static func readConnectionHead(
        _ reader: inout ByteReader
    ) throws(DecodeError) -> (
        status: ErrorCode, handle: ConnectionHandle, role: Role, peerType: AddressType, peer: Address
    ) {
        (
            try reader.read(Parameter.status.inEvent), try reader.read(Parameter.connectionHandle.inEvent),
            try reader.read(Parameter.role.inEvent), try reader.read(Parameter.lePeerAddressType.inEvent),
            try reader.readAddress(Parameter.bdAddr.inEvent)
        )
    }

    /// Reports that an LE connection was created or failed (Vol 4, Part E, 7.7.65.1).
    public struct LEConnectionComplete: LEEvent, Hashable {
        public static let subevent = LESubevent.connectionComplete

        public var status: ErrorCode
        public var handle: ConnectionHandle
        /// The local device's role.
        public var role: Role
        public var peerType: AddressType
        public var peer: Address
        /// In 1.25 ms.
        public var interval: UInt16
        /// Connection events that the peripheral may skip.
        public var latency: UInt16
        /// In 10 ms.
        public var supervisionTimeout: UInt16
        /// 0 is 500 ppm, 7 is 20 ppm; reported only to a peripheral.
        public var centralClockAccuracy: UInt8

        public init(
            status: ErrorCode = .success, handle: ConnectionHandle, role: Role, peerType: AddressType, peer: Address,
            interval: UInt16, latency: UInt16, supervisionTimeout: UInt16, centralClockAccuracy: UInt8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerType = peerType
            self.peer = peer
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.centralClockAccuracy = centralClockAccuracy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            (status, handle, role, peerType, peer) = try HCI.readConnectionHead(&reader)
            interval = try reader.read(Parameter.leConnInterval.inEvent)
            latency = try reader.read(Parameter.leMaxLatency.inEvent)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inEvent)
            centralClockAccuracy = try reader.read(Parameter.leClockAccuracy.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(role)
            writer.write(peerType)
            writer.write(peer)
            writer.write(interval)
            writer.write(latency)
            writer.write(supervisionTimeout)
            writer.write(centralClockAccuracy)
        }
    }

    /// Reports that an LE connection was created or failed, with resolvable private addresses (Vol 4, Part E,
    /// 7.7.65.10).
    public struct LEEnhancedConnectionComplete: LEEvent, Hashable {
        public static let subevent = LESubevent.enhancedConnectionComplete

        /// Length of the parameters in bytes, without those that version 2 adds.
        public static let length = 30

        public var status: ErrorCode
        public var handle: ConnectionHandle
        /// The local device's role.
        public var role: Role
        public var peerType: AddressType
        public var peer: Address
        /// The local device's resolvable private address; zero if it did not use one.
        public var localResolvable: Address
        /// The peer's resolvable private address; zero if it did not use one.
        public var peerResolvable: Address
        /// In 1.25 ms.
        public var interval: UInt16
        /// Connection events that the peripheral may skip.
        public var latency: UInt16
        /// In 10 ms.
        public var supervisionTimeout: UInt16
        /// 0 is 500 ppm, 7 is 20 ppm; reported only to a peripheral.
        public var centralClockAccuracy: UInt8

        public init(
            status: ErrorCode = .success, handle: ConnectionHandle, role: Role, peerType: AddressType, peer: Address,
            localResolvable: Address = Address(value: 0), peerResolvable: Address = Address(value: 0),
            interval: UInt16, latency: UInt16, supervisionTimeout: UInt16, centralClockAccuracy: UInt8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.role = role
            self.peerType = peerType
            self.peer = peer
            self.localResolvable = localResolvable
            self.peerResolvable = peerResolvable
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
            self.centralClockAccuracy = centralClockAccuracy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            (status, handle, role, peerType, peer) = try HCI.readConnectionHead(&reader)
            localResolvable = try reader.readAddress(Parameter.leLocalRPA.inEvent)
            peerResolvable = try reader.readAddress(Parameter.lePeerRPA.inEvent)
            interval = try reader.read(Parameter.leConnInterval.inEvent)
            latency = try reader.read(Parameter.leMaxLatency.inEvent)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inEvent)
            centralClockAccuracy = try reader.read(Parameter.leClockAccuracy.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(role)
            writer.write(peerType)
            writer.write(peer)
            writer.write(localResolvable)
            writer.write(peerResolvable)
            writer.write(interval)
            writer.write(latency)
            writer.write(supervisionTimeout)
            writer.write(centralClockAccuracy)
        }
    }

    /// Like version 1, with the advertising set or periodic advertising train that led to the connection (Vol 4, Part
    /// E, 7.7.65.10).
    public struct LEEnhancedConnectionCompleteV2: LEEvent, Hashable {
        public static let subevent = LESubevent.enhancedConnectionCompleteV2

        public var connection: LEEnhancedConnectionComplete
        /// 0xFF if the connection did not come from an advertising set of this device.
        public var advertisingHandle: UInt8
        /// 0xFFFF if the connection did not come from a periodic advertising train.
        public var syncHandle: UInt16

        public init(
            connection: LEEnhancedConnectionComplete, advertisingHandle: UInt8 = 0xFF, syncHandle: UInt16 = 0xFFFF
        ) {
            self.connection = connection
            self.advertisingHandle = advertisingHandle
            self.syncHandle = syncHandle
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            connection = try LEEnhancedConnectionComplete(reading: &reader)
            advertisingHandle = try reader.read(Parameter.advertisingHandle.inEvent)
            syncHandle = try reader.read(Parameter.syncHandle.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            connection.write(to: &writer)
            writer.write(advertisingHandle)
            writer.write(syncHandle)
        }
    }

    /// Reports that a connection's parameters were changed or the change failed (Vol 4, Part E, 7.7.65.3).
    public struct LEConnectionUpdateComplete: LEEvent, Hashable {
        public static let subevent = LESubevent.connectionUpdateComplete

        public var status: ErrorCode
        public var handle: ConnectionHandle
        /// In 1.25 ms.
        public var interval: UInt16
        /// Connection events that the peripheral may skip.
        public var latency: UInt16
        /// In 10 ms.
        public var supervisionTimeout: UInt16

        public init(
            status: ErrorCode = .success, handle: ConnectionHandle, interval: UInt16, latency: UInt16,
            supervisionTimeout: UInt16
        ) {
            self.status = status
            self.handle = handle
            self.interval = interval
            self.latency = latency
            self.supervisionTimeout = supervisionTimeout
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            interval = try reader.read(Parameter.leConnInterval.inEvent)
            latency = try reader.read(Parameter.leMaxLatency.inEvent)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(interval)
            writer.write(latency)
            writer.write(supervisionTimeout)
        }
    }
}
