import Bytes

extension StandardServices {
    /// «Battery Level» (Battery Service 3.1).
    struct BatteryLevel: NumberValue {
        static let field = Field(standard: "battery_level.level", "Battery Level", .decimal, unit: "%")
        /// In per cent of a full battery, 0 to 100.
        var value: UInt8
    }

    /// «Battery Level Status»: level, charging and power supply together (Battery Service 3.2).
    struct BatteryLevelStatus: StandardValue {
        /// Bit 0: an identifier follows; 1: the level follows; 2: additional status follows.
        var flags: UInt8
        /// Whether there is a battery, what supplies and what charges it; see `powerParts`.
        var powerState: UInt16
        /// Tells batteries apart; the description in their presentation format.
        var identifier: UInt16?
        /// In per cent of a full battery, 0 to 100.
        var level: UInt8?
        /// Bits 0 and 1: whether service is required; 2: a fault of the battery.
        var additionalStatus: UInt8?

        init(reading reader: inout ByteReader) throws(DecodeError) {
            let flags: UInt8 = try reader.readPacked(Self.flagBits)
            self.flags = flags
            let power: UInt16 = try reader.read(Self.powerField)
            reader.recordBits(power, Self.powerParts)
            powerState = power
            identifier = flags & 1 != 0 ? try reader.read(Self.identifierField) : nil
            level = flags & 2 != 0 ? try reader.read(Self.levelField) : nil
            guard flags & 4 != 0 else { return }
            let additional: UInt8 = try reader.read(Self.additionalField)
            reader.recordBits(additional, Self.additionalParts)
            additionalStatus = additional
        }

        func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(powerState)
            if let identifier { writer.write(identifier) }
            if let level { writer.write(level) }
            if let additionalStatus { writer.write(additionalStatus) }
        }
    }
}

extension StandardServices.BatteryLevelStatus {
    private static let flagBits = [
        Field.flag("battery_level_status.identifier_present", "Identifier Present", bit: 0),
        Field.flag("battery_level_status.level_present", "Battery Level Present", bit: 1),
        Field.flag("battery_level_status.additional_status_present", "Additional Status Present", bit: 2),
    ]
    private static let powerParts = [
        Field.flag("battery_level_status.battery_present", "Battery Present", bit: 0),
        part("wired_power", "Wired Power", 0x0006, [0: "not connected", 1: "connected", 2: "unknown"]),
        part("wireless_power", "Wireless Power", 0x0018, [0: "not connected", 1: "connected", 2: "unknown"]),
        part("charge_state", "Charge State", 0x0060, [0: "unknown", 1: "charging", 2: "discharging", 3: "inactive"]),
        part("charge_level", "Charge Level", 0x0180, [0: "unknown", 1: "good", 2: "low", 3: "critical"]),
        part(
            "charging_type", "Charging Type", 0x0E00,
            [0: "unknown or none", 1: "constant current", 2: "constant voltage", 3: "trickle", 4: "float"]),
        Field.flag("battery_level_status.battery_fault", "Charging Fault: Battery", bit: 12),
        Field.flag("battery_level_status.power_source_fault", "Charging Fault: External Power Source", bit: 13),
        Field.flag("battery_level_status.other_fault", "Charging Fault: Other", bit: 14),
    ]
    private static let powerField = Field(
        standard: "battery_level_status.power_state", "Power State", .hex(4), names: ValueNames(parts: powerParts))
    private static let identifierField = Field(
        standard: "battery_level_status.identifier", "Identifier", .hex(4))
    private static let levelField = Field(
        standard: "battery_level_status.level", "Battery Level", .decimal, unit: "%")
    private static let additionalParts = [
        part("service_required", "Service Required", 0x03, [0: "no", 1: "yes", 2: "unknown"]),
        Field.flag("battery_level_status.fault", "Battery Fault", bit: 2),
    ]
    private static let additionalField = Field(
        standard: "battery_level_status.additional_status", "Additional Status", .hex(2),
        names: ValueNames(parts: additionalParts))

    static let fields =
        [powerField, identifierField, levelField, additionalField] + flagBits + powerParts + additionalParts

    private static func part(_ name: String, _ label: String, _ mask: UInt64, _ names: [UInt64: String]) -> Field {
        Field(
            standard: "battery_level_status." + name, label, .decimal, mask: mask, names: ValueNames(names))
    }
}
