package import Bluetooth
import Bytes

/// Queue of ACL data to the controller: fragments frames to the controller's packet size and never exceeds its buffers
/// (Vol 4, Part E, 4.1.1 and 4.2).
package struct DataQueue: Sendable {
    /// Maximum payload of an ACL data packet, in bytes.
    private let packetLength: Int
    /// Number of controller buffers.
    private let packetCount: Int
    /// Queued packets, by connection.
    private var waiting: [ConnectionHandle: FIFO<[UInt8]>] = [:]
    /// Number of packets not yet reported as completed, by connection.
    private var outstanding: [ConnectionHandle: Int] = [:]
    /// Connections with queued packets, in round-robin order.
    private var turns = FIFO<ConnectionHandle>()

    package init(packetLength: Int, packetCount: Int) {
        self.packetLength = max(1, packetLength)
        self.packetCount = packetCount
    }

    /// Number of free controller buffers.
    package var freeBuffers: Int { packetCount - outstanding.values.reduce(0, +) }

    /// Number of queued packets of a connection.
    package func count(of connection: ConnectionHandle) -> Int { waiting[connection]?.count ?? 0 }

    /// Adds an L2CAP frame.
    package mutating func add(_ frame: [UInt8], to connection: ConnectionHandle) {
        if frame.isEmpty { return }
        if waiting[connection] == nil { turns.append(connection) }
        for start in stride(from: 0, to: frame.count, by: packetLength) {
            let part = frame[start..<min(start + packetLength, frame.count)]
            waiting[connection, default: FIFO()].append(
                ByteWriter.bytes {
                    $0.write(HCI.PacketType.aclData)
                    HCI.ACLHeader(
                        handle: connection, boundary: start == 0 ? .firstNonFlushable : .continuing,
                        length: UInt16(part.count)
                    ).write(to: &$0)
                    $0.write(Array(part))
                })
        }
    }

    /// Removes and returns the packets that fit into free buffers, round-robin across connections.
    package mutating func takeSendable() -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var free = freeBuffers
        while free > 0, let connection = turns.popFirst() {
            guard let packet = waiting[connection]?.popFirst() else { continue }
            packets.append(packet)
            outstanding[connection, default: 0] += 1
            free -= 1
            if waiting[connection]?.isEmpty == false { turns.append(connection) } else { waiting[connection] = nil }
        }
        return packets
    }

    /// Handles the completion of packets of a connection.
    package mutating func complete(_ count: Int, of connection: ConnectionHandle) {
        guard let before = outstanding[connection] else { return }
        outstanding[connection] = before > count ? before - count : nil
    }

    /// Removes a connection after its end, with its queued packets. The controller has discarded the packets it held
    /// (Vol 4, Part E, 4.3).
    package mutating func remove(_ connection: ConnectionHandle) {
        waiting[connection] = nil
        outstanding[connection] = nil
        turns.removeAll(where: { $0 == connection })
    }
}
