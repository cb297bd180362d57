public import Bytes

extension SMP {
    /// Size of a public key coordinate in bytes.
    public static let coordinateSize = 32

    /// Reason for a failed pairing (Vol 3, Part H, 3.5.5).
    public struct FailureReason: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let passkeyEntryFailed = Self(rawValue: 0x01)
        public static let oobNotAvailable = Self(rawValue: 0x02)
        public static let authenticationRequirements = Self(rawValue: 0x03)
        public static let confirmValueFailed = Self(rawValue: 0x04)
        public static let pairingNotSupported = Self(rawValue: 0x05)
        public static let encryptionKeySize = Self(rawValue: 0x06)
        public static let commandNotSupported = Self(rawValue: 0x07)
        public static let unspecifiedReason = Self(rawValue: 0x08)
        public static let repeatedAttempts = Self(rawValue: 0x09)
        public static let invalidParameters = Self(rawValue: 0x0A)
        public static let dhKeyCheckFailed = Self(rawValue: 0x0B)
        public static let numericComparisonFailed = Self(rawValue: 0x0C)
        public static let bredrPairingInProgress = Self(rawValue: 0x0D)
        public static let keyGenerationNotAllowed = Self(rawValue: 0x0E)
        public static let keyRejected = Self(rawValue: 0x0F)
        public static let busy = Self(rawValue: 0x10)

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt8: String] = [
            0x01: "Passkey Entry Failed", 0x02: "OOB Not Available", 0x03: "Authentication Requirements",
            0x04: "Confirm Value Failed", 0x05: "Pairing Not Supported", 0x06: "Encryption Key Size",
            0x07: "Command Not Supported", 0x08: "Unspecified Reason", 0x09: "Repeated Attempts",
            0x0A: "Invalid Parameters", 0x0B: "DHKey Check Failed", 0x0C: "Numeric Comparison Failed",
            0x0D: "BR/EDR pairing in progress", 0x0E: "Cross-transport Key Derivation/Generation not allowed",
            0x0F: "Key Rejected", 0x10: "Busy",
        ]
    }

    /// Type of a keypress notification (Vol 3, Part H, 3.5.8).
    public struct KeypressType: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let entryStarted = Self(rawValue: 0)
        public static let digitEntered = Self(rawValue: 1)
        public static let digitErased = Self(rawValue: 2)
        public static let cleared = Self(rawValue: 3)
        public static let entryCompleted = Self(rawValue: 4)

        public var name: String? {
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

    /// Starts pairing (Vol 3, Part H, 3.5.1).
    public struct PairingRequest: PDU, Hashable {
        public static let opcode = Opcode.pairingRequest

        public var features: PairingFeatures

        public init(features: PairingFeatures) {
            self.features = features
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try PairingFeatures(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            features.write(to: &writer)
        }
    }

    /// Accepts pairing (Vol 3, Part H, 3.5.2).
    public struct PairingResponse: PDU, Hashable {
        public static let opcode = Opcode.pairingResponse

        public var features: PairingFeatures

        public init(features: PairingFeatures) {
            self.features = features
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try PairingFeatures(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            features.write(to: &writer)
        }
    }

    /// Commits the sender to its random value (Vol 3, Part H, 3.5.3).
    public struct PairingConfirm: PDU, Hashable {
        public static let opcode = Opcode.pairingConfirm

        public var value: UInt128

        public init(value: UInt128) {
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.confirmValue)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Discloses the random value that the confirm value committed to (Vol 3, Part H, 3.5.4).
    public struct PairingRandom: PDU, Hashable {
        public static let opcode = Opcode.pairingRandom

        public var value: UInt128

        public init(value: UInt128) {
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.randomValue)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Ends pairing (Vol 3, Part H, 3.5.5).
    public struct PairingFailed: PDU, Hashable {
        public static let opcode = Opcode.pairingFailed

        public var reason: FailureReason

        public init(reason: FailureReason) {
            self.reason = reason
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            reason = try reader.read(Fields.reason)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(reason)
        }
    }

    /// The sender's P-256 public key (Vol 3, Part H, 3.5.6).
    public struct PairingPublicKey: PDU, Hashable {
        public static let opcode = Opcode.pairingPublicKey

        /// 32 bytes, least significant first.
        public var x: [UInt8]
        /// 32 bytes, least significant first.
        public var y: [UInt8]

        public init(x: [UInt8], y: [UInt8]) {
            self.x = x
            self.y = y
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            x = try reader.readBytes(Fields.publicKeyX, count: SMP.coordinateSize)
            y = try reader.readBytes(Fields.publicKeyY, count: SMP.coordinateSize)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(x)
            writer.write(y)
        }
    }

    /// Proves that the sender has computed the same key (Vol 3, Part H, 3.5.7).
    public struct PairingDHKeyCheck: PDU, Hashable {
        public static let opcode = Opcode.pairingDHKeyCheck

        public var value: UInt128

        public init(value: UInt128) {
            self.value = value
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            value = try reader.read(Fields.dhKeyCheck)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(value)
        }
    }

    /// Reports a keypress during passkey entry (Vol 3, Part H, 3.5.8).
    public struct PairingKeypressNotification: PDU, Hashable {
        public static let opcode = Opcode.pairingKeypressNotification

        public var type: KeypressType

        public init(type: KeypressType) {
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            type = try reader.read(Fields.notificationType)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(type)
        }
    }
}
