import Bytes
import PluginKit

/// A puck's program: its behaviour, and its working memory, which begins at the end of a boot and is lost in sleep.
protocol Firmware: Sendable {
    /// Characteristics whose reads and writes the firmware answers itself.
    static var answered: Set<PuckCharacteristic> { get }
    /// Battery percentage without which it does nothing after a wake-up (section 10.8).
    static func leastCharge(after wake: Wake, _ memory: PuckMemory) -> Int
    /// Time until it checks a battery that was too low.
    static var lockoutPause: Duration { get }

    /// Delay after midnight until its timer wakes it for the new day.
    static var rolloverDelay: Duration { get }

    /// Starts at the end of a boot.
    init(_ wake: Wake, _ board: inout Board)

    /// State of the radio: `advertising`, `connected`, or `wake` while it is off.
    var radio: PowerState { get }
    /// When the firmware acts next.
    var deadline: Timestamp { get }
    /// Does pending work; returns the sleep that it requests, if any.
    mutating func proceed(_ board: inout Board) -> Sleep?
    /// Handles a client's input.
    mutating func take(_ input: TwinInput, _ board: inout Board)
    var isDoubleTapped: Bool { get set }
    /// Handles a movement detected by the accelerometer.
    mutating func feelMotion(at now: Timestamp)
    /// Handles past drinks that were added to the store.
    mutating func recallDrinks(_ board: Board)
    /// Draws the display for a new day, without a weighing (section 10.2).
    static func showNewDay(_ board: inout Board)
    /// The log entry of this awake time.
    func event(isExtended: Bool, _ board: Board) -> ActivityLog.Event
}

extension Firmware {
    mutating func feelMotion(at now: Timestamp) {}
    mutating func recallDrinks(_ board: Board) {}
}
