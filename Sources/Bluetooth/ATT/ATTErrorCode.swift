public import Bytes

extension ATT {
    /// Reason for a failed request (Vol 3, Part F, 3.4.1.1). Profiles and services define the codes from 0xE0 (CSS,
    /// Part B).
    public struct ErrorCode: WireInteger, Error {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let invalidHandle = Self(0x01)
        public static let readNotPermitted = Self(0x02)
        public static let writeNotPermitted = Self(0x03)
        public static let invalidPDU = Self(0x04)
        public static let insufficientAuthentication = Self(0x05)
        public static let requestNotSupported = Self(0x06)
        public static let invalidOffset = Self(0x07)
        public static let insufficientAuthorization = Self(0x08)
        public static let prepareQueueFull = Self(0x09)
        public static let attributeNotFound = Self(0x0A)
        public static let attributeNotLong = Self(0x0B)
        public static let encryptionKeySizeTooShort = Self(0x0C)
        public static let invalidAttributeValueLength = Self(0x0D)
        public static let unlikelyError = Self(0x0E)
        public static let insufficientEncryption = Self(0x0F)
        public static let unsupportedGroupType = Self(0x10)
        public static let insufficientResources = Self(0x11)
        public static let databaseOutOfSync = Self(0x12)
        public static let valueNotAllowed = Self(0x13)
        public static let writeRequestRejected = Self(0xFC)
        public static let cccdImproperlyConfigured = Self(0xFD)
        public static let procedureAlreadyInProgress = Self(0xFE)
        public static let outOfRange = Self(0xFF)

        /// The specification's name; for codes defined by an application or a service, the name of the range.
        public var name: String? {
            if let name = Self.names[rawValue] { return name }
            return switch rawValue {
            case 0x80...0x9F: "Application Error"
            case 0xE0...0xFB: "Common Profile and Service Error"
            default: nil
            }
        }

        private static let names: [UInt8: String] = [
            0x01: "Invalid Handle", 0x02: "Read Not Permitted", 0x03: "Write Not Permitted", 0x04: "Invalid PDU",
            0x05: "Insufficient Authentication", 0x06: "Request Not Supported", 0x07: "Invalid Offset",
            0x08: "Insufficient Authorization", 0x09: "Prepare Queue Full", 0x0A: "Attribute Not Found",
            0x0B: "Attribute Not Long", 0x0C: "Encryption Key Size Too Short",
            0x0D: "Invalid Attribute Value Length", 0x0E: "Unlikely Error", 0x0F: "Insufficient Encryption",
            0x10: "Unsupported Group Type", 0x11: "Insufficient Resources", 0x12: "Database Out Of Sync",
            0x13: "Value Not Allowed", 0xFC: "Write Request Rejected",
            0xFD: "Client Characteristic Configuration Descriptor Improperly Configured",
            0xFE: "Procedure Already in Progress", 0xFF: "Out of Range",
        ]
    }

    /// Reports that a request cannot be performed (Vol 3, Part F, 3.4.1.1).
    public struct ErrorResponse: PDU, Hashable {
        public static let opcode = Opcode.errorResponse

        /// The opcode of the request that caused the error.
        public var requestOpcode: Opcode
        /// The attribute that caused the error; 0 if none.
        public var handle: Handle
        public var errorCode: ErrorCode

        public init(requestOpcode: Opcode, handle: Handle, errorCode: ErrorCode) {
            self.requestOpcode = requestOpcode
            self.handle = handle
            self.errorCode = errorCode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            requestOpcode = try ATT.readOpcode(&reader, Fields.requestOpcodeInError)
            handle = try reader.read(Fields.handle)
            errorCode = try reader.read(Fields.errorCode)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(requestOpcode)
            writer.write(handle)
            writer.write(errorCode)
        }
    }
}
