import Bluetooth
import Bytes
import Captures
import PluginKit
import Profile

/// Tracks the values of devices that plugins describe, frame by frame in order: it chooses the plugin of each device,
/// and follows writes that affect later values, messages in several values, and the plugins' own followers.
///
/// It runs after the tracker, with the tracker's names, and processes only attributes that a plugin follows; it skips
/// other traffic.
package struct ApplicationTracker {
    let plugins: PluginSet
    /// Whether attributes whose discovery was not captured get names by the handles in a profile.
    let guesses: Bool
    /// Sets of plugins whose evidence for the same device weighs the same, so that none was chosen.
    package private(set) var rivals: Set<[Int]> = []
    /// Evidence that devices have shown.
    package private(set) var recognition: DeviceRecognition
    private var followers: [(any DeviceFollower)?]
    /// State of each span of a server's table, and the index of the state by table version.
    private var spans: [Span] = []
    private var slots: [TableVersion: Int] = [:]
    private var lastSlot = 0
    private var freeSlots: [Int] = []
    /// The most recent kinds of servers.
    private var kinds: [ServerKind] = []
    /// Number of batches so far.
    private var batches = 0

    /// Spans tracked at one time; a new one replaces the one idle longest.
    private static let spanLimit = 1024
    /// Kinds of servers remembered.
    private static let kindLimit = 64

    package init(_ plugins: PluginSet, guesses: Bool = true) {
        self.plugins = plugins
        recognition = DeviceRecognition(plugins.evidence)
        self.guesses = guesses
        followers = plugins.plugins.map { $0.behaviour?.makeFollower() }
    }

    /// Whether values help to recognize devices, so that a first pass over them is worthwhile.
    package var learnsFromValues: Bool { plugins.evidence.looksAtInformation }

    /// A tracker for another pass over the same capture: it keeps the recognized devices and forgets their traffic.
    package func restarted() -> ApplicationTracker {
        var copy = ApplicationTracker(plugins, guesses: guesses)
        copy.recognition = recognition
        return copy
    }

    /// State of one server's attributes.
    private struct Span {
        let tableVersion: TableVersion
        /// The attributes to follow; nil before the first lookup.
        var kind: ServerKind?
        /// Entries of the table at the last lookup of `kind`, and the batch of the last check.
        var tableCount = -1
        var batch = 0
        var written = WrittenValues()
        /// The last values that other values answer, by the names of characteristics and messages.
        var requests: [String: Value] = [:]
        var messages: [MessageAssembler] = []
        var lastFrame = 0

        init(tableVersion: TableVersion) {
            self.tableVersion = tableVersion
        }
    }

    /// Tracks a batch, which must have its names: chooses the plugin of each server, and records the meaning of values
    /// beyond their own bytes.
    package mutating func follow(_ batch: inout TrackedBatch, _ devices: DeviceTable) {
        if plugins.plugins.isEmpty { return }
        batches += 1
        for (tableVersion, contents) in batch.tableVersions {
            let match = recognition.match(contents, devices, assuming: plugins.assumed)
            batch.matches[tableVersion] = match
            if !match.rivals.isEmpty { rivals.insert(match.rivals) }
            if guesses, contents.isEmpty, match.plugin >= 0,
                let table = plugins.plugins[match.plugin].guessedTable(of: match.dialect)
            {
                batch.tableVersions[tableVersion]?.earlier = table
                batch.tableVersions[tableVersion]?.earlierConfidence = .guessed
            }
        }
        if plugins.dependsOnAdvertiser {
            for (index, device) in batch.devices where device.advertisements > 0 {
                batch.advertisers[index] = recognition.match(device, at: index)
            }
        }
        if plugins.followedTypes.isEmpty && !plugins.evidence.looksAtInformation { return }
        for index in batch.metadata.indices { follow(&batch, index) }
        for tableVersion in batch.ended.keys { forget(tableVersion) }
    }

    /// Drops the state of a server whose connection has ended.
    private mutating func forget(_ tableVersion: TableVersion) {
        guard let slot = slots.removeValue(forKey: tableVersion) else { return }
        spans[slot] = Span(tableVersion: .unknown)
        freeSlots.append(slot)
    }

    /// Searches only the values that were read in a batch, for evidence of plugins. The batch need not have its names.
    package mutating func learn(from batch: inout TrackedBatch, _ knowledge: borrowing AttributeTableStore) {
        for index in batch.reassembly.reads {
            let metadata = batch.metadata[index]
            guard let attribute = metadata.attribute, attribute.tableVersion.isKnown else { continue }
            if attribute.opcode.listsValues {
                // The server's table is needed to separate the values.
                batch.tableVersions[attribute.tableVersion] = knowledge[attribute.tableVersion]
                for value in batch.listedValues(of: metadata, plugins: plugins) where !value.isPartial {
                    learn(value.piece, value.handle, attribute.tableVersion, knowledge, batch)
                }
            } else if let piece = batch.value(of: metadata) {
                learn(piece, attribute.handle, attribute.tableVersion, knowledge, batch)
            }
        }
    }

    private mutating func learn(
        _ piece: FrameMetadata.BufferRange, _ handle: Handle, _ tableVersion: TableVersion,
        _ knowledge: borrowing AttributeTableStore,
        _ batch: borrowing TrackedBatch
    ) {
        guard let attribute = knowledge.attribute(at: handle, of: tableVersion)?.0, let type = attribute.type else {
            return
        }
        switch attribute.kind {
        case .value, .undeclaredValue: break
        case .service, .characteristic, .descriptor, .unknown: return
        }
        learn(piece, of: type, knowledge.device(of: tableVersion), batch)
    }

    /// Looks for signs in a value that a device sent, if it belongs to the device's Device Information.
    private mutating func learn(
        _ piece: FrameMetadata.BufferRange, of type: UUID, _ device: Int32, _ batch: borrowing TrackedBatch
    ) {
        guard device >= 0, plugins.evidence.looksAtInformation(of: type) else { return }
        recognition.note(batch.bytes(of: piece), of: type, by: device)
    }

    private mutating func follow(_ batch: inout TrackedBatch, _ index: Int) {
        guard let attribute = batch.metadata[index].attribute, attribute.tableVersion.isKnown,
            let operation = attribute.opcode.operation
        else { return }
        let slot = slot(attribute.tableVersion, batch)
        if attribute.opcode.listsValues {
            if spans[slot].kind?.attributes.isEmpty ?? true { return }
            let metadata = batch.metadata[index]
            let values = batch.listedValues(of: metadata, plugins: plugins)
            for (number, value) in values.enumerated() where !value.isPartial {
                guard let followed = spans[slot].kind?.attributes[value.handle.rawValue] else { continue }
                take(value.piece, number, of: followed, operation, slot, &batch, index)
            }
        } else if let followed = spans[slot].kind?.attributes[attribute.handle.rawValue] {
            let metadata = batch.metadata[index]
            guard let piece = batch.value(of: metadata) else { return }
            take(piece, 0, of: followed, operation, slot, &batch, index)
        }
    }

    /// Processes a value of a followed attribute; `number` is its index among the frame's values.
    private mutating func take(
        _ piece: FrameMetadata.BufferRange, _ number: Int, of followed: FollowedAttribute, _ operation: OperationKind,
        _ slot: Int, _ batch: inout TrackedBatch, _ index: Int
    ) {
        spans[slot].lastFrame = batch.metadata[index].packet.number
        if followed.isInformation {
            learn(piece, of: followed.type, batch.tableVersions[spans[slot].tableVersion]?.device ?? -1, batch)
        }
        if let reading = followed.reading { note(reading, operation, piece, number, slot, &batch, index) }
    }

    /// Records the meaning of a followed attribute's value.
    private mutating func note(
        _ reading: PluginSet.Reading, _ operation: OperationKind, _ piece: FrameMetadata.BufferRange, _ number: Int,
        _ slot: Int, _ batch: inout TrackedBatch, _ index: Int
    ) {
        let packet = batch.metadata[index].packet
        let reader = reading.reader
        let bytes = batch.bytes(of: piece)
        var noted = ApplicationFacts()
        let layout: Layout?
        if reader.usesContext {
            let context = context(of: slot, reading.plugin, answering: reader.request)
            layout = reader.layout(for: operation, value: bytes.span.rawBytes, in: context)
            noted.layout = layout
        } else {
            layout = reader.layout(for: operation, value: bytes.span.rawBytes, in: NoContext())
        }
        if operation != .write, let request = reader.request { noted.request = spans[slot].requests[request] }
        if operation == .write, reading.decidesOthers {
            spans[slot].written[reader.name] = Array(bytes)
        }
        if operation == .write, reading.isRequest {
            spans[slot].requests[reader.name] = layout.flatMap { try? $0.decode(Array(bytes)) }
        }
        for message in spans[slot].messages.indices
        where spans[slot].messages[message].form.takes(operation, of: reader.name, layout) {
            // Keeping a slice would cause a copy of the batch's bytes when a message is appended to them.
            let outcome = spans[slot].messages[message].add(
                Array(batch.bytes(of: piece)), layout, frame: packet.number, time: packet.time)
            noted.faults += outcome.faults
            let definition = spans[slot].messages[message].form.definition
            for content in outcome.contents {
                guard let message = assembled(content, definition, slot, reading.plugin, &batch, index) else {
                    continue
                }
                noted.messages.append(message)
            }
        }
        guard let layout else {
            if !noted.isEmpty { batch.applications.append(noted, .init(frame: packet.number, value: number)) }
            return
        }
        noted.annotations = annotations(
            reading, operation, layout, batch.bytes(of: piece), batch.metadata[index])
        if !noted.isEmpty { batch.applications.append(noted, .init(frame: packet.number, value: number)) }
    }

    /// A complete message with its layout; nil if its profile has none.
    private mutating func assembled(
        _ content: MessageAssembler.Content, _ definition: MessageDefinition, _ slot: Int, _ plugin: Int,
        _ batch: inout TrackedBatch, _ index: Int
    ) -> AssembledMessage? {
        let profile = plugins.plugins[plugin].profile
        let context = context(of: slot, plugin, answering: definition.request)
        guard
            let layout = profile.messages[definition.name]?.layout(of: content.bytes.span.rawBytes, in: context)
        else { return nil }
        if profile.requests.contains(definition.name) {
            spans[slot].requests[definition.name] = try? layout.decode(content.bytes)
        }
        let place = batch.addToSDU(of: index, content.bytes)
        return AssembledMessage(
            name: definition.name, layout: layout, request: context.request, frames: content.frames, place: place)
    }

    /// The context of a value that answers `request`.
    private func context(of slot: Int, _ plugin: Int, answering request: String?) -> SpanContext {
        SpanContext(
            written: spans[slot].written, presence: spans[slot].kind?.presence[plugin] ?? [:],
            request: request.flatMap { spans[slot].requests[$0] })
    }

    /// Annotations of a value by the plugin's follower.
    private mutating func annotations(
        _ reading: PluginSet.Reading, _ operation: OperationKind, _ layout: Layout,
        _ bytes: ArraySlice<UInt8>, _ metadata: FrameMetadata
    ) -> [Annotation] {
        guard reading.isFollowed, followers[reading.plugin] != nil else { return [] }
        var reader = ByteReader(bytes.span)
        guard let value = try? layout.decode(&reader) else { return [] }
        var event = DeviceEvent(
            frame: metadata.packet.number, time: metadata.packet.time, connection: Int(metadata.connection) + 1,
            operation: operation, characteristic: reading.reader.name, message: layout.name, value: value)
        event.recordedAt = Int(metadata.hci?.adapter ?? 0) << 2 | Int(metadata.direction.rawValue)
        return followers[reading.plugin]?.follow(event) ?? []
    }

    /// Index of a table version's span, with the attributes to follow in its table. The table does not change within a
    /// batch.
    private mutating func slot(_ tableVersion: TableVersion, _ batch: borrowing TrackedBatch) -> Int {
        if lastSlot < spans.count, spans[lastSlot].tableVersion == tableVersion, spans[lastSlot].batch == batches {
            return lastSlot
        }
        lastSlot = slots[tableVersion] ?? makeSlot(tableVersion)
        guard spans[lastSlot].batch != batches, let contents = batch.tableVersions[tableVersion] else {
            return lastSlot
        }
        spans[lastSlot].batch = batches
        let count = contents.discovered.count + (contents.earlier?.count ?? 0)
        guard spans[lastSlot].tableCount != count else { return lastSlot }
        spans[lastSlot].tableCount = count
        let kind = kind(of: contents.table, batch.matches[tableVersion]?.plugin ?? -1)
        spans[lastSlot].kind = kind
        if spans[lastSlot].messages.isEmpty { spans[lastSlot].messages = kind.messages }
        return lastSlot
    }

    /// The attributes to follow in a table of a device that `plugin` describes.
    private mutating func kind(of table: GATT.Table, _ plugin: Int) -> ServerKind {
        if let known = kinds.last(where: { $0.plugin == plugin && $0.table == table }) { return known }
        let kind = ServerKind(table, plugin, plugins)
        if kinds.count == Self.kindLimit { kinds.removeFirst() }
        kinds.append(kind)
        return kind
    }

    /// A slot for a new span; at the limit, that of the span idle longest.
    private mutating func makeSlot(_ tableVersion: TableVersion) -> Int {
        if let free = freeSlots.popLast() {
            spans[free] = Span(tableVersion: tableVersion)
            slots[tableVersion] = free
            return free
        }
        if spans.count < Self.spanLimit {
            spans.append(Span(tableVersion: tableVersion))
            slots[tableVersion] = spans.count - 1
            return spans.count - 1
        }
        let oldest = spans.indices.min { spans[$0].lastFrame < spans[$1].lastFrame } ?? 0
        slots[spans[oldest].tableVersion] = nil
        spans[oldest] = Span(tableVersion: tableVersion)
        slots[tableVersion] = oldest
        return oldest
    }
}

