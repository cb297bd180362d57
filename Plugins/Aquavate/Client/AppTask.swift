import PluginKit

/// A task that the user can give the app.
enum AppTask: String, CaseIterable, Sendable {
    case connect
    case sync
    case keepSynced = "keep_synced"
    case calibrate
    case cancelCalibration = "cancel_calibration"
    case fetchActivity = "fetch_activity"
    case setGoal = "set_goal"
    case setCapacity = "set_capacity"
    case deleteDrink = "delete_drink"
    case tare
    case resetDay = "reset_day"
    case clearHistory = "clear_history"
    case disconnect
    case foreground
    case background
    case terminate
    case systemTerminate = "system_terminate"
    case launch

    var definition: StimulusDefinition { StimulusDefinition(rawValue, title, amount: amount) }

    private var title: String {
        switch self {
        case .connect: "Connects, fetches all drinks and stays, keeping the puck awake."
        case .sync: "Fetches all drinks that were not fetched yet."
        case .keepSynced: "Waits for the puck again and again, fetches its drinks and lets it sleep, until terminate."
        case .calibrate: "Calibrates with so much water, follows it to its end and disconnects; 830 ml if shipped."
        case .cancelCalibration: "Cancels the calibration that is under way."
        case .fetchActivity: "Fetches when the puck was awake and carried about."
        case .setGoal: "Sets the goal of a day."
        case .setCapacity: "Sets how much the bottle holds; in the dialect prd only."
        case .deleteDrink: "Deletes the drink of this record ID."
        case .tare: "Takes the weight on the puck for that of the empty bottle."
        case .resetDay: "Deletes the drinks of today."
        case .clearHistory: "Deletes all drinks on the puck; a store keeps those that it has."
        case .disconnect: "Disconnects, after what is being done."
        case .foreground: "Brings the app to the foreground: it looks for the puck for 5 s."
        case .background: "Sends the app to the background: it disconnects after 5 s, and the system reconnects."
        case .terminate: "Ends the app: it disconnects and does not reconnect."
        case .systemTerminate: "Lets the system end the app in the background; the system relaunches it for the puck."
        case .launch: "Starts the app again: it looks for the puck for 5 s."
        }
    }

    private var amount: StimulusDefinition.Amount? {
        switch self {
        case .calibrate:
            .init(
                "ml", in: Double(PRDCalibration.volumes.lowerBound)...Double(PRDCalibration.volumes.upperBound),
                usual: 830)
        case .setGoal: .init("ml", in: 1000...4000, usual: 2500)
        case .setCapacity: .init("ml", in: 1...5000, usual: 830)
        case .deleteDrink: .init("", in: 1...4_294_967_295)
        default: nil
        }
    }

    /// The procedure of the task; nil where the dialect does not support it.
    func procedure(_ amount: Double, _ dialect: Dialect) -> (any AppProcedure)? {
        switch (self, dialect) {
        case (.sync, .shipped): SyncProcedure()
        case (.sync, .prd): PRDSyncProcedure()
        case (.setGoal, _): ConfigProcedure(name: rawValue, dialect: dialect, goal: Int(amount))
        case (.setCapacity, .prd): ConfigProcedure(name: rawValue, dialect: dialect, capacity: Int(amount))
        case (.calibrate, _): AppCalibrationProcedure(dialect: dialect, volume: Int(amount))
        case (.fetchActivity, .shipped): ActivityProcedure()
        case (.deleteDrink, .shipped): CommandProcedure(deleting: Int(amount))
        case (.cancelCalibration, .shipped): CommandProcedure(rawValue, .cancelCalibration)
        case (.cancelCalibration, .prd): CommandProcedure(rawValue, control: .cancelCalibration)
        case (.tare, .shipped): CommandProcedure(rawValue, .tareNow)
        case (.tare, .prd): PRDTareProcedure()
        case (.resetDay, .shipped): CommandProcedure(rawValue, .resetDaily)
        case (.clearHistory, .shipped): CommandProcedure(rawValue, .clearHistory)
        default: nil
        }
    }
}

extension Stimulus {
    /// The app's task, with its amount clamped to its range; nil if this is not one of the app's tasks.
    var ofApp: (task: AppTask, amount: Double)? {
        guard let task = AppTask(rawValue: name) else { return nil }
        return (task, task.definition.taken(amount))
    }
}
