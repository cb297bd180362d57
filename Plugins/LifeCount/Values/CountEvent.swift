/// A Count Event as the profile's type of that name decodes it (counter profile 1).
package struct CountEvent: Codable, Hashable, Sendable {
    package var header: Header
    /// +1 for somebody who came in, -1 for somebody who went out.
    package var delta: Int8
    /// One higher with every event of the device; the successor of 2^32-1 is 0.
    package var sequenceNumber: UInt32
    /// Unix seconds, UTC; 0 when the device has no clock.
    package var seconds: UInt32
    /// 0 to 999, beside the seconds.
    package var milliseconds: UInt16
    /// Never 0.
    package var deviceID: UInt32
    /// 0 when it is for the gateway to derive.
    package var locationID: UInt16

    /// What the event says of itself.
    package struct Header: Codable, Hashable, Sendable {
        /// Profile version, 1.
        package var version: UInt8
        /// The device has a clock.
        package var isTimestampValid: Bool
        /// The event was sent before, or kept while nobody was subscribed.
        package var isReplayed: Bool
        /// A lower sequence number than before is a reset.
        package var isFirstSinceBoot: Bool

        package init(version: UInt8, isTimestampValid: Bool, isReplayed: Bool, isFirstSinceBoot: Bool) {
            self.version = version
            self.isTimestampValid = isTimestampValid
            self.isReplayed = isReplayed
            self.isFirstSinceBoot = isFirstSinceBoot
        }

        private enum CodingKeys: String, CodingKey {
            case version
            case isTimestampValid = "timestamp_valid"
            case isReplayed = "replayed"
            case isFirstSinceBoot = "first_since_boot"
        }
    }

    package init(
        header: Header, delta: Int8, sequenceNumber: UInt32, seconds: UInt32, milliseconds: UInt16, deviceID: UInt32,
        locationID: UInt16
    ) {
        self.header = header
        self.delta = delta
        self.sequenceNumber = sequenceNumber
        self.seconds = seconds
        self.milliseconds = milliseconds
        self.deviceID = deviceID
        self.locationID = locationID
    }

    private enum CodingKeys: String, CodingKey {
        case header, delta
        case sequenceNumber = "sequence_number"
        case seconds = "timestamp_s"
        case milliseconds = "timestamp_ms"
        case deviceID = "device_id"
        case locationID = "location_id"
    }
}

extension CountEvent {
    /// What makes it the event that it is: all but its number, the device and how it was sent.
    struct Content: Hashable, Sendable {
        var delta: Int8
        var isTimestampValid: Bool
        var seconds: UInt32
        var milliseconds: UInt16
        var locationID: UInt16
    }

    var content: Content {
        Content(
            delta: delta, isTimestampValid: header.isTimestampValid, seconds: seconds, milliseconds: milliseconds,
            locationID: locationID)
    }
}
