import Bluetooth
import Bytes
import Captures
import Dissection
import Testing

@testable import Conversation

/// Retransmissions inferred from the acknowledgement pattern of both sides (Vol 6, Part B, 4.5.9).
struct SequenceNumbersTests {
    /// A data PDU: sender, SN, NESN and its single byte; nil for an empty PDU.
    private struct PDU {
        var direction: Direction
        var numbers: (UInt8, UInt8)
        var byte: UInt8?
        var milliseconds: Int64 = 0
    }

    private func observe(_ pdus: [PDU]) -> [SequenceNumbers.Observation] {
        var sequence = SequenceNumbers()
        sequence.begin(interval: 24, latency: 0)
        sequence.interval = TimeSpan(milliseconds: 30)
        return pdus.map { pdu in
            let length = pdu.byte == nil ? 0 : 1
            return sequence.observe(
                LL.DataHeader(
                    llid: pdu.byte == nil ? .continuation : .start, nextExpectedSequenceNumber: pdu.numbers.1,
                    sequenceNumber: pdu.numbers.0, length: length),
                SequenceNumbers.Content(
                    llid: pdu.byte == nil ? 1 : 2, length: length, hash: UInt64(pdu.byte ?? 0)),
                pdu.direction, at: Timestamp(microseconds: pdu.milliseconds * 1000))
        }
    }

    private func verdicts(_ pdus: [PDU]) -> [SequenceNumbers.Verdict] { observe(pdus).map(\.verdict) }

    @Test func aPDUThatIsNotAcknowledgedIsRepeated() {
        let observations = observe([
            PDU(direction: .sent, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (1, 0)),
            PDU(direction: .sent, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (0, 1)),
            PDU(direction: .sent, numbers: (1, 1), byte: 8),
        ])
        #expect(observations.map(\.verdict) == [.new, .new, .repeated, .new, .new])
        #expect(observations.allSatisfy { !$0.missedOwn })
    }

    @Test func aPDUWhoseAcknowledgementTheSenderMissedIsRepeated() {
        // The peer acknowledges with SN 0; the sender still expects 0, so it has not received that packet.
        let pdus = [
            PDU(direction: .sent, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (0, 1)),
            PDU(direction: .sent, numbers: (0, 0), byte: 7),
        ]
        #expect(verdicts(pdus) == [.new, .new, .repeated])
    }

    @Test func aPDUWhoseSenderGotTheAcknowledgementIsNew() {
        let observations = observe([
            PDU(direction: .sent, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (0, 1)),
            PDU(direction: .sent, numbers: (0, 1), byte: 7),
        ])
        #expect(observations.map(\.verdict) == [.new, .new, .new])
        #expect(observations[2].missedOwn)
    }

    @Test func aPDUAfterTheNextOneWasAcceptedIsNew() {
        // SN 1 is missing from the capture, but the peer has accepted it: it expects 0 again.
        let observations = observe([
            PDU(direction: .received, numbers: (1, 0)), PDU(direction: .sent, numbers: (0, 0), byte: 7),
            PDU(direction: .received, numbers: (0, 1)), PDU(direction: .received, numbers: (1, 0)),
            PDU(direction: .sent, numbers: (0, 0), byte: 7),
        ])
        #expect(observations.map(\.verdict) == [.new, .new, .new, .new, .new])
        #expect(observations.map(\.missedPeer) == [false, false, false, true, false])
        #expect(observations[4].missedOwn)
    }

    @Test func anEqualPDUAfterALongSilenceIsUndecided() {
        // The interval is 30 ms, so the longer silence may hide lost events.
        for (milliseconds, verdict) in [(60, .repeated), (840, .undecided)] as [(Int64, SequenceNumbers.Verdict)] {
            let pdus = [
                PDU(direction: .sent, numbers: (0, 0), byte: 7),
                PDU(direction: .sent, numbers: (0, 0), byte: 7, milliseconds: milliseconds),
            ]
            #expect(verdicts(pdus) == [.new, verdict])
        }
    }

    @Test func otherBytesAreAnotherPDU() {
        let observations = observe([
            PDU(direction: .received, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (0, 0), byte: 8),
        ])
        #expect(observations.map(\.verdict) == [.new, .new])
        #expect(observations[1].missedOwn)
    }

    @Test func aFirstPDUThatAcknowledgesAnUnheardOneFollowsMissedOnes() {
        #expect(observe([PDU(direction: .received, numbers: (0, 1))]).map(\.mayFollowMissed) == [true])
        #expect(observe([PDU(direction: .sent, numbers: (1, 0))]).map(\.mayFollowMissed) == [true])
        let observations = observe([
            PDU(direction: .sent, numbers: (0, 0)), PDU(direction: .received, numbers: (0, 1)),
        ])
        #expect(observations.map(\.mayFollowMissed) == [false, false])
    }

    /// The interval is 30 ms. The central sends in each event, so a later event means that others were missed.
    @Test func aRepetitionOfAnAcknowledgedPDUIsCertainInTheNextEventOnly() {
        for (milliseconds, isDoubtful) in [(30, false), (60, true)] as [(Int64, Bool)] {
            let observations = observe([
                PDU(direction: .sent, numbers: (0, 0), byte: 7), PDU(direction: .received, numbers: (0, 1)),
                PDU(direction: .sent, numbers: (0, 0), byte: 7, milliseconds: milliseconds),
            ])
            #expect(observations.map(\.verdict) == [.new, .new, .repeated])
            #expect(observations[2].mayFollowMissed == isDoubtful)
        }
    }

    /// A packet of the peripheral immediately answers one of the central's.
    @Test func aRepetitionOfThePeripheralAnswersThePacketBeforeIt() {
        for (milliseconds, isDoubtful) in [(31, false), (60, true)] as [(Int64, Bool)] {
            let observations = observe([
                PDU(direction: .sent, numbers: (0, 0)), PDU(direction: .received, numbers: (0, 1), byte: 7),
                PDU(direction: .sent, numbers: (1, 1), milliseconds: 30),
                PDU(direction: .received, numbers: (0, 1), byte: 7, milliseconds: milliseconds),
            ])
            #expect(observations.map(\.verdict) == [.new, .new, .new, .repeated])
            #expect(observations[3].mayFollowMissed == isDoubtful)
        }
    }

    @Test func twoPDUsOfThePeripheralInARowAreWithoutTheCentrals() {
        let observations = observe([
            PDU(direction: .sent, numbers: (0, 0)), PDU(direction: .received, numbers: (0, 1), byte: 7),
            PDU(direction: .received, numbers: (0, 1), byte: 7, milliseconds: 30),
        ])
        #expect(observations.map(\.mayFollowMissed) == [false, false, true])
    }

    @Test func constantNumbersTellNothing() {
        let pdus = [1, 2, 3, 4, 5, 5].map { PDU(direction: .sent, numbers: (0, 0), byte: $0) }
        #expect(verdicts(pdus) == [.new, .new, .new, .new, .new, .undecided])
    }
}
