import Bluetooth
import Bytes

/// A sniffer in range of all controllers: collects the packets on the air.
///
/// It has a random number generator of its own, so that a recording changes nothing else.
struct AirRecorder: Sendable {
    /// Quality of the sniffer's reception.
    struct Reception: Hashable, Sendable {
        /// Probability that a packet is missed, 0 to 1.
        var loss: Double
        /// Probability that a packet is received with wrong bits, 0 to 1.
        var damage: Double
    }

    /// Time for which packets are held back to put them in order: an advertising event is recorded at its end.
    static let delay = 300 * Span.millisecond
    /// Path loss from all controllers, in dB.
    private static let attenuation = 50

    /// Seed of the links' access addresses.
    let seed: UInt64
    private var random: SplitMix64
    /// The advertising event that is being simulated.
    var advertising: AirAdvertising?
    private let reception: Reception
    private var packets: [AirPacket] = []

    init(seed: UInt64, reception: Reception) {
        var random = SplitMix64(seed: seed ^ 0x4149_5220_4C4F_4721)
        self.seed = random.next()
        self.random = random
        self.reception = reception
    }

    /// A random number for something that only the recording has.
    mutating func number(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    /// Time of the earliest packet held back; nil if there is none.
    var earliest: Timestamp? { packets.lazy.map(\.time).min() }

    /// Receives a packet that was sent with `power` dBm.
    mutating func receive(_ packet: AirPacket, power: Int8, crcInit: UInt32) {
        var packet = packet
        packet.signal = Int8(clamping: Int(power) - Self.attenuation + Int.random(in: -2...2, using: &random))
        let isMissed = Double.random(in: 0..<1, using: &random) < reception.loss
        let isDamaged = Double.random(in: 0..<1, using: &random) < reception.damage
        // As many random numbers for each packet, so that the reception changes nothing else of the recording.
        let damageSeed = random.next()
        if isMissed { return }
        if isDamaged { Self.damage(&packet, crcInit, seed: damageSeed) }
        packets.append(packet)
    }

    /// Inverts one to four bits of a packet, except for those of its length, so that the CRC is wrong.
    private static func damage(_ packet: inout AirPacket, _ crcInit: UInt32, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let places = packet.pdu.indices.filter { $0 != 1 }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let bit = Int.random(in: 0..<8 * (places.count + LL.crcSize), using: &random)
            if bit / 8 < places.count {
                packet.pdu[places[bit / 8]] ^= 1 << UInt8(bit % 8)
            } else {
                packet.crc ^= 1 << UInt32(bit - 8 * places.count)
            }
        }
        // The bits may have been inverted back.
        if LL.crc(of: packet.pdu, initial: crcInit) == packet.crc { packet.crc ^= 1 }
        packet.isCRCValid = false
    }

    /// Removes and returns the packets up to `limit`, in time order.
    mutating func take(until limit: Timestamp) -> [AirPacket] {
        let sorted = packets.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        let count = sorted.firstIndex { $0.time > limit } ?? sorted.count
        packets = Array(sorted[count...])
        return Array(sorted[..<count])
    }
}
