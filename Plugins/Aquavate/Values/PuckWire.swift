import Bytes
import PluginKit
import Profile

/// Puts a puck's values into bytes and reads them, by the types of the plugin's profile.
struct PuckWire: Sendable {
    private let profile: CompiledProfile

    /// Types of the profile, by their names there.
    enum Kind: String, Sendable {
        case currentState = "current_state"
        case bottleConfig = "bottle_config"
        case deviceSettings = "device_settings"
        case syncRequest = "sync_request"
        case syncStatus = "sync_status"
        case drinkChunk = "drink_chunk"
        case command
        case activitySummary = "activity_summary"
        case motionChunk = "motion_chunk"
        case backpackChunk = "backpack_chunk"
        case calibrationState = "calibration_state"
        case batteryLevel = "battery_level"
        case currentWeight = "current_weight"
        case requiredConfig = "prd_bottle_config"
        case drinkHistory = "drink_history"
        case pendingCount = "pending_count"
        case acknowledgement
        case deviceStatus = "device_status"
    }

    init() throws(TwinFault) {
        profile = try Aquavate.compiledProfile()
    }

    /// The bytes of a value; none for what its type cannot hold.
    func bytes(_ value: some Encodable, as kind: Kind) -> [UInt8] {
        profile.bytes(of: value, as: kind.rawValue)
    }

    /// The value of bytes; nil for those that are none, with bytes left over too.
    func value<Content: Decodable>(of bytes: [UInt8], as kind: Kind, _ type: Content.Type = Content.self) -> Content? {
        guard let layout = profile.types[kind.rawValue] else { return nil }
        var reader = ByteReader(bytes.span)
        guard let value = try? layout.decode(&reader), reader.offset == bytes.count else { return nil }
        return try? RecordDecoder().decode(type, from: value)
    }
}
