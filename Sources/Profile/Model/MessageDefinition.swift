/// Section `messages`: application messages that span several values or share one.
package struct MessageDefinition: Sendable {
    package enum Framing: Sendable {
        /// Each value contains its index and the total; the bytes of the field `content` are concatenated.
        case chunks(index: String, total: String, content: String)
        /// The first value begins with the total length, an unsigned number of this many bytes.
        case lengthPrefix(bytes: Int)
        /// Values form a byte stream in which delimiters or lengths separate messages.
        case stream(StreamFraming)
    }

    package var name: String
    package var title: String
    package var doc: String?
    package var characteristic: String
    package var operation: OperationKind
    package var framing: Framing
    /// Type of the reassembled message.
    package var reading: PayloadChoice
    /// Seconds without a further value after which an incomplete message is discarded; nil for the connection's
    /// lifetime.
    package var timeout: Double?
    /// The message or characteristic whose last written value this message answers.
    package var request: String?
    /// Maximum value size, in bytes, when a virtual device sends the message; nil for the size that ATT_MTU allows.
    package var part: Int?
    package var place: SourcePlace

    package init(
        name: String, title: String, characteristic: String, operation: OperationKind, framing: Framing,
        reading: PayloadChoice, place: SourcePlace
    ) {
        self.name = name
        self.title = title
        self.characteristic = characteristic
        self.operation = operation
        self.framing = framing
        self.reading = reading
        self.place = place
    }

    package init(
        name: String, title: String, characteristic: String, operation: OperationKind, framing: Framing, type: String,
        place: SourcePlace
    ) {
        self.init(
            name: name, title: title, characteristic: characteristic, operation: operation, framing: framing,
            reading: PayloadChoice([.init(type: type, place: place)]), place: place)
    }

    /// Names of the possible types.
    package var types: [String] { reading.alternatives.map(\.type) }
}
