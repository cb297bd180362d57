import Bytes
import Emulation
import PluginKit
import Testing

/// Devices defined by the section `emulate` of a profile, without a Bluetooth stack.
@Suite struct ProfileTwinTests {
    private let client = TwinClient(64)
    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(seconds) }

    private func powered() -> ProfileTwin {
        var twin = Kettle.twin()
        _ = twin.handle(.powerOn, at: time(0))
        return twin
    }

    @Test func powerSetsTheValuesAndAdvertises() {
        var twin = Kettle.twin()
        let advertising = TwinAdvertising(
            data: [2, 0x01, 0x06, 17, 0x07, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0x45, 0x4C, 0x54, 0x54, 0x45, 0x4B],
            scanResponse: [12, 0x09] + Array("Kettle-A3F2".utf8), interval: .milliseconds(500))
        #expect(
            twin.handle(.powerOn, at: time(0)) == [
                .set("status", [0xD7, 0x00, 60]), .set("owner", Array("Joe".utf8)), .advertise(advertising),
            ])
    }

    @Test func aReactionGoesOnAfterItsDelay() {
        var twin = powered()
        let ticket = TwinTicket(7)
        #expect(twin.handle(.write("command", [2, 90], client, ticket), at: time(10)) == [.answer(ticket, .accepted)])
        #expect(twin.deadline == time(10.5))
        #expect(
            twin.handle(.time, at: time(10.5)) == [
                .set("status", [0xE3, 0x03, 60]), .notify("status", [0xE3, 0x03, 60]),
                .set("alarm", [0xE8, 0x03, 60]), .indicate("alarm", [0xE8, 0x03, 60]),
            ])
        #expect(twin.deadline == nil)
    }

    @Test(arguments: [(UInt8(1), TwinAnswer.accepted), (2, .accepted), (3, .refused(0x80)), (255, .refused(0x80))])
    func anErrorAnswersInPlaceOfTheResponse(opcode: UInt8, answer: TwinAnswer) {
        var twin = powered()
        #expect(twin.answered == ["command", "secret"])
        let actions = twin.handle(.write("command", [opcode, 0], client, TwinTicket(1)), at: time(0))
        #expect(actions.first == .answer(TwinTicket(1), answer))
    }

    @Test func readingCanBeRefused() {
        var twin = powered()
        #expect(
            twin.handle(.read("secret", client, TwinTicket(2)), at: time(0)) == [.answer(TwinTicket(2), .refused(0x81))]
        )
    }

    @Test func timersRunWhileAClientIsConnected() {
        var twin = powered()
        #expect(twin.deadline == nil)
        _ = twin.handle(.connected(client), at: time(100))
        var temperatures: [UInt8] = []
        for round in 1...4 {
            let due = time(100 + 30 * Double(round))
            #expect(twin.deadline == due)
            guard case .notify("status", let value, nil)? = twin.handle(.time, at: due).last else { continue }
            temperatures.append(value[0])
        }
        // 20, 20.5 and 21 °C, then the sequence restarts.
        #expect(temperatures == [200, 205, 210, 200])
        guard case .advertise? = twin.handle(.disconnected(client), at: time(300)).last else {
            Issue.record("it does not advertise again")
            return
        }
        #expect(twin.deadline == nil)
    }

    @Test func subscribingIsAnEventToo() {
        var twin = powered()
        #expect(
            twin.handle(.subscribed("status", .notifications, client), at: time(0)) == [
                .notify("status", [0xD7, 0x00, 60])
            ])
    }
}
