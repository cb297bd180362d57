public import Bytes

extension GAP {
    /// The fields of this layer, under Wireshark's names.
    public enum Fields {
        public static let advertisingData = Field("btcommon.eir_ad.advertising_data", "Advertising Data", .group)
        /// A fragment that continues earlier advertising data; it need not begin with a structure.
        public static let continuation = Field(
            "btcommon.eir_ad.continuation", "Advertising Data, Continued", .bytes)
        /// Like `continuation`, for data that contain key material.
        public static let secretContinuation = Field(
            "btcommon.eir_ad.continuation", "Advertising Data, Continued", .bytes, isSecret: true)
        static let entry = Field("btcommon.eir_ad.entry", "AD Structure", .group)
        static let length = Field("btcommon.eir_ad.entry.length", "Length", .decimal, unit: "bytes")
        public static let type = Field(
            "btcommon.eir_ad.entry.type", "Type", .hex(2),
            names: ValueNames { DataType(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        /// Bytes in a vendor-defined or unknown format.
        public static let data = Field("btcommon.eir_ad.entry.data", "Data", .bytes)
        /// Undecoded bytes of a value that contains key material.
        static let secretData = Field("btcommon.eir_ad.entry.data", "Data", .bytes, isSecret: true)
        static let unused = Field("btcommon.eir_ad.unused", "Unused", .bytes)

        static let flagBits = [
            bits("flags.reserved", "Reserved", 0xE0),
            bits("flags.le_bredr_support_host", "Simultaneous LE and BR/EDR to Same Device Capable (Host)", 0x10),
            bits(
                "flags.le_bredr_support_controller", "Simultaneous LE and BR/EDR to Same Device Capable (Controller)",
                0x08),
            bits("flags.bredr_not_supported", "BR/EDR Not Supported", 0x04),
            bits("flags.le_general_discoverable_mode", "LE General Discoverable Mode", 0x02),
            bits("flags.le_limited_discoverable_mode", "LE Limited Discoverable Mode", 0x01),
        ]
        public static let uuid16 = entry(
            "uuid_16", "UUID 16", .hex(4),
            names: ValueNames { AssignedNumbers.name(UInt16(truncatingIfNeeded: $0)) })
        public static let uuid32 = entry(
            "uuid_32", "UUID 32", .hex(8),
            names: ValueNames { AssignedNumbers.name(UUID(UInt32(truncatingIfNeeded: $0))) })
        public static let customUUID32 = entry("custom_uuid_32", "Custom UUID", .hex(8))
        public static let uuid128 = entry("uuid_128", "UUID 128", .uuid128)
        public static let customUUID128 = entry("custom_uuid_128", "Custom UUID", .uuid128)
        public static let serviceData = entry("service_data", "Service Data", .bytes)
        public static let deviceName = entry("device_name", "Device Name", .text)
        static let powerLevel = entry("power_level", "Power Level", .signed, unit: "dBm", size: 1)
        static let appearance = entry("appearance", "Appearance", .hex(4), names: Appearance.valueNames)
        public static let companyID = entry(
            "company_id", "Company ID", .hex(4),
            names: ValueNames { AssignedNumbers.company(UInt16(truncatingIfNeeded: $0)) })
        static let uri = entry("uri", "URI", .text)
        static let broadcastName = entry("broadcast_name", "Broadcast Name", .text)

        static let vendorIDSource = entry(
            "did.vendor_id_source", "Vendor ID Source", .hex(4),
            names: ValueNames([1: "Bluetooth SIG", 2: "USB Implementer's Forum"]))
        static let vendorID = entry("did.vendor_id", "Vendor ID", .hex(4))
        static let bluetoothVendorID = entry("did.vendor_id", "Vendor ID", .hex(4), names: companyID.names)
        static let productID = entry("did.product_id", "Product ID", .hex(4))
        static let productVersion = entry("did.version", "Version", .hex(4))

        static let connectionIntervalMinimum = entry(
            "connection_interval_min", "Connection Interval Min", .decimal, unit: "ms", scale: 1.25)
        static let connectionIntervalMaximum = entry(
            "connection_interval_max", "Connection Interval Max", .decimal, unit: "ms", scale: 1.25)
        static let advertisingInterval = entry(
            "advertising_interval", "Advertising Interval", .decimal, unit: "ms", scale: 0.625)
        public static let address = entry("bd_addr", "BD_ADDR", .address)
        static let addressTypeBits = [
            bits("le_bd_addr.reserved", "Reserved", 0xFE),
            bits("le_bd_addr.type", "Type", 0x01, names: ValueNames([0: "Public", 1: "Random"])),
        ]
        static let leRole = entry(
            "le_role", "LE Role", .hex(2),
            names: ValueNames([
                0: "Only Peripheral Role supported", 1: "Only Central Role supported",
                2: "Peripheral and Central Role supported, Peripheral Role preferred for connection establishment",
                3: "Peripheral and Central Role supported, Central Role preferred for connection establishment",
            ]))
        static let channelMap = entry("le_channel_map", "Channel Map", .bytes)
        static let instant = entry("instant", "Instant", .decimal)
        static let leFeatures = entry("le_features", "LE Features", .hex(2))

        /// All fields of the layer.
        public static let all: [Field] = [
            [
                layer, advertisingData, continuation, secretContinuation, entry, length, type, data, secretData, unused,
                uuid16, uuid32, customUUID32, uuid128, customUUID128, serviceData, deviceName, powerLevel, appearance,
                companyID, uri, broadcastName, vendorIDSource, vendorID, productID, productVersion,
                connectionIntervalMinimum, connectionIntervalMaximum, advertisingInterval, address, leRole, channelMap,
                instant, leFeatures,
            ],
            flagBits, addressTypeBits, outOfBand, isochronous, positioning, others, ChannelMap.bitFields,
            ClassOfDevice.Fields.all, leFeatureBits.flatMap(\.self),
        ]
        .flatMap(\.self)

        // MARK: Field factories

        static func entry(
            _ name: String, _ label: String, _ format: Field.Format, unit: String? = nil, scale: Double = 1,
            mask: UInt64 = 0, size: Int = 0, names: ValueNames? = nil, isSecret: Bool = false
        ) -> Field {
            Field(
                "btcommon.eir_ad.entry." + name, label, format, unit: unit, scale: scale, mask: mask, size: size,
                names: names, isSecret: isSecret)
        }

        /// A bit field that Wireshark shows in hexadecimal.
        static func bits(_ name: String, _ label: String, _ mask: UInt64, names: ValueNames? = nil) -> Field {
            entry(name, label, .hex(2), mask: mask, names: names)
        }

        static func flag(_ name: String, _ label: String, _ mask: UInt64) -> Field {
            entry(name, label, .boolean, mask: mask)
        }
    }
}
