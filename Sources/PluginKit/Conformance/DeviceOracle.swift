public import Bytes
public import Profile

/// A twin that follows a real device through one connection: it is told all that the client does, as every twin is, and
/// besides what the device has shown. What it does by itself is what a device must do because of its client.
///
/// What a client cannot know, as sensors, people, chance and what was before the connection determine it, the oracle takes
/// over from what the device shows, and knows it from then on.
public protocol DeviceOracle: DeviceTwin {
    /// How long after its cause a device may take until it tells a value of a characteristic.
    func patience(for characteristic: String) -> Duration

    /// The device showed a value: takes over of it what only the device can know, and says what the value should have been.
    mutating func adopt(_ shown: ShownValue, at now: Timestamp) -> Expectation

    /// Something that the twin told of a characteristic, the device did not tell in time. Why it may have been right to
    /// keep silent; nil where it was not.
    mutating func miss(_ characteristic: String) -> String?
}

/// A value that a device has shown.
public struct ShownValue: Hashable, Sendable {
    /// `read`, `notify` or `indicate`.
    public var operation: OperationKind
    /// Name of the characteristic in the profile.
    public var characteristic: String
    /// The value; of one that the ATT_MTU has cut, what was cut off is as predicted.
    public var bytes: [UInt8]
    /// How many of the bytes were really shown.
    public var count: Int
    /// What the twin would have shown, uncut: of what it told, the value that is compared with this one. Nil where it has
    /// told none that is still to come, and for reads of values that it has never set.
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

/// What a device should have shown in place of a value.
public enum Expectation: Hashable, Sendable {
    /// These bytes: those that it has shown where all is as it should be.
    case value([UInt8])
    /// Nothing: `no request asks for it`.
    case nothing(String)
}
