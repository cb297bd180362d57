import BluetoothTypes
import Bytes

extension StandardServices {
    /// «Device Name», up to 248 bytes (Vol 3, Part C, 12.1).
    struct DeviceName: TextValue {
        static let text = TextFields("device_name", "Device Name")
        var bytes: [UInt8]
    }

    /// «Appearance» (Vol 3, Part C, 12.2).
    struct AppearanceValue: NumberValue {
        static let field = Field(
            standard: "appearance.appearance", "Appearance", .hex(4), names: Appearance.valueNames)
        /// Category in bits 6 to 15, sub-category below.
        var value: UInt16
    }

    /// «Peripheral Preferred Connection Parameters» (Vol 3, Part C, 12.3).
    struct PreferredConnectionParameters: StandardValue {
        /// In units of 1.25 ms, 0x0006 to 0x0C80; 0xFFFF for no specific one.
        var intervalMinimum: UInt16
        /// In units of 1.25 ms, 0x0006 to 0x0C80, not below the minimum; 0xFFFF for no specific one.
        var intervalMaximum: UInt16
        /// Connection events that the peripheral may miss, 0 to 0x01F3.
        var latency: UInt16
        /// In units of 10 ms, 0x000A to 0x0C80; 0xFFFF for no specific one.
        var supervisionTimeout: UInt16

        private static let minimumField = field("interval_min", "Interval Min", unit: "ms", scale: 1.25)
        private static let maximumField = field("interval_max", "Interval Max", unit: "ms", scale: 1.25)
        private static let latencyField = field("latency", "Latency", unit: "events", scale: 1)
        private static let timeoutField = field("supervision_timeout", "Supervision Timeout", unit: "ms", scale: 10)
        static let fields = [minimumField, maximumField, latencyField, timeoutField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            intervalMinimum = try reader.read(Self.minimumField)
            intervalMaximum = try reader.read(Self.maximumField)
            latency = try reader.read(Self.latencyField)
            supervisionTimeout = try reader.read(Self.timeoutField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(intervalMinimum)
            writer.write(intervalMaximum)
            writer.write(latency)
            writer.write(supervisionTimeout)
        }

        private static func field(_ name: String, _ label: String, unit: String, scale: Double) -> Field {
            Field(
                standard: "preferred_connection_parameters." + name, label, .decimal, unit: unit, scale: scale,
                names: ValueNames([0xFFFF: "not specified"]))
        }
    }

    /// «Central Address Resolution»: whether the device resolves private addresses of others (Vol 3, Part C, 12.4).
    struct CentralAddressResolution: NumberValue {
        static let field = Field(
            standard: "central_address_resolution.support", "Support", .decimal,
            names: ValueNames([0: "not supported", 1: "supported"]))
        /// 0 or 1.
        var value: UInt8
    }

    /// «Resolvable Private Address Only»: which private addresses the device will use (Vol 3, Part C, 12.5).
    struct ResolvablePrivateAddressOnly: NumberValue {
        static let field = Field(
            standard: "resolvable_private_address_only.use", "Use", .decimal,
            names: ValueNames([0: "only resolvable private addresses after bonding"]))
        /// 0; everything else is reserved.
        var value: UInt8
    }
}
