package import Bluetooth
package import Captures
import Conversation
import Dissection
package import PluginKit
import Profile

/// Finds the values of some attributes in a capture: what servers told of them and what was written to them, in the order of
/// the frames.
package struct ObservedValues: Sendable {
    /// The attribute types looked for.
    package let types: Set<UUID>
    /// Those of which writes are looked for.
    package let writtenTypes: Set<UUID>
    package private(set) var values: [ObservedValue] = []
    /// Whether there were more values than are kept.
    package private(set) var isCut = false

    /// Values kept at most: one a second for eleven days.
    package static let limit = 1_000_000

    package init(of types: Set<UUID>, writtenTo writtenTypes: Set<UUID> = []) {
        self.types = types
        self.writtenTypes = writtenTypes
    }

    /// Goes through a capture twice: what discovery, or a file of `tables`, reveals late names earlier frames. `goesOn` is
    /// asked after every batch, with the number of frames so far.
    package mutating func collect(
        _ reader: CaptureReader, tables: GATT.KnownTables = GATT.KnownTables(), goesOn: (Int) -> Bool
    ) throws {
        var knowledge = Tracker(imported: tables)
        var batch = TrackedBatch()
        while let packets = try reader.next() {
            batch.fill(packets)
            knowledge.track(&batch)
            reader.reuse(batch.empty())
            guard goesOn(reader.frameCount) else { break }
        }
        try reader.rewind()
        var tracker = Tracker(imported: tables)
        while !isCut, let packets = try reader.next() {
            batch.fill(packets)
            tracker.track(&batch)
            knowledge.name(&batch)
            for facts in batch.facts { take(facts, of: batch) }
            reader.reuse(batch.empty())
            guard goesOn(reader.frameCount) else { break }
        }
    }

    private mutating func take(_ facts: FrameMetadata, of batch: TrackedBatch) {
        guard let told = facts.attribute else { return }
        if told.opcode == .errorResponse { return withdrawWrite(refusedBy: facts, batch) }
        guard let operation = told.opcode.operation else { return }
        if told.opcode.listsValues {
            for value in batch.listedValues(of: facts) where !value.isPartial {
                take(value.piece, of: value.handle, operation, told.binding, facts, batch)
            }
        } else if let value = batch.value(of: facts) {
            take(value, of: told.handle, operation, told.binding, facts, batch)
        }
    }

    private mutating func take(
        _ value: FrameMetadata.Piece, of handle: Handle, _ operation: OperationKind, _ binding: Int32,
        _ facts: FrameMetadata, _ batch: TrackedBatch
    ) {
        let isWrite = operation == .write
        guard let type = batch.bindings[binding]?.attribute(at: handle)?.0.type,
            (isWrite ? writtenTypes : types).contains(type)
        else { return }
        guard values.count < Self.limit else {
            isCut = true
            return
        }
        let index = isWrite ? facts.receiver : facts.sender
        let server = batch.devices[index]
        values.append(
            ObservedValue(
                time: facts.packet.time, frame: facts.packet.number,
                peer: .init(
                    index: Int(index), title: server?.title ?? "?", address: server?.address?.address.description),
                type: type, handle: handle, operation: operation, value: Array(batch.bytes(of: value))))
    }

    /// A write that the server refuses changes nothing.
    private mutating func withdrawWrite(refusedBy facts: FrameMetadata, _ batch: TrackedBatch) {
        guard let frame = batch.request(of: facts)?.frame, let place = values.lastIndex(where: { $0.frame <= frame }),
            values[place].frame == frame, values[place].operation == .write
        else { return }
        values.remove(at: place)
    }
}

extension InputContent {
    /// Bytes at most of what is no capture.
    private static let sizeLimit = 64 << 20

    /// Reads a file that a command asks for: the values of a capture, told by its content, or the bytes of a text; and
    /// tells whether the capture has more values than are kept.
    package static func read(
        _ path: String, values types: Set<UUID>, writes writtenTypes: Set<UUID> = [],
        tables: GATT.KnownTables = GATT.KnownTables(), goesOn: (Int) -> Bool
    ) throws -> (content: InputContent, reader: CaptureReader?, isCut: Bool) {
        var source = try ByteSource(path: path)
        // What can be read once only is kept, to look at it again.
        if !source.isSeekable { source = try ByteSource(bytes: source.readAll(upTo: sizeLimit), name: source.name) }
        do {
            let reader = try CaptureReader(source: source)
            var observed = ObservedValues(of: types, writtenTo: writtenTypes)
            try observed.collect(reader, tables: tables, goesOn: goesOn)
            return (InputContent(name: source.name, content: .values(observed.values)), reader, observed.isCut)
        } catch let error as CaptureError where error.kind == .notACapture {
            try source.rewind()
            let bytes = try source.readAll(upTo: sizeLimit)
            // What is neither a capture nor a text is better described by the one who looked for a capture.
            guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw error }
            return (InputContent(name: source.name, content: .bytes(bytes)), nil, false)
        }
    }
}
