import Bluetooth
import Captures

extension Tracker {
    /// Bytes held in incomplete PDUs and SDUs, over all connections. One connection alone may hold some megabytes, as a
    /// channel may announce 64 KiB and send all but the last byte.
    static let heldLimit = 16 << 20

    /// Records that a part of a PDU or SDU is held. If the total may exceed the limit, the parts of the connections
    /// idle longest are dropped, down to half of the limit.
    mutating func noteHeld(_ count: Int) {
        heldAtMost += count
        guard heldAtMost > Self.heldLimit else { return }
        heldAtMost = connectionIndices.reduce(0) { $0 + heldBytes(of: $1) }
        for connection in connectionIndices.sorted(by: { lastFrame(of: $0) < lastFrame(of: $1) })
        where heldAtMost > Self.heldLimit / 2 {
            heldAtMost -= heldBytes(of: connection)
            for place in connection.directions { directions[place].assembler.reset() }
            openConnections[connection].channels.dropHeldBytes()
        }
    }

    /// Bytes held in incomplete PDUs and SDUs of a connection.
    func heldBytes(of connection: OpenConnection.Index) -> Int {
        let inChannels = openConnections[connection].channels.heldBytes
        return connection.directions.reduce(inChannels) { $0 + directions[$1].assembler.heldBytes }
    }
}
