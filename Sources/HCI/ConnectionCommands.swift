package import BluetoothTypes
package import Bytes

extension HCI {
    /// Ends a connection (Vol 4, Part E, 7.1.6).
    package struct Disconnect: Command, Hashable {
        package static let opcode = Opcode.disconnect

        package var handle: ConnectionHandle
        /// What the peer is told.
        package var reason: ErrorCode

        package init(handle: ConnectionHandle, reason: ErrorCode) {
            self.handle = handle
            self.reason = reason
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            reason = try reader.read(Parameter.reason.inCommand)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(reason)
        }
    }

    /// What a central wants of a connection's timing (Vol 4, Part E, 7.8.12).
    package struct ConnectionTiming: WireFormat, Hashable {
        /// Connection interval, 6 to 3200, in 1.25 ms.
        package var intervalMin: UInt16
        /// Connection interval, 6 to 3200, in 1.25 ms.
        package var intervalMax: UInt16
        /// Connection events that the peripheral may skip, 0 to 499.
        package var maxLatency: UInt16
        /// 10 to 3200, in 10 ms.
        package var supervisionTimeout: UInt16
        /// Length of a connection event, in 0.625 ms.
        package var minEventLength: UInt16
        /// Length of a connection event, in 0.625 ms.
        package var maxEventLength: UInt16

        package init(
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

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            intervalMin = try reader.read(Parameter.leConnIntervalMin.inCommand)
            intervalMax = try reader.read(Parameter.leConnIntervalMax.inCommand)
            maxLatency = try reader.read(Parameter.leMaxLatency.inCommand)
            supervisionTimeout = try reader.read(Parameter.leSupervisionTimeout.inCommand)
            minEventLength = try reader.read(Parameter.leMinCELength.inCommand)
            maxEventLength = try reader.read(Parameter.leMaxCELength.inCommand)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(intervalMin)
            writer.write(intervalMax)
            writer.write(maxLatency)
            writer.write(supervisionTimeout)
            writer.write(minEventLength)
            writer.write(maxEventLength)
        }
    }

    /// Looks for an advertiser and connects to it (Vol 4, Part E, 7.8.12).
    package struct LECreateConnection: Command, Hashable {
        package static let opcode = Opcode.leCreateConnection

        /// 4 to 0x4000, in 0.625 ms.
        package var scanInterval: UInt16
        /// 4 to 0x4000, in 0.625 ms.
        package var scanWindow: UInt16
        /// 0 the peer below, 1 anyone on the filter accept list.
        package var filterPolicy: UInt8
        package var peerType: AddressType
        package var peer: Address
        package var ownType: AddressType
        package var timing: ConnectionTiming

        package init(
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

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            scanInterval = try reader.read(Parameter.leScanInterval.inCommand)
            scanWindow = try reader.read(Parameter.leScanWindow.inCommand)
            filterPolicy = try reader.read(Parameter.leInitiatorFilterPolicy.inCommand)
            peerType = try reader.read(Parameter.lePeerAddressType.inCommand)
            peer = try reader.readAddress(Parameter.bdAddr.inCommand)
            ownType = try reader.read(Parameter.leOwnAddressType.inCommand)
            timing = try ConnectionTiming(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(scanInterval)
            writer.write(scanWindow)
            writer.write(filterPolicy)
            writer.write(peerType)
            writer.write(peer)
            writer.write(ownType)
            timing.write(to: &writer)
        }
    }

    /// Gives up connecting (Vol 4, Part E, 7.8.13).
    package struct LECreateConnectionCancel: Command, Hashable {
        package static let opcode = Opcode.leCreateConnectionCancel

        package init() {}

        package init(reading reader: inout ByteReader) throws(DecodeError) {}

        package func write(to writer: inout ByteWriter) {}
    }

    /// Changes a connection's timing (Vol 4, Part E, 7.8.18).
    package struct LEConnectionUpdate: Command, Hashable {
        package static let opcode = Opcode.leConnectionUpdate

        package var handle: ConnectionHandle
        package var timing: ConnectionTiming

        package init(handle: ConnectionHandle, timing: ConnectionTiming) {
            self.handle = handle
            self.timing = timing
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            timing = try ConnectionTiming(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            timing.write(to: &writer)
        }
    }

    /// Suggests how long data PDUs may be (Vol 4, Part E, 7.8.33).
    package struct LESetDataLength: Command, Hashable {
        package static let opcode = Opcode.leSetDataLength

        package var handle: ConnectionHandle
        /// Payload, 27 to 251, in bytes.
        package var txOctets: UInt16
        /// 328 to 17040, in microseconds.
        package var txTime: UInt16

        package init(handle: ConnectionHandle, txOctets: UInt16, txTime: UInt16) {
            self.handle = handle
            self.txOctets = txOctets
            self.txTime = txTime
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            txOctets = try reader.read(Parameter.leTxOctets.inCommand)
            txTime = try reader.read(Parameter.leTxTime.inCommand)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(txOctets)
            writer.write(txTime)
        }
    }
}
