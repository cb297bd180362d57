package import Bytes
package import Captures
import PluginKit

/// A run of frames with everything needed to dissect them on any thread: their bytes, the tracker's metadata, and the
/// devices and attribute tables known at that point.
package struct TrackedBatch: Sendable {
    package var packets = PacketBatch()
    /// One element for each packet, in order.
    package var facts: [FrameMetadata] = []
    package var gathered = Gathered()
    /// Time of the capture's first frame.
    package var start = Timestamp(nanoseconds: 0)
    /// Time of the frame before the batch's first one; nil at the start of the capture.
    package var previous: Timestamp?
    /// The table versions and devices that `facts` refer to, by index.
    package var bindings: [Int32: AttributeTableStore.Binding] = [:]
    package var devices: [Int32: Device] = [:]
    /// The connections that `facts` refer to, if recorded: in their initial state while open, in their final state once
    /// closed.
    package var connections: [Int32: ConnectionRecord] = [:]
    /// The adapters' roles in the connections that `facts` refer to, if the job requests them.
    package private(set) var roles: [Int32: ConnectionRole] = [:]
    /// Frame numbers of the responses to the batch's requests, by the requests' frame numbers, if the job requests
    /// them.
    package private(set) var responses: [Int: Int] = [:]
    /// Tables of the servers whose connections ended in the batch, if the job requests them.
    package var ended: [Int32: AttributeTableStore.Binding] = [:]
    /// Writes, of this batch or an earlier one, whose outcome a frame of this batch shows, in the order of these
    /// frames.
    package internal(set) var settledWrites: [SettledWrite] = []
    /// Outcomes of the batch's Write Requests and Execute Write Requests, in frame order; filled by `SettlingQueue`.
    var outcomes: [WriteOutcome.OfFrame] = []
    /// The plugin that describes the server of each of `bindings`.
    package var matches: [Int32: PluginMatch] = [:]
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
        facts.append(addingCapacity: packets.count) { facts in
            for index in packets.indices { facts.append(FrameMetadata(packet: packets[index], in: bytes)) }
        }
    }

    /// Empties the batch for reuse, keeping its memory, and returns the packets.
    package mutating func empty() -> PacketBatch {
        facts.removeAll(keepingCapacity: true)
        gathered.removeAll()
        bindings.removeAll(keepingCapacity: true)
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
    package func value(of facts: borrowing FrameMetadata) -> FrameMetadata.Piece? {
        if facts.longValue.place != .reassembled, facts.notes.contains(.partialValue) { return nil }
        return valueOrPart(of: facts)
    }

    /// The complete attribute value that ends with a frame, else the part that the frame carries.
    package func valueOrPart(of facts: borrowing FrameMetadata) -> FrameMetadata.Piece? {
        if facts.longValue.place == .reassembled { return facts.longValue }
        return facts.carriedValue
    }

    package func bytes(of piece: FrameMetadata.Piece) -> ArraySlice<UInt8> {
        piece.place == .frame ? packets.bytes[piece.range] : gathered.bytes[piece.range]
    }

    /// A copy with its own bytes: slices of shared bytes would make threads contend for one reference count.
    package func withOwnBytes() -> TrackedBatch {
        var own = self
        (own.packets.bytes, own.gathered.bytes) = ([], [])
        own.packets.bytes += packets.bytes
        own.gathered.bytes += gathered.bytes
        return own
    }

    /// The link layer packet of a frame on the air, up to its PDU; nil for other frames.
    package func linkLayer(of facts: borrowing FrameMetadata) -> LinkLayerPacket? {
        guard let format = facts.packet.encapsulation.linkLayerFormat else { return nil }
        var reader = ByteReader(packets.bytes.span.extracting(facts.packet.range))
        return try? LinkLayerPacket(reading: &reader, format)
    }

    /// A frame's position in its stream; nil for frames of connections and for frames outside streams.
    package func streamPDU(of facts: borrowing FrameMetadata) -> StreamPDU? {
        facts.streamPDU < 0 ? nil : gathered.streamPDUs[Int(facts.streamPDU)]
    }

    /// The request that a frame answers; nil if it answers none.
    package func request(of facts: borrowing FrameMetadata) -> RequestFacts? {
        guard let index = facts.attribute?.request, index >= 0 else { return nil }
        return gathered.requests[Int(index)]
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
        if start == nil { start = batch.facts.first?.packet.time }
        batch.start = start ?? batch.start
        batch.previous = last
        last = batch.facts.last?.packet.time ?? last
        track(&batch.facts, in: batch.packets.bytes, into: &batch.gathered)
        batch.ended = takeEnded()
        swap(&batch.settledWrites, &settledWrites)
        settledWrites.removeAll(keepingCapacity: true)
    }

    /// Tracks frames in place: copying their metadata would take longer than tracking most of them.
    private mutating func track(_ facts: inout [FrameMetadata], in bytes: [UInt8], into gathered: inout Gathered) {
        var facts = facts.mutableSpan
        for index in facts.indices {
            gathered.frame = index
            track(&facts[index], in: bytes, into: &gathered)
        }
    }

    /// Adds the devices, tables and connections that a batch's frames refer to, as known so far.
    package func name(_ batch: inout TrackedBatch) { batch.takeNames(devices, knowledge, listed) }
}

extension TrackedBatch {
    /// Adds the adapters' roles, as known to a tracker so far.
    package mutating func takeRoles(_ tracker: borrowing Tracker) {
        var last: Int32 = -1
        for index in facts.indices where facts[index].connection != last {
            last = facts[index].connection
            if last >= 0 { roles[last] = tracker.roles[Int(last)] }
        }
    }

    /// Adds the frame numbers of the responses to the batch's requests.
    package mutating func takeResponses(_ responses: ResponseIndex) {
        for index in facts.indices where facts[index].attribute != nil {
            let frame = facts[index].packet.number
            if let response = responses[frame] { self.responses[frame] = response }
        }
    }

    /// Adds the devices, tables and connections that the frames refer to.
    mutating func takeNames(
        _ devices: borrowing DeviceTable, _ knowledge: borrowing AttributeTableStore, _ connections: [ConnectionRecord]
    ) {
        // A batch has few devices and connections: most frames repeat them.
        var (met, metConnections, metBindings) = (MetNumbers(), MetNumbers(), MetNumbers())
        for index in facts.indices {
            let connection = facts[index].connection
            let binding = facts[index].attribute?.binding ?? -1
            if met.record(facts[index].sender) { takeName(of: facts[index].sender, devices) }
            if met.record(facts[index].receiver) { takeName(of: facts[index].receiver, devices) }
            if metConnections.record(connection), connections.indices.contains(Int(connection)),
                self.connections[connection] == nil
            {
                self.connections[connection] = connections[Int(connection)]
            }
            if metBindings.record(binding), bindings[binding] == nil { bindings[binding] = knowledge[binding] }
        }
        for device in gathered.reporters.values.joined() { takeName(of: device, devices) }
        for ends in gathered.ends.values {
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
