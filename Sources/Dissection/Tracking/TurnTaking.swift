import Bytes
import Captures
import LinkLayer

/// Concludes which side sent a data PDU when the sniffer did not tell.
///
/// In a connection event the two sides take turns, 150 µs after the other's packet, and the central begins
/// (Vol 6, Part B, 4.1.1 and 4.5.1). That needs times of capture as exact as that, and a sniffer that records empty PDUs
/// too: until a turn was seen, directions stay unknown.
struct TurnTaking: Sendable {
    private var lastTime: Int64?
    private var lastAirtime: Int64 = 0
    private var lastDirection = Direction.unknown
    /// Whether the last packet came after a pause, so that it began a connection event.
    private var lastBeganEvent = false
    private var hasSeenTurn = false

    /// From the end of a packet to the start of the answer, in nanoseconds (Vol 6, Part B, 4.1.1).
    private static let interFrameSpace: Int64 = 150_000
    /// How far times of capture may be off, in nanoseconds.
    private static let tolerance: Int64 = 100_000
    /// A pause that only lies between connection events, in nanoseconds; their interval is 7.5 ms at least.
    private static let pause: Int64 = 2_000_000

    /// The direction of a packet whose PDU has `length` bytes of payload.
    ///
    /// Some sniffers note the time at which a packet begins, some that at which it ends: so the airtime of this packet
    /// or that of the one before it lies between two times.
    mutating func direction(at time: Timestamp, length: Int, phy: LL.PHY?) -> Direction {
        let airtime = Self.airtime(length, phy)
        defer {
            lastTime = time.nanoseconds
            lastAirtime = airtime
        }
        guard let lastTime else { return .unknown }
        let distance = time.nanoseconds &- lastTime
        let shortest = Self.interFrameSpace + min(airtime, lastAirtime) - Self.tolerance
        let longest = Self.interFrameSpace + max(airtime, lastAirtime) + Self.tolerance
        if (shortest...longest).contains(distance) {
            hasSeenTurn = true
            lastDirection = lastBeganEvent ? .received : lastDirection.opposite
            lastBeganEvent = false
        } else {
            lastBeganEvent = distance >= Self.pause
            lastDirection = lastBeganEvent && hasSeenTurn ? .sent : .unknown
        }
        return lastDirection
    }

    /// Preamble, access address, header, payload and CRC on the air, in nanoseconds.
    private static func airtime(_ length: Int, _ phy: LL.PHY?) -> Int64 {
        switch phy {
        case .le2M: Int64(2 + 4 + 2 + length + 3) * 4000
        default: Int64(1 + 4 + 2 + length + 3) * 8000
        }
    }
}
