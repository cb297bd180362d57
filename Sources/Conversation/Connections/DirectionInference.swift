import Bluetooth
import Bytes
import Captures

/// Infers which side of a connection sent a data PDU where the recorder does not state it.
///
/// Two facts distinguish the sides. In a connection event they take turns, 150 µs after the end of the other's packet,
/// and the central begins (Vol 6, Part B, 4.1.1 and 4.5.1): this needs exact timestamps and a sniffer that records
/// empty PDUs. And SN xor NESN, here the parity, stays constant for each side and differs between the two, once both
/// have received a packet: with every packet that a side accepts, it changes both bits or neither (4.5.9). Only flow
/// control breaks that. So the times show which parity is the central's, and the parity gives the direction also where
/// packets were missed. Where both contradict the recorder, they take precedence.
struct DirectionInference: Sendable {
    private var last: Packet?
    /// Evidence for the central's parity: above 0 for parity 0, below 0 for parity 1.
    private var votes: Int8
    /// Evidence that the two sides differ in parity; 0 or less where a recorder writes constant numbers.
    private var difference: Int8 = 0
    private var hasSeenTurn = false

    /// The properties of a packet that matter for the next one.
    private struct Packet {
        var time: Timestamp
        var airtime: TimeSpan
        var parity: UInt8
        var moreData: Bool
        var direction: Direction
        /// Whether it came after a pause: it is the first captured packet of its connection event.
        var beginsEvent: Bool
    }

    /// Time from the end of a packet to the start of the answer (Vol 6, Part B, 4.1.1).
    private static let interFrameSpace = TimeSpan(microseconds: 150)
    /// Tolerance for capture timestamps.
    private static let tolerance = TimeSpan(microseconds: 100)
    /// A pause that occurs only between connection events, whose interval is at least 7.5 ms.
    private static let pause = TimeSpan(milliseconds: 2)
    /// Votes that decide which parity is the central's.
    private static let majority: Int8 = 2
    private static let mostVotes: Int8 = 8

    /// - Parameter isBeginningKnown: whether the connection was captured from its beginning: the central's first packet
    ///   has SN 0 and NESN 0.
    init(isBeginningKnown: Bool = false) {
        votes = isBeginningKnown ? Self.majority : 0
    }

    /// The direction of a data PDU; `recorded` is the direction that the recorder states.
    mutating func direction(
        of header: LL.DataHeader, at time: Timestamp, phy: LL.PHY?, recorded: Direction = .unknown
    ) -> Direction {
        var packet = Packet(
            time: time, airtime: Self.airtime(header.length, phy),
            parity: header.sequenceNumber ^ header.nextExpectedSequenceNumber, moreData: header.moreData,
            direction: recorded, beginsEvent: false)
        if recorded == .unknown {
            infer(&packet)
        } else if isContradicted(packet) {
            packet.direction = recorded.opposite
        } else {
            vote(packet.parity, recorded, 1)
        }
        last = packet
        return packet.direction
    }

    /// Corrects the direction of the last PDU, which decryption has proved.
    mutating func correct(to direction: Direction) {
        guard let last, last.direction != direction else { return }
        self.last?.direction = direction
        votes = 0
        vote(last.parity, direction, Self.majority)
    }

    private mutating func infer(_ packet: inout Packet) {
        guard let last else {
            packet.direction = byParity(packet)
            return
        }
        guard Self.isTurn(last, packet) else {
            packet.beginsEvent = packet.time - last.time >= Self.pause
            packet.direction = byParity(packet)
            if packet.direction == .unknown, difference <= 0, packet.beginsEvent, hasSeenTurn {
                packet.direction = .sent
            }
            return
        }
        hasSeenTurn = true
        difference = max(-4, min(4, difference + (packet.parity == last.parity ? -2 : 1)))
        if last.beginsEvent, packet.parity != last.parity {
            // If the central has more data, the first packet of the event may have been missed.
            vote(last.parity, .sent, last.moreData ? 1 : 2)
        }
        packet.direction = byParity(packet)
        let byTurn = last.direction != .unknown ? last.direction.opposite : last.beginsEvent ? .received : .unknown
        if packet.direction == .unknown, difference <= 0 {
            packet.direction = byTurn
        } else if packet.direction != .unknown, packet.direction == last.direction {
            // The sides always take turns, so the parity has changed.
            packet.direction = byTurn
            votes = 0
        }
    }

    /// Whether a packet answers one that the recorder assigns to the same side, and has the other side's parity.
    private func isContradicted(_ packet: Packet) -> Bool {
        guard let last, last.direction == packet.direction, abs(votes) >= Self.mostVotes / 2 else { return false }
        return byParity(packet) == packet.direction.opposite && Self.isTurn(last, packet)
    }

    /// The direction that the parity indicates; unknown until it is known which parity is the central's.
    private func byParity(_ packet: Packet) -> Direction {
        guard abs(votes) >= Self.majority, difference >= 0 else { return .unknown }
        return (votes > 0) == (packet.parity == 0) ? .sent : .received
    }

    private mutating func vote(_ parity: UInt8, _ direction: Direction, _ weight: Int8) {
        let sign: Int8 = (parity == 0) == (direction == .sent) ? 1 : -1
        votes = max(-Self.mostVotes, min(Self.mostVotes, votes + sign * weight))
    }

    /// Whether a packet follows the previous one at the time of an answer.
    ///
    /// Some sniffers record the time at which a packet begins, others the time at which it ends: the airtime of this
    /// packet or that of the previous one lies between two times.
    private static func isTurn(_ last: Packet, _ packet: Packet) -> Bool {
        let passed: TimeSpan = packet.time - last.time
        return passed >= interFrameSpace + min(packet.airtime, last.airtime) - tolerance
            && passed <= interFrameSpace + max(packet.airtime, last.airtime) + tolerance
    }

    /// Airtime of preamble, access address, header, payload and CRC.
    private static func airtime(_ length: Int, _ phy: LL.PHY?) -> TimeSpan {
        switch phy {
        case .le2M: TimeSpan(microseconds: 4) * Int64(2 + 4 + 2 + length + 3)
        default: TimeSpan(microseconds: 8) * Int64(1 + 4 + 2 + length + 3)
        }
    }
}
