package import Profile

/// The value of a characteristic, as it is read, written or told: always the whole of it.
package struct AttributeValue {
    package let operation: OperationKind
    /// Name of the characteristic in the profile.
    package let characteristic: String
    package let bytes: ValueBytes
    /// How its type reads it; nil where the profile has no type for it.
    package let reading: ValueReading?
    /// Whether a write asks for a response.
    package var asksForResponse = true
    /// When the request came that a read answers.
    package var requested: Moment?

    package init(
        _ operation: OperationKind, of characteristic: String, _ bytes: ValueBytes, _ reading: ValueReading? = nil
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
        self.reading = reading
    }

    /// Name of its type; nil where the profile has none.
    package var message: String? { reading?.layout.name }
}

/// A message of the application that came in several values.
package struct AssembledContent {
    /// Name of the message in the profile.
    package var message: String
    /// Name of its type.
    package var type: String
    package var bytes: ValueBytes
    /// Nil where the bytes are none of the type.
    package var value: Value?
    /// The frames that it came in.
    package var frames: [Int]
    /// How its type reads it.
    package var reading: ValueReading?

    package init(
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
