public import Bytes

extension GAP {
    /// Location and parameters of a broadcast isochronous group (CSS, Part A, 1.21; Vol 6, Part B, 4.4.6.11).
    public struct BIGInfo: Value, Hashable {
        /// BIG_Offset in bits 0 to 13, BIG_Offset_Units in 14, ISO_Interval in 15 to 26, Num_BIS in 27 to 31.
        public var offsetBits: UInt32
        /// NSE in bits 0 to 4, BN in 5 to 7, Sub_Interval in 8 to 27, PTO in 28 to 31.
        public var subeventBits: UInt32
        /// BIS_Spacing in bits 0 to 19, IRC in 20 to 23.
        public var spacingBits: UInt32
        /// Max_PDU, in bytes.
        public var maxPDU: UInt8
        public var reserved: UInt8
        /// The access addresses of the streams are derived from it.
        public var seedAccessAddress: UInt32
        /// SDU_Interval in bits 0 to 19, Max_SDU in 20 to 31.
        public var sduBits: UInt32
        public var baseCRCInit: UInt16
        /// Channel map in bits 0 to 36, PHY in 37 to 39.
        public var channelBits: UInt64
        /// Payload counter in bits 0 to 38, framing in 39.
        public var counterBits: UInt64
        /// Initialization vector and session key diversifier; nil for an unencrypted group.
        public var encryption: Encryption?

        public init(
            offsetBits: UInt32, subeventBits: UInt32, spacingBits: UInt32, maxPDU: UInt8, reserved: UInt8,
            seedAccessAddress: UInt32, sduBits: UInt32, baseCRCInit: UInt16, channelBits: UInt64, counterBits: UInt64,
            encryption: Encryption? = nil
        ) {
            self.offsetBits = offsetBits
            self.subeventBits = subeventBits
            self.spacingBits = spacingBits
            self.maxPDU = maxPDU
            self.reserved = reserved
            self.seedAccessAddress = seedAccessAddress
            self.sduBits = sduBits
            self.baseCRCInit = baseCRCInit
            self.channelBits = channelBits
            self.counterBits = counterBits
            self.encryption = encryption
        }

        public struct Encryption: Hashable, Sendable {
            /// GIV, eight bytes.
            public var initializationVector: [UInt8]
            /// GSKD, 16 bytes.
            public var sessionKeyDiversifier: [UInt8]

            public init(initializationVector: [UInt8], sessionKeyDiversifier: [UInt8]) {
                self.initializationVector = initializationVector
                self.sessionKeyDiversifier = sessionKeyDiversifier
            }
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            offsetBits = try reader.readBits(Fields.bigOffsetBits)
            subeventBits = try reader.readBits(Fields.bigSubeventBits)
            spacingBits = UInt32(truncatingIfNeeded: try reader.readBits(Fields.bigSpacingBits, bytes: 3))
            maxPDU = try reader.read(Fields.bigMaxPDU)
            reserved = try reader.read(Fields.bigReserved)
            seedAccessAddress = try reader.read(Fields.bigSeedAccessAddress)
            sduBits = try reader.readBits(Fields.bigSDUBits)
            baseCRCInit = try reader.read(Fields.bigBaseCRCInit)
            channelBits = try reader.readBits([Fields.bigChannelMap], bytes: 5)
            reader.recordChannels(channelBits)
            reader.recorder?.add(Fields.bigPHY, value: channelBits >> 37, offset: reader.offset - 5, length: 5)
            counterBits = try reader.readBits(Fields.bigCounterBits, bytes: 5)
            if !reader.isAtEnd {
                encryption = Encryption(
                    initializationVector: try reader.readBytes(Fields.bigGIV, count: 8),
                    sessionKeyDiversifier: try reader.readBytes(Fields.bigGSKD, count: 16))
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(offsetBits)
            writer.write(subeventBits)
            writer.write(UInt64(spacingBits), bytes: 3)
            writer.write(maxPDU)
            writer.write(reserved)
            writer.write(seedAccessAddress)
            writer.write(sduBits)
            writer.write(baseCRCInit)
            writer.write(channelBits, bytes: 5)
            writer.write(counterBits, bytes: 5)
            if let encryption {
                writer.write(encryption.initializationVector)
                writer.write(encryption.sessionKeyDiversifier)
            }
        }
    }
}
