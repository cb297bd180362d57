public import Bytes

/// Values that identify a device: name, appearance, class, vendor.
extension GAP {
    /// Discoverable modes and supported transports (CSS, Part A, 1.3).
    public struct Flags: Value, OptionSet, Hashable {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let leLimitedDiscoverable = Self(rawValue: 0x01)
        public static let leGeneralDiscoverable = Self(rawValue: 0x02)
        public static let bredrNotSupported = Self(rawValue: 0x04)
        public static let simultaneousController = Self(rawValue: 0x08)
        public static let simultaneousHost = Self(rawValue: 0x10)

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            rawValue = try reader.readBits(Fields.flagBits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(rawValue)
        }
    }

    /// Complete or shortened local name (CSS, Part A, 1.2).
    public struct LocalName: Value, Hashable {
        public var utf8: [UInt8]

        public init(_ name: String) {
            utf8 = Array(name.utf8)
        }

        /// The name; invalid UTF-8 is replaced.
        public var name: String { String(decoding: utf8, as: UTF8.self) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            utf8 = reader.readRest(Fields.deviceName)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(utf8)
        }
    }

    /// The name of a broadcast (Public Broadcast Profile, 5.1).
    public struct BroadcastName: Value, Hashable {
        public var utf8: [UInt8]

        public init(_ name: String) {
            utf8 = Array(name.utf8)
        }

        /// The name; invalid UTF-8 is replaced.
        public var name: String { String(decoding: utf8, as: UTF8.self) }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            utf8 = reader.readRest(Fields.broadcastName)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(utf8)
        }
    }

    /// Transmit power of the packet (CSS, Part A, 1.5).
    public struct TxPowerLevel: Value, Hashable {
        /// In dBm, −127 to 127.
        public var level: Int8

        public init(level: Int8) {
            self.level = level
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            level = try reader.read(Fields.powerLevel)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(level)
        }
    }

    /// External appearance of the device (CSS, Part A, 1.12).
    public struct AppearanceValue: Value, Hashable {
        public var appearance: Appearance

        public init(appearance: Appearance) {
            self.appearance = appearance
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            appearance = try reader.read(Fields.appearance)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(appearance)
        }
    }

    /// Class of device, for BR/EDR (CSS, Part A, 1.6).
    public struct ClassOfDeviceValue: Value, Hashable {
        public var classOfDevice: ClassOfDevice

        public init(classOfDevice: ClassOfDevice) {
            self.classOfDevice = classOfDevice
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            classOfDevice = try reader.readClassOfDevice()
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(classOfDevice)
        }
    }

    /// Vendor and product of the device, or, in out-of-band data with 16 bytes, a temporary key (assigned numbers, 2.3;
    /// CSS, Part A, 1.8).
    public enum DeviceID: Value, Hashable {
        /// Vendor ID source (1: Bluetooth SIG, 2: USB), vendor, product and version.
        case device(source: UInt16, vendor: UInt16, product: UInt16, version: UInt16)
        case temporaryKey([UInt8])

        public init(reading reader: inout ByteReader) throws(DecodeError) {
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

        public func write(to writer: inout ByteWriter) {
            switch self {
            case .device(let source, let vendor, let product, let version):
                for number in [source, vendor, product, version] { writer.write(number) }
            case .temporaryKey(let key): writer.write(key)
            }
        }
    }

    /// Manufacturer specific data, in the company's format (CSS, Part A, 1.4).
    public struct ManufacturerData: Value, Hashable {
        /// Company identifier; see `AssignedNumbers.company`.
        public var company: UInt16
        public var data: [UInt8]

        public init(company: UInt16, data: [UInt8]) {
            self.company = company
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            company = try reader.read(Fields.companyID)
            data = reader.readRest(Fields.data)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(company)
            writer.write(data)
        }
    }
}
