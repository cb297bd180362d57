public import Bytes

/// Out-of-band pairing data, and encrypted values.
extension GAP {
    /// Length of a block of out-of-band data, including this field (CSS, Part A, 1.6).
    public struct OOBDataLength: Value, Hashable {
        public var length: UInt16

        public init(length: UInt16) {
            self.length = length
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            length = try reader.read(Fields.oobDataLength)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(length)
        }
    }

    /// Flags of an out-of-band data block: presence of data, LE support and address type (CSS, Part A, 1.7).
    public struct OOBFlags: Value, Hashable {
        public var bits: UInt8

        public init(bits: UInt8) {
            self.bits = bits
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try reader.readBits(Fields.oobFlagBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// Identifies the sender as a member of a coordinated set (Coordinated Set Identification Profile, 4.1).
    public struct ResolvableSetIdentifier: Value, Hashable {
        /// 24 bits, derived from the random part with the set's key.
        public var hash: UInt32
        /// 24 bits.
        public var random: UInt32

        public init(hash: UInt32, random: UInt32) {
            self.hash = hash
            self.random = random
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            hash = UInt32(truncatingIfNeeded: try reader.read(Fields.setHash, bytes: 3))
            random = UInt32(truncatingIfNeeded: try reader.read(Fields.setRandom, bytes: 3))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt64(hash), bytes: 3)
            writer.write(UInt64(random), bytes: 3)
        }
    }

    /// Encrypted AD structures (CSS, Part A, 1.23).
    public struct EncryptedData: Value, Hashable {
        /// Five bytes.
        public var randomizer: [UInt8]
        public var payload: [UInt8]
        /// Four bytes.
        public var mic: [UInt8]

        public init(randomizer: [UInt8], payload: [UInt8], mic: [UInt8]) {
            self.randomizer = randomizer
            self.payload = payload
            self.mic = mic
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            randomizer = try reader.readBytes(Fields.encryptionRandomizer, count: 5)
            guard reader.remaining >= 4 else { throw reader.truncated(Fields.encryptionMIC, needed: 4) }
            payload = try reader.readBytes(Fields.encryptedPayload, count: reader.remaining - 4)
            mic = try reader.readBytes(Fields.encryptionMIC, count: 4)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(randomizer)
            writer.write(payload)
            writer.write(mic)
        }
    }
}
