import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Sessions of the people counter.
extension CaptureCase {
    static let lifeCount: [CaptureCase] = [
        CaptureCase(
            name: "lifecount-session",
            title: "A counter is caught up with",
            shows: """
                A gateway finds a counter, discovers it, reads what it is, sets its clock and subscribes. Events 44 and
                45 get lost; the gateway asks for a replay and gets them, and one that it has already. It acknowledges,
                and asks for something that the counter does not know.
                """,
            source: "LifeCount protocol document, GATT and Gateway state machine", file: "capture.btsnoop",
            make: counterSession),
        CaptureCase(
            name: "lifecount-integrity",
            title: "Sequence numbers that wrap, go back and come twice",
            shows: """
                After the highest number comes 0, in order. A lower number of the first event since a boot is a reset; one
                without that flag is a reset too, unconfirmed, and never a loss. The same event twice is a duplicate; the
                same number with another content is a contradiction. The last event has no clock and no location.
                """,
            source: "LifeCount protocol document, Integrity", file: "capture.btsnoop",
            options: ["--gatt", "gatt.json"], companions: ["gatt.json": tables([(nil, LifeCount.layout)])]
        ) {
            let session = HCISession()
            let counter = session.connect(to: LifeCount.device)
            let event = LifeCount.layout[LifeCount.counter(2)]
            counter.subscribe(LifeCount.layout[LifeCount.counter(2), 0x2902])
            let events = [
                LifeCount.event(.max - 1), LifeCount.event(.max, after: 1), LifeCount.event(0, after: 2),
                LifeCount.event(0, flags: 0x50, after: 60), LifeCount.event(1, delta: -1, after: 61),
                LifeCount.event(2, after: 62), LifeCount.event(2, after: 62), LifeCount.event(2, delta: -1, after: 63),
                LifeCount.event(0, after: 64), LifeCount.event(3, after: 65),
                hex("01 FF 04000000 00000000 0000 C3A50F1E 0000"),
            ]
            for value in events {
                session.recording.wait(milliseconds: 1_000)
                counter.notify(event, value)
            }
            return try session.recording.btsnoop()
        },
    ]

    @Sendable
    private static func counterSession() throws -> [UInt8] {
        let session = HCISession()
        session.report(
            LifeCount.device,
            [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs128([LifeCount.counter(1)])])
        session.report(LifeCount.device, [.completeLocalName("LifeCount-A5C3")], type: 4)
        let counter = session.connect(to: LifeCount.device)
        let handles = LifeCount.layout
        let (event, status, control) = (
            handles[LifeCount.counter(2)], handles[LifeCount.counter(4)], handles[LifeCount.counter(5)]
        )
        counter.exchangeMTU(client: 247, server: 247)
        counter.discover(handles)
        counter.read(handles[LifeCount.counter(3)], hex("01 01 0201 C3A50F1E 0700 03000000 0002"))
        counter.read(status, hex("100E0000 2A000000 57 01 0000"))
        counter.subscribe(handles[LifeCount.counter(5), 0x2902], indications: true)
        counter.write(control, hex("01 3E2AA469 F401"))
        counter.indicate(control, hex("80 01 00"))
        counter.subscribe(handles[LifeCount.counter(4), 0x2902])
        counter.subscribe(handles[LifeCount.counter(2), 0x2902])
        counter.notify(event, LifeCount.event(43, after: 2))
        counter.notify(event, LifeCount.event(46, delta: -1, after: 5))
        counter.write(control, hex("02 2C000000"))
        counter.indicate(control, hex("80 02 00"))
        counter.notify(event, LifeCount.event(44, flags: 0x30, after: 3))
        counter.notify(event, LifeCount.event(45, flags: 0x30, after: 4))
        counter.notify(event, LifeCount.event(46, delta: -1, flags: 0x30, after: 5))
        counter.write(control, hex("05 2E000000"))
        counter.indicate(control, hex("80 05 00"))
        counter.write(control, hex("03 0700"))
        counter.indicate(control, hex("80 03 00"))
        counter.write(control, hex("04"))
        counter.indicate(control, hex("80 04 00"))
        counter.write(control, hex("7F 01"))
        counter.indicate(control, hex("80 7F 01"))
        session.recording.wait(milliseconds: 30_000)
        counter.notify(status, hex("2E0E0000 2E000000 57 01 0000"))
        counter.disconnect(reason: .connectionTerminatedByLocalHost)
        return try session.recording.btsnoop()
    }
}
