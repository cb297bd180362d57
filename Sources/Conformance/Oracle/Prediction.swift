import Bytes
import PluginKit
import Profile

/// A value that the twin has notified or indicated, and the device has not sent yet.
struct Prediction: Sendable {
    /// `notify` or `indicate`.
    var operation: OperationKind
    var characteristic: String
    var bytes: [UInt8]
    /// The client's last action before it.
    var cause: FrameReference
    /// The time at which the twin sent the value, and the latest time at which the device may send it.
    var time: Timestamp
    var deadline: Timestamp
    /// Whether the value is no longer expected: the deadline has passed, which was reported, or the client has
    /// unsubscribed.
    var isMissed = false

    /// The time allowed to the device, in words.
    var patience: String { (deadline - time).seconds.secondsText }

    func isFulfilled(by value: borrowing AttributeValue, of name: String) -> Bool {
        operation == value.operation && characteristic == name
    }
}
