import Bytes
import PluginKit

/// A puck's program: its working memory, which begins at the end of a boot and is lost in sleep, and what it does with it.
protocol Firmware: Sendable {
    /// Characteristics whose reads and writes it answers itself.
    static var answered: Set<PuckCharacteristic> { get }
    /// It does nothing while the battery is low (section 10.8).
    static var locksOut: Bool { get }

    /// How long after midnight its timer wakes it for the new day.
    static var rolloverDelay: Duration { get }

    /// The end of a boot.
    init(_ wake: Wake, _ board: inout Board)

    /// What the radio does: `advertising`, `connected`, or `wake` while it is off.
    var radio: PowerState { get }
    /// When it wants to go on.
    var deadline: Timestamp { get }
    /// Does what is due; the sleep that it wants.
    mutating func proceed(_ board: inout Board) -> Sleep?
    /// Takes what a client does.
    mutating func take(_ input: TwinInput, _ board: inout Board)
    /// The accelerometer has felt a double tap.
    var isDoubleTapped: Bool { get set }
    /// The accelerometer has felt a movement.
    mutating func feelMotion(at now: Timestamp)
    /// Drinks of the past have been stored.
    mutating func recallDrinks(_ board: Board)
    /// This awake time, as it goes into the log.
    func event(isExtended: Bool, _ board: Board) -> ActivityLog.Event
}

extension Firmware {
    mutating func feelMotion(at now: Timestamp) {}
    mutating func recallDrinks(_ board: Board) {}
}
