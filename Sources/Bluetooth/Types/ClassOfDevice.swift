public import Bytes

/// Class of device, for BR/EDR, 24 bits (assigned numbers, 2.8).
public struct ClassOfDevice: Hashable, Sendable {
    /// The low 24 bits.
    public var bits: UInt32

    /// The low 24 bits of `bits`.
    public init(bits: UInt32) {
        self.bits = bits & 0xFF_FFFF
    }

    /// Bits 8 to 12.
    public var majorDeviceClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 8) & 0x1F }

    /// Bits 2 to 7; the meaning depends on the major device class.
    public var minorDeviceClass: UInt8 { UInt8(truncatingIfNeeded: bits >> 2) & 0x3F }

    /// Name of the major device class, e.g. "Phone".
    public var majorName: String? {
        if majorDeviceClass == 0x1F { return "Uncategorized" }
        return Int(majorDeviceClass) < Self.majorNames.count ? Self.majorNames[Int(majorDeviceClass)] : nil
    }

    /// Name of the minor device class, e.g. "Smartphone"; nil if unassigned or a set of flags.
    public var minorName: String? { Self.minorName(minorDeviceClass, of: majorDeviceClass) }

    private static func minorName(_ minor: UInt8, of major: UInt8) -> String? {
        // The two top bits of a peripheral are a separate field.
        if major == 5 { return Self.peripheralNames[Int(minor >> 4)] }
        guard let names = Self.minorNames[major], Int(minor) < names.count else { return nil }
        return names[Int(minor)]
    }

    private static let majorNames = [
        "Miscellaneous", "Computer", "Phone", "LAN/Network Access Point", "Audio/Video", "Peripheral", "Imaging",
        "Wearable", "Toy", "Health",
    ]

    private static let peripheralNames = [
        "Not Keyboard / Not Pointing Device", "Keyboard", "Pointing Device", "Combo Keyboard/Pointing Device",
    ]

    private static let minorNames: [UInt8: [String]] = [
        1: [
            "Uncategorized", "Desktop Workstation", "Server-class Computer", "Laptop", "Handheld PC/PDA",
            "Palm-size PC/PDA", "Wearable Computer", "Tablet",
        ],
        2: [
            "Uncategorized", "Cellular", "Cordless", "Smartphone", "Wired Modem or Voice Gateway",
            "Common ISDN Access",
        ],
        4: [
            "Uncategorized", "Wearable Headset Device", "Hands-free Device", "Reserved", "Microphone", "Loudspeaker",
            "Headphones", "Portable Audio", "Car Audio", "Set-top box", "HiFi Audio Device", "VCR", "Video Camera",
            "Camcorder", "Video Monitor", "Video Display and Loudspeaker", "Video Conferencing", "Reserved",
            "Gaming/Toy", "Hearing Aid",
        ],
        7: ["Uncategorized", "Wristwatch", "Pager", "Jacket", "Helmet", "Glasses", "Pin"],
        8: ["Uncategorized", "Robot", "Vehicle", "Doll/Action Figure", "Controller", "Game"],
        9: [
            "Undefined", "Blood Pressure Monitor", "Thermometer", "Weighing Scale", "Glucose Meter", "Pulse Oximeter",
            "Heart/Pulse Rate Monitor", "Health Data Display", "Step Counter", "Body Composition Analyzer",
            "Peak Flow Monitor", "Medication Monitor", "Knee Prosthesis", "Ankle Prosthesis",
            "Generic Health Manager", "Personal Mobility Device",
        ],
    ]
}

extension ClassOfDevice {
    /// The fields of a class of device, under Wireshark's names.
    public enum Fields {
        public static let classOfDevice = Field("btcommon.cod.class_of_device", "Class of Device", .hex(6))

        static let services: [Field] = [
            service("information", "Information", 23), service("telephony", "Telephony", 22),
            service("audio", "Audio", 21), service("object_transfer", "Object Transfer", 20),
            service("capturing", "Capturing", 19), service("rendering", "Rendering", 18),
            service("networking", "Networking", 17), service("positioning", "Positioning", 16),
            service("reserved", "Reserved", 15, .hex(4)), service("le_audio", "LE Audio", 14, .hex(4)),
            service("limited_discoverable_mode", "Limited Discoverable Mode", 13),
        ]
        static let major = Field(
            "btcommon.cod.major_device_class", "Major Device Class", .hex(4), mask: 0x1F00,
            names: ValueNames { ClassOfDevice(bits: UInt32(truncatingIfNeeded: $0) << 8).majorName })
        static let format = Field("btcommon.cod.format_type", "Format Type", .hex(2), mask: 0x03)

        /// The minor device class, by major device class.
        static let minors: [Field] = (0..<32)
            .map { major in
                Field(
                    "btcommon.cod.minor_device_class", "Minor Device Class", .hex(2), mask: 0xFC,
                    names: ValueNames {
                        ClassOfDevice.minorName(UInt8(truncatingIfNeeded: $0), of: UInt8(truncatingIfNeeded: major))
                    })
            }

        /// All fields of a class of device.
        public static let all = [classOfDevice, major, minors[0], format] + services

        private static func service(_ name: String, _ label: String, _ bit: Int, _ format: Field.Format = .boolean)
            -> Field
        {
            Field(
                "btcommon.cod.major_service_classes." + name, "Major Service Classes: " + label, format,
                mask: 1 << UInt64(bit))
        }
    }
}

extension ByteReader {
    /// Reads a class of device of three bytes and records its bits as nested fields.
    @_lifetime(self: copy self)
    public mutating func readClassOfDevice() throws(DecodeError) -> ClassOfDevice {
        typealias Fields = ClassOfDevice.Fields
        let value = try read(Fields.classOfDevice, bytes: 3)
        let result = ClassOfDevice(bits: UInt32(truncatingIfNeeded: value))
        if let recorder {
            let start = offset - 3
            recorder.nested {
                let minor = Fields.minors[Int(result.majorDeviceClass)]
                for field in [minor, Fields.format] + Fields.services + [Fields.major] {
                    let bits = (value & field.mask) >> UInt64(field.mask.trailingZeroBitCount)
                    recorder.add(field, value: bits, offset: start, length: 3)
                }
            }
        }
        return result
    }
}

extension ByteWriter {
    public mutating func write(_ classOfDevice: ClassOfDevice) {
        write(UInt64(classOfDevice.bits), bytes: 3)
    }
}
