import Bytes

extension StandardServices {
    /// «HID Information» (HID Service 2.10).
    struct HIDInformation: StandardValue {
        /// Version of the USB HID specification, 0xJJMN for JJ.M.N.
        var version: UInt16
        /// Country that the hardware is made for, as the USB HID specification counts them; 0 for none.
        var country: UInt8
        /// Bit 0: can wake its host; 1: advertises when it is bonded but not connected.
        var flags: UInt8

        private static let versionField = Field(
            standard: "hid_information.version", "HID Version", .hex(4),
            names: ValueNames {
                $0 & 0xF == 0 ? "\($0 >> 8).\($0 >> 4 & 0xF)" : "\($0 >> 8).\($0 >> 4 & 0xF)\($0 & 0xF)"
            })
        private static let countryField = Field(
            standard: "hid_information.country_code", "Country Code", .decimal, names: ValueNames([0: "not localized"]))
        private static let flagBits = [
            Field.flag("hid_information.remote_wake", "Remote Wake", bit: 0),
            Field.flag("hid_information.normally_connectable", "Normally Connectable", bit: 1),
        ]
        private static let flagsField = Field(
            standard: "hid_information.flags", "Flags", .hex(2), names: ValueNames(parts: flagBits))
        static let fields = [versionField, countryField, flagsField] + flagBits

        init(reading reader: inout ByteReader) throws(DecodeError) {
            version = try reader.read(Self.versionField)
            country = try reader.read(Self.countryField)
            flags = try reader.read(Self.flagsField)
            reader.recordBits(flags, Self.flagBits)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(version)
            writer.write(country)
            writer.write(flags)
        }
    }

    /// «HID Control Point» (HID Service 2.11).
    struct HIDControlPoint: NumberValue {
        static let field = Field(
            standard: "hid_control_point.command", "Command", .decimal,
            names: ValueNames([0: "suspend", 1: "exit suspend"]))
        /// 0 when the host goes to sleep, 1 when it wakes up.
        var value: UInt8
    }

    /// «Protocol Mode» (HID Service 2.4).
    struct ProtocolMode: NumberValue {
        static let field = Field(
            standard: "protocol_mode.mode", "Protocol Mode", .decimal,
            names: ValueNames([0: "boot protocol", 1: "report protocol"]))
        /// 0 or 1.
        var value: UInt8
    }

    /// «Report Map»: the device's HID report descriptor (HID Service 2.6).
    struct ReportMap: StandardValue {
        /// Items as the USB HID specification lays them out.
        var descriptor: [UInt8]

        private static let lengthField = Field(standard: "report_map.length", "Length", .decimal, unit: "bytes")
        private static let descriptorField = Field(standard: "report_map.descriptor", "Descriptor", .bytes)
        static let fields = [lengthField, descriptorField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            reader.recorder?.addGenerated(Self.lengthField, value: UInt64(reader.remaining))
            descriptor = reader.readRest(Self.descriptorField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(descriptor)
        }
    }

    /// «Report»: input, output or feature data, as the report map describes it (HID Service 2.5).
    struct Report: StandardValue {
        /// Without the report's identifier, which its Report Reference descriptor has.
        var data: [UInt8]

        private static let lengthField = Field(standard: "report.length", "Length", .decimal, unit: "bytes")
        private static let dataField = Field(standard: "report.data", "Data", .bytes)
        static let fields = [lengthField, dataField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            reader.recorder?.addGenerated(Self.lengthField, value: UInt64(reader.remaining))
            data = reader.readRest(Self.dataField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(data)
        }
    }
}
