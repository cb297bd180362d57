package import Bytes

extension SMP {
    /// Bytes of one coordinate of a public key.
    package static let coordinateSize = 32

    /// Why pairing failed (Vol 3, Part H, 3.5.5).
    package struct FailureReason: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let passkeyEntryFailed = Self(rawValue: 0x01)
        package static let oobNotAvailable = Self(rawValue: 0x02)
        package static let authenticationRequirements = Self(rawValue: 0x03)
        package static let confirmValueFailed = Self(rawValue: 0x04)
        package static let pairingNotSupported = Self(rawValue: 0x05)
        package static let encryptionKeySize = Self(rawValue: 0x06)
        package static let commandNotSupported = Self(rawValue: 0x07)
        package static let unspecifiedReason = Self(rawValue: 0x08)
        package static let repeatedAttempts = Self(rawValue: 0x09)
        package static let invalidParameters = Self(rawValue: 0x0A)
        package static let dhKeyCheckFailed = Self(rawValue: 0x0B)
        package static let numericComparisonFailed = Self(rawValue: 0x0C)
        package static let bredrPairingInProgress = Self(rawValue: 0x0D)
        package static let keyGenerationNotAllowed = Self(rawValue: 0x0E)
        package static let keyRejected = Self(rawValue: 0x0F)
        package static let busy = Self(rawValue: 0x10)

        package var name: String? { Self.names[rawValue] }

        private static let names: [UInt8: String] = [
            0x01: "Passkey Entry Failed", 0x02: "OOB Not Available", 0x03: "Authentication Requirements",
            0x04: "Confirm Value Failed", 0x05: "Pairing Not Supported", 0x06: "Encryption Key Size",
            0x07: "Command Not Supported", 0x08: "Unspecified Reason", 0x09: "Repeated Attempts",
            0x0A: "Invalid Parameters", 0x0B: "DHKey Check Failed", 0x0C: "Numeric Comparison Failed",
            0x0D: "BR/EDR pairing in progress", 0x0E: "Cross-transport Key Derivation/Generation not allowed",
            0x0F: "Key Rejected", 0x10: "Busy",
        ]
    }

    /// What was pressed (Vol 3, Part H, 3.5.8).
    package struct KeypressType: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let entryStarted = Self(rawValue: 0)
        package static let digitEntered = Self(rawValue: 1)
        package static let digitErased = Self(rawValue: 2)
        package static let cleared = Self(rawValue: 3)
        package static let entryCompleted = Self(rawValue: 4)

        package var name: String? {
            switch self {
            case .entryStarted: "Passkey Entry Started"
            case .digitEntered: "Passkey Digit Entered"
            case .digitErased: "Passkey Digit Erased"
            case .cleared: "Passkey Cleared"
            case .entryCompleted: "Passkey Entry Completed"
            default: nil
            }
        }
    }

    /// The central begins pairing (Vol 3, Part H, 3.5.1).
    package struct PairingRequest: PDU, Hashable {
        package static let opcode = Opcode.pairingRequest

        package var features: PairingFeatures

        package init(features: PairingFeatures) {
            self.features = features
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try PairingFeatures(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            features.write(to: &writer)
        }
    }

    /// The peripheral accepts pairing (Vol 3, Part H, 3.5.2).
    package struct PairingResponse: PDU, Hashable {
        package static let opcode = Opcode.pairingResponse

        package var features: PairingFeatures

        package init(features: PairingFeatures) {
            self.features = features
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try PairingFeatures(reading: &reader)
        }

        package func write(to writer: inout ByteWriter) {
            features.write(to: &writer)
        }
    }

    /// Commits the sender to its random value (Vol 3, Part H, 3.5.3).
    package struct PairingConfirm: PDU, Hashable {
        package static let opcode = Opcode.pairingConfirm

        package var value: UInt128

        package init(value: UInt128) {
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.confirmValue)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Discloses the random value that was confirmed (Vol 3, Part H, 3.5.4).
    package struct PairingRandom: PDU, Hashable {
        package static let opcode = Opcode.pairingRandom

        package var value: UInt128

        package init(value: UInt128) {
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.randomValue)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Ends pairing (Vol 3, Part H, 3.5.5).
    package struct PairingFailed: PDU, Hashable {
        package static let opcode = Opcode.pairingFailed

        package var reason: FailureReason

        package init(reason: FailureReason) {
            self.reason = reason
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            reason = try reader.read(Fields.reason)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(reason)
        }
    }

    /// The sender's public key on the curve P-256 (Vol 3, Part H, 3.5.6).
    package struct PairingPublicKey: PDU, Hashable {
        package static let opcode = Opcode.pairingPublicKey

        /// 32 bytes, the least significant first.
        package var x: [UInt8]
        /// 32 bytes, the least significant first.
        package var y: [UInt8]

        package init(x: [UInt8], y: [UInt8]) {
            self.x = x
            self.y = y
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            x = try reader.readBytes(Fields.publicKeyX, count: SMP.coordinateSize)
            y = try reader.readBytes(Fields.publicKeyY, count: SMP.coordinateSize)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(x)
            writer.write(y)
        }
    }

    /// Shows that the sender has computed the same key (Vol 3, Part H, 3.5.7).
    package struct PairingDHKeyCheck: PDU, Hashable {
        package static let opcode = Opcode.pairingDHKeyCheck

        package var value: UInt128

        package init(value: UInt128) {
            self.value = value
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.dhKeyCheck)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// A key was pressed while entering a passkey (Vol 3, Part H, 3.5.8).
    package struct PairingKeypressNotification: PDU, Hashable {
        package static let opcode = Opcode.pairingKeypressNotification

        package var type: KeypressType

        package init(type: KeypressType) {
            self.type = type
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            type = try reader.read(Fields.notificationType)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(type)
        }
    }
}
