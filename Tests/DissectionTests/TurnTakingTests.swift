import Bytes
import Captures
import Testing

@testable import Dissection

/// Directions that are concluded from the times of packets; an empty PDU takes 80 µs, the inter frame space 150 µs.
struct TurnTakingTests {
    private func directions(_ packets: [(microseconds: Int64, length: Int)]) -> [Direction] {
        var turns = TurnTaking()
        return packets.map {
            turns.direction(at: Timestamp(microseconds: $0.microseconds), length: $0.length, phy: nil)
        }
    }

    @Test func theSidesOfAnEventTakeTurnsAndTheCentralBegins() {
        let events = [(0, 0), (230, 0), (50_000, 9), (50_302, 0), (50_532, 0), (100_000, 0)] as [(Int64, Int)]
        #expect(directions(events) == [.unknown, .unknown, .sent, .received, .sent, .sent])
    }

    @Test func timesOfPacketEndsDoAsWell() {
        // The answer of 27 bytes ends 150 µs and its own 296 µs after the central's packet has ended.
        #expect(directions([(0, 0), (230, 0), (50_000, 0), (50_446, 27)]) == [.unknown, .unknown, .sent, .received])
    }

    @Test func aSnifferWithoutEmptyPDUsTellsNothing() {
        #expect(directions([(0, 7), (7_500, 5), (15_000, 9)]) == [.unknown, .unknown, .unknown])
    }

    @Test func timesThatFitNoTurnStayUnknown() {
        #expect(directions([(0, 0), (230, 0), (50_000, 0), (51_000, 0)]).last == .unknown)
    }
}
