import BluetoothTypes
import Bytes

extension StandardServices {
    /// «Model Number String» (GSS, Device Information Service 3.2).
    struct ModelNumber: TextValue {
        static let text = TextFields("model_number", "Model Number")
        var bytes: [UInt8]
    }

    /// «Serial Number String» (Device Information Service 3.3).
    struct SerialNumber: TextValue {
        static let text = TextFields("serial_number", "Serial Number")
        var bytes: [UInt8]
    }

    /// «Firmware Revision String» (Device Information Service 3.5).
    struct FirmwareRevision: TextValue {
        static let text = TextFields("firmware_revision", "Firmware Revision")
        var bytes: [UInt8]
    }

    /// «Hardware Revision String» (Device Information Service 3.4).
    struct HardwareRevision: TextValue {
        static let text = TextFields("hardware_revision", "Hardware Revision")
        var bytes: [UInt8]
    }

    /// «Software Revision String» (Device Information Service 3.6).
    struct SoftwareRevision: TextValue {
        static let text = TextFields("software_revision", "Software Revision")
        var bytes: [UInt8]
    }

    /// «Manufacturer Name String» (Device Information Service 3.1).
    struct ManufacturerName: TextValue {
        static let text = TextFields("manufacturer_name", "Manufacturer Name")
        var bytes: [UInt8]
    }

    /// «System ID»: 64 bits made of the manufacturer's two numbers (Device Information Service 3.7).
    struct SystemID: StandardValue {
        /// Given by the manufacturer, 40 bits.
        var manufacturerIdentifier: UInt64
        /// Organizationally Unique Identifier, 24 bits.
        var organization: UInt64

        private static let manufacturerField = Field(
            standard: "system_id.manufacturer_identifier", "Manufacturer Identifier", .hex(10))
        private static let organizationField = Field(
            standard: "system_id.organizationally_unique_identifier", "Organizationally Unique Identifier", .hex(6))
        static let fields = [manufacturerField, organizationField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            manufacturerIdentifier = try reader.read(Self.manufacturerField, bytes: 5)
            organization = try reader.read(Self.organizationField, bytes: 3)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(manufacturerIdentifier, bytes: 5)
            writer.write(organization, bytes: 3)
        }
    }

    /// «IEEE 11073-20601 Regulatory Certification Data List» (Device Information Service 3.8).
    struct RegulatoryCertification: BytesValue {
        static let field = Field(standard: "regulatory_certification.list", "Certification Data List", .bytes)
        /// As IEEE 11073-20601 lays it out, big-endian.
        var bytes: [UInt8]
    }

    /// «PnP ID»: which product it is, in numbers (Device Information Service 3.9).
    struct PnPID: StandardValue {
        /// Who gave the vendor's number: 1 the Bluetooth SIG, 2 the USB Implementers Forum.
        var vendorSource: UInt8
        var vendor: UInt16
        /// Given by the vendor.
        var product: UInt16
        /// 0xJJMN for version JJ.M.N.
        var version: UInt16

        private static let sourceField = Field(
            standard: "pnp_id.vendor_id_source", "Vendor ID Source", .decimal,
            names: ValueNames([1: "Bluetooth SIG", 2: "USB Implementers Forum"]))
        private static let companyField = Field(
            standard: "pnp_id.vendor_id", "Vendor ID", .hex(4),
            names: ValueNames { AssignedNumbers.company(UInt16(truncatingIfNeeded: $0)) })
        private static let otherVendorField = Field(standard: "pnp_id.vendor_id", "Vendor ID", .hex(4))
        private static let productField = Field(standard: "pnp_id.product_id", "Product ID", .hex(4))
        private static let versionField = Field(
            standard: "pnp_id.product_version", "Version", .hex(4),
            names: ValueNames { "\($0 >> 8).\($0 >> 4 & 0xF).\($0 & 0xF)" })
        static let fields = [sourceField, companyField, otherVendorField, productField, versionField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            let source: UInt8 = try reader.read(Self.sourceField)
            vendorSource = source
            vendor = try reader.read(source == 1 ? Self.companyField : Self.otherVendorField)
            product = try reader.read(Self.productField)
            version = try reader.read(Self.versionField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(vendorSource)
            writer.write(vendor)
            writer.write(product)
            writer.write(version)
        }
    }
}
