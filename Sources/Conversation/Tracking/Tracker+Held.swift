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
        heldAtMost = links.indices.reduce(0) { $0 + heldBytes(of: $1) }
        for link in links.indices.sorted(by: { lastFrame(of: $0) < lastFrame(of: $1) })
        where heldAtMost > Self.heldLimit / 2 {
            heldAtMost -= heldBytes(of: link)
            for slot in slots(of: link) { directions[slot].assembler.reset() }
            links[link].channels.dropHeldBytes()
        }
    }

    /// Bytes held in incomplete PDUs and SDUs of a connection.
    func heldBytes(of link: Int) -> Int {
        slots(of: link).reduce(links[link].channels.heldBytes) { $0 + directions[$1].assembler.heldBytes }
    }
}
