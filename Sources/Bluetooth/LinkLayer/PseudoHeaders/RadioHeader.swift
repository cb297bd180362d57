public import Bytes

extension LL {
    /// The pseudo-header of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR (256): ten bytes before the access address.
    public struct RadioHeader: WireFormat, Hashable {
        /// RF channel number, 0 to 39, from 2402 MHz on.
        public var radioChannel: UInt8
        /// RSSI in dBm; valid if its flag is set.
        public var signal: Int8
        /// Noise in dBm; valid if its flag is set.
        public var noise: Int8
        /// Bit errors that the sniffer tolerated in the access address; valid if its flag is set.
        public var accessAddressOffenses: UInt8
        /// The access address that the sniffer searched for; valid if its flag is set.
        public var referenceAccessAddress: AccessAddress
        public var flags: Flags

        /// Validity of the header's fields, and properties of the packet.
        public struct Flags: WireInteger {
            public var rawValue: UInt16

            public init(rawValue: UInt16) {
                self.rawValue = rawValue
            }

            public static let dewhitened: UInt16 = 0x0001
            public static let signalValid: UInt16 = 0x0002
            public static let noiseValid: UInt16 = 0x0004
            public static let decrypted: UInt16 = 0x0008
            public static let referenceAccessAddressValid: UInt16 = 0x0010
            public static let accessAddressOffensesValid: UInt16 = 0x0020
            public static let channelAliased: UInt16 = 0x0040
            public static let crcChecked: UInt16 = 0x0400
            public static let crcValid: UInt16 = 0x0800
            public static let micChecked: UInt16 = 0x1000
            public static let micValid: UInt16 = 0x2000
            /// The bits of `pduType`.
            public static let pduTypeMask: UInt16 = 0x0380
            /// `pduType` of an auxiliary advertising PDU; with 0, it is one of primary advertising or unknown.
            public static let auxiliaryAdvertising: UInt16 = 1 << 7
            /// `pduType` of data and control PDUs of a connection, by their sender.
            public static let centralData: UInt16 = 2 << 7
            public static let peripheralData: UInt16 = 3 << 7
            /// `pduType` of PDUs of a connected isochronous stream, by their sender.
            public static let centralStream: UInt16 = 4 << 7
            public static let peripheralStream: UInt16 = 5 << 7
            /// `pduType` of PDUs of a broadcast isochronous stream.
            public static let broadcastStream: UInt16 = 6 << 7

            /// Whether all bits of the mask are set.
            public func has(_ mask: UInt16) -> Bool { rawValue & mask == mask }

            /// Type of physical channel and direction: see `Traffic`.
            public var pduType: UInt8 { UInt8(rawValue >> 7 & 7) }

            /// Type of auxiliary PDU if `pduType` is 1; for other packets, these bits hold the MIC check.
            public var auxiliaryType: UInt8 { UInt8(rawValue >> 12 & 3) }

            public var phy: PHY { PHY(rawValue: UInt8(rawValue >> 14)) }
        }

        public init(
            radioChannel: UInt8, signal: Int8, noise: Int8 = -128, accessAddressOffenses: UInt8 = 0,
            referenceAccessAddress: AccessAddress, flags: Flags
        ) {
            self.radioChannel = radioChannel
            self.signal = signal
            self.noise = noise
            self.accessAddressOffenses = accessAddressOffenses
            self.referenceAccessAddress = referenceAccessAddress
            self.flags = flags
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let known = Self.flags(ahead: reader)
            radioChannel = try reader.read(Fields.radioChannel)
            signal = try reader.read(known.has(Flags.signalValid) ? Fields.radioSignal : Fields.radioUnusedSigned)
            noise = try reader.read(known.has(Flags.noiseValid) ? Fields.radioNoise : Fields.radioUnusedSigned)
            accessAddressOffenses = try reader.read(
                known.has(Flags.accessAddressOffensesValid) ? Fields.radioOffenses : Fields.radioUnusedUnsigned)
            referenceAccessAddress = try reader.read(
                known.has(Flags.referenceAccessAddressValid) ? Fields.radioReference : Fields.radioUnusedWord)
            flags = try reader.read(Fields.radioFlags)
            reader.recordBits(flags.rawValue, flags.pduType == 1 ? Fields.radioAuxiliaryFlagBits : Fields.radioFlagBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(radioChannel)
            writer.write(signal)
            writer.write(noise)
            writer.write(accessAddressOffenses)
            writer.write(referenceAccessAddress)
            writer.write(flags)
        }

        /// Length in bytes.
        public static let length = 10

        /// Whether all fields are zero, except for flags that a converter sets without knowing of the reception:
        /// dewhitened, and those of a packet that it has decrypted.
        var isBlank: Bool {
            var known = Flags.dewhitened
            if flags.has(Flags.decrypted) {
                known |= Flags.decrypted | Flags.micChecked | Flags.micValid | Flags.pduTypeMask
            }
            return radioChannel == 0 && signal == 0 && noise == 0 && accessAddressOffenses == 0
                && referenceAccessAddress.rawValue == 0 && flags.rawValue & ~known == 0
        }

        /// The flags, which follow the fields that they qualify; all clear if the bytes end before them.
        private static func flags(ahead reader: borrowing ByteReader) -> Flags {
            var ahead = ByteReader(reader.rest)
            do throws(DecodeError) {
                try ahead.skip(Fields.radioFlags, count: 8)
                return try ahead.read(Fields.radioFlags)
            } catch {
                return Flags(rawValue: 0)
            }
        }
    }
}
