public import Bytes

extension SMP {
    /// The code of a command (Vol 3, Part H, 3.3).
    public struct Opcode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// The properties of a command code.
    public struct OpcodeRow: Sendable {
        public let opcode: Opcode
        public let name: String
        public let pdu: any PDU.Type
    }
}

extension SMP.Opcode {
    public static let pairingRequest = Self(0x01)
    public static let pairingResponse = Self(0x02)
    public static let pairingConfirm = Self(0x03)
    public static let pairingRandom = Self(0x04)
    public static let pairingFailed = Self(0x05)
    public static let encryptionInformation = Self(0x06)
    public static let centralIdentification = Self(0x07)
    public static let identityInformation = Self(0x08)
    public static let identityAddressInformation = Self(0x09)
    public static let signingInformation = Self(0x0A)
    public static let securityRequest = Self(0x0B)
    public static let pairingPublicKey = Self(0x0C)
    public static let pairingDHKeyCheck = Self(0x0D)
    public static let pairingKeypressNotification = Self(0x0E)
}

extension SMP.Opcode {
    /// Every code that the specification defines (Vol 3, Part H, 3.3).
    public static let table = Table([
        row(.pairingRequest, "Pairing Request", SMP.PairingRequest.self),
        row(.pairingResponse, "Pairing Response", SMP.PairingResponse.self),
        row(.pairingConfirm, "Pairing Confirm", SMP.PairingConfirm.self),
        row(.pairingRandom, "Pairing Random", SMP.PairingRandom.self),
        row(.pairingFailed, "Pairing Failed", SMP.PairingFailed.self),
        row(.encryptionInformation, "Encryption Information", SMP.EncryptionInformation.self),
        row(.centralIdentification, "Central Identification", SMP.CentralIdentification.self),
        row(.identityInformation, "Identity Information", SMP.IdentityInformation.self),
        row(.identityAddressInformation, "Identity Address Information", SMP.IdentityAddressInformation.self),
        row(.signingInformation, "Signing Information", SMP.SigningInformation.self),
        row(.securityRequest, "Security Request", SMP.SecurityRequest.self),
        row(.pairingPublicKey, "Pairing Public Key", SMP.PairingPublicKey.self),
        row(.pairingDHKeyCheck, "Pairing DHKey Check", SMP.PairingDHKeyCheck.self),
        row(.pairingKeypressNotification, "Pairing Keypress Notification", SMP.PairingKeypressNotification.self),
    ])

    private static func row(_ opcode: Self, _ name: String, _ pdu: any SMP.PDU.Type) -> SMP.OpcodeRow {
        SMP.OpcodeRow(opcode: opcode, name: name, pdu: pdu)
    }

    /// The rows, indexed by code.
    public struct Table: Sendable {
        public let rows: [SMP.OpcodeRow]
        private let byOpcode: [UInt8: SMP.OpcodeRow]

        fileprivate init(_ rows: [SMP.OpcodeRow]) {
            self.rows = rows
            byOpcode = Dictionary(uniqueKeysWithValues: rows.map { ($0.opcode.rawValue, $0) })
        }

        public subscript(opcode: SMP.Opcode) -> SMP.OpcodeRow? { byOpcode[opcode.rawValue] }
    }

    /// The specification's name, e.g. "Pairing Request".
    public var name: String? { Self.table[self]?.name }
}
