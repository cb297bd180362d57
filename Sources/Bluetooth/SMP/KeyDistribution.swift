public import Bytes

extension SMP {
    /// Distributes the Long Term Key of LE legacy pairing (Vol 3, Part H, 3.6.2).
    public struct EncryptionInformation: PDU, Hashable {
        public static let opcode = Opcode.encryptionInformation

        public var longTermKey: UInt128

        public init(longTermKey: UInt128) {
            self.longTermKey = longTermKey
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            longTermKey = try reader.read(Fields.longTermKey)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(longTermKey)
        }
    }

    /// Distributes EDIV and Rand, which identify the Long Term Key (Vol 3, Part H, 3.6.3).
    public struct CentralIdentification: PDU, Hashable {
        public static let opcode = Opcode.centralIdentification

        /// Encrypted diversifier.
        public var ediv: UInt16
        public var random: UInt64

        public init(ediv: UInt16, random: UInt64) {
            self.ediv = ediv
            self.random = random
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            ediv = try reader.read(Fields.ediv)
            random = try reader.read(Fields.randomValue)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(ediv)
            writer.write(random)
        }
    }

    /// Distributes the key that resolves the sender's private addresses (Vol 3, Part H, 3.6.4).
    public struct IdentityInformation: PDU, Hashable {
        public static let opcode = Opcode.identityInformation

        public var identityResolvingKey: UInt128

        public init(identityResolvingKey: UInt128) {
            self.identityResolvingKey = identityResolvingKey
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            identityResolvingKey = try reader.read(Fields.identityResolvingKey)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(identityResolvingKey)
        }
    }

    /// Distributes the sender's identity address (Vol 3, Part H, 3.6.5).
    public struct IdentityAddressInformation: PDU, Hashable {
        public static let opcode = Opcode.identityAddressInformation

        /// 0: public, 1: static random.
        public var addressType: UInt8
        public var address: Address

        public init(addressType: UInt8, address: Address) {
            self.addressType = addressType
            self.address = address
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            addressType = try reader.read(Fields.addressType)
            address = try reader.readAddress(Fields.address)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(addressType)
            writer.write(address)
        }
    }

    /// Distributes the Connection Signature Resolving Key (Vol 3, Part H, 3.6.6).
    public struct SigningInformation: PDU, Hashable {
        public static let opcode = Opcode.signingInformation

        public var signatureKey: UInt128

        public init(signatureKey: UInt128) {
            self.signatureKey = signatureKey
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            signatureKey = try reader.read(Fields.signatureKey)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(signatureKey)
        }
    }

    /// Request of the peripheral to encrypt or to pair (Vol 3, Part H, 3.6.7).
    public struct SecurityRequest: PDU, Hashable {
        public static let opcode = Opcode.securityRequest

        public var requirements: AuthenticationRequirements

        public init(requirements: AuthenticationRequirements) {
            self.requirements = requirements
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            requirements = try AuthenticationRequirements.read(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(requirements)
        }
    }
}
