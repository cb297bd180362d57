package import Bytes
package import Captures
import PluginKit

/// A run of frames with everything needed to dissect them on any thread: their bytes, the tracker's metadata, and the
/// devices and attribute tables known at that point.
package struct TrackedBatch: Sendable {
    package var packets = PacketBatch()
    /// One element for each packet, in order.
    package var metadata: [FrameMetadata] = []
    package var reassembly = ReassemblyBuffers()
    /// Time of the capture's first frame.
    package var start = Timestamp(nanoseconds: 0)
    /// Time of the frame before the batch's first one; nil at the start of the capture.
    package var previous: Timestamp?
    /// The contents of the table versions that `metadata` refer to, and the devices by index.
    package var tableVersions: [TableVersion: AttributeTableStore.Version] = [:]
    package var devices: [Int32: Device] = [:]
    /// The connections that `metadata` refer to, if recorded: in their initial state while open, in their final state once
    /// closed.
    package var connections: [Int32: ConnectionRecord] = [:]
    /// The adapters' roles in the connections that `metadata` refer to, if the job requests them.
    package private(set) var roles: [Int32: ConnectionRole] = [:]
    /// Frame numbers of the responses to the batch's requests, by the requests' frame numbers, if the job requests
    /// them.
    package private(set) var responses: [Int: Int] = [:]
    /// Tables of the servers whose connections ended in the batch, if the job requests them.
    package var ended: [TableVersion: AttributeTableStore.Version] = [:]
    /// Writes, of this batch or an earlier one, whose outcome a frame of this batch shows, in the order of these
    /// frames.
    package internal(set) var settledWrites: [SettledWrite] = []
    /// Outcomes of the batch's Write Requests and Execute Write Requests, in frame order; filled by `SettlingQueue`.
    var outcomes: [WriteOutcome.OfFrame] = []
    /// The plugin that describes the server of each of `tableVersions`.
    package var matches: [TableVersion: PluginMatch] = [:]
    /// The plugin that describes each advertiser in `devices`, if that affects how advertising data is read.
    package var advertisers: [Int32: PluginMatch] = [:]
    /// The plugin that describes each of `devices`, if the job requests it.
    package var deviceMatches: [Int32: PluginMatch] = [:]
    /// Results of application tracking.
    package internal(set) var applications = ApplicationFactsList()

    /// Creates an empty batch, to be filled.
    package init() {}

    /// Stores packets with the metadata that each contains by itself; the batch must be empty.
    package mutating func fill(_ packets: PacketBatch) {
        self.packets = packets
        let bytes = packets.bytes.span.rawBytes
        let packets = packets.packets.span
        metadata.append(addingCapacity: packets.count) { metadata in
            for index in packets.indices { metadata.append(FrameMetadata(packet: packets[index], in: bytes)) }
        }
    }

    /// Empties the batch for reuse, keeping its memory, and returns the packets.
    package mutating func empty() -> PacketBatch {
        metadata.removeAll(keepingCapacity: true)
        reassembly.removeAll()
        tableVersions.removeAll(keepingCapacity: true)
        devices.removeAll(keepingCapacity: true)
        connections.removeAll(keepingCapacity: true)
        if !roles.isEmpty { roles.removeAll(keepingCapacity: true) }
        if !responses.isEmpty { responses.removeAll(keepingCapacity: true) }
        if !ended.isEmpty { ended.removeAll(keepingCapacity: true) }
        settledWrites.removeAll(keepingCapacity: true)
        outcomes.removeAll(keepingCapacity: true)
        if !matches.isEmpty { matches.removeAll(keepingCapacity: true) }
        if !advertisers.isEmpty { advertisers.removeAll(keepingCapacity: true) }
        if !deviceMatches.isEmpty { deviceMatches.removeAll(keepingCapacity: true) }
        if !applications.isEmpty { applications.removeAll() }
        var emptied = PacketBatch()
        swap(&emptied, &packets)
        return emptied
    }

    /// The complete attribute value that ends with a frame; nil if the frame has none or only a part.
    package func value(of metadata: borrowing FrameMetadata) -> FrameMetadata.BufferRange? {
        if metadata.longValue.place != .reassembled, metadata.notes.contains(.partialValue) { return nil }
        return valueOrPart(of: metadata)
    }

    /// The complete attribute value that ends with a frame, else the part that the frame carries; nil for a key.
    package func valueOrPart(of metadata: borrowing FrameMetadata) -> FrameMetadata.BufferRange? {
        if metadata.notes.contains(.keyMaterial) { return nil }
        if metadata.longValue.place == .reassembled { return metadata.longValue }
        return metadata.carriedValue
    }

    package func bytes(of piece: FrameMetadata.BufferRange) -> ArraySlice<UInt8> {
        piece.place == .frame ? packets.bytes[piece.range] : reassembly.bytes[piece.range]
    }

    /// A copy with its own bytes: slices of shared bytes would make threads contend for one reference count.
    package func withOwnBytes() -> TrackedBatch {
        var own = self
        (own.packets.bytes, own.reassembly.bytes) = ([], [])
        own.packets.bytes += packets.bytes
        own.reassembly.bytes += reassembly.bytes
        return own
    }

    /// The link layer packet of a frame on the air, up to its PDU; nil for other frames.
    package func linkLayer(of metadata: borrowing FrameMetadata) -> LinkLayerPacket? {
        guard let format = metadata.packet.encapsulation.linkLayerFormat else { return nil }
        var reader = ByteReader(packets.bytes.span.extracting(metadata.packet.range))
        return try? LinkLayerPacket(reading: &reader, format)
    }

    /// A frame's position in its stream; nil for frames of connections and for frames outside streams.
    package func streamPDU(of metadata: borrowing FrameMetadata) -> StreamPDU? {
        metadata.streamPDU < 0 ? nil : reassembly.streamPDUs[Int(metadata.streamPDU)]
    }

    /// The request that a frame answers; nil if it answers none.
    package func request(of metadata: borrowing FrameMetadata) -> RequestFacts? {
        guard let index = metadata.attribute?.request, index >= 0 else { return nil }
        return reassembly.requests[Int(index)]
    }
}

