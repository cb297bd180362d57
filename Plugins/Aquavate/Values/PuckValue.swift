import PluginKit
import Profile

/// A decoded value of a puck. Large and rare payloads are indirect, because rules copy values.
enum PuckValue: Sendable {
    case state(CurrentState)
    indirect case config(BottleConfig)
    indirect case settings(DeviceSettings)
    case request(SyncRequest)
    case status(SyncStatus)
    case chunk(DrinkChunk)
    indirect case command(PuckCommand)
    indirect case activity(ActivityValue)
    /// Number of the state in Calibration State, 0 to 10.
    case calibration(Int)
    case battery(Int)
    case text(String)
    /// Dialect `prd`, as the following cases.
    case history([PRDRecord])
    case pending(Int)
    case acknowledgement(Int)
    indirect case requiredConfig(PRDConfig)
    indirect case requiredStatus(PRDStatus)
    indirect case requiredControl(PRDControl)

    /// Nil for any other type, and for bytes that do not match their type.
    init?(_ value: AttributeValue) {
        guard let reading = value.reading, let type = DeviceProfile.TypeName(rawValue: reading.typeIndex) else {
            return nil
        }
        switch type {
        case .currentState: self.init(CurrentState(reading)) { .state($0) }
        case .bottleConfig: self.init(reading.decoded(as: BottleConfig.self)) { .config($0) }
        case .deviceSettings: self.init(DeviceSettings(reading)) { .settings($0) }
        case .syncRequest: self.init(SyncRequest(reading)) { .request($0) }
        case .syncStatus: self.init(SyncStatus(reading)) { .status($0) }
        case .drinkChunk, .legacyDrinkChunk: self.init(DrinkChunk(reading)) { .chunk($0) }
        case .command: self.init(PuckCommand(reading)) { .command($0) }
        case .interimCommand:
            self.init(DeviceProfile.InterimCommand(reading)) { .command(PuckCommand($0)) }
        case .legacyCommand: self.init(DeviceProfile.LegacyCommand(reading)) { .command(PuckCommand($0)) }
        case .activitySummary:
            self.init(reading.decoded(as: ActivitySummary.self)) { .activity(.summary($0)) }
        case .motionChunk: self.init(reading.decoded(as: MotionChunk.self)) { .activity(.motion($0)) }
        case .backpackChunk: self.init(reading.decoded(as: BackpackChunk.self)) { .activity(.backpack($0)) }
        case .calibrationState: self.init(reading.integer("state")) { .calibration($0) }
        case .batteryLevel: self.init(reading.decoded(as: Int.self)) { .battery($0) }
        case .manufacturerName, .modelNumber, .firmwareRevision, .serialNumber:
            self.init(reading.decoded(as: String.self)) { .text($0) }
        case .drinkHistory: self.init(reading.decoded(as: PRDHistory.self)) { .history($0.records) }
        case .pendingCount: self.init(reading.decoded(as: Int.self)) { .pending($0) }
        case .acknowledgement: self.init(reading.decoded(as: Int.self)) { .acknowledgement($0) }
        case .prdBottleConfig: self.init(PRDConfig(reading)) { .requiredConfig($0) }
        case .deviceStatus: self.init(PRDStatus(reading)) { .requiredStatus($0) }
        case .prdControl: self.init(PRDControl(reading)) { .requiredControl($0) }
        default: return nil
        }
    }

    private init?<Content>(_ content: Content?, _ make: (Content) -> PuckValue) {
        guard let content else { return nil }
        self = make(content)
    }
}
