import Bluetooth
import Captures

extension Tracker {
    /// Bytes that wait for others, in PDUs and SDUs that are not complete, over all links. A link alone may hold some
    /// megabytes, as a channel may announce 64 KiB and send all but the last byte.
    static let heldLimit = 16 << 20

    /// Notes that a part of a PDU or SDU is kept; where all parts may be too much by now, those of the links that rested
    /// longest are forgotten, down to half of the limit.
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

    /// Bytes of a link that wait for others.
    func heldBytes(of link: Int) -> Int {
        slots(of: link).reduce(links[link].channels.heldBytes) { $0 + directions[$1].assembler.heldBytes }
    }
}
