public import Bytes

extension SMP {
    /// Input and output capabilities of a device (Vol 3, Part H, 2.3.2).
    public struct IOCapability: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let displayOnly = Self(rawValue: 0)
        public static let displayYesNo = Self(rawValue: 1)
        public static let keyboardOnly = Self(rawValue: 2)
        public static let noInputNoOutput = Self(rawValue: 3)
        public static let keyboardDisplay = Self(rawValue: 4)

        public var name: String? {
            switch self {
            case .displayOnly: "Display Only"
            case .displayYesNo: "Display Yes/No"
            case .keyboardOnly: "Keyboard Only"
            case .noInputNoOutput: "No Input, No Output"
            case .keyboardDisplay: "Keyboard, Display"
            default: nil
            }
        }
    }

    /// AuthReq: security properties that a device requests (Vol 3, Part H, 3.5.1).
    public struct AuthenticationRequirements: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public init(
            isBonding: Bool, needsMITMProtection: Bool = false, isSecureConnections: Bool = false,
            sendsKeypresses: Bool = false, supportsCT2: Bool = false
        ) {
            rawValue =
                (isBonding ? 0x01 : 0) | (needsMITMProtection ? 0x04 : 0) | (isSecureConnections ? 0x08 : 0)
                | (sendsKeypresses ? 0x10 : 0) | (supportsCT2 ? 0x20 : 0)
        }

        /// Whether the keys are stored after pairing.
        public var isBonding: Bool { rawValue & 0x03 == 0x01 }
        /// Whether MITM protection is requested.
        public var needsMITMProtection: Bool { rawValue & 0x04 != 0 }
        /// Whether the device supports LE Secure Connections pairing.
        public var isSecureConnections: Bool { rawValue & 0x08 != 0 }
        /// Whether the device sends keypress notifications during passkey entry.
        public var sendsKeypresses: Bool { rawValue & 0x10 != 0 }
        /// Whether the device supports the h7 function.
        public var supportsCT2: Bool { rawValue & 0x20 != 0 }

        static func read(_ reader: inout ByteReader) throws(DecodeError) -> Self {
            let requirements = try reader.read(Fields.authReq, as: Self.self)
            reader.recordBits(requirements.rawValue, Fields.authReqBits)
            return requirements
        }
    }

    /// The keys that a device distributes after pairing (Vol 3, Part H, 3.6.1).
    public struct KeyDistribution: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public init(encryption: Bool = false, identity: Bool = false, signing: Bool = false, link: Bool = false) {
            rawValue = (encryption ? 0x01 : 0) | (identity ? 0x02 : 0) | (signing ? 0x04 : 0) | (link ? 0x08 : 0)
        }

        /// LTK, EDIV and Rand; only in LE legacy pairing.
        public var encryption: Bool { rawValue & 0x01 != 0 }
        /// IRK and identity address.
        public var identity: Bool { rawValue & 0x02 != 0 }
        /// CSRK.
        public var signing: Bool { rawValue & 0x04 != 0 }
        /// The BR/EDR link key is derived from the LTK.
        public var link: Bool { rawValue & 0x08 != 0 }

        static func read(
            _ reader: inout ByteReader, _ field: @autoclosure () -> Field
        ) throws(DecodeError) -> Self {
            let keys = try reader.read(field(), as: Self.self)
            reader.recordBits(keys.rawValue, Fields.keyDistributionBits)
            return keys
        }
    }

    /// The parameters of a Pairing Request or Pairing Response (Vol 3, Part H, 3.5.1).
    public struct PairingFeatures: WireFormat, Hashable {
        public var ioCapability: IOCapability
        /// 1: the device has out-of-band data from the other device.
        public var oobDataFlag: UInt8
        public var requirements: AuthenticationRequirements
        /// In bytes, 7 to 16.
        public var maximumKeySize: UInt8
        public var initiatorKeys: KeyDistribution
        public var responderKeys: KeyDistribution

        public init(
            ioCapability: IOCapability, oobDataFlag: UInt8 = 0, requirements: AuthenticationRequirements,
            maximumKeySize: UInt8 = 16, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
        ) {
            self.ioCapability = ioCapability
            self.oobDataFlag = oobDataFlag
            self.requirements = requirements
            self.maximumKeySize = maximumKeySize
            self.initiatorKeys = initiatorKeys
            self.responderKeys = responderKeys
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            ioCapability = try reader.read(Fields.ioCapability)
            oobDataFlag = try reader.read(Fields.oobDataFlag)
            requirements = try AuthenticationRequirements.read(&reader)
            maximumKeySize = try reader.read(Fields.maximumKeySize)
            initiatorKeys = try KeyDistribution.read(&reader, Fields.initiatorKeyDistribution)
            responderKeys = try KeyDistribution.read(&reader, Fields.responderKeyDistribution)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(ioCapability)
            writer.write(oobDataFlag)
            writer.write(requirements)
            writer.write(maximumKeySize)
            writer.write(initiatorKeys)
            writer.write(responderKeys)
        }
    }
}
