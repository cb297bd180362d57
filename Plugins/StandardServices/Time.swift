import Bytes

extension StandardServices {
    /// Date and time of day as the characteristics of time have it (GSS, Date Time).
    struct DateTime: Hashable {
        /// 1582 to 9999; 0 where it is not known.
        var year: UInt16
        /// 1 to 12; 0 where it is not known.
        var month: UInt8
        /// Day of the month, 1 to 31; 0 where it is not known.
        var day: UInt8
        /// 0 to 23.
        var hours: UInt8
        /// 0 to 59.
        var minutes: UInt8
        /// 0 to 59.
        var seconds: UInt8

        init(reading reader: inout ByteReader, _ fields: DateTimeFields) throws(DecodeError) {
            year = try reader.read(fields.year)
            month = try reader.read(fields.month)
            day = try reader.read(fields.day)
            hours = try reader.read(fields.hours)
            minutes = try reader.read(fields.minutes)
            seconds = try reader.read(fields.seconds)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(year)
            for part in [month, day, hours, minutes, seconds] { writer.write(part) }
        }
    }

    /// The fields of a date and time in one message.
    struct DateTimeFields {
        let year, month, day, hours, minutes, seconds: Field

        init(_ message: String) {
            let isUnknown = ValueNames([0: "unknown"])
            year = Field(standard: message + ".year", "Year", .decimal, names: isUnknown)
            month = Field(standard: message + ".month", "Month", .decimal, names: Self.months)
            day = Field(standard: message + ".day", "Day", .decimal, names: isUnknown)
            hours = Field(standard: message + ".hours", "Hours", .decimal)
            minutes = Field(standard: message + ".minutes", "Minutes", .decimal)
            seconds = Field(standard: message + ".seconds", "Seconds", .decimal)
        }

        var all: [Field] { [year, month, day, hours, minutes, seconds] }

        private static let months = ValueNames([
            0: "unknown", 1: "January", 2: "February", 3: "March", 4: "April", 5: "May", 6: "June", 7: "July",
            8: "August", 9: "September", 10: "October", 11: "November", 12: "December",
        ])
    }

    /// «Current Time» (Current Time Service 3.1).
    struct CurrentTime: StandardValue {
        var dateTime: DateTime
        /// 1 Monday to 7 Sunday; 0 where it is not known.
        var dayOfWeek: UInt8
        /// In 1/256 s.
        var fractions: UInt8
        /// Why the time was set anew. Bit 0: by hand; 1: from a reference; 2: other time zone; 3: daylight saving.
        var adjustReason: UInt8

        private static let dateTimeFields = DateTimeFields("current_time")
        private static let dayField = Field(
            standard: "current_time.day_of_week", "Day of Week", .decimal,
            names: ValueNames([
                0: "unknown", 1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday",
                7: "Sunday",
            ]))
        private static let fractionsField = Field(
            standard: "current_time.fractions256", "Fraction", .decimal, unit: "s", scale: 1.0 / 256)
        private static let reasonBits = [
            Field.flag("current_time.manual_update", "Manual Time Update", bit: 0),
            Field.flag("current_time.reference_update", "External Reference Time Update", bit: 1),
            Field.flag("current_time.time_zone_change", "Change of Time Zone", bit: 2),
            Field.flag("current_time.dst_change", "Change of DST", bit: 3),
        ]
        private static let reasonField = Field(
            standard: "current_time.adjust_reason", "Adjust Reason", .hex(2), names: ValueNames(parts: reasonBits))
        static let fields = dateTimeFields.all + [dayField, fractionsField, reasonField] + reasonBits

        init(reading reader: inout ByteReader) throws(DecodeError) {
            dateTime = try DateTime(reading: &reader, Self.dateTimeFields)
            dayOfWeek = try reader.read(Self.dayField)
            fractions = try reader.read(Self.fractionsField)
            adjustReason = try reader.read(Self.reasonField)
            reader.recordBits(adjustReason, Self.reasonBits)
        }

        func write(to writer: inout ByteWriter) {
            dateTime.write(to: &writer)
            writer.write(dayOfWeek)
            writer.write(fractions)
            writer.write(adjustReason)
        }
    }

    /// «Local Time Information» (Current Time Service 3.2).
    struct LocalTimeInformation: StandardValue {
        /// Offset of standard time from UTC in units of 15 minutes, -48 to 56; -128 where it is not known.
        var timeZone: Int8
        /// What daylight saving adds, in units of 15 minutes: 0, 2, 4 or 8; 255 where it is not known.
        var daylightSaving: UInt8

        private static let zoneField = Field(
            standard: "local_time_information.time_zone", "Time Zone", .signed, unit: "min", scale: 15,
            names: ValueNames { timeZone(Int64(bitPattern: $0)) })
        private static let savingField = Field(
            standard: "local_time_information.dst_offset", "DST Offset", .decimal, unit: "min", scale: 15,
            names: ValueNames([
                0: "standard time", 2: "half an hour daylight time", 4: "daylight time", 8: "double daylight time",
                255: "unknown",
            ]))
        static let fields = [zoneField, savingField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            timeZone = try reader.read(Self.zoneField)
            daylightSaving = try reader.read(Self.savingField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(timeZone)
            writer.write(daylightSaving)
        }

        private static func timeZone(_ quarters: Int64) -> String? {
            if quarters == -128 { return "unknown" }
            guard (-48...56).contains(quarters) else { return nil }
            let minutes = quarters.magnitude % 4 * 15
            return "UTC\(quarters < 0 ? "-" : "+")\(quarters.magnitude / 4):\(minutes == 0 ? "00" : "\(minutes)")"
        }
    }

    /// «Reference Time Information»: where the time comes from and how good it is (Current Time Service 3.3).
    struct ReferenceTimeInformation: StandardValue {
        /// 0 unknown, 1 NTP, 2 GPS, …; see the field's names.
        var source: UInt8
        /// Drift in 1/8 s, 0 to 253; 254 for more, 255 where it is not known.
        var accuracy: UInt8
        /// Days since the reference was asked, 0 to 254; 255 for more.
        var daysSinceUpdate: UInt8
        /// Hours beyond the days, 0 to 23; 255 when the days are 255.
        var hoursSinceUpdate: UInt8

        private static let sourceField = Field(
            standard: "reference_time_information.source", "Time Source", .decimal,
            names: ValueNames([
                0: "unknown", 1: "Network Time Protocol", 2: "GPS", 3: "radio time signal", 4: "manual",
                5: "atomic clock", 6: "cellular network", 7: "not synchronized",
            ]))
        private static let accuracyField = Field(
            standard: "reference_time_information.accuracy", "Accuracy", .decimal, unit: "s", scale: 0.125,
            names: ValueNames([254: "worse than 31.625 s", 255: "unknown"]))
        private static let daysField = Field(
            standard: "reference_time_information.days_since_update", "Days since Update", .decimal,
            names: ValueNames([255: "255 or more"]))
        private static let hoursField = Field(
            standard: "reference_time_information.hours_since_update", "Hours since Update", .decimal,
            names: ValueNames([255: "255 days or more"]))
        static let fields = [sourceField, accuracyField, daysField, hoursField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            source = try reader.read(Self.sourceField)
            accuracy = try reader.read(Self.accuracyField)
            daysSinceUpdate = try reader.read(Self.daysField)
            hoursSinceUpdate = try reader.read(Self.hoursField)
        }

        func write(to writer: inout ByteWriter) {
            for part in [source, accuracy, daysSinceUpdate, hoursSinceUpdate] { writer.write(part) }
        }
    }
}
