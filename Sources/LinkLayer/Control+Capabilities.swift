package import BluetoothTypes
package import Bytes

/// Control PDUs that tell what a side can do, and refusals.
extension LL {
    /// The other side does not know an opcode (Vol 6, Part B, 2.4.2.8).
    package struct UnknownRsp: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.unknownRsp

        package var unknownType: ControlOpcode

        package init(unknownType: ControlOpcode) {
            self.unknownType = unknownType
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            unknownType = try reader.read(Fields.unknownType)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(unknownType)
        }
    }

    /// What the central can do; asks for the peripheral's (Vol 6, Part B, 2.4.2.9).
    package struct FeatureReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.featureReq

        package var features: LinkLayerFeatures

        package init(features: LinkLayerFeatures) {
            self.features = features
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// What both sides can do (Vol 6, Part B, 2.4.2.10).
    package struct FeatureRsp: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.featureRsp

        package var features: LinkLayerFeatures

        package init(features: LinkLayerFeatures) {
            self.features = features
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// What the peripheral can do; asks for the central's (Vol 6, Part B, 2.4.2.15).
    package struct PeripheralFeatureReq: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.peripheralFeatureReq

        package var features: LinkLayerFeatures

        package init(features: LinkLayerFeatures) {
            self.features = features
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try LL.readFeatures(&reader)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(features.bits)
        }
    }

    /// Version and maker of a side's link layer (Vol 6, Part B, 2.4.2.13).
    package struct VersionInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.versionInd

        package var version: CoreVersion
        /// Company identifier; see `AssignedNumbers.company`.
        package var company: UInt16
        /// The maker's own number.
        package var subversion: UInt16

        package init(version: CoreVersion, company: UInt16, subversion: UInt16) {
            self.version = version
            self.company = company
            self.subversion = subversion
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            version = try reader.read(Fields.versionNumber)
            company = try reader.read(Fields.companyID)
            subversion = try reader.read(Fields.subversionNumber)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(version)
            writer.write(company)
            writer.write(subversion)
        }
    }

    /// Refuses the procedure that is running (Vol 6, Part B, 2.4.2.14).
    package struct RejectInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.rejectInd

        package var errorCode: ControllerError

        package init(errorCode: ControllerError) {
            self.errorCode = errorCode
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            errorCode = try reader.read(Fields.errorCode)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(errorCode)
        }
    }

    /// Refuses the procedure that an opcode began (Vol 6, Part B, 2.4.2.18).
    package struct RejectExtInd: ControlPDU, Hashable {
        package static let opcode = ControlOpcode.rejectExtInd

        package var rejectOpcode: ControlOpcode
        package var errorCode: ControllerError

        package init(rejectOpcode: ControlOpcode, errorCode: ControllerError) {
            self.rejectOpcode = rejectOpcode
            self.errorCode = errorCode
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            rejectOpcode = try reader.read(Fields.rejectOpcode)
            errorCode = try reader.read(Fields.errorCode)
        }

        package func write(to writer: inout ByteWriter) {
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
