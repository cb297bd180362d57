import Bytes
import PluginKit

/// Puts one kind of message together from the values that it comes in.
struct MessageAssembler {
    let definition: MessageDefinition
    private var bytes: [UInt8] = []
    private var frames: [Int] = []
    /// Index of the chunk that comes next.
    private var next: UInt64 = 0
    /// Length of the message, where its first value told it.
    private var length = 0
    private var lastTime: Int64 = 0
    private let recorder = FieldRecorder()
    /// Whether values of a form can be parts, by the form's name.
    private var suits: [String: Bool] = [:]

    /// Longer messages are given up: an attribute of 64 KiB in a hundred parts is far more than devices send.
    private static let byteLimit = 1 << 20

    init(_ definition: MessageDefinition) {
        self.definition = definition
    }

    /// A message that is complete.
    struct Content {
        var bytes: [UInt8]
        var frames: [Int]
    }

    /// What a value led to: a complete message, or a fault in the one that it belongs to.
    struct Outcome {
        var content: Content?
        var fault: String?
    }

    /// Whether a value can be a part of the message.
    mutating func takes(_ operation: OperationKind, of characteristic: String, _ layout: Layout) -> Bool {
        guard definition.operation == operation, definition.characteristic == characteristic else { return false }
        guard case .chunks(_, _, let content) = definition.framing else { return true }
        if let known = suits[layout.name] { return known }
        let isSuited = layout.hasField(content)
        suits[layout.name] = isSuited
        return isSuited
    }

    /// Takes the next value, which has the form `layout`.
    mutating func add(_ value: [UInt8], _ layout: Layout, frame: Int, time: Int64) -> Outcome {
        if let timeout = definition.timeout, !frames.isEmpty, Double(time &- lastTime) > timeout * 1e9 { reset() }
        lastTime = time
        if bytes.count > Self.byteLimit { reset() }
        switch definition.framing {
        case .chunks(let index, let total, let content):
            return addChunk(value, layout, index: index, total: total, content: content, frame: frame)
        case .lengthPrefix(let count): return addPart(value, prefix: count, frame: frame)
        }
    }

    private mutating func reset() {
        (bytes, frames, next, length) = ([], [], 0, 0)
    }

    private mutating func addChunk(
        _ value: [UInt8], _ layout: Layout, index: String, total: String, content: String, frame: Int
    ) -> Outcome {
        recorder.reset()
        var reader = ByteReader(value.span, recorder: recorder)
        var remarks: [Remark] = []
        let fault = Result { () throws(DecodeError) in try layout.read(&reader, remarks: &remarks) }.failure
        let prefix = layout.group.name + "."
        func number(_ name: String) -> UInt64? { recorder.fields.first { $0.field.name == prefix + name }?.value }
        let parts = recorder.fields.filter { $0.field.name == prefix + content }
        // A value without this content belongs to another message, or to none.
        guard let index = number(index), let total = number(total), total > 0, let first = parts.first,
            let last = parts.last
        else { return Outcome() }
        var outcome = Outcome()
        if index == 0 { reset() }
        guard index == next else {
            outcome.fault = "chunk \(index) of \(total) comes where chunk \(next) was due"
            reset()
            return outcome
        }
        if let fault {
            outcome.fault = "chunk \(index) of \(total) is cut: \(fault)"
            reset()
            next = .max
            return outcome
        }
        let end = min(value.count, Int(last.offset) + Int(last.length))
        bytes += value[min(Int(first.offset), end)..<end]
        frames.append(frame)
        next += 1
        if next >= total {
            outcome.content = Content(bytes: bytes, frames: frames)
            reset()
        }
        return outcome
    }

    private mutating func addPart(_ value: [UInt8], prefix count: Int, frame: Int) -> Outcome {
        if frames.isEmpty {
            guard value.count >= count else { return Outcome(fault: "too short for the length of \(count) bytes") }
            length = value.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes = Array(value.dropFirst(count))
        } else {
            bytes += value
        }
        frames.append(frame)
        guard bytes.count >= length || length > Self.byteLimit else { return Outcome() }
        defer { reset() }
        if bytes.count > length {
            return Outcome(fault: "\(bytes.count) bytes came of a message that says it has \(length)")
        }
        return Outcome(content: Content(bytes: bytes, frames: frames))
    }
}

extension Result {
    /// What went wrong.
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
