package import BluetoothTypes
package import Bytes

/// Values that tell what a device is and what it is called.
extension GAP {
    /// How a device can be found and reached (CSS, Part A, 1.3).
    package struct Flags: Value, OptionSet, Hashable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let leLimitedDiscoverable = Self(rawValue: 0x01)
        package static let leGeneralDiscoverable = Self(rawValue: 0x02)
        package static let bredrNotSupported = Self(rawValue: 0x04)
        package static let simultaneousController = Self(rawValue: 0x08)
        package static let simultaneousHost = Self(rawValue: 0x10)

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            rawValue = try reader.readBits(Fields.flagBits)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(rawValue)
        }
    }

    /// A device's name, whole or its beginning (CSS, Part A, 1.2).
    package struct LocalName: Value, Hashable {
        package var utf8: [UInt8]

        package init(_ name: String) {
            utf8 = Array(name.utf8)
        }

        /// The name; what is not UTF-8 is replaced.
        package var name: String { String(decoding: utf8, as: UTF8.self) }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            utf8 = reader.readRest(Fields.deviceName)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(utf8)
        }
    }

    /// The name of a broadcast (Public Broadcast Profile, 5.1).
    package struct BroadcastName: Value, Hashable {
        package var utf8: [UInt8]

        package init(_ name: String) {
            utf8 = Array(name.utf8)
        }

        /// The name; what is not UTF-8 is replaced.
        package var name: String { String(decoding: utf8, as: UTF8.self) }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            utf8 = reader.readRest(Fields.broadcastName)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(utf8)
        }
    }

    /// Power at which the packet was sent (CSS, Part A, 1.5).
    package struct TxPowerLevel: Value, Hashable {
        /// In dBm, −127 to 127.
        package var level: Int8

        package init(level: Int8) {
            self.level = level
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            level = try reader.read(Fields.powerLevel)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(level)
        }
    }

    /// What the device looks like (CSS, Part A, 1.12).
    package struct AppearanceValue: Value, Hashable {
        package var appearance: Appearance

        package init(appearance: Appearance) {
            self.appearance = appearance
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            appearance = try reader.read(Fields.appearance)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(appearance)
        }
    }

    /// What kind of device it is, on BR/EDR (CSS, Part A, 1.6).
    package struct ClassOfDeviceValue: Value, Hashable {
        package var classOfDevice: ClassOfDevice

        package init(classOfDevice: ClassOfDevice) {
            self.classOfDevice = classOfDevice
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            classOfDevice = try reader.readClassOfDevice()
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(classOfDevice)
        }
    }

    /// Who made the device and which product it is, or, out of band and 16 bytes long, a temporary key
    /// (assigned numbers, 2.3; CSS, Part A, 1.8).
    package enum DeviceID: Value, Hashable {
        /// Vendor ID source (1: Bluetooth SIG, 2: USB), vendor, product and version.
        case device(source: UInt16, vendor: UInt16, product: UInt16, version: UInt16)
        case temporaryKey([UInt8])

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            if reader.remaining == 16 {
                self = .temporaryKey(reader.readRest(Fields.temporaryKey))
                return
            }
            let source: UInt16 = try reader.read(Fields.vendorIDSource)
            let vendor: UInt16 = try reader.read(source == 1 ? Fields.bluetoothVendorID : Fields.vendorID)
            let product: UInt16 = try reader.read(Fields.productID)
            self = .device(
                source: source, vendor: vendor, product: product, version: try reader.read(Fields.productVersion))
        }

        package func write(to writer: inout ByteWriter) {
            switch self {
            case .device(let source, let vendor, let product, let version):
                for number in [source, vendor, product, version] { writer.write(number) }
            case .temporaryKey(let key): writer.write(key)
            }
        }
    }

    /// Data of a company's own format (CSS, Part A, 1.4).
    package struct ManufacturerData: Value, Hashable {
        /// Company identifier; see `AssignedNumbers.company`.
        package var company: UInt16
        package var data: [UInt8]

        package init(company: UInt16, data: [UInt8]) {
            self.company = company
            self.data = data
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            company = try reader.read(Fields.companyID)
            data = reader.readRest(Fields.data)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(company)
            writer.write(data)
        }
    }
}
