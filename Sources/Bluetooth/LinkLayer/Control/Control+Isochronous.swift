public import Bytes

/// Control PDUs of connected isochronous streams and of broadcast isochronous groups.
extension LL {
    /// Asks for a connected isochronous stream; sent by the central (Vol 6, Part B, 2.4.2.32).
    public struct CISReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.cisReq

        public var cigID: UInt8
        public var cisID: UInt8
        public var centralToPeripheral: PHYs
        public var peripheralToCentral: PHYs
        /// Max_SDU_C_To_P in bytes in bits 0 to 11, framing in bit 15.
        public var centralSDUBits: UInt16
        /// Max_SDU_P_To_C in bytes in bits 0 to 11.
        public var peripheralSDUBits: UInt16
        /// SDU_Interval_C_To_P in µs in bits 0 to 19.
        public var centralSDUInterval: UInt32
        /// SDU_Interval_P_To_C in µs in bits 0 to 19.
        public var peripheralSDUInterval: UInt32
        /// Max_PDU_C_To_P, in bytes.
        public var centralMaxPDU: UInt16
        /// Max_PDU_P_To_C, in bytes.
        public var peripheralMaxPDU: UInt16
        /// NSE: number of subevents per event, 1 to 31.
        public var subeventCount: UInt8
        /// Sub_Interval: time between subevents, in µs.
        public var subInterval: UInt32
        /// BN_C_To_P in bits 0 to 3, BN_P_To_C in 4 to 7.
        public var burstNumbers: UInt8
        /// FT_C_To_P: flush timeout, in ISO intervals.
        public var centralFlushTimeout: UInt8
        /// FT_P_To_C: flush timeout, in ISO intervals.
        public var peripheralFlushTimeout: UInt8
        /// ISO_Interval, in 1.25 ms.
        public var isoInterval: UInt16
        /// CIS_Offset_Min, in µs.
        public var offsetMinimum: UInt32
        /// CIS_Offset_Max, in µs.
        public var offsetMaximum: UInt32
        /// connEventCount: connection event that the offsets refer to.
        public var connectionEventCount: UInt16

