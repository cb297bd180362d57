package import BluetoothTypes
package import Bytes

extension SMP {
    /// Hands out the Long Term Key of LE legacy pairing (Vol 3, Part H, 3.6.2).
    package struct EncryptionInformation: PDU, Hashable {
        package static let opcode = Opcode.encryptionInformation

        package var longTermKey: UInt128

        package init(longTermKey: UInt128) {
            self.longTermKey = longTermKey
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            longTermKey = try reader.read(Fields.longTermKey)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(longTermKey)
        }
    }

    /// Hands out what names the Long Term Key (Vol 3, Part H, 3.6.3).
    package struct CentralIdentification: PDU, Hashable {
        package static let opcode = Opcode.centralIdentification

        /// Encrypted diversifier.
        package var ediv: UInt16
        package var random: UInt64

        package init(ediv: UInt16, random: UInt64) {
            self.ediv = ediv
            self.random = random
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            ediv = try reader.read(Fields.ediv)
            random = try reader.read(Fields.randomValue)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(ediv)
            writer.write(random)
        }
    }

    /// Hands out the key that resolves the sender's private addresses (Vol 3, Part H, 3.6.4).
    package struct IdentityInformation: PDU, Hashable {
        package static let opcode = Opcode.identityInformation

        package var identityResolvingKey: UInt128

        package init(identityResolvingKey: UInt128) {
            self.identityResolvingKey = identityResolvingKey
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            identityResolvingKey = try reader.read(Fields.identityResolvingKey)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(identityResolvingKey)
        }
    }

    /// Hands out the sender's identity address (Vol 3, Part H, 3.6.5).
    package struct IdentityAddressInformation: PDU, Hashable {
        package static let opcode = Opcode.identityAddressInformation

        /// 0: public, 1: static random.
        package var addressType: UInt8
        package var address: Address

        package init(addressType: UInt8, address: Address) {
            self.addressType = addressType
            self.address = address
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            addressType = try reader.read(Fields.addressType)
            address = try reader.readAddress(Fields.address)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(addressType)
            writer.write(address)
        }
    }

    /// Hands out the key that signs data (Vol 3, Part H, 3.6.6).
    package struct SigningInformation: PDU, Hashable {
        package static let opcode = Opcode.signingInformation

        package var signatureKey: UInt128

        package init(signatureKey: UInt128) {
            self.signatureKey = signatureKey
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            signatureKey = try reader.read(Fields.signatureKey)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(signatureKey)
        }
    }

    /// The peripheral asks the central to encrypt or to pair (Vol 3, Part H, 3.6.7).
    package struct SecurityRequest: PDU, Hashable {
        package static let opcode = Opcode.securityRequest

        package var requirements: AuthenticationRequirements

        package init(requirements: AuthenticationRequirements) {
            self.requirements = requirements
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            requirements = try AuthenticationRequirements.read(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(requirements)
        }
    }
}
