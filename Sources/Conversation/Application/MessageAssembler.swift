import Bytes
import Profile
import Synchronization

/// Assembles one kind of message from the values that carry it.
struct MessageAssembler: Sendable {
    /// The kind of message, shared by all assemblers of that kind.
    let form: MessageForm
    private var bytes: [UInt8] = []
    private var frames: [Int] = []
    /// Index of the next chunk.
    private var next: UInt64 = 0
    /// Length of the message, as its first value states it.
    private var length = 0
    private var lastTime = Timestamp.epoch
    /// Finds messages in a stream; nil for other framings.
    private var stream: StreamDecoder?

    /// Longer messages are dropped: devices send far less than an attribute of 64 KiB in a hundred parts.
    private static let byteLimit = 1 << 20

    init(_ definition: MessageDefinition) {
        form = MessageForm(definition)
        if case .stream(let framing) = definition.framing { stream = StreamDecoder(framing) }
    }

    /// A complete message.
    struct Content {
        var bytes: [UInt8]
        var frames: [Int]
    }

    /// Result of adding a value: complete messages, and faults in the messages that it belongs to.
    struct Outcome {
        var contents: [Content] = []
        var faults: [String] = []
    }

    /// Adds the next value, which has the layout `layout`.
    mutating func add(_ value: [UInt8], _ layout: Layout?, frame: Int, time: Timestamp) -> Outcome {
        var outcome = Outcome()
        if let timeout = form.definition.timeout, !frames.isEmpty, (time - lastTime).seconds > timeout {
            if let stream, stream.isInside {
                outcome.faults.append("the previous message of \(stream.count) bytes is incomplete")
            }
            reset()
        }
        lastTime = time
        if bytes.count > Self.byteLimit { reset() }
        switch form.definition.framing {
        case .chunks:
            guard let layout, let fields = form.chunkFields(of: layout) else { return outcome }
            return addChunk(value, layout, fields, frame: frame)
        case .lengthPrefix(let count): return addPart(value, prefix: count, frame: frame)
        case .stream: addPiece(value, frame: frame, &outcome)
        }
        return outcome
    }

    private mutating func reset() {
        (bytes, frames, next, length) = ([], [], 0, 0)
        stream?.reset()
    }

    /// Searches a piece of a stream for messages. A fault that repeats within the piece is reported once.
    private mutating func addPiece(_ value: [UInt8], frame: Int, _ outcome: inout Outcome) {
        for byte in value {
            if frames.last != frame { frames.append(frame) }
            switch stream?.add(byte) {
            case .message(let content)?:
                outcome.contents.append(Content(bytes: content, frames: frames))
                frames = []
            case .fault(let text)?:
                if !outcome.faults.contains(text) { outcome.faults.append(text) }
                frames = []
            case nil:
                if stream?.isInside != true { frames = [] }
            }
        }
    }

    private mutating func addChunk(
        _ value: [UInt8], _ layout: Layout, _ fields: MessageForm.ChunkFields, frame: Int
    ) -> Outcome {
        let recorder = FieldRecorder()
        var reader = ByteReader(value.span, recorder: recorder)
        let fault = Result { () throws(DecodeError) in try layout.read(&reader) }.failure
        let recorded = recorder.fields
        // A value without this content belongs to another message, or to none.
        guard let index = recorded.first(where: { $0.field == fields.index })?.value,
            let total = recorded.first(where: { $0.field == fields.total })?.value, total > 0,
            let first = recorded.first(where: { $0.field == fields.content }),
            let last = recorded.last(where: { $0.field == fields.content })
        else { return Outcome() }
        var outcome = Outcome()
        if index == 0 { reset() }
        guard index == next else {
            outcome.faults.append("chunk \(index) of \(total), expected chunk \(next)")
            reset()
            return outcome
        }
        if let fault {
            outcome.faults.append("chunk \(index) of \(total) is truncated: \(fault)")
            reset()
            next = .max
            return outcome
        }
        let end = min(value.count, Int(last.offset) + Int(last.length))
        bytes += value[min(Int(first.offset), end)..<end]
        frames.append(frame)
        next += 1
        if next >= total {
            outcome.contents = [Content(bytes: bytes, frames: frames)]
            reset()
        }
        return outcome
    }

    private mutating func addPart(_ value: [UInt8], prefix count: Int, frame: Int) -> Outcome {
        if frames.isEmpty {
            guard value.count >= count else { return Outcome(faults: ["too short for the length of \(count) bytes"]) }
            length = value.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes = Array(value.dropFirst(count))
        } else {
            bytes += value
        }
        frames.append(frame)
        guard bytes.count >= length || length > Self.byteLimit else { return Outcome() }
        defer { reset() }
        if bytes.count > length {
            return Outcome(faults: ["\(bytes.count) bytes of a message with length \(length)"])
        }
        return Outcome(contents: [Content(bytes: bytes, frames: frames)])
    }
}

/// A kind of message, shared by all messages of the kind, regardless of the device, and by all copies of a tracker,
/// which run concurrently.
final class MessageForm: Sendable {
    let definition: MessageDefinition
    /// Chunk fields of value types, by the type's name; nil for types that are not chunks.
    private let knownFields = Mutex<[String: ChunkFields?]>([:])

    fileprivate init(_ definition: MessageDefinition) {
        self.definition = definition
    }

    /// The fields of a chunk that contain its position in the message, and its content.
    fileprivate struct ChunkFields: Sendable {
        let index: Field
        let total: Field
        let content: Field

        init?(index: Field?, total: Field?, content: Field?) {
            guard let index, let total, let content else { return nil }
            (self.index, self.total, self.content) = (index, total, content)
        }
    }

    /// Whether a value can be a part of the message; chunks need a type with the fields of a chunk.
    func takes(_ operation: OperationKind, of characteristic: String, _ layout: Layout?) -> Bool {
        guard definition.operation == operation, definition.characteristic == characteristic else { return false }
        guard case .chunks = definition.framing else { return true }
        return layout.flatMap { chunkFields(of: $0) } != nil
    }

    fileprivate func chunkFields(of layout: Layout) -> ChunkFields? {
        guard case .chunks(let index, let total, let content) = definition.framing else { return nil }
        return knownFields.withLock { known in
            if let fields = known[layout.name] { return fields }
            let fields = ChunkFields(
                index: layout.field(at: index), total: layout.field(at: total), content: layout.field(at: content))
            known[layout.name] = .some(fields)
            return fields
        }
    }
}

extension Result {
    /// The error; nil on success.
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
