import Bytes
import PluginKit
import Profile

/// A value that a twin has told and that the device has not yet.
struct Prediction: Sendable {
    /// `notify` or `indicate`.
    var operation: OperationKind
    var characteristic: String
    var bytes: [UInt8]
    /// What the client did last before it.
    var cause: FrameReference
    /// Since when it is due, and until when it may come.
    var time: Timestamp
    var deadline: Timestamp
    /// It was not told in time, which was said.
    var isMissed = false

    /// How long it may take, in words.
    var patience: String { (deadline - time).seconds.secondsText }

    func isFulfilled(by value: borrowing AttributeValue, of name: String) -> Bool {
        operation == value.operation && characteristic == name
    }
}
