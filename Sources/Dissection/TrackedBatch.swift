package import Bytes
package import Captures

/// A run of frames with all that is needed to dissect them on any thread: their bytes, what tracking found out, and
/// what was known of devices and attribute tables.
package struct TrackedBatch: Sendable {
    package var packets: PacketBatch
    /// One for every packet, in order.
    package var facts: [FrameFacts] = []
    package var gathered = Gathered()
    /// Time of the capture's first frame.
    package var start = Timestamp(nanoseconds: 0)
    /// The tables and devices that `facts` refer to, by index.
    package var bindings: [Int32: GATTKnowledge.Binding] = [:]
    package var devices: [Int32: Device] = [:]

    package init(_ packets: PacketBatch) {
        self.packets = packets
    }

    /// Whether a frame of the batch passes a filter.
    package func matches(_ filter: DisplayFilter, _ frame: DissectedFrame, _ facts: FrameFacts) -> Bool {
        let gatheredBytes = gathered.bytes.span
        let sdu = facts.longValue.place == .reassembled ? facts.longValue : facts.sdu
        return filter.matches(
            FilterFrame(
                frame.recorder, frame: packets.bytes.span.extracting(facts.packet.range).rawBytes,
                reassembled: gatheredBytes.extracting(
                    facts.pdu.place == .reassembled ? facts.pdu.range : 0..<0
                ).rawBytes, sdu: gatheredBytes.extracting(sdu.range).rawBytes))
    }

    /// The request that a frame answers.
    package func request(of facts: FrameFacts) -> RequestFacts? {
        guard let index = facts.attribute?.request, index >= 0 else { return nil }
        return gathered.requests[Int(index)]
    }
}

extension Tracker {
    /// Follows all frames of a batch.
    package mutating func track(_ packets: PacketBatch) -> TrackedBatch {
        var batch = TrackedBatch(packets)
        if start == nil { start = packets.packets.first?.time }
        batch.start = start ?? batch.start
        batch.facts.reserveCapacity(packets.packets.count)
        for packet in packets.packets {
            batch.facts.append(FrameFacts(packet: packet, in: packets.bytes.span.rawBytes))
            track(&batch.facts[batch.facts.count - 1], in: batch.packets.bytes, into: &batch.gathered)
        }
        return batch
    }

    /// Hands a batch the names that its frames need, as this tracker knows them: after the whole capture went through,
    /// that includes what discovery revealed later than the frame.
    package func name(_ batch: inout TrackedBatch) {
        for facts in batch.facts {
            for device in [facts.sender, facts.receiver] where device >= 0 && batch.devices[device] == nil {
                batch.devices[device] = devices.shown(device)
            }
            if let binding = facts.attribute?.binding, binding >= 0, batch.bindings[binding] == nil {
                batch.bindings[binding] = knowledge[binding]
            }
        }
    }
}
