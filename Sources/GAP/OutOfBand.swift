package import Bytes

/// Values that pairing passes out of band, and values that only some may read.
extension GAP {
    /// Length of a block of out-of-band data, itself included (CSS, Part A, 1.6).
    package struct OOBDataLength: Value, Hashable {
        package var length: UInt16

        package init(length: UInt16) {
            self.length = length
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            length = try reader.read(Fields.oobDataLength)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(length)
        }
    }

    /// What the out-of-band block tells of the sender (CSS, Part A, 1.7).
    package struct OOBFlags: Value, Hashable {
        package var bits: UInt8

        package init(bits: UInt8) {
            self.bits = bits
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            bits = try reader.readBits(Fields.oobFlagBits)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(bits)
        }
    }

    /// Tells the members of a set that the sender is one of them (Coordinated Set Identification Profile, 4.1).
    package struct ResolvableSetIdentifier: Value, Hashable {
        /// 24 bits, made from the random part with the set's key.
        package var hash: UInt32
        /// 24 bits.
        package var random: UInt32

        package init(hash: UInt32, random: UInt32) {
            self.hash = hash
            self.random = random
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            hash = UInt32(truncatingIfNeeded: try reader.read(Fields.setHash, bytes: 3))
            random = UInt32(truncatingIfNeeded: try reader.read(Fields.setRandom, bytes: 3))
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(UInt64(hash), bytes: 3)
            writer.write(UInt64(random), bytes: 3)
        }
    }

    /// AD structures that only those with the key can read (CSS, Part A, 1.23).
    package struct EncryptedData: Value, Hashable {
        /// Five bytes.
        package var randomizer: [UInt8]
        package var payload: [UInt8]
        /// Four bytes.
        package var mic: [UInt8]

        package init(randomizer: [UInt8], payload: [UInt8], mic: [UInt8]) {
            self.randomizer = randomizer
            self.payload = payload
            self.mic = mic
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            randomizer = try reader.readBytes(Fields.encryptionRandomizer, count: 5)
            guard reader.remaining >= 4 else { throw reader.truncated(Fields.encryptionMIC, needed: 4) }
            payload = try reader.readBytes(Fields.encryptedPayload, count: reader.remaining - 4)
            mic = try reader.readBytes(Fields.encryptionMIC, count: 4)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(randomizer)
            writer.write(payload)
            writer.write(mic)
        }
    }
}
