package import Bytes

/// Injects faults into the packets of a link, to test the robustness of hosts and devices.
///
/// Faults depend only on the plan's seed and the order of the packets. Each fault is recorded in the comment of the
/// affected packet, or else in a note.
package final class FaultTransport: Transport {
    private let inner: any Transport
    private let plan: FaultPlan
    private var random: SplitMix64
    private var start: Timestamp?
    private var incoming = PacketQueue()
    private var outgoing = PacketQueue()
    private var isBroken = false

    /// Delayed packets of one direction.
    private struct PacketQueue {
        /// In delivery order.
        var packets: [Packet] = []
        /// A packet held back so that the next one overtakes it.
        var overtaken: Packet?
    }

    private struct Packet {
        var bytes: [UInt8]
        var comment: String?
        var due: Timestamp
    }

    package init(_ inner: any Transport, _ plan: FaultPlan) {
        self.inner = inner
        self.plan = plan
        random = SplitMix64(seed: plan.seed)
    }

    package var name: String { inner.name }
    package var interests: [Interest] { isBroken ? [] : inner.interests }

    package var nextEvent: Timestamp? {
        if isBroken { return nil }
        let breaks = start.flatMap { start in
            plan.disconnect.map { Timestamp(nanoseconds: start.nanoseconds &+ $0) }
        }
        return [inner.nextEvent, incoming.packets.first?.due, outgoing.packets.first?.due, breaks].compactMap { $0 }
            .min()
    }

    package func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        if isBroken { return [] }
        let start = start ?? now
        self.start = start
        if let disconnect = plan.disconnect, now.nanoseconds - start.nanoseconds >= disconnect { return breakLink() }
        var events: [TransportEvent] = []
        for event in inner.advance(ready, to: now) {
            switch event {
            case .packet(let packet, let comment):
                events += harm(packet, comment, plan.target != .sent, now, &incoming, "received")
            case .disconnected, .closed:
                events += takeDue(now) + [event]
                forgetDelayed()
            case .connected, .note: events.append(event)
            }
        }
        return events + takeDue(now) + sendDue(now)
    }

    /// Removes and returns the packets to deliver now.
    private func takeDue(_ now: Timestamp) -> [TransportEvent] {
        var events: [TransportEvent] = []
        while let packet = incoming.packets.first, packet.due <= now {
            incoming.packets.removeFirst()
            events.append(.packet(packet.bytes, comment: packet.comment))
        }
        return events
    }

    /// Drops delayed packets, which must not reach the next peer.
    private func forgetDelayed() {
        incoming = PacketQueue()
        outgoing = PacketQueue()
    }

    package func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        if isBroken { return [] }
        start = start ?? now
        return harm(packet, nil, plan.target != .received, now, &outgoing, "sent") + sendDue(now)
    }

    package func close() {
        inner.close()
    }

    private func breakLink() -> [TransportEvent] {
        isBroken = true
        inner.close()
        return [.note("fault: the link was closed"), .closed("fault: the link was closed")]
    }

    private func sendDue(_ now: Timestamp) -> [TransportEvent] {
        var events: [TransportEvent] = []
        while let packet = outgoing.packets.first, packet.due <= now {
            outgoing.packets.removeFirst()
            if let comment = packet.comment { events.append(.note(comment)) }
            for event in inner.send(packet.bytes, at: now) {
                events.append(event)
                switch event {
                case .disconnected, .closed: forgetDelayed()
                case .connected, .packet, .note: break
                }
            }
        }
        return events
    }

    /// Selects the faults of a packet at random and queues it unless it is dropped.
    private func harm(
        _ bytes: [UInt8], _ comment: String?, _ isTarget: Bool, _ now: Timestamp, _ queue: inout PacketQueue,
        _ way: String
    ) -> [TransportEvent] {
        var packet = Packet(bytes: bytes, comment: comment, due: now)
        guard isTarget else {
            queue.packets.append(packet)
            return []
        }
        if hits(plan.drop) { return [.note("fault: dropped, \(way): \(Self.hex(bytes))")] }
        var comments = comment.map { [$0] } ?? []
        if hits(plan.corrupt), let text = corrupt(&packet.bytes) { comments.append(text) }
        if hits(plan.truncate), let text = truncate(&packet.bytes) { comments.append(text) }
        let isTwice = hits(plan.duplicate)
        if isTwice { comments.append("fault: sent twice") }
        packet.due = due(now, after: queue.packets.last?.due)
        let isOvertaken = queue.overtaken == nil && hits(plan.reorder)
        if isOvertaken { comments.append("fault: overtaken by the next packet") }
        packet.comment = comments.isEmpty ? nil : comments.joined(separator: "; ")
        if isOvertaken {
            queue.overtaken = packet
            return []
        }
        queue.packets.append(packet)
        if isTwice { queue.packets.append(packet) }
        if var overtaken = queue.overtaken {
            overtaken.due = max(overtaken.due, packet.due)
            queue.packets.append(overtaken)
            queue.overtaken = nil
        }
        return []
    }

    /// Delivery time of a packet: after the delay, not during a stall, and not before earlier packets.
    private func due(_ now: Timestamp, after last: Timestamp?) -> Timestamp {
        var due = now.nanoseconds + plan.delay
        if let stall = plan.stall, let start {
            let passed = now.nanoseconds - start.nanoseconds
            if passed >= stall.time, passed < stall.time + stall.duration {
                due = max(due, start.nanoseconds + stall.time + stall.duration)
            }
        }
        return max(Timestamp(nanoseconds: due), last ?? Timestamp(nanoseconds: .min))
    }

    private func hits(_ part: Double) -> Bool { part > 0 && Double.random(in: 0..<1, using: &random) < part }

    /// Flips one bit after the header, so that packet boundaries remain intact.
    private func corrupt(_ bytes: inout [UInt8]) -> String? {
        guard let header = H4Framer.headerSize(of: bytes), bytes.count > header else { return nil }
        let place = Int.random(in: header..<bytes.count, using: &random)
        let bit = UInt8.random(in: 0..<8, using: &random)
        bytes[place] ^= 1 << bit
        return "fault: bit \(bit) of byte \(place) turned over"
    }

    /// Truncates the packet and adjusts the length in its header.
    private func truncate(_ bytes: inout [UInt8]) -> String? {
        guard let header = H4Framer.headerSize(of: bytes), bytes.count > header else { return nil }
        let count = Int.random(in: header..<bytes.count, using: &random)
        guard let cut = H4Framer.cut(bytes, to: count) else { return nil }
        let lost = bytes.count - count
        bytes = cut
        return "fault: the last \(lost) bytes cut off"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.prefix(16).map { String(hex: $0, digits: 2) }.joined(separator: " ")
            + (bytes.count > 16 ? " … (\(bytes.count) bytes)" : "")
    }
}
