import BluetoothTypes
import Bytes

extension StandardServices {
    /// «Heart Rate Measurement» (Heart Rate Service 3.1).
    struct HeartRateMeasurement: StandardValue {
        /// Bit 0: the rate is 16 bits long; 1: the sensor touches skin; 2: it can tell; 3: energy follows; 4: intervals.
        var flags: UInt8
        /// In beats per minute.
        var heartRate: UInt16
        /// Energy expended since it was last reset, in kilojoules.
        var energyExpended: UInt16?
        /// Times between beats in 1/1024 s, the oldest first.
        var intervals: [UInt16]

        private static let flagBits = [
            Field.flag("heart_rate_measurement.rate_is_16_bits", "Heart Rate Is 16 Bits", bit: 0),
            Field.flag("heart_rate_measurement.contact_detected", "Sensor Contact Detected", bit: 1),
            Field.flag("heart_rate_measurement.contact_supported", "Sensor Contact Supported", bit: 2),
            Field.flag("heart_rate_measurement.energy_present", "Energy Expended Present", bit: 3),
            Field.flag("heart_rate_measurement.intervals_present", "RR-Intervals Present", bit: 4),
        ]
        private static let rateField = Field(
            standard: "heart_rate_measurement.heart_rate", "Heart Rate", .decimal, unit: "bpm")
        private static let energyField = Field(
            standard: "heart_rate_measurement.energy_expended", "Energy Expended", .decimal, unit: "kJ")
        private static let intervalField = Field(
            standard: "heart_rate_measurement.rr_interval", "RR-Interval", .decimal, unit: "s", scale: 1.0 / 1024)
        static let fields = flagBits + [rateField, energyField, intervalField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            let flags: UInt8 = try reader.readPacked(Self.flagBits)
            self.flags = flags
            heartRate =
                flags & 0x01 != 0
                ? try reader.read(Self.rateField) : UInt16(try reader.read(Self.rateField, as: UInt8.self))
            energyExpended = flags & 0x08 != 0 ? try reader.read(Self.energyField) : nil
            intervals = []
            guard flags & 0x10 != 0 else { return }
            while !reader.isAtEnd { intervals.append(try reader.read(Self.intervalField)) }
        }

        func write(to writer: inout ByteWriter) {
            writer.write(flags)
            if flags & 0x01 != 0 {
                writer.write(heartRate)
            } else {
                writer.write(UInt8(truncatingIfNeeded: heartRate))
            }
            if let energyExpended { writer.write(energyExpended) }
            for interval in intervals { writer.write(interval) }
        }
    }

    /// «Body Sensor Location» (Heart Rate Service 3.2).
    struct BodySensorLocation: NumberValue {
        static let field = Field(
            standard: "body_sensor_location.location", "Location", .decimal,
            names: ValueNames([
                0: "other", 1: "chest", 2: "wrist", 3: "finger", 4: "hand", 5: "ear lobe", 6: "foot",
            ]))
        var value: UInt8
    }

    /// «Heart Rate Control Point» (Heart Rate Service 3.3).
    struct HeartRateControlPoint: NumberValue {
        static let field = Field(
            standard: "heart_rate_control_point.command", "Command", .decimal,
            names: ValueNames([1: "reset energy expended"]))
        /// 1 sets the energy expended to 0.
        var value: UInt8
    }

    /// «Temperature Measurement» and «Intermediate Temperature» (Health Thermometer Service 3.1, 3.3).
    struct TemperatureMeasurement: StandardValue {
        /// Bit 0: the unit is degree Fahrenheit, else Celsius; 1: a time stamp follows; 2: where it was measured follows.
        var flags: UInt8
        var temperature: MedicalFloat
        var time: DateTime?
        /// Where it was measured; see `TemperatureType`.
        var type: UInt8?

        private static let flagBits = [
            Field.flag("temperature_measurement.is_fahrenheit", "Unit Is Fahrenheit", bit: 0),
            Field.flag("temperature_measurement.time_present", "Time Stamp Present", bit: 1),
            Field.flag("temperature_measurement.type_present", "Temperature Type Present", bit: 2),
        ]
        private static let celsiusField = Field(
            standard: "temperature_measurement.celsius", "Temperature", .number, unit: "°C",
            names: MedicalFloat.valueNames)
        private static let fahrenheitField = Field(
            standard: "temperature_measurement.fahrenheit", "Temperature", .number, unit: "°F",
            names: MedicalFloat.valueNames)
        private static let timeFields = DateTimeFields("temperature_measurement")
        private static let typeField = Field(
            standard: "temperature_measurement.type", "Temperature Type", .decimal, names: TemperatureType.names)
        static let fields = flagBits + [celsiusField, fahrenheitField] + timeFields.all + [typeField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            let flags: UInt8 = try reader.readPacked(Self.flagBits)
            self.flags = flags
            temperature = try reader.readMedicalFloat(flags & 0x01 != 0 ? Self.fahrenheitField : Self.celsiusField)
            time = flags & 0x02 != 0 ? try DateTime(reading: &reader, Self.timeFields) : nil
            type = flags & 0x04 != 0 ? try reader.read(Self.typeField) : nil
        }