extension TrackedBatch {
    /// Appends a message to the bytes assembled for a frame, which become its SDU, and returns the message's range in
    /// the SDU.
    fileprivate mutating func addToSDU(of index: Int, _ message: [UInt8]) -> Range<Int> {
        let former = metadata[index].assembled
        var start = former.isPresent ? former.start : reassembly.bytes.count
        if start + former.count != reassembly.bytes.count {
            start = reassembly.append(Array(bytes(of: former))).start
            let long = metadata[index].longValue
            if long.isPresent {
                metadata[index].longValue = FrameMetadata.BufferRange(
                    place: long.place, start: start + long.start - former.start, count: long.count)
            }
        }
        let piece = reassembly.append(message)
        metadata[index].sdu = FrameMetadata.BufferRange(
            place: .reassembled, start: start, count: former.count + piece.count)
        return former.count..<(former.count + piece.count)
    }
}

/// The context of a value in its span of traffic.
private struct SpanContext: PayloadContext {
    let written: WrittenValues
    /// Whether the server has a characteristic, by its name in the profile.
    let presence: [String: Bool]
    let request: Value?

    func written(to characteristic: String, at offset: Int) -> UInt8? {
        written.byte(at: offset, of: characteristic)
    }

    func has(_ characteristic: String) -> Bool? { presence[characteristic] }
}
