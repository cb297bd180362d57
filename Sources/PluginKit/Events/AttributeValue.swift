public import Profile

/// A complete value of a characteristic that was read, written, notified or indicated.
public final class AttributeValue {
    public let operation: OperationKind
    public let characteristic: CharacteristicIndex
    public let bytes: ValueBytes
    /// The value's view through its type; nil if the profile has no type for it.
    public let reading: ValueReading?
    /// The outcome of a write; nil for other operations.
    public var outcome: WriteOutcome?
    /// The frame of the request that a read answers.
    public var requested: FrameReference?

    public init(
        _ operation: OperationKind, of characteristic: CharacteristicIndex, _ bytes: ValueBytes,
        _ reading: ValueReading? = nil
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
        self.reading = reading
    }

    /// Whether this is a write that the server refused, so that it changed nothing.
    public var isRefused: Bool { outcome?.isRefused ?? false }

    /// Name of the value's type; nil if the profile has none.
    public var message: String? { reading?.layout.name }
}

/// An application message assembled from several values.
public struct AssembledContent {
    /// Name of the message in the profile.
    public var message: String
    /// Name of the message's type.
    public var type: String
    public var bytes: ValueBytes
    /// Nil if the bytes do not match the type.
    public var value: Value?
    /// Numbers of the frames that carry the message.
    public var frames: [Int]
    /// The message's view through its type.
    public var reading: ValueReading?

    public init(
        message: String, type: String, bytes: ValueBytes, value: Value?, frames: [Int], reading: ValueReading? = nil
    ) {
        self.reading = reading
        self.message = message
        self.type = type
        self.bytes = bytes
        self.value = value
        self.frames = frames
    }
}
