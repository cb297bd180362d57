public import Bytes

extension HCI {
    /// Reports that the peer requests other connection parameters, which the host accepts or rejects (Vol 4, Part E,
    /// 7.7.65.6).
    public struct LERemoteConnectionParameterRequest: LEEvent, Hashable {
        public static let subevent = LESubevent.remoteConnectionParameterRequest

        public var handle: ConnectionHandle
        /// In 1.25 ms.
        public var intervalMin: UInt16
        /// In 1.25 ms.
        public var intervalMax: UInt16
        /// Connection events that the peripheral may skip.
        public var maxLatency: UInt16
        /// In 10 ms.
        public var supervisionTimeout: UInt16

        public init(
            handle: ConnectionHandle, intervalMin: UInt16, intervalMax: UInt16, maxLatency: UInt16,
            supervisionTimeout: UInt16
        ) {
            self.handle = handle
            self.intervalMin = intervalMin
            self.intervalMax = intervalMax
            self.maxLatency = maxLatency
            self.supervisionTimeout = supervisionTimeout
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            intervalMin = try reader.read(Parameter.leConnIntervalMin.inEvent)
            intervalMax = try reader.read(Parameter.leConnIntervalMax.inEvent)
            maxLatency = try reader.read(Parameter.leMaxLatency.inEvent)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(intervalMin)
            writer.write(intervalMax)
            writer.write(maxLatency)
            writer.write(supervisionTimeout)
        }
    }

    /// Reports a change of the maximum length of data PDUs (Vol 4, Part E, 7.7.65.7).
    public struct LEDataLengthChange: LEEvent, Hashable {
        public static let subevent = LESubevent.dataLengthChange

        public var handle: ConnectionHandle
        /// Maximum payload that this device sends, 27 to 251, in bytes.
        public var maxTxOctets: UInt16
        /// 328 to 17040, in microseconds.
        public var maxTxTime: UInt16
        /// Maximum payload that this device expects to receive, 27 to 251, in bytes.
        public var maxRxOctets: UInt16
        /// 328 to 17040, in microseconds.
        public var maxRxTime: UInt16

        public init(
            handle: ConnectionHandle, maxTxOctets: UInt16, maxTxTime: UInt16, maxRxOctets: UInt16, maxRxTime: UInt16
        ) {
            self.handle = handle
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            maxTxOctets = try reader.read(Parameter.maxTxOctets.inEvent)
            maxTxTime = try reader.read(Parameter.maxTxTime.inEvent)
            maxRxOctets = try reader.read(Parameter.maxRxOctets.inEvent)
            maxRxTime = try reader.read(Parameter.maxRxTime.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(maxTxOctets)
            writer.write(maxTxTime)
            writer.write(maxRxOctets)
            writer.write(maxRxTime)
        }
    }

    /// Reports that a connection's PHYs were changed or the change failed (Vol 4, Part E, 7.7.65.12).
    public struct LEPHYUpdateComplete: LEEvent, Hashable {
        public static let subevent = LESubevent.phyUpdateComplete

        public var status: ErrorCode
        public var handle: ConnectionHandle
        public var txPHY: PHY
        public var rxPHY: PHY

        public init(status: ErrorCode = .success, handle: ConnectionHandle, txPHY: PHY, rxPHY: PHY) {
            self.status = status
            self.handle = handle
            self.txPHY = txPHY
            self.rxPHY = rxPHY
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            txPHY = try reader.read(Parameter.leTxPHY.inEvent)
            rxPHY = try reader.read(Parameter.leRxPHY.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(txPHY)
            writer.write(rxPHY)
        }
    }
}
