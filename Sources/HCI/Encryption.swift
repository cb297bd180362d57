package import BluetoothTypes
package import Bytes

extension HCI {
    /// Encryption of a connection was switched on or off, or not (Vol 4, Part E, 7.7.8).
    package struct EncryptionChange: Event, Hashable {
        package static let code = EventCode.encryptionChange

        package var status: ErrorCode
        package var handle: ConnectionHandle
        /// 0 off; 1 E0 on BR/EDR, AES-CCM on LE; 2 AES-CCM on BR/EDR.
        package var enabled: UInt8

        package init(status: ErrorCode = .success, handle: ConnectionHandle, enabled: UInt8) {
            self.status = status
            self.handle = handle
            self.enabled = enabled
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            enabled = try reader.read(Parameter.encryptionEnable.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(enabled)
        }
    }

    /// A central encrypts a connection, with this key (Vol 4, Part E, 7.8.24).
    package struct LEEnableEncryption: Command, Hashable {
        package static let opcode = Opcode.leEnableEncryption

        package var handle: ConnectionHandle
        /// 8 bytes; zero with LE Secure Connections.
        package var randomNumber: [UInt8]
        /// Zero with LE Secure Connections.
        package var encryptedDiversifier: UInt16
        /// 16 bytes, the least significant first.
        package var longTermKey: [UInt8]

        package init(
            handle: ConnectionHandle, randomNumber: [UInt8], encryptedDiversifier: UInt16, longTermKey: [UInt8]
        ) {
            self.handle = handle
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
            self.longTermKey = longTermKey
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            randomNumber = try reader.readBytes(Parameter.leRandomNumber.inCommand, count: 8)
            encryptedDiversifier = try reader.read(Parameter.leEncryptedDiversifier.inCommand)
            longTermKey = try reader.readBytes(Parameter.leLongTermKey.inCommand, count: 16)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(randomNumber)
            writer.write(encryptedDiversifier)
            writer.write(longTermKey)
        }
    }

    /// A central wants to encrypt; the peripheral's host looks up the key (Vol 4, Part E, 7.7.65.5).
    package struct LELongTermKeyRequest: LEEvent, Hashable {
        package static let subevent = LESubevent.longTermKeyRequest

        package var handle: ConnectionHandle
        /// 8 bytes.
        package var randomNumber: [UInt8]
        package var encryptedDiversifier: UInt16

        package init(handle: ConnectionHandle, randomNumber: [UInt8], encryptedDiversifier: UInt16) {
            self.handle = handle
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            randomNumber = try reader.readBytes(Parameter.leRandomNumber.inEvent, count: 8)
            encryptedDiversifier = try reader.read(Parameter.leEncryptedDiversifier.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(randomNumber)
            writer.write(encryptedDiversifier)
        }
    }

    /// The key that was asked for (Vol 4, Part E, 7.8.25).
    package struct LELongTermKeyRequestReply: Command, Hashable {
        package static let opcode = Opcode.leLongTermKeyRequestReply

        package var handle: ConnectionHandle
        /// 16 bytes, the least significant first.
        package var longTermKey: [UInt8]

        package init(handle: ConnectionHandle, longTermKey: [UInt8]) {
            self.handle = handle
            self.longTermKey = longTermKey
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
            longTermKey = try reader.readBytes(Parameter.leLongTermKey.inCommand, count: 16)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(longTermKey)
        }
    }

    /// There is no key (Vol 4, Part E, 7.8.26).
    package struct LELongTermKeyRequestNegativeReply: Command, Hashable {
        package static let opcode = Opcode.leLongTermKeyRequestNegativeReply

        package var handle: ConnectionHandle

        package init(handle: ConnectionHandle) {
            self.handle = handle
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inCommand)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(handle)
        }
    }
}
