package import Bluetooth
import Bytes

/// Data on its way to the controller: cut to the controller's buffers, and never more than it has buffers for
/// (Vol 4, Part E, 4.1.1 and 4.2).
package struct DataQueue: Sendable {
    /// Longest load of an ACL data packet, in bytes.
    private let packetLength: Int
    /// Packets that the controller keeps.
    private let packetCount: Int
    /// What waits, by connection.
    private var waiting: [ConnectionHandle: FIFO<[UInt8]>] = [:]
    /// Packets that the controller has not yet reported as completed.
    private var outstanding: [ConnectionHandle: Int] = [:]
    /// The connections with packets that wait, whose turn is next first.
    private var turns = FIFO<ConnectionHandle>()

    package init(packetLength: Int, packetCount: Int) {
        self.packetLength = max(1, packetLength)
        self.packetCount = packetCount
    }

    /// Buffers of the controller that are free.
    package var freeBuffers: Int { packetCount - outstanding.values.reduce(0, +) }

    /// Packets of a connection that wait here for a buffer.
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

    /// The packets that the controller has room for now: the connections take turns.
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

    /// The controller has sent packets of a connection.
    package mutating func complete(_ count: Int, of connection: ConnectionHandle) {
        guard let before = outstanding[connection] else { return }
        outstanding[connection] = before > count ? before - count : nil
    }

    /// A connection ended: what waits is gone, and the controller has dropped what it had (Vol 4, Part E, 4.3).
    package mutating func remove(_ connection: ConnectionHandle) {
        waiting[connection] = nil
        outstanding[connection] = nil
        turns.removeAll(where: { $0 == connection })
    }
}
