public import Bytes

extension HCI {
    /// Reports that encryption of a connection was enabled or disabled, or that this failed (Vol 4, Part E, 7.7.8).
    public struct EncryptionChange: Event, Hashable {
        public static let code = EventCode.encryptionChange

        public var status: ErrorCode
        public var handle: ConnectionHandle
        /// 0 off; 1 E0 on BR/EDR, AES-CCM on LE; 2 AES-CCM on BR/EDR.
        public var enabled: UInt8

        public init(status: ErrorCode = .success, handle: ConnectionHandle, enabled: UInt8) {
            self.status = status
            self.handle = handle
            self.enabled = enabled
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            enabled = try reader.read(Parameter.encryptionEnable.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(enabled)
        }

        /// Length in bytes of the parameters common to both versions of the event.
        private static let length = 4

        /// Reads either version of the event; [v2] adds the key size (Vol 4, Part E, 7.7.8). Nil for other events and
        /// truncated parameters.
        public init?(_ code: EventCode, _ parameters: some Collection<UInt8>) {
            guard code == .encryptionChange || code == .encryptionChangeV2,
                let event = try? Self(decoding: Array(parameters.prefix(Self.length)))
            else { return nil }
            self = event
        }
    }

    /// Encrypts a connection with a key; for a central (Vol 4, Part E, 7.8.24).
    public struct LEEnableEncryption: Command, Hashable {
        public static let opcode = Opcode.leEnableEncryption

        public var handle: ConnectionHandle
        /// 8 bytes; zero with LE Secure Connections.
        public var randomNumber: [UInt8]
        /// Zero with LE Secure Connections.
        public var encryptedDiversifier: UInt16
        /// 16 bytes, least significant first.
        public var longTermKey: [UInt8]

        public init(
            handle: ConnectionHandle, randomNumber: [UInt8], encryptedDiversifier: UInt16, longTermKey: [UInt8]
        ) {
            self.handle = handle
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
            self.longTermKey = longTermKey
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            randomNumber = try reader.readBytes(Parameter.leRandomNumber.inCommand, count: 8)
            encryptedDiversifier = try reader.read(Parameter.leEncryptedDiversifier.inCommand)
            longTermKey = try reader.readBytes(Parameter.leLongTermKey.inCommand, count: 16)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(randomNumber)
            writer.write(encryptedDiversifier)
            writer.write(longTermKey)
        }
    }

    /// Asks the peripheral's host for the key with which the central starts encryption (Vol 4, Part E, 7.7.65.5).
    public struct LELongTermKeyRequest: LEEvent, Hashable {
        public static let subevent = LESubevent.longTermKeyRequest

        public var handle: ConnectionHandle
        /// 8 bytes.
        public var randomNumber: [UInt8]
        public var encryptedDiversifier: UInt16

        public init(handle: ConnectionHandle, randomNumber: [UInt8], encryptedDiversifier: UInt16) {
            self.handle = handle
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            randomNumber = try reader.readBytes(Parameter.leRandomNumber.inEvent, count: 8)
            encryptedDiversifier = try reader.read(Parameter.leEncryptedDiversifier.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(randomNumber)
            writer.write(encryptedDiversifier)
        }
    }

    /// Provides the requested key (Vol 4, Part E, 7.8.25).
    public struct LELongTermKeyRequestReply: Command, Hashable {
        public static let opcode = Opcode.leLongTermKeyRequestReply

        public var handle: ConnectionHandle
        /// 16 bytes, least significant first.
        public var longTermKey: [UInt8]

        public init(handle: ConnectionHandle, longTermKey: [UInt8]) {
            self.handle = handle
            self.longTermKey = longTermKey
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            longTermKey = try reader.readBytes(Parameter.leLongTermKey.inCommand, count: 16)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(longTermKey)
        }
    }

    /// Reports that the host has no key (Vol 4, Part E, 7.8.26).
    public struct LELongTermKeyRequestNegativeReply: Command, Hashable {
        public static let opcode = Opcode.leLongTermKeyRequestNegativeReply

        public var handle: ConnectionHandle

        public init(handle: ConnectionHandle) {
            self.handle = handle
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
        }
    }
}
