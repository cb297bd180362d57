import PluginKit

/// Misbehaviour of the firmware that a twin can show or omit (section 14). The entries of the register that are missing
/// here are the app's.
enum PuckQuirk: String, CaseIterable, Sendable {
    case overlongChunks = "Q-01"
    case countsDeleted = "Q-02"
    case zeroesAfterBoot = "Q-03"
    case fastestInterval = "Q-04"
    case stringsWithNUL = "Q-05"
    case stationAddress = "Q-06"
    case localTimestamps = "Q-07"
    case silentTimerWakes = "Q-08"
    case stickyStable = "Q-09"
    case clockChipKeepsTime = "Q-10"
    case clearRestartsIDs = "Q-11"
    case unclampedLevel = "Q-12"
    case echoesConfig = "Q-13"
    case takesNoNumber = "Q-14"
    case shrinkingTare = "Q-15"
    case hiddenCompletion = "Q-16"
    case shakeOffAtFirst = "Q-17"
    case lateReadings = "Q-18"
    case staleCalibrationState = "Q-19"
    case anyWriteIsActivity = "Q-20"
    case staleDeleteTotal = "Q-21"
    case sleeplessAfterCalibration = "Q-22"
    case queryAborts = "Q-23"
    case countsRollovers = "Q-24"
    case wideScaleLimits = "Q-25"
    case lateCancel = "Q-26"
    case uninitialisedCalibration = "Q-27"
    case silentClear = "Q-34"
    case totalOverMidnight = "Q-36"
    case blockedLoop = "Q-37"
    case missedReadings = "Q-38"
    case twoMinuteWindow = "P-028"

    private var title: String {
        switch self {
        case .overlongChunks: "chunks of drinks may be longer than a notification, and lose their end"
        case .countsDeleted: "deleted drinks are counted and marked as if they were sent"
        case .zeroesAfterBoot: "Current State and Battery Level are zero from a boot to the first evaluation"
        case .fastestInterval: "advertises 7.5 ms as its connection interval, not 15 to 30 ms"
        case .stringsWithNUL: "Device Information strings end with NUL, that of the firmware with ten more bytes"
        case .stationAddress: "name and serial number are of the Wi-Fi address, two below the Bluetooth one"
        case .localTimestamps: "timestamps are sent in local time"
        case .silentTimerWakes: "does not advertise after its timer woke it up, whatever happens then"
        case .stickyStable: "the flag stable is not cleared when the bottle is taken"
        case .clockChipKeepsTime: "a clock chip that SET_TIME does not set brings its old time back at each boot"
        case .clearRestartsIDs: "CLEAR_HISTORY makes record IDs begin at 1 again"
        case .unclampedLevel: "negative levels are kept in drinks"
        case .echoesConfig: "an uncalibrated puck gives back the Bottle Config that was written last"
        case .takesNoNumber: "takes a scale that is no number"
        case .shrinkingTare: "the tare loses up to 1 g with each write, which holds from the next boot on"
        case .hiddenCompletion: "Sync Control never shows that a transfer is complete"
        case .shakeOffAtFirst: "the Empty Gesture is off at first"
        case .lateReadings: "Calibration State has no readings before it is complete"
        case .staleCalibrationState: "Calibration State reads as it was told last"
        case .anyWriteIsActivity: "any write to Command keeps it awake; SET_TIME takes that back"
        case .staleDeleteTotal: "DELETE_DRINK is confirmed with the total of before, unknown drinks too"
        case .sleeplessAfterCalibration: "does not sleep after a calibration before the connection ends"
        case .queryAborts: "QUERY ends a running transfer"
        case .countsRollovers: "counts waking up at midnight as a timer wake of a session that is not there"
        case .wideScaleLimits: "calibration takes other scales than a boot does"
        case .lateCancel: "CANCEL_CALIBRATION comes too late during the full measurement"
        case .uninitialisedCalibration: "CAL_SET_DATA leaves the puck uncalibrated from the next boot on"
        case .silentClear: "CLEAR_HISTORY is not told when nothing was drunk today"
        case .totalOverMidnight: "the daily total goes on over midnight while it is awake"
        case .blockedLoop: "does nothing else while it draws or measures"
        case .twoMinuteWindow:
            "advertises and stays awake for 120 s while drinks are unsynced, as the firmware of plan 028"
        case .missedReadings: "a pass without a reading of the load cell takes 0 for it"
        }
    }

    /// Whether a usual puck shows it. Q-10 needs a clock chip, Q-38 is rare and was never observed, and P-028 is of an
    /// older firmware.
    private var isUsual: Bool { ![.clockChipKeepsTime, .missedReadings, .twoMinuteWindow].contains(self) }

    var definition: QuirkDefinition { QuirkDefinition(rawValue, title, isUsual: isUsual) }
}

/// The quirks that one twin shows.
struct PuckQuirks: Sendable {
    private let shown: Set<PuckQuirk>

    init(_ selection: QuirkSelection, without other: PuckQuirk? = nil) {
        shown = Set(PuckQuirk.allCases.filter { $0 != other && selection.shows($0.definition) })
    }

    func shows(_ quirk: PuckQuirk) -> Bool { shown.contains(quirk) }
}
