import Captures
import Conformance
import TestKit
import Testing

/// Missing packets make no rule fail: each conforming session is replayed with packets missing, as recorders and
/// sniffers miss them.
struct ImperfectCaptureTests {
    @Test(arguments: RulePairTests.pairs)
    func aPartOfASessionThatObeysBreaksNoRule(_ pair: RulePair) {
        for imperfection in Imperfection.some {
            let accusation = pair.accusations(for: imperfection, aquavate)
            #expect(accusation == nil)
        }
    }

    @Test func aSessionOfWhichOnePacketIsNotHeardBreaksNoRule() throws {
        let session = try MutationTable.session()
        let whole = CheckedCapture(AirReplay.recording(of: session), plugins: aquavate)
        #expect(whole.broken == [])
        #expect(whole.report.results.contains { $0.verdict == .pass })
        for place in AirReplay.recording(of: session).packets.indices {
            let recording = Imperfection.loses(place).applied(to: session)
            let checked = CheckedCapture(recording, plugins: aquavate, asksOracle: true)
            #expect(checked.broken == [], "packet \(place): \(checked.text(of: checked.broken))")
        }
    }
}
