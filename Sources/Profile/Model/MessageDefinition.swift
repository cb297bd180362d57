/// Section `messages`: messages of the application that do not coincide with values.
public struct MessageDefinition: Sendable {
    public enum Framing: Sendable {
        /// Each value says its index and how many there are; the named field's bytes are put together.
        case chunks(index: String, total: String, content: String)
        /// The first value begins with the length of all, an unsigned number of this many bytes.
        case lengthPrefix(bytes: Int)
        /// Values are pieces of a stream, in which delimiters or lengths separate the messages.
        case stream(StreamFraming)
    }

    public var name: String
    public var title: String
    public var doc: String?
    public var characteristic: String
    public var operation: OperationKind
    public var framing: Framing
    /// Type of the bytes that were put together.
    public var reading: PayloadChoice
    /// Seconds without a further value after which it is given up; nil for the connection's life.
    public var timeout: Double?
    /// The message or the characteristic whose last value written it answers.
    public var request: String?
    /// Bytes of a value that a virtual device sends it in; nil for as many as ATT_MTU allows.
    public var part: Int?
    public var place: SourcePlace

    public init(
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

    public init(
        name: String, title: String, characteristic: String, operation: OperationKind, framing: Framing, type: String,
        place: SourcePlace
    ) {
        self.init(
            name: name, title: title, characteristic: characteristic, operation: operation, framing: framing,
            reading: PayloadChoice([.init(type: type, place: place)]), place: place)
    }

    /// Names of the types that it may have.
    public var types: [String] { reading.alternatives.map(\.type) }
}
