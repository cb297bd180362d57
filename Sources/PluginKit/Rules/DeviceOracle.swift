public import Bytes
public import Profile

/// A twin that follows a real device through one connection: it receives all actions of the client, like every twin,
/// and also the values that the device has shown. Its own actions are those that the client's actions require of the
/// device.
///
/// A client cannot know values that depend on sensors, people, chance or events before the connection. The oracle
/// adopts these values when the device shows them, and knows them from then on.
public protocol DeviceOracle: DeviceTwin {
    /// Time that a device may take from a cause to the notification or indication of a value.
    func patience(for characteristic: String) -> Duration

    /// Handles a value that the device has shown: adopts the parts that only the device can know, and returns the
    /// expected value.
    mutating func adopt(_ shown: ShownValue, at now: Timestamp) -> Expectation

    /// The device did not send a value of a characteristic in time that the twin had notified or indicated. Returns an
    /// excuse for the device; nil if it has none.
    mutating func miss(_ characteristic: String) -> String?
}

/// A value that the device has shown to its client.
public struct ShownValue: Hashable, Sendable {
    /// `read`, `notify` or `indicate`.
    public var operation: OperationKind
    /// Name of the characteristic in the profile.
    public var characteristic: String
    /// The value; if the ATT_MTU has cut it, the remaining bytes are the predicted ones.
    public var bytes: [UInt8]
    /// Number of bytes that were actually shown.
    public var count: Int
    /// The twin's uncut value: the pending notification or indication that is compared with this value, or the twin's
    /// answer to the read. Nil if none is pending, and for reads of values that the twin never set.
    public var predicted: [UInt8]?

    public init(
        _ operation: OperationKind, of characteristic: String, _ bytes: [UInt8], count: Int? = nil,
        predicted: [UInt8]? = nil
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
        self.count = count ?? bytes.count
        self.predicted = predicted
    }
}

/// The value that a device should have shown.
public enum Expectation: Hashable, Sendable {
    /// These bytes; they equal the shown ones if the device is correct.
    case value([UInt8])
    /// No value, with the reason: `no request asks for it`.
    case nothing(String)
}
