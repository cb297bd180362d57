public import Bytes

/// Control PDUs for data lengths, PHYs, channels, CTE and clock accuracy.
extension LL {
    /// Maximum receive and transmit data lengths of one side (Vol 6, Part B, 2.4.2.21).
    public struct DataLengths: WireFormat, Hashable {
        /// In bytes, 27 to 251.
        public var maxRxOctets: UInt16
        /// In µs, 328 to 17040.
        public var maxRxTime: UInt16
        /// In bytes, 27 to 251.
        public var maxTxOctets: UInt16
        /// In µs, 328 to 17040.
        public var maxTxTime: UInt16

        public init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16) {
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            maxRxOctets = try reader.read(Fields.maxRxOctets)
            maxRxTime = try reader.read(Fields.maxRxTime)
            maxTxOctets = try reader.read(Fields.maxTxOctets)
            maxTxTime = try reader.read(Fields.maxTxTime)
        }

        public func write(to writer: inout ByteWriter) {
            for value in [maxRxOctets, maxRxTime, maxTxOctets, maxTxTime] { writer.write(value) }
        }
    }

    /// The sender's data lengths; asks for the other side's (Vol 6, Part B, 2.4.2.21).
    public struct LengthReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.lengthReq

        public var lengths: DataLengths

        public init(lengths: DataLengths) {
            self.lengths = lengths
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            lengths = try DataLengths(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            lengths.write(to: &writer)
        }
    }

    /// The responder's data lengths (Vol 6, Part B, 2.4.2.21).
    public struct LengthRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.lengthRsp

        public var lengths: DataLengths

        public init(lengths: DataLengths) {
            self.lengths = lengths
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            lengths = try DataLengths(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            lengths.write(to: &writer)
        }
    }

    /// PHYs as bits: 1M, 2M, Coded (Vol 6, Part B, 2.4.2.22).
    public struct PHYs: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether the set contains a PHY.
        public func contains(_ phy: PHY) -> Bool { phy.rawValue < 8 && rawValue >> phy.rawValue & 1 == 1 }

        /// The only PHY; nil for none or several.
        public var only: PHY? {
            rawValue.nonzeroBitCount == 1 ? PHY(rawValue: UInt8(rawValue.trailingZeroBitCount)) : nil
        }
    }

    /// PHYs that the sender prefers (Vol 6, Part B, 2.4.2.22).
    public struct PHYReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.phyReq

        /// PHYs for transmission.
        public var txPHYs: PHYs
        /// PHYs for reception.
        public var rxPHYs: PHYs

        public init(txPHYs: PHYs, rxPHYs: PHYs) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            txPHYs = try LL.readPHYs(&reader, Fields.txPHYs, Fields.preferredPHYBits)
            rxPHYs = try LL.readPHYs(&reader, Fields.rxPHYs, Fields.preferredPHYBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(txPHYs)
            writer.write(rxPHYs)
        }
    }

    /// PHYs that the peripheral also prefers (Vol 6, Part B, 2.4.2.22).
    public struct PHYRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.phyRsp

        /// PHYs for transmission.
        public var txPHYs: PHYs
        /// PHYs for reception.
        public var rxPHYs: PHYs

        public init(txPHYs: PHYs, rxPHYs: PHYs) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            txPHYs = try LL.readPHYs(&reader, Fields.txPHYs, Fields.preferredPHYBits)
            rxPHYs = try LL.readPHYs(&reader, Fields.rxPHYs, Fields.preferredPHYBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(txPHYs)
            writer.write(rxPHYs)
        }
    }

    /// Changes the PHYs; sent by the central (Vol 6, Part B, 2.4.2.23).
    public struct PHYUpdateInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.phyUpdateInd

        /// Empty for no change.
        public var centralToPeripheral: PHYs
        /// Empty for no change.
        public var peripheralToCentral: PHYs
        /// Connection event at which the change takes effect.
        public var instant: UInt16

        public init(centralToPeripheral: PHYs, peripheralToCentral: PHYs, instant: UInt16) {
            self.centralToPeripheral = centralToPeripheral
            self.peripheralToCentral = peripheralToCentral
            self.instant = instant
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            centralToPeripheral = try LL.readPHYs(&reader, Fields.centralPHY, Fields.centralPHYBits)
            peripheralToCentral = try LL.readPHYs(&reader, Fields.peripheralPHY, Fields.peripheralPHYBits)
            instant = try reader.read(Fields.instant)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(centralToPeripheral)
            writer.write(peripheralToCentral)
            writer.write(instant)
        }
    }

    /// Minimum number of channels that the peripheral needs at its transmit power (Vol 6, Part B, 2.4.2.24).
    public struct MinUsedChannelsInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.minUsedChannelsInd

        public var phys: PHYs
        /// 2 to 37.
        public var minUsedChannels: UInt8

        public init(phys: PHYs, minUsedChannels: UInt8) {
            self.phys = phys
            self.minUsedChannels = minUsedChannels
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            phys = try LL.readPHYs(&reader, Fields.phys, Fields.preferredPHYBits)
            minUsedChannels = try reader.read(Fields.minUsedChannels)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(phys)
            writer.write(minUsedChannels)
        }
    }

    /// Asks for a Constant Tone Extension (Vol 6, Part B, 2.4.2.27).
    public struct CTEReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.cteReq

        /// Minimum length in 8 µs in bits 0 to 4, type in bits 6 and 7.
        public var bits: UInt8

        public init(bits: UInt8) {
            self.bits = bits
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try reader.readBits(Fields.cteRequestBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// Sleep clock accuracy of the sender; asks for the other side's (Vol 6, Part B, 2.4.2.30).
    public struct ClockAccuracyReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.clockAccuracyReq

        public var accuracy: SleepClockAccuracy

        public init(accuracy: SleepClockAccuracy) {
            self.accuracy = accuracy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            accuracy = try reader.read(Fields.clockAccuracy)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(accuracy)
        }
    }

    /// Sleep clock accuracy of the responder (Vol 6, Part B, 2.4.2.31).
    public struct ClockAccuracyRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.clockAccuracyRsp

        public var accuracy: SleepClockAccuracy

        public init(accuracy: SleepClockAccuracy) {
            self.accuracy = accuracy
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            accuracy = try reader.read(Fields.clockAccuracy)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(accuracy)
        }
    }

    /// Enables or disables the peripheral's channel classification reports (Vol 6, Part B, 2.4.2.41).
    public struct ChannelReportingInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.channelReportingInd

        /// 0: off, 1: on.
        public var enable: UInt8
        /// Minimum time between two reports, in 200 ms.
        public var minimumSpacing: UInt8
        /// Maximum time from a change to its report, in 200 ms.
        public var maximumDelay: UInt8

        public init(enable: UInt8, minimumSpacing: UInt8, maximumDelay: UInt8) {
            self.enable = enable
            self.minimumSpacing = minimumSpacing
            self.maximumDelay = maximumDelay
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            enable = try reader.read(Fields.reportingEnable)
            minimumSpacing = try reader.read(Fields.reportingSpacing)
            maximumDelay = try reader.read(Fields.reportingDelay)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(enable)
            writer.write(minimumSpacing)
            writer.write(maximumDelay)
        }
    }

    /// The peripheral's channel classification (Vol 6, Part B, 2.4.2.42).
    public struct ChannelStatusInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.channelStatusInd

        /// Ten bytes with two bits per channel, lowest channel first: 0 unknown, 1 good, 3 bad.
        public var classification: [UInt8]

        public init(classification: [UInt8]) {
            self.classification = classification
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            classification = try reader.readBytes(Fields.channelClassification, count: 10)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(classification)
        }
    }

    private static func readPHYs(
        _ reader: inout ByteReader, _ field: @autoclosure () -> Field, _ bits: @autoclosure () -> [Field]
    ) throws(DecodeError) -> PHYs {
        let phys: PHYs = try reader.read(field())
        reader.recordBits(phys.rawValue, bits())
        return phys
    }
}
