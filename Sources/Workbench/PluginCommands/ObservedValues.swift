import Archives
package import Bluetooth
package import Captures
import Conversation
import Dissection
package import PluginKit
import Profile

/// Collects the values of selected attributes from a capture, in frame order: values that servers sent and values
/// written to them.
package struct ObservedValues: Sendable {
    /// Attribute types whose values are collected.
    package let types: Set<UUID>
    /// Attribute types whose writes are collected.
    package let writtenTypes: Set<UUID>
    package private(set) var values: [ObservedValue] = []
    /// Whether the capture has more values than the limit.
    package private(set) var isCut = false

    /// Maximum number of values: one a second for eleven days.
    package static let limit = 1_000_000

    package init(of types: Set<UUID>, writtenTo writtenTypes: Set<UUID> = []) {
        self.types = types
        self.writtenTypes = writtenTypes
    }

    /// Reads a capture twice, so that a late discovery, or a file of `tables`, names earlier frames. `goesOn` is called
    /// after every batch, with the number of frames so far.
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
        var queue = SettlingQueue()
        while !isCut, let packets = try reader.next() {
            batch.fill(packets)
            tracker.track(&batch)
            knowledge.name(&batch)
            queue.add(batch)
            takeSettled(&queue)
            reader.reuse(batch.empty())
            guard goesOn(reader.frameCount) else { break }
        }
        queue.finish()
        takeSettled(&queue)
    }

    private mutating func takeSettled(_ queue: inout SettlingQueue) {
        while let batch = queue.next() {
            for metadata in batch.metadata { take(metadata, of: batch) }
        }
    }

    private mutating func take(_ metadata: FrameMetadata, of batch: TrackedBatch) {
        guard let attribute = metadata.attribute else { return }
        guard let operation = attribute.opcode.operation, batch.outcome(of: metadata)?.isRefused != true else { return }
        if attribute.opcode.listsValues {
            for value in batch.listedValues(of: metadata) where !value.isPartial {
                take(value.piece, of: value.handle, operation, attribute.tableVersion, metadata, batch)
            }
        } else if let value = batch.value(of: metadata) {
            take(value, of: attribute.handle, operation, attribute.tableVersion, metadata, batch)
        }
    }

    private mutating func take(
        _ value: FrameMetadata.BufferRange, of handle: Handle, _ operation: OperationKind, _ tableVersion: TableVersion,
        _ metadata: FrameMetadata, _ batch: TrackedBatch
    ) {
        let isWrite = operation == .write
        guard let type = batch.tableVersions[tableVersion]?.attribute(at: handle)?.0.type,
            (isWrite ? writtenTypes : types).contains(type)
        else { return }
        guard values.count < Self.limit else {
            isCut = true
            return
        }
        let index = isWrite ? metadata.receiver : metadata.sender
        let server = batch.devices[index]
        values.append(
            ObservedValue(
                time: metadata.packet.time, frame: metadata.packet.number,
                peer: .init(
                    index: Int(index), title: server?.title ?? "?", address: server?.address?.address.description),
                type: type, handle: handle, operation: operation, value: Array(batch.bytes(of: value))))
    }
}

extension InputContent {
    /// Maximum size in bytes of a file that is not a capture.
    private static let sizeLimit = 64 << 20

    /// Reads the input file of a command: the values of a capture, recognized by its content, or the bytes of a text
    /// file; `isCut` is true if the capture has more values than the limit.
    package static func read(
        _ path: String, values types: Set<UUID>, writes writtenTypes: Set<UUID> = [],
        tables: GATT.KnownTables = GATT.KnownTables(), goesOn: (Int) -> Bool
    ) throws -> (content: InputContent, reader: CaptureReader?, isCut: Bool) {
        var source = try CaptureFile(path, CaptureFile.Options()).source
        // An input that can be read only once is buffered, so that it can be read again.
        if !source.isSeekable { source = try ByteSource(bytes: source.readAll(upTo: sizeLimit), name: source.name) }
        do {
            let reader = try CaptureReader(source: source)
            var observed = ObservedValues(of: types, writtenTo: writtenTypes)
            try observed.collect(reader, tables: tables, goesOn: goesOn)
            return (InputContent(name: source.name, content: .values(observed.values)), reader, observed.isCut)
        } catch let error as CaptureError where error.kind == .notACapture {
            try source.rewind()
            let bytes = try source.readAll(upTo: sizeLimit)
            // For a file that is neither a capture nor a text, the capture reader's error is more helpful.
            guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw error }
            return (InputContent(name: source.name, content: .bytes(bytes)), nil, false)
        }
    }
}
