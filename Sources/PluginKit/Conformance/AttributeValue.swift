public import Profile

/// The value of a characteristic, as it is read, written or told: always the whole of it.
public final class AttributeValue {
    public let operation: OperationKind
    public let characteristic: CharacteristicIndex
    public let bytes: ValueBytes
    /// How its type reads it; nil where the profile has no type for it.
    public let reading: ValueReading?
    /// Of a write.
    public var outcome: WriteOutcome?
    /// When the request came that a read answers.
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

    /// Whether it is a write that the server has refused: it has changed nothing.
    public var isRefused: Bool { outcome?.isRefused ?? false }

    /// Name of its type; nil where the profile has none.
    public var message: String? { reading?.layout.name }
}

/// A message of the application that came in several values.
public struct AssembledContent {
    /// Name of the message in the profile.
    public var message: String
    /// Name of its type.
    public var type: String
    public var bytes: ValueBytes
    /// Nil where the bytes are none of the type.
    public var value: Value?
    /// The frames that it came in.
    public var frames: [Int]
    /// How its type reads it.
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
