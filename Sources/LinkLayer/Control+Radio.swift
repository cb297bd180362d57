package import Bytes

/// Control PDUs about packet lengths, PHYs, channels, power and clocks.
extension LL {
    /// How much one side can take and send (Vol 6, Part B, 2.4.2.21).
    package struct DataLengths: WireFormat, Hashable {
        /// In bytes, 27 to 251.
        package var maxRxOctets: UInt16
        /// In µs, 328 to 17040.
        package var maxRxTime: UInt16
        /// In bytes, 27 to 251.
        package var maxTxOctets: UInt16
        /// In µs, 328 to 17040.
        package var maxTxTime: UInt16

        package init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16) {
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            maxRxOctets = try reader.read(Fields.maxRxOctets)
            maxRxTime = try reader.read(Fields.maxRxTime)
            maxTxOctets = try reader.read(Fields.maxTxOctets)
            maxTxTime = try reader.read(Fields.maxTxTime)
        }

        package func write(to writer: inout ByteWriter) {
            for value in [maxRxOctets, maxRxTime, maxTxOctets, maxTxTime] { writer.write(value) }
        }
    }

    /// Asks for the other side's packet lengths (Vol 6, Part B, 2.4.2.21).
    package struct LengthReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.lengthReq

        package var lengths: DataLengths

        package init(lengths: DataLengths) {
            self.lengths = lengths
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            lengths = try DataLengths(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            lengths.write(to: &writer)
        }
    }

    /// Packet lengths of the side that was asked (Vol 6, Part B, 2.4.2.21).
    package struct LengthRsp: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.lengthRsp

        package var lengths: DataLengths

        package init(lengths: DataLengths) {
            self.lengths = lengths
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            lengths = try DataLengths(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            lengths.write(to: &writer)
        }
    }

    /// PHYs as bits: 1M, 2M, Coded (Vol 6, Part B, 2.4.2.22).
    package struct PHYs: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether a PHY is among them.
        package func contains(_ phy: PHY) -> Bool { phy.rawValue < 8 && rawValue >> phy.rawValue & 1 == 1 }

        /// The PHY, if it is a single one.
        package var only: PHY? {
            rawValue.nonzeroBitCount == 1 ? PHY(rawValue: UInt8(rawValue.trailingZeroBitCount)) : nil
        }
    }

    /// PHYs that one side would like (Vol 6, Part B, 2.4.2.22).
    package struct PHYReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.phyReq

        /// To send with.
        package var txPHYs: PHYs
        /// To receive with.
        package var rxPHYs: PHYs

        package init(txPHYs: PHYs, rxPHYs: PHYs) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            txPHYs = try LL.readPHYs(&reader, Fields.txPHYs, Fields.preferredPHYBits)
            rxPHYs = try LL.readPHYs(&reader, Fields.rxPHYs, Fields.preferredPHYBits)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(txPHYs)
            writer.write(rxPHYs)
        }
    }

    /// PHYs that the peripheral would like too (Vol 6, Part B, 2.4.2.22).
    package struct PHYRsp: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.phyRsp

        /// To send with.
        package var txPHYs: PHYs
        /// To receive with.
        package var rxPHYs: PHYs

        package init(txPHYs: PHYs, rxPHYs: PHYs) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            txPHYs = try LL.readPHYs(&reader, Fields.txPHYs, Fields.preferredPHYBits)
            rxPHYs = try LL.readPHYs(&reader, Fields.rxPHYs, Fields.preferredPHYBits)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(txPHYs)
            writer.write(rxPHYs)
        }
    }

    /// The central changes PHYs (Vol 6, Part B, 2.4.2.23).
    package struct PHYUpdateInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.phyUpdateInd

        /// None where it stays.
        package var centralToPeripheral: PHYs
        /// None where it stays.
        package var peripheralToCentral: PHYs
        /// Connection event from which it holds.
        package var instant: UInt16

        package init(centralToPeripheral: PHYs, peripheralToCentral: PHYs, instant: UInt16) {
            self.centralToPeripheral = centralToPeripheral
            self.peripheralToCentral = peripheralToCentral
            self.instant = instant
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            centralToPeripheral = try LL.readPHYs(&reader, Fields.centralPHY, Fields.centralPHYBits)
            peripheralToCentral = try LL.readPHYs(&reader, Fields.peripheralPHY, Fields.peripheralPHYBits)
            instant = try reader.read(Fields.instant)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(centralToPeripheral)
            writer.write(peripheralToCentral)
            writer.write(instant)
        }
    }

    /// Channels that the peripheral needs for its power (Vol 6, Part B, 2.4.2.24).
    package struct MinUsedChannelsInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.minUsedChannelsInd

        package var phys: PHYs
        /// 2 to 37.
        package var minUsedChannels: UInt8

        package init(phys: PHYs, minUsedChannels: UInt8) {
            self.phys = phys
            self.minUsedChannels = minUsedChannels
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            phys = try LL.readPHYs(&reader, Fields.phys, Fields.preferredPHYBits)
            minUsedChannels = try reader.read(Fields.minUsedChannels)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(phys)
            writer.write(minUsedChannels)
        }
    }

    /// Asks for a Constant Tone Extension (Vol 6, Part B, 2.4.2.27).
    package struct CTEReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.cteReq

        /// Least length in 8 µs in bits 0 to 4, kind in 6 and 7.
        package var bits: UInt8

        package init(bits: UInt8) {
            self.bits = bits
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try reader.readBits(Fields.cteRequestBits)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// How far one side's sleep clock may be off; asks for the other's (Vol 6, Part B, 2.4.2.30).
    package struct ClockAccuracyReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.clockAccuracyReq

        package var accuracy: SleepClockAccuracy

        package init(accuracy: SleepClockAccuracy) {
            self.accuracy = accuracy
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            accuracy = try reader.read(Fields.clockAccuracy)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(accuracy)
        }
    }

    /// How far the other side's sleep clock may be off (Vol 6, Part B, 2.4.2.31).
    package struct ClockAccuracyRsp: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.clockAccuracyRsp

        package var accuracy: SleepClockAccuracy

        package init(accuracy: SleepClockAccuracy) {
            self.accuracy = accuracy
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            accuracy = try reader.read(Fields.clockAccuracy)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(accuracy)
        }
    }

    /// Switches reports of the peripheral's channels on or off (Vol 6, Part B, 2.4.2.41).
    package struct ChannelReportingInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.channelReportingInd

        /// 0: off, 1: on.
        package var enable: UInt8
        /// Between two reports, in 200 ms.
        package var minimumSpacing: UInt8
        /// From a change to its report, in 200 ms.
        package var maximumDelay: UInt8

        package init(enable: UInt8, minimumSpacing: UInt8, maximumDelay: UInt8) {
            self.enable = enable
            self.minimumSpacing = minimumSpacing
            self.maximumDelay = maximumDelay
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            enable = try reader.read(Fields.reportingEnable)
            minimumSpacing = try reader.read(Fields.reportingSpacing)
            maximumDelay = try reader.read(Fields.reportingDelay)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(enable)
            writer.write(minimumSpacing)
            writer.write(maximumDelay)
        }
    }

    /// What the peripheral thinks of its channels (Vol 6, Part B, 2.4.2.42).
    package struct ChannelStatusInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.channelStatusInd

        /// Ten bytes: two bits for every channel, lowest first: 0 unknown, 1 good, 3 bad.
        package var classification: [UInt8]

        package init(classification: [UInt8]) {
            self.classification = classification
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            classification = try reader.readBytes(Fields.channelClassification, count: 10)
        }

        package func write(to writer: inout ByteWriter) {
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