        func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(temperature)
            time?.write(to: &writer)
            if let type { writer.write(type) }
        }
    }

    /// «Temperature Type»: where on the body it was measured (Health Thermometer Service 3.2).
    struct TemperatureType: NumberValue {
        static let names = ValueNames([
            1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastro-intestinal tract", 6: "mouth", 7: "rectum",
            8: "toe", 9: "eardrum",
        ])
        static let field = Field(standard: "temperature_type.type", "Temperature Type", .decimal, names: names)
        /// 1 to 9.
        var value: UInt8
    }

    /// «Measurement Interval» (Health Thermometer Service 3.4).
    struct MeasurementInterval: NumberValue {
        static let field = Field(
            standard: "measurement_interval.interval", "Interval", .decimal, unit: "s",
            names: ValueNames([0: "no periodic measurement"]))
        /// In seconds, 1 to 65535; 0 for no periodic measurement.
        var value: UInt16
    }

    /// «Weight Measurement» (Weight Scale Service 3.2).
    struct WeightMeasurement: StandardValue {
        /// Bit 0: imperial units; 1: a time stamp follows; 2: a user; 3: body mass index and height.
        var flags: UInt8
        /// In 0.005 kg or 0.01 lb; 0xFFFF for a measurement that did not succeed.
        var weight: UInt16
        var time: DateTime?
        /// Index of the user, 0 to 254; 255 for one who is not known.
        var user: UInt8?
        var body: Body?

        /// What is told of the body beside its weight.
        struct Body: Hashable {
            /// In 0.1 kg/m².
            var massIndex: UInt16
            /// In 0.001 m or 0.1 in.
            var height: UInt16
        }

        private static let flagBits = [
            Field.flag("weight_measurement.is_imperial", "Units Are Imperial", bit: 0),
            Field.flag("weight_measurement.time_present", "Time Stamp Present", bit: 1),
            Field.flag("weight_measurement.user_present", "User ID Present", bit: 2),
            Field.flag("weight_measurement.body_present", "BMI and Height Present", bit: 3),
        ]
        private static let failure = ValueNames([0xFFFF: "measurement unsuccessful"])
        private static let kilogramField = field("weight_kg", "Weight", "kg", 0.005, failure)
        private static let poundField = field("weight_lb", "Weight", "lb", 0.01, failure)
        private static let timeFields = DateTimeFields("weight_measurement")
        private static let userField = Field(
            standard: "weight_measurement.user_id", "User ID", .decimal, names: ValueNames([255: "unknown user"]))
        private static let massIndexField = field("bmi", "BMI", "kg/m²", 0.1)
        private static let metreField = field("height_m", "Height", "m", 0.001)
        private static let inchField = field("height_in", "Height", "in", 0.1)
        static let fields =
            flagBits + [kilogramField, poundField] + timeFields.all
            + [userField, massIndexField, metreField, inchField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            let flags: UInt8 = try reader.readPacked(Self.flagBits)
            self.flags = flags
            weight = try reader.read(flags & 0x01 != 0 ? Self.poundField : Self.kilogramField)
            time = flags & 0x02 != 0 ? try DateTime(reading: &reader, Self.timeFields) : nil
            user = flags & 0x04 != 0 ? try reader.read(Self.userField) : nil
            guard flags & 0x08 != 0 else { return }
            body = Body(
                massIndex: try reader.read(Self.massIndexField),
                height: try reader.read(flags & 0x01 != 0 ? Self.inchField : Self.metreField))
        }

        func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(weight)
            time?.write(to: &writer)
            if let user { writer.write(user) }
            if let body {
                writer.write(body.massIndex)
                writer.write(body.height)
            }
        }

        private static func field(
            _ name: String, _ label: String, _ unit: String, _ scale: Double, _ names: ValueNames? = nil
        ) -> Field {
            Field(standard: "weight_measurement." + name, label, .decimal, unit: unit, scale: scale, names: names)
        }
    }
}
