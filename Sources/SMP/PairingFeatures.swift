package import Bytes

extension SMP {
    /// What a device can show and what its user can enter (Vol 3, Part H, 2.3.2).
    package struct IOCapability: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let displayOnly = Self(rawValue: 0)
        package static let displayYesNo = Self(rawValue: 1)
        package static let keyboardOnly = Self(rawValue: 2)
        package static let noInputNoOutput = Self(rawValue: 3)
        package static let keyboardDisplay = Self(rawValue: 4)

        package var name: String? {
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

    /// What a device asks of the pairing (Vol 3, Part H, 3.5.1).
    package struct AuthenticationRequirements: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package init(
            isBonding: Bool, needsMITMProtection: Bool = false, isSecureConnections: Bool = false,
            sendsKeypresses: Bool = false, supportsCT2: Bool = false
        ) {
            rawValue =
                (isBonding ? 0x01 : 0) | (needsMITMProtection ? 0x04 : 0) | (isSecureConnections ? 0x08 : 0)
                | (sendsKeypresses ? 0x10 : 0) | (supportsCT2 ? 0x20 : 0)
        }

        /// Whether the keys are to be kept.
        package var isBonding: Bool { rawValue & 0x03 == 0x01 }
        /// Whether nobody in the middle may go unnoticed.
        package var needsMITMProtection: Bool { rawValue & 0x04 != 0 }
        /// Whether the device pairs by LE Secure Connections.
        package var isSecureConnections: Bool { rawValue & 0x08 != 0 }
        /// Whether keypress notifications are sent while a passkey is entered.
        package var sendsKeypresses: Bool { rawValue & 0x10 != 0 }
        /// Whether the device knows the h7 function.
        package var supportsCT2: Bool { rawValue & 0x20 != 0 }

        static func read(_ reader: inout ByteReader) throws(DecodeError) -> Self {
            let requirements = try reader.read(Fields.authReq, as: Self.self)
            reader.recordBits(requirements.rawValue, Fields.authReqBits)
            return requirements
        }
    }

    /// Which keys a device hands out after pairing (Vol 3, Part H, 3.6.1).
    package struct KeyDistribution: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package init(encryption: Bool = false, identity: Bool = false, signing: Bool = false, link: Bool = false) {
            rawValue = (encryption ? 0x01 : 0) | (identity ? 0x02 : 0) | (signing ? 0x04 : 0) | (link ? 0x08 : 0)
        }

        /// LTK, EDIV and Rand; only in LE legacy pairing.
        package var encryption: Bool { rawValue & 0x01 != 0 }
        /// IRK and identity address.
        package var identity: Bool { rawValue & 0x02 != 0 }
        /// CSRK.
        package var signing: Bool { rawValue & 0x04 != 0 }
        /// The BR/EDR link key is derived from the LTK.
        package var link: Bool { rawValue & 0x08 != 0 }

        static func read(
            _ reader: inout ByteReader, _ field: @autoclosure () -> Field
        ) throws(DecodeError) -> Self {
            let keys = try reader.read(field(), as: Self.self)
            reader.recordBits(keys.rawValue, Fields.keyDistributionBits)
            return keys
        }
    }

    /// What one device brings to the pairing: the data of request and response (Vol 3, Part H, 3.5.1).
    package struct PairingFeatures: WireFormat, Hashable {
        package var ioCapability: IOCapability
        /// 1: the device has the other one's out-of-band data.
        package var oobDataFlag: UInt8
        package var requirements: AuthenticationRequirements
        /// In bytes, 7 to 16.
        package var maximumKeySize: UInt8
        package var initiatorKeys: KeyDistribution
        package var responderKeys: KeyDistribution

        package init(
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

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            ioCapability = try reader.read(Fields.ioCapability)
            oobDataFlag = try reader.read(Fields.oobDataFlag)
            requirements = try AuthenticationRequirements.read(&reader)
            maximumKeySize = try reader.read(Fields.maximumKeySize)
            initiatorKeys = try KeyDistribution.read(&reader, Fields.initiatorKeyDistribution)
            responderKeys = try KeyDistribution.read(&reader, Fields.responderKeyDistribution)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(ioCapability)
            writer.write(oobDataFlag)
            writer.write(requirements)
            writer.write(maximumKeySize)
            writer.write(initiatorKeys)
            writer.write(responderKeys)
        }
    }
}
