public import Bytes

/// Control PDUs about transmit power.
extension LL {
    /// PHYs for power control, as bits: 1M, 2M, Coded S=8, Coded S=2 (Vol 6, Part B, 2.4.2.36).
    public struct PowerPHYs: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// Asks the other side to change its transmit power (Vol 6, Part B, 2.4.2.36).
    public struct PowerControlReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.powerControlReq

        public var phy: PowerPHYs
        /// Requested change, in dB; 127: change to the maximum.
        public var delta: Int8
        /// Transmit power of the sender, in dBm; 126: not managed, 127: unknown.
        public var txPower: Int8

        public init(phy: PowerPHYs, delta: Int8, txPower: Int8) {
            self.phy = phy
            self.delta = delta
            self.txPower = txPower
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            phy = try LL.readPowerPHYs(&reader)
            delta = try reader.read(Fields.powerDelta)
            txPower = try reader.read(Fields.txPower)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(phy)
            writer.write(delta)
            writer.write(txPower)
        }
    }

    /// The resulting change (Vol 6, Part B, 2.4.2.37).
    public struct PowerControlRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.powerControlRsp

        /// Bit 0: at the minimum; bit 1: at the maximum.
        public var flags: UInt8
        /// Actual change, in dB.
        public var delta: Int8
        /// In dBm.
        public var txPower: Int8
        /// Acceptable power reduction of the other side, in dB; 0xFF: unknown.
        public var acceptableReduction: UInt8

        public init(flags: UInt8, delta: Int8, txPower: Int8, acceptableReduction: UInt8) {
            self.flags = flags
            self.delta = delta
            self.txPower = txPower
            self.acceptableReduction = acceptableReduction
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            flags = try LL.readPowerFlags(&reader)
            delta = try reader.read(Fields.powerDelta)
            txPower = try reader.read(Fields.txPower)
            acceptableReduction = try reader.read(Fields.acceptablePowerReduction)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(delta)
            writer.write(txPower)
            writer.write(acceptableReduction)
        }
    }

    /// Reports a change of the sender's transmit power (Vol 6, Part B, 2.4.2.38).
    public struct PowerChangeInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.powerChangeInd

        public var phy: PowerPHYs
        /// Bit 0: at the minimum; bit 1: at the maximum.
        public var flags: UInt8
        /// Actual change, in dB.
        public var delta: Int8
        /// In dBm.
        public var txPower: Int8

        public init(phy: PowerPHYs, flags: UInt8, delta: Int8, txPower: Int8) {
            self.phy = phy
            self.flags = flags
            self.delta = delta
            self.txPower = txPower
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            phy = try LL.readPowerPHYs(&reader)
            flags = try LL.readPowerFlags(&reader)
            delta = try reader.read(Fields.powerDelta)
            txPower = try reader.read(Fields.txPower)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(phy)
            writer.write(flags)
            writer.write(delta)
            writer.write(txPower)
        }
    }

    private static func readPowerPHYs(_ reader: inout ByteReader) throws(DecodeError) -> PowerPHYs {
        let phys: PowerPHYs = try reader.read(Fields.powerPHY)
        reader.recordBits(phys.rawValue, Fields.powerPHYBits)
        return phys
    }

    private static func readPowerFlags(_ reader: inout ByteReader) throws(DecodeError) -> UInt8 {
        let flags: UInt8 = try reader.read(Fields.powerFlags)
        reader.recordBits(flags, Fields.powerFlagBits)
        return flags
    }
}