        public init(
            cigID: UInt8, cisID: UInt8, centralToPeripheral: PHYs, peripheralToCentral: PHYs, centralSDUBits: UInt16,
            peripheralSDUBits: UInt16, centralSDUInterval: UInt32, peripheralSDUInterval: UInt32, centralMaxPDU: UInt16,
            peripheralMaxPDU: UInt16, subeventCount: UInt8, subInterval: UInt32, burstNumbers: UInt8,
            centralFlushTimeout: UInt8, peripheralFlushTimeout: UInt8, isoInterval: UInt16, offsetMinimum: UInt32,
            offsetMaximum: UInt32, connectionEventCount: UInt16
        ) {
            self.cigID = cigID
            self.cisID = cisID
            self.centralToPeripheral = centralToPeripheral
            self.peripheralToCentral = peripheralToCentral
            self.centralSDUBits = centralSDUBits
            self.peripheralSDUBits = peripheralSDUBits
            self.centralSDUInterval = centralSDUInterval
            self.peripheralSDUInterval = peripheralSDUInterval
            self.centralMaxPDU = centralMaxPDU
            self.peripheralMaxPDU = peripheralMaxPDU
            self.subeventCount = subeventCount
            self.subInterval = subInterval
            self.burstNumbers = burstNumbers
            self.centralFlushTimeout = centralFlushTimeout
            self.peripheralFlushTimeout = peripheralFlushTimeout
            self.isoInterval = isoInterval
            self.offsetMinimum = offsetMinimum
            self.offsetMaximum = offsetMaximum
            self.connectionEventCount = connectionEventCount
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            cigID = try reader.read(Fields.cigID)
            cisID = try reader.read(Fields.cisID)
            centralToPeripheral = try reader.read(Fields.centralPHY)
            reader.recordBits(centralToPeripheral.rawValue, Fields.centralPHYBits)
            peripheralToCentral = try reader.read(Fields.peripheralPHY)
            reader.recordBits(peripheralToCentral.rawValue, Fields.peripheralPHYBits)
            centralSDUBits = try reader.readBits(Fields.centralSDUBits)
            peripheralSDUBits = try reader.readBits(Fields.peripheralSDUBits)
            centralSDUInterval = UInt32(
                truncatingIfNeeded: try reader.readBits(Fields.centralSDUIntervalBits, bytes: 3))
            peripheralSDUInterval = UInt32(
                truncatingIfNeeded: try reader.readBits(Fields.peripheralSDUIntervalBits, bytes: 3))
            centralMaxPDU = try reader.read(Fields.centralMaxPDU)
            peripheralMaxPDU = try reader.read(Fields.peripheralMaxPDU)
            subeventCount = try reader.read(Fields.cisSubeventCount)
            subInterval = try LL.readMicroseconds(&reader, Fields.subInterval)
            burstNumbers = try reader.readBits(Fields.burstNumberBits)
            centralFlushTimeout = try reader.read(Fields.centralFlushTimeout)
            peripheralFlushTimeout = try reader.read(Fields.peripheralFlushTimeout)
            isoInterval = try reader.read(Fields.isoInterval)
            offsetMinimum = try LL.readMicroseconds(&reader, Fields.cisOffsetMinimum)
            offsetMaximum = try LL.readMicroseconds(&reader, Fields.cisOffsetMaximum)
            connectionEventCount = try reader.read(Fields.connectionEventCount)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(cigID)
            writer.write(cisID)
            writer.write(centralToPeripheral)
            writer.write(peripheralToCentral)
            writer.write(centralSDUBits)
            writer.write(peripheralSDUBits)
            writer.write(UInt64(centralSDUInterval), bytes: 3)
            writer.write(UInt64(peripheralSDUInterval), bytes: 3)
            writer.write(centralMaxPDU)
            writer.write(peripheralMaxPDU)
            writer.write(subeventCount)
            writer.write(UInt64(subInterval), bytes: 3)
            writer.write(burstNumbers)
            writer.write(centralFlushTimeout)
            writer.write(peripheralFlushTimeout)
            writer.write(isoInterval)
            writer.write(UInt64(offsetMinimum), bytes: 3)
            writer.write(UInt64(offsetMaximum), bytes: 3)
            writer.write(connectionEventCount)
        }
    }

    /// Accepts a stream; sent by the peripheral (Vol 6, Part B, 2.4.2.33).
    public struct CISRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.cisRsp

        /// CIS_Offset_Min, in µs.
        public var offsetMinimum: UInt32
        /// CIS_Offset_Max, in µs.
        public var offsetMaximum: UInt32
        /// connEventCount: connection event that the offsets refer to.
        public var connectionEventCount: UInt16

        public init(offsetMinimum: UInt32, offsetMaximum: UInt32, connectionEventCount: UInt16) {
            self.offsetMinimum = offsetMinimum
            self.offsetMaximum = offsetMaximum
            self.connectionEventCount = connectionEventCount
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            offsetMinimum = try LL.readMicroseconds(&reader, Fields.cisOffsetMinimum)
            offsetMaximum = try LL.readMicroseconds(&reader, Fields.cisOffsetMaximum)
            connectionEventCount = try reader.read(Fields.connectionEventCount)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt64(offsetMinimum), bytes: 3)
            writer.write(UInt64(offsetMaximum), bytes: 3)
            writer.write(connectionEventCount)
        }
    }

    /// Starts a stream; sent by the central (Vol 6, Part B, 2.4.2.34).
    public struct CISInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.cisInd

        /// Access address of the stream.
        public var accessAddress: AccessAddress
        /// CIS_Offset: from the connection event to the stream's first event, in µs.
        public var offset: UInt32
        /// In µs.
        public var cigSyncDelay: UInt32
        /// In µs.
        public var cisSyncDelay: UInt32
        /// connEventCount: connection event that the offset refers to.
        public var connectionEventCount: UInt16

        public init(
            accessAddress: AccessAddress, offset: UInt32, cigSyncDelay: UInt32, cisSyncDelay: UInt32,
            connectionEventCount: UInt16
        ) {
            self.accessAddress = accessAddress
            self.offset = offset
            self.cigSyncDelay = cigSyncDelay
            self.cisSyncDelay = cisSyncDelay
            self.connectionEventCount = connectionEventCount
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            accessAddress = try reader.read(Fields.cisAccessAddress)
            offset = try LL.readMicroseconds(&reader, Fields.cisOffset)
            cigSyncDelay = try LL.readMicroseconds(&reader, Fields.cigSyncDelay)
            cisSyncDelay = try LL.readMicroseconds(&reader, Fields.cisSyncDelay)
            connectionEventCount = try reader.read(Fields.connectionEventCount)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(accessAddress)
            writer.write(UInt64(offset), bytes: 3)
            writer.write(UInt64(cigSyncDelay), bytes: 3)
            writer.write(UInt64(cisSyncDelay), bytes: 3)
            writer.write(connectionEventCount)
        }
    }

    /// Ends a stream (Vol 6, Part B, 2.4.2.35).
    public struct CISTerminateInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.cisTerminateInd

        public var cigID: UInt8
        public var cisID: UInt8
        public var errorCode: ControllerError

        public init(cigID: UInt8, cisID: UInt8, errorCode: ControllerError) {
            self.cigID = cigID
            self.cisID = cisID
            self.errorCode = errorCode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            cigID = try reader.read(Fields.cigID)
            cisID = try reader.read(Fields.cisID)
            errorCode = try reader.read(Fields.errorCode)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(cigID)
            writer.write(cisID)
            writer.write(errorCode)
        }
    }

    private static func readMicroseconds(
        _ reader: inout ByteReader, _ field: @autoclosure () -> Field
    ) throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try reader.read(field(), bytes: 3))
    }
}
