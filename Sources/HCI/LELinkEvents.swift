package import BluetoothTypes
package import Bytes

extension HCI {
    /// The peer asks for another timing; the host answers yes or no (Vol 4, Part E, 7.7.65.6).
    package struct LERemoteConnectionParameterRequest: LEEvent, Hashable {
        package static let subevent = LESubevent.remoteConnectionParameterRequest

        package var handle: ConnectionHandle
        /// In 1.25 ms.
        package var intervalMin: UInt16
        /// In 1.25 ms.
        package var intervalMax: UInt16
        /// Connection events that the peripheral may skip.
        package var maxLatency: UInt16
        /// In 10 ms.
        package var supervisionTimeout: UInt16

        package init(
            handle: ConnectionHandle, intervalMin: UInt16, intervalMax: UInt16, maxLatency: UInt16,
            supervisionTimeout: UInt16
        ) {
            self.handle = handle
            self.intervalMin = intervalMin
            self.intervalMax = intervalMax
            self.maxLatency = maxLatency
            self.supervisionTimeout = supervisionTimeout
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            intervalMin = try reader.read(Parameter.leConnIntervalMin.inEvent)
            intervalMax = try reader.read(Parameter.leConnIntervalMax.inEvent)
            maxLatency = try reader.read(Parameter.leMaxLatency.inEvent)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(intervalMin)
            writer.write(intervalMax)
            writer.write(maxLatency)
            writer.write(supervisionTimeout)
        }
    }

    /// How long data PDUs may be has changed (Vol 4, Part E, 7.7.65.7).
    package struct LEDataLengthChange: LEEvent, Hashable {
        package static let subevent = LESubevent.dataLengthChange

        package var handle: ConnectionHandle
        /// Payload that this device sends, 27 to 251, in bytes.
        package var maxTxOctets: UInt16
        /// 328 to 17040, in microseconds.
        package var maxTxTime: UInt16
        /// Payload that this device expects, 27 to 251, in bytes.
        package var maxRxOctets: UInt16
        /// 328 to 17040, in microseconds.
        package var maxRxTime: UInt16

        package init(
            handle: ConnectionHandle, maxTxOctets: UInt16, maxTxTime: UInt16, maxRxOctets: UInt16, maxRxTime: UInt16
        ) {
            self.handle = handle
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            maxTxOctets = try reader.read(Parameter.maxTxOctets.inEvent)
            maxTxTime = try reader.read(Parameter.maxTxTime.inEvent)
            maxRxOctets = try reader.read(Parameter.maxRxOctets.inEvent)
            maxRxTime = try reader.read(Parameter.maxRxTime.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(maxTxOctets)
            writer.write(maxTxTime)
            writer.write(maxRxOctets)
            writer.write(maxRxTime)
        }
    }

    /// A connection's physical layers have changed, or not (Vol 4, Part E, 7.7.65.12).
    package struct LEPHYUpdateComplete: LEEvent, Hashable {
        package static let subevent = LESubevent.phyUpdateComplete

        package var status: ErrorCode
        package var handle: ConnectionHandle
        package var txPHY: PHY
        package var rxPHY: PHY

        package init(status: ErrorCode = .success, handle: ConnectionHandle, txPHY: PHY, rxPHY: PHY) {
            self.status = status
            self.handle = handle
            self.txPHY = txPHY
            self.rxPHY = rxPHY
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            txPHY = try reader.read(Parameter.leTxPHY.inEvent)
            rxPHY = try reader.read(Parameter.leRxPHY.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(txPHY)
            writer.write(rxPHY)
        }
    }
}
