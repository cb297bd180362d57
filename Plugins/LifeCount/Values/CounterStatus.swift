/// Counter Status as the profile's type of that name decodes it.
struct CounterStatus: Codable, Hashable, Sendable {
    /// Seconds since the counter began.
    var uptime: UInt32
    /// 0 also when nothing has been counted yet.
    var lastSequenceNumber: UInt32
    /// 0 to 100; 255 when it is not known.
    var batteryPercent: UInt8
    var flags: Flags
    /// Events that were not acknowledged yet.
    var bufferedEvents: UInt16

    struct Flags: Codable, Hashable, Sendable {
        /// The counter has a clock.
        var isTimeValid: Bool
        /// Events were lost because more happened than are kept.
        var hasOverflowed: Bool
        /// The sensor sees nobody.
        var hasSensorFault: Bool

        private enum CodingKeys: String, CodingKey {
            case isTimeValid = "time_valid"
            case hasOverflowed = "replay_overflow"
            case hasSensorFault = "sensor_fault"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case flags
        case uptime = "uptime_s"
        case lastSequenceNumber = "last_sequence_number"
        case batteryPercent = "battery_percent"
        case bufferedEvents = "buffered_events"
    }
}
