import PluginKit
import Profile

/// A value of a puck as its profile reads it.
enum PuckValue: Sendable {
    case state(CurrentState)
    case config(BottleConfig)
    case settings(DeviceSettings)
    case request(SyncRequest)
    case status(SyncStatus)
    case chunk(DrinkChunk)
    case command(PuckCommand)
    case activity(ActivityValue)
    /// Calibration State by its number, 0 to 10.
    case calibration(Int)
    case battery(Int)
    case text(String)
    /// Of the dialect of the requirements.
    case history([RequiredRecord])
    case pending(Int)
    case acknowledgement(Int)
    case requiredConfig(RequiredConfig)
    case requiredStatus(RequiredStatus)

    /// Nil for what is none of these, and where bytes are none of their type.
    init?(_ value: AttributeValue) {
        guard let reading = value.reading else { return nil }
        switch reading.layout.name {
        case "current_state": self.init(CurrentState(reading)) { .state($0) }
        case "bottle_config": self.init(reading.decoded(as: BottleConfig.self)) { .config($0) }
        case "device_settings": self.init(reading.decoded(as: DeviceSettings.self)) { .settings($0) }
        case "sync_request": self.init(SyncRequest(reading)) { .request($0) }
        case "sync_status": self.init(SyncStatus(reading)) { .status($0) }
        case "drink_chunk", "legacy_drink_chunk": self.init(DrinkChunk(reading)) { .chunk($0) }
        case "command": self.init(PuckCommand(reading)) { .command($0) }
        case "activity_summary":
            self.init(reading.decoded(as: ActivitySummary.self)) { .activity(.summary($0)) }
        case "motion_chunk": self.init(reading.decoded(as: MotionChunk.self)) { .activity(.motion($0)) }
        case "backpack_chunk": self.init(reading.decoded(as: BackpackChunk.self)) { .activity(.backpack($0)) }
        case "calibration_state": self.init(reading.integer("state")) { .calibration($0) }
        case "battery_level": self.init(reading.decoded(as: Int.self)) { .battery($0) }
        case "manufacturer_name", "model_number", "firmware_revision", "serial_number":
            self.init(reading.decoded(as: String.self)) { .text($0) }
        case "drink_history": self.init(reading.decoded(as: RequiredHistory.self)) { .history($0.records) }
        case "pending_count": self.init(reading.decoded(as: Int.self)) { .pending($0) }
        case "acknowledgement": self.init(reading.decoded(as: Int.self)) { .acknowledgement($0) }
        case "prd_bottle_config": self.init(reading.decoded(as: RequiredConfig.self)) { .requiredConfig($0) }
        case "device_status": self.init(reading.decoded(as: RequiredStatus.self)) { .requiredStatus($0) }
        default: return nil
        }
    }

    private init?<Content>(_ content: Content?, _ make: (Content) -> PuckValue) {
        guard let content else { return nil }
        self = make(content)
    }
}
