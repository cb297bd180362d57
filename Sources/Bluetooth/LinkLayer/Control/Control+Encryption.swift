public import Bytes

/// Control PDUs that start encryption.
extension LL {
    /// Starts encryption; sent by the central (Vol 6, Part B, 2.4.2.4).
    public struct EncReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.encReq

        /// Rand: identifies, with EDIV, a key distributed by legacy pairing; 0 for other keys.
        public var random: UInt64
        /// EDIV.
        public var encryptedDiversifier: UInt16
        /// SKD_C: the central's half of the session key diversifier.
        public var sessionKeyDiversifier: UInt64
        /// IV_C: the central's half of the initialization vector.
        public var initializationVector: UInt32

        public init(
            random: UInt64, encryptedDiversifier: UInt16, sessionKeyDiversifier: UInt64, initializationVector: UInt32
        ) {
            self.random = random
            self.encryptedDiversifier = encryptedDiversifier
            self.sessionKeyDiversifier = sessionKeyDiversifier
            self.initializationVector = initializationVector
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            random = try reader.read(Fields.random)
            encryptedDiversifier = try reader.read(Fields.encryptedDiversifier)
            sessionKeyDiversifier = try reader.read(Fields.centralKeyDiversifier)
            initializationVector = try reader.read(Fields.centralVector)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(random)
            writer.write(encryptedDiversifier)
            writer.write(sessionKeyDiversifier)
            writer.write(initializationVector)
        }
    }

    /// Accepts encryption; sent by the peripheral (Vol 6, Part B, 2.4.2.5).
    public struct EncRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.encRsp

        /// SKD_P: the peripheral's half of the session key diversifier.
        public var sessionKeyDiversifier: UInt64
        /// IV_P: the peripheral's half of the initialization vector.
        public var initializationVector: UInt32

        public init(sessionKeyDiversifier: UInt64, initializationVector: UInt32) {
            self.sessionKeyDiversifier = sessionKeyDiversifier
            self.initializationVector = initializationVector
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            sessionKeyDiversifier = try reader.read(Fields.peripheralKeyDiversifier)
            initializationVector = try reader.read(Fields.peripheralVector)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(sessionKeyDiversifier)
            writer.write(initializationVector)
        }
    }
}
