import Bluetooth
import Bytes
import Captures
import Dissection
import Testing

@testable import Conversation

/// Directions inferred from times, sequence numbers and acknowledgements. An empty PDU takes 80 µs, the inter-frame
/// space 150 µs.
struct DirectionInferenceTests {
    /// A packet: start time, payload length, SN, NESN and MD.
    private struct Packet {
        var microseconds: Int64
        var length = 0
        var numbers: (UInt8, UInt8)
        var moreData = false
        var recorded = Direction.unknown
    }

    private func directions(_ packets: [Packet], isBeginningKnown: Bool = false) -> [Direction] {
        var inference = DirectionInference(isBeginningKnown: isBeginningKnown)
        return packets.map {
            inference.direction(
                of: LL.DataHeader(
                    llid: .continuation, nextExpectedSequenceNumber: $0.numbers.1, sequenceNumber: $0.numbers.0,
                    moreData: $0.moreData, length: $0.length),
                at: Timestamp(microseconds: $0.microseconds), phy: nil, recorded: $0.recorded)
        }
    }

    /// Connection events of two empty PDUs each, 30 ms apart, starting with the given one.
    private func events(_ count: Int, from first: Int = 0) -> [Packet] {
        (first..<(first + count)).flatMap { event in
            let bit = UInt8(event & 1)
            return [
                Packet(microseconds: Int64(event) * 30_000, numbers: (bit, bit)),
                Packet(microseconds: Int64(event) * 30_000 + 230, numbers: (bit, bit ^ 1)),
            ]
        }
    }

    @Test func aConnectionThatIsHeardFromItsBeginningHasDirectionsAtOnce() {
        #expect(directions(events(2), isBeginningKnown: true) == [.sent, .received, .sent, .received])
    }

    @Test func insideAConnectionTheFirstEventThatIsHeardFromItsBeginningTells() {
        // The first packet may not be the first of its event.
        #expect(directions(events(3)) == [.unknown, .unknown, .unknown, .received, .sent, .received])
    }

    @Test func timesOfPacketEndsDoAsWell() {
        // The 27-byte answer begins 150 µs after the end of the central's packet and lasts 296 µs.
        let packets =
            events(2) + [
                Packet(microseconds: 60_000, numbers: (0, 0)),
                Packet(microseconds: 60_446, length: 27, numbers: (0, 1)),
            ]
        #expect(directions(packets).suffix(2) == [.sent, .received])
    }

    @Test func aMissedPacketOfTheCentralMisleadsNobody() {
        // Only the answer of the third event is captured, then everything again.
        var packets = events(5)
        packets.remove(at: 4)
        #expect(
            directions(packets) == [
                .unknown, .unknown, .unknown, .received, .received, .sent, .received, .sent, .received,
            ])
    }

    @Test func anEventWhoseFirstPacketWasMissedDoesNotDecideAlone() {
        // The answer of the first event and the central's next packet look like an event, but MD announces more data.
        let packets =
            [
                Packet(microseconds: -30_000, numbers: (1, 0)),
                Packet(microseconds: 230, numbers: (0, 1), moreData: true), Packet(microseconds: 460, numbers: (1, 1)),
            ] + events(3, from: 2)
        #expect(directions(packets).prefix(3).allSatisfy { $0 == .unknown })
        #expect(directions(packets).suffix(2) == [.sent, .received])
    }

    @Test func aPeripheralThatRefusedTheFirstPacketIsStillOne() {
        // The peripheral received the first packet with a wrong CRC, so its answer repeats the initial numbers.
        var packets = [Packet(microseconds: 0, numbers: (0, 0)), Packet(microseconds: 230, numbers: (0, 0))]
        for event in 1..<6 {
            let bit = UInt8(event & 1)
            packets.append(Packet(microseconds: Int64(event) * 30_000, numbers: (bit ^ 1, bit)))
            packets.append(Packet(microseconds: Int64(event) * 30_000 + 230, numbers: (bit, bit)))
        }
        #expect(
            directions(packets, isBeginningKnown: true)
                == Array(repeating: [.sent, .received], count: 6).flatMap { $0 })
    }

    @Test func aRecorderThatWritesConstantNumbersLeavesTheTurns() {
        var packets = events(3)
        for index in packets.indices { packets[index].numbers = (0, 0) }
        #expect(directions(packets) == [.unknown, .unknown, .sent, .received, .sent, .received])
    }

    @Test func aSnifferWithoutEmptyPDUsTellsNothing() {
        let packets = [(0, 7), (7_500, 5), (15_000, 9)].map {
            Packet(microseconds: Int64($0.0), length: $0.1, numbers: (0, 0))
        }
        #expect(directions(packets) == [.unknown, .unknown, .unknown])
    }

    @Test func aRecorderIsContradictedOnlyByTimesAndNumbersTogether() {
        var packets = events(6)
        for index in packets.indices { packets[index].recorded = index % 2 == 0 ? .sent : .received }
        // The peripheral has more data, and the recorder mistakes the central's next packet for the peripheral's.
        packets[11].moreData = true
        packets.append(Packet(microseconds: 150_460, numbers: (0, 0), recorded: .received))
        #expect(directions(packets).last == .sent)
        // The central's packet of the next event is missing.
        packets[12] = Packet(microseconds: 180_230, numbers: (0, 0), recorded: .received)
        #expect(directions(packets).last == .received)
    }
}