extension Tracker {
    /// Tracks all frames of packets, as a new batch.
    package mutating func track(_ packets: PacketBatch) -> TrackedBatch {
        var batch = TrackedBatch()
        batch.fill(packets)
        track(&batch)
        return batch
    }

    /// Tracks all frames of a batch.
    package mutating func track(_ batch: inout TrackedBatch) {
        if start == nil { start = batch.metadata.first?.packet.time }
        batch.start = start ?? batch.start
        batch.previous = last
        last = batch.metadata.last?.packet.time ?? last
        if !batch.packets.comments.isEmpty { batch.readLinks() }
        track(&batch.metadata, in: batch.packets.bytes, into: &batch.reassembly)
        batch.ended = takeEnded()
        swap(&batch.settledWrites, &settledWrites)
        settledWrites.removeAll(keepingCapacity: true)
    }

    /// Tracks frames in place: copying their metadata would take longer than tracking most of them.
    private mutating func track(
        _ metadata: inout [FrameMetadata], in bytes: [UInt8], into reassembly: inout ReassemblyBuffers
    ) {
        var metadata = metadata.mutableSpan
        for index in metadata.indices {
            reassembly.frame = index
            track(&metadata[index], in: bytes, into: &reassembly)
        }
    }

    /// Adds the devices, tables and connections that a batch's frames refer to, as known so far.
    package func name(_ batch: inout TrackedBatch) { batch.takeNames(devices, knowledge, listed) }
}

extension TrackedBatch {
    /// Adds the adapters' roles, as known to a tracker so far.
    package mutating func takeRoles(_ tracker: borrowing Tracker) {
        var last: Int32 = -1
        for index in metadata.indices where metadata[index].connection != last {
            last = metadata[index].connection
            if last >= 0 { roles[last] = tracker.roles[Int(last)] }
        }
    }

    /// Adds the frame numbers of the responses to the batch's requests.
    package mutating func takeResponses(_ responses: ResponseIndex) {
        for index in metadata.indices where metadata[index].attribute != nil {
            let frame = metadata[index].packet.number
            if let response = responses[frame] { self.responses[frame] = response }
        }
    }

    /// Adds the devices, tables and connections that the frames refer to.
    mutating func takeNames(
        _ devices: borrowing DeviceTable, _ knowledge: borrowing AttributeTableStore, _ connections: [ConnectionRecord]
    ) {
        // A batch has few devices and connections: most frames repeat them.
        var (met, metConnections, metTableVersions) = (MetNumbers(), MetNumbers(), MetNumbers())
        for index in metadata.indices {
            let connection = metadata[index].connection
            let tableVersion = metadata[index].attribute?.tableVersion ?? .unknown
            if met.record(metadata[index].sender) { takeName(of: metadata[index].sender, devices) }
            if met.record(metadata[index].receiver) { takeName(of: metadata[index].receiver, devices) }
            if metConnections.record(connection), connections.indices.contains(Int(connection)),
                self.connections[connection] == nil
            {
                self.connections[connection] = connections[Int(connection)]
            }
            if metTableVersions.record(tableVersion.index), tableVersions[tableVersion] == nil {
                tableVersions[tableVersion] = knowledge[tableVersion]
            }
        }
        for device in reassembly.reporters.values.joined() { takeName(of: device, devices) }
        for ends in reassembly.ends.values {
            takeName(of: ends.central, devices)
            takeName(of: ends.peripheral, devices)
        }
    }

    private mutating func takeName(of device: Int32, _ table: borrowing DeviceTable) {
        if device >= 0, devices[device] == nil { devices[device] = table.shown(device) }
    }
}

/// A direct-mapped set of recent numbers, placed by their low bits.
private struct MetNumbers {
    private var numbers = InlineArray<16, Int32>(repeating: -1)

    /// Records a number and returns whether it was not in the set; negative numbers are not recorded.
    @inline(__always)
    mutating func record(_ number: Int32) -> Bool {
        let place = Int(number & 15)
        guard number >= 0, numbers[place] != number else { return false }
        numbers[place] = number
        return true
    }
}
