/// Counter Info as the profile's type of that name decodes it.
struct CounterInfo: Codable, Hashable, Sendable {
    /// Profile version, 1.
    var version: UInt8
    var hardwareRevision: UInt8
    /// Major version in the high byte, minor one in the low byte.
    var firmware: UInt16
    var deviceID: UInt32
    /// 0 when it is not set.
    var locationID: UInt16
    /// How often the counter has begun anew.
    var bootCount: UInt32
    /// Events that it keeps until they are acknowledged.
    var replayCapacity: UInt16

    private enum CodingKeys: String, CodingKey {
        case version, firmware
        case hardwareRevision = "hardware_revision"
        case deviceID = "device_id"
        case locationID = "location_id"
        case bootCount = "boot_count"
        case replayCapacity = "replay_capacity"
    }
}
