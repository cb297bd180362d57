package import Bytes
package import Captures
import PluginKit

/// A run of frames with all that is needed to dissect them on any thread: their bytes, what tracking found out, and
/// what was known of devices and attribute tables.
package struct TrackedBatch: Sendable {
    package var packets = PacketBatch()
    /// One for every packet, in order.
    package var facts: [FrameMetadata] = []
    package var gathered = Gathered()
    /// Time of the capture's first frame.
    package var start = Timestamp(nanoseconds: 0)
    /// Time of the frame before the first one; nil where that is the capture's first.
    package var previous: Timestamp?
    /// The tables and devices that `facts` refer to, by index.
    package var bindings: [Int32: AttributeTableStore.Binding] = [:]
    package var devices: [Int32: Device] = [:]
    /// The connections that `facts` refer to, if they are recorded: as they began or, when they have ended, as they ended.
    package var connections: [Int32: Connection] = [:]
    /// The adapters' roles in the connections that `facts` refer to, where a job asks for them.
    package private(set) var roles: [Int32: ConnectionRole] = [:]
    /// The frames with the responses to the requests of the batch, by the frames of these, where a job asks for that.
    package private(set) var responses: [Int: Int] = [:]
    /// The servers whose connections ended in the batch, for those that ask for them.
    package var ended: [Int32: AttributeTableStore.Binding] = [:]
    /// Writes, of this batch or of one before, whose outcome a frame of this batch shows; in the order of these frames.
    package internal(set) var settledWrites: [SettledWrite] = []
    /// The outcome of each write of the batch that asks for a response, in the order of the frames; filled by
    /// `SettlingQueue`.
    var outcomes: [WriteOutcome.OfFrame] = []
    /// The plugins that describe the servers of `bindings`.
    package var matches: [Int32: PluginMatch] = [:]
    /// The plugins that describe those of `devices` which advertise, where plugins read what is advertised.
    package var advertisers: [Int32: PluginMatch] = [:]
    /// The plugins that describe `devices`, where a job asks for that.
    package var deviceMatches: [Int32: PluginMatch] = [:]
    /// What following the application found out.
    package internal(set) var applications = ApplicationFactsList()

    /// A batch to be filled.
    package init() {}

    /// Takes in packets, with what each tells by itself; the batch must be empty.
    package mutating func fill(_ packets: PacketBatch) {
        self.packets = packets
        let bytes = packets.bytes.span.rawBytes
        let packets = packets.packets.span
        facts.append(addingCapacity: packets.count) { facts in
            for index in packets.indices { facts.append(FrameMetadata(packet: packets[index], in: bytes)) }
        }
    }

    /// Empties the batch but keeps its memory, for others to come; gives back the packets.
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

    /// The whole attribute value that ends with a frame; nil where it has none or only a part.
    package func value(of facts: borrowing FrameMetadata) -> FrameMetadata.Piece? {
        if facts.longValue.place != .reassembled, facts.notes.contains(.partialValue) { return nil }
        return valueOrPart(of: facts)
    }

    /// The attribute value that ends with a frame, else the part of one that it has.
    package func valueOrPart(of facts: borrowing FrameMetadata) -> FrameMetadata.Piece? {
        if facts.longValue.place == .reassembled { return facts.longValue }
        return facts.carriedValue
    }

    /// The bytes of a piece.
    package func bytes(of piece: FrameMetadata.Piece) -> ArraySlice<UInt8> {
        piece.place == .frame ? packets.bytes[piece.range] : gathered.bytes[piece.range]
    }

    /// A copy with its own bytes. Slices of bytes that threads share contend for one reference count.
    package func withOwnBytes() -> TrackedBatch {
        var own = self
        (own.packets.bytes, own.gathered.bytes) = ([], [])
        own.packets.bytes += packets.bytes
        own.gathered.bytes += gathered.bytes
        return own
    }

    /// The packet of a frame of the air, up to its PDU; nil for others.
    package func linkLayer(of facts: borrowing FrameMetadata) -> LinkLayerPacket? {
        guard let format = facts.packet.encapsulation.linkLayerFormat else { return nil }
        var reader = ByteReader(packets.bytes.span.extracting(facts.packet.range))
        return try? LinkLayerPacket(reading: &reader, format)
    }

    /// The place of a frame in its stream; nil for frames of connections and of none.
    package func streamPDU(of facts: borrowing FrameMetadata) -> StreamPDU? {
        facts.streamPDU < 0 ? nil : gathered.streamPDUs[Int(facts.streamPDU)]
    }

    /// The request that a frame answers.
    package func request(of facts: borrowing FrameMetadata) -> RequestFacts? {
        guard let index = facts.attribute?.request, index >= 0 else { return nil }
        return gathered.requests[Int(index)]
    }
}

extension Tracker {
    /// Follows all frames of packets.
    package mutating func track(_ packets: PacketBatch) -> TrackedBatch {
        var batch = TrackedBatch()
        batch.fill(packets)
        track(&batch)
        return batch
    }

    /// Follows all frames of a batch.
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

    /// Follows frames where they stand: copying their facts would take longer than following most of them.
    private mutating func track(_ facts: inout [FrameMetadata], in bytes: [UInt8], into gathered: inout Gathered) {
        var facts = facts.mutableSpan
        for index in facts.indices {
            gathered.frame = index
            track(&facts[index], in: bytes, into: &gathered)
        }
    }

    /// Hands a batch the names that its frames need, as far as this tracker has come.
    package func name(_ batch: inout TrackedBatch) { batch.takeNames(devices, knowledge, listed) }
}

extension TrackedBatch {
    /// Takes in the adapters' roles, as far as a tracker has come.
    package mutating func takeRoles(_ tracker: borrowing Tracker) {
        var last: Int32 = -1
        for index in facts.indices where facts[index].connection != last {
            last = facts[index].connection
            if last >= 0 { roles[last] = tracker.roles[Int(last)] }
        }
    }

    /// Takes in the frames with the responses to the batch's requests.
    package mutating func takeResponses(_ responses: ResponseIndex) {
        for index in facts.indices where facts[index].attribute != nil {
            let frame = facts[index].packet.number
            if let response = responses[frame] { self.responses[frame] = response }
        }
    }

    /// Takes in the devices, tables and connections that the frames refer to.
    mutating func takeNames(
        _ devices: borrowing DeviceTable, _ knowledge: borrowing AttributeTableStore, _ connections: [Connection]
    ) {
        // Few devices and connections share a batch: most were met before.
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

/// Numbers that were met of late, each at the place that its low bits give.
private struct MetNumbers {
    private var numbers = InlineArray<16, Int32>(repeating: -1)

    /// Records a number; whether it was not there before. Negative numbers are not recorded.
    @inline(__always)
    mutating func record(_ number: Int32) -> Bool {
        let place = Int(number & 15)
        guard number >= 0, numbers[place] != number else { return false }
        numbers[place] = number
        return true
    }
}
