public import Bytes

/// Control PDUs with features and versions, and rejections.
extension LL {
    /// Reports an unknown opcode (Vol 6, Part B, 2.4.2.8).
    public struct UnknownRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.unknownRsp

        public var unknownType: ControlOpcode

        public init(unknownType: ControlOpcode) {
            self.unknownType = unknownType
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            unknownType = try reader.read(Fields.unknownType)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(unknownType)
        }
    }

    /// The central's features; asks for the peripheral's (Vol 6, Part B, 2.4.2.9).
    public struct FeatureReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.featureReq

        public var features: LinkLayerFeatures

        public init(features: LinkLayerFeatures) {
            self.features = features
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// The features that both sides support (Vol 6, Part B, 2.4.2.10).
    public struct FeatureRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.featureRsp

        public var features: LinkLayerFeatures

        public init(features: LinkLayerFeatures) {
            self.features = features
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// The peripheral's features; asks for the central's (Vol 6, Part B, 2.4.2.15).
    public struct PeripheralFeatureReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.peripheralFeatureReq

        public var features: LinkLayerFeatures

        public init(features: LinkLayerFeatures) {
            self.features = features
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// Version and manufacturer of a Link Layer (Vol 6, Part B, 2.4.2.13).
    public struct VersionInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.versionInd

        public var version: CoreVersion
        /// Company identifier; see `AssignedNumbers.company`.
        public var company: UInt16
        /// The manufacturer's version number.
        public var subversion: UInt16

        public init(version: CoreVersion, company: UInt16, subversion: UInt16) {
            self.version = version
            self.company = company
            self.subversion = subversion
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            version = try reader.read(Fields.versionNumber)
            company = try reader.read(Fields.companyID)
            subversion = try reader.read(Fields.subversionNumber)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(version)
            writer.write(company)
            writer.write(subversion)
        }
    }

    /// Rejects the current procedure (Vol 6, Part B, 2.4.2.14).
    public struct RejectInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.rejectInd

        public var errorCode: ControllerError

        public init(errorCode: ControllerError) {
            self.errorCode = errorCode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            errorCode = try reader.read(Fields.errorCode)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(errorCode)
        }
    }

    /// Rejects the procedure that the given opcode started (Vol 6, Part B, 2.4.2.18).
    public struct RejectExtInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.rejectExtInd

        public var rejectOpcode: ControlOpcode
        public var errorCode: ControllerError

        public init(rejectOpcode: ControlOpcode, errorCode: ControllerError) {
            self.rejectOpcode = rejectOpcode
            self.errorCode = errorCode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            rejectOpcode = try reader.read(Fields.rejectOpcode)
            errorCode = try reader.read(Fields.errorCode)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(rejectOpcode)
            writer.write(errorCode)
        }
    }

    private static func readFeatures(_ reader: inout ByteReader) throws(DecodeError) -> LinkLayerFeatures {
        let bits: UInt64 = try reader.read(Fields.featureSet)
        if let recorder = reader.recorder {
            let start = reader.offset - 8
            recorder.nested {
                for (number, field) in Fields.featureBits.enumerated() {
                    recorder.add(field, value: bits >> UInt64(number) & 1, offset: start + number / 8, length: 1)
                }
            }
        }
        return LinkLayerFeatures(bits: bits)
    }
}
