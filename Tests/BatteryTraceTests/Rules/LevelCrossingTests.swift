import Bluetooth
import Conformance
import PDUTestKit
import TestKit
import Testing

/// Race cases: no rule fails because of values that cross on the air or old measurements.
struct LevelCrossingTests {
    static let layout = ServerLayout(
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
    static let level = layout[0x2A19]

    private func accused(_ script: (HCISession, HCILink) -> Void) -> [String] {
        let session = HCISession()
        let phone = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000001), .random))
        phone.discover(Self.layout)
        script(session, phone)
        phone.disconnect()
        let report = CheckedCapture(session.recording, plugins: RulePairTests.batteryTrace).report
        return report.results.filter { [.fail, .warning].contains($0.verdict) }.map { report.rules[$0.rule].id }
    }

    /// BT-003: a read returns the last measurement, however old it is.
    @Test func aLevelThatIsReadMayBeOld() {
        let accused = accused { session, phone in
            phone.subscribe(Self.layout[0x2A19, 0x2902])
            phone.read(Self.level, [83])
            session.recording.wait(milliseconds: 3000)
            phone.notify(Self.level, [70])
        }
        #expect(accused == [])
    }

    /// BT-002, BT-003: the read response may carry the level from before the notification.
    @Test func aReadIsOvertakenByANotification() {
        let accused = accused { session, phone in
            phone.subscribe(Self.layout[0x2A19, 0x2902])
            phone.notify(Self.level, [83])
            session.recording.wait(milliseconds: 60_000)
            phone.request(ATT.ReadRequest(handle: Self.level))
            phone.notify(Self.level, [82])
            phone.respond(ATT.ReadResponse(value: [83]))
            session.recording.wait(milliseconds: 5000)
            phone.notify(Self.level, [83])
        }
        #expect(accused == [])
    }

    /// BT-004: the device may notify until it has responded to the write that turns notifications off.
    @Test func aLevelCrossesTheWriteThatUnsubscribes() {
        let configuration = Self.layout[0x2A19, 0x2902]
        let accused = accused { _, phone in
            phone.subscribe(configuration)
            phone.request(ATT.WriteRequest(handle: configuration, value: [0, 0]))
            phone.notify(Self.level, [83])
            phone.respond(ATT.WriteResponse())
        }
        #expect(accused == [])
    }

    /// BT-004: a bonded client's configuration outlives the connection.
    @Test func aBondedClientIsSubscribedFromBefore() {
        let accused = accused { _, phone in
            phone.encrypt()
            phone.notify(Self.level, [83])
        }
        #expect(accused == [])
    }
}
