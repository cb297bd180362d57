public import Bytes

extension HCI {
    /// Ends a connection (Vol 4, Part E, 7.1.6).
    public struct Disconnect: Command, Hashable {
        public static let opcode = Opcode.disconnect

        public var handle: ConnectionHandle
        /// Reason sent to the peer.
        public var reason: ErrorCode

        public init(handle: ConnectionHandle, reason: ErrorCode) {
            self.handle = handle
            self.reason = reason
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            reason = try reader.read(Parameter.reason.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(reason)
        }
    }

    /// Connection timing that a central requests (Vol 4, Part E, 7.8.12).
    public struct ConnectionTiming: WireFormat, Hashable {
        /// Connection interval, 6 to 3200, in 1.25 ms.
        public var intervalMin: UInt16
        /// Connection interval, 6 to 3200, in 1.25 ms.
        public var intervalMax: UInt16
        /// Connection events that the peripheral may skip, 0 to 499.
        public var maxLatency: UInt16
        /// 10 to 3200, in 10 ms.
        public var supervisionTimeout: UInt16
        /// Length of a connection event, in 0.625 ms.
        public var minEventLength: UInt16
        /// Length of a connection event, in 0.625 ms.
        public var maxEventLength: UInt16

        public init(
            intervalMin: UInt16, intervalMax: UInt16, maxLatency: UInt16 = 0, supervisionTimeout: UInt16,
            minEventLength: UInt16 = 0, maxEventLength: UInt16 = 0
        ) {
            self.intervalMin = intervalMin
            self.intervalMax = intervalMax
            self.maxLatency = maxLatency
            self.supervisionTimeout = supervisionTimeout
            self.minEventLength = minEventLength
            self.maxEventLength = maxEventLength
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            intervalMin = try reader.read(Parameter.leConnIntervalMin.inCommand)
            intervalMax = try reader.read(Parameter.leConnIntervalMax.inCommand)
            maxLatency = try reader.read(Parameter.leMaxLatency.inCommand)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inCommand)
            minEventLength = try reader.read(Parameter.leMinCELength.inCommand)
            maxEventLength = try reader.read(Parameter.leMaxCELength.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(intervalMin)
            writer.write(intervalMax)
            writer.write(maxLatency)
            writer.write(supervisionTimeout)
            writer.write(minEventLength)
            writer.write(maxEventLength)
        }
    }

    /// Connects to an advertiser (Vol 4, Part E, 7.8.12).
    public struct LECreateConnection: Command, Hashable {
        public static let opcode = Opcode.leCreateConnection

        /// 4 to 0x4000, in 0.625 ms.
        public var scanInterval: UInt16
        /// 4 to 0x4000, in 0.625 ms.
        public var scanWindow: UInt16
        /// 0: the peer below; 1: any device on the filter accept list.
        public var filterPolicy: UInt8
        public var peerType: AddressType
        public var peer: Address
        public var ownType: AddressType
        public var timing: ConnectionTiming

        public init(
            scanInterval: UInt16, scanWindow: UInt16, filterPolicy: UInt8 = 0, peerType: AddressType, peer: Address,
            ownType: AddressType, timing: ConnectionTiming
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.filterPolicy = filterPolicy
            self.peerType = peerType
            self.peer = peer
            self.ownType = ownType
            self.timing = timing
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            scanInterval = try reader.read(Parameter.leScanInterval.inCommand)
            scanWindow = try reader.read(Parameter.leScanWindow.inCommand)
            filterPolicy = try reader.read(Parameter.leInitiatorFilterPolicy.inCommand)
            peerType = try reader.read(Parameter.lePeerAddressType.inCommand)
            peer = try reader.readAddress(Parameter.bdAddr.inCommand)
            ownType = try reader.read(Parameter.leOwnAddressType.inCommand)
            timing = try ConnectionTiming(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(scanInterval)
            writer.write(scanWindow)
            writer.write(filterPolicy)
            writer.write(peerType)
            writer.write(peer)
            writer.write(ownType)
            timing.write(to: &writer)
        }
    }

    /// Cancels connecting (Vol 4, Part E, 7.8.13).
    public struct LECreateConnectionCancel: Command, Hashable {
        public static let opcode = Opcode.leCreateConnectionCancel

        public init() {}

        public init(reading reader: inout ByteReader) throws(DecodeError) {}

        public func write(to writer: inout ByteWriter) {}
    }

    /// Changes a connection's timing (Vol 4, Part E, 7.8.18).
    public struct LEConnectionUpdate: Command, Hashable {
        public static let opcode = Opcode.leConnectionUpdate

        public var handle: ConnectionHandle
        public var timing: ConnectionTiming

        public init(handle: ConnectionHandle, timing: ConnectionTiming) {
            self.handle = handle
            self.timing = timing
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            timing = try ConnectionTiming(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            timing.write(to: &writer)
        }
    }

    /// Suggests the maximum length of data PDUs (Vol 4, Part E, 7.8.33).
    public struct LESetDataLength: Command, Hashable {
        public static let opcode = Opcode.leSetDataLength

        public var handle: ConnectionHandle
        /// Payload, 27 to 251, in bytes.
        public var txOctets: UInt16
        /// 328 to 17040, in microseconds.
        public var txTime: UInt16

        public init(handle: ConnectionHandle, txOctets: UInt16, txTime: UInt16) {
            self.handle = handle
            self.txOctets = txOctets
            self.txTime = txTime
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            txOctets = try reader.read(Parameter.leTxOctets.inCommand)
            txTime = try reader.read(Parameter.leTxTime.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(txOctets)
            writer.write(txTime)
        }
    }
}
