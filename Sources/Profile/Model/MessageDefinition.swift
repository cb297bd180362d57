/// Section `messages`: messages of the application that do not coincide with values.
package struct MessageDefinition: Sendable {
    package enum Framing: Sendable {
        /// Each value says its index and how many there are; the named field's bytes are put together.
        case chunks(index: String, total: String, content: String)
        /// The first value begins with the length of all, an unsigned number of this many bytes.
        case lengthPrefix(bytes: Int)
        /// Values are pieces of a stream, in which delimiters or lengths separate the messages.
        case stream(StreamFraming)
    }

    package var name: String
    package var title: String
    package var doc: String?
    package var characteristic: String
    package var operation: OperationKind
    package var framing: Framing
    /// Type of the bytes that were put together.
    package var reading: PayloadChoice
    /// Seconds without a further value after which it is given up; nil for the connection's life.
    package var timeout: Double?
    /// The message or the characteristic whose last value written it answers.
    package var request: String?
    /// Bytes of a value that a virtual device sends it in; nil for as many as ATT_MTU allows.
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

    /// Names of the types that it may have.
    package var types: [String] { reading.alternatives.map(\.type) }
}
