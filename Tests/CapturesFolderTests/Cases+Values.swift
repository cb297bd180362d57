import BatteryTrace
import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Conclusions from attribute values over time.
extension CaptureCase {
    static let values: [CaptureCase] = [
        CaptureCase(
            name: "battery-charging",
            title: "A battery that is charged",
            shows: """
                A phone of 3274 mAh is charged with 20 W, from 76 % on, and notifies each whole per cent: every 22.5 s up
                to 80 %, then more and more slowly, as the current tapers. At 86 % the charger is taken away, and the
                battery loses a per cent in five minutes. `gattbench battery estimate` tells the power from it.
                """,
            source: "Battery Service 1.0, 3.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.report(Cast.mobile, [.completeLocalName("Phone")])
            let phone = session.connect(to: Cast.mobile)
            phone.discover(Cast.battery)
            phone.read(Cast.battery[0x2A19], [76])
            phone.subscribe(Cast.battery[0x2A19, 0x2902])
            let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.76)
            let start = session.recording.time.nanoseconds
            func notify(_ percent: UInt8, atSeconds seconds: Double) {
                session.recording.time = Timestamp(nanoseconds: start + Int64(seconds * 1e9))
                phone.notify(Cast.battery[0x2A19], [percent])
            }
            var seconds = 0.0
            for percent in 77...86 as ClosedRange<UInt8> {
                while curve.level(atSeconds: seconds) < Double(percent) / 100 { seconds += 0.5 }
                notify(percent, atSeconds: seconds)
            }
            notify(85, atSeconds: seconds + 300)
            phone.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "several-values",
            title: "PDUs with several values",
            shows: """
                A greenhouse with two thermometers. Read By Type gives a battery level, then both temperatures. Read
                Multiple gives values without their lengths, which are known of all but texts: of the second response
                nothing can be told. Read Multiple Variable gives the lengths, and cuts the maker's name. Multiple Handle
                Value Notification tells a temperature and a battery level. Read By Type has room for 19 bytes of a name.
                """,
            source: "Core 5.4, Vol 3, Part F, 3.4.4.1 to 3.4.4.12 and 3.4.7.4", file: "capture.btsnoop",
            make: severalValues),
    ]

    @Sendable
    private static func severalValues() throws -> [UInt8] {
        let session = HCISession()
        let greenhouse = session.connect(to: Cast.counter)
        let handles = Cast.greenhouse
        let temperatures = handles.characteristics.filter { $0.type == 0x2A6E }.map(\.value)
        let (maker, humidity, battery) = (handles[0x2A29], handles[0x2A6F], handles[0x2A19])
        greenhouse.discover(handles)
        func readByType(_ type: UUID, _ entries: [ATT.ReadByTypeResponse.Entry]) {
            greenhouse.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: type))
            greenhouse.respond(ATT.ReadByTypeResponse(entries: entries))
        }
        readByType(0x2A19, [.init(handle: battery, value: [87])])
        readByType(
            0x2A6E,
            [.init(handle: temperatures[0], value: hex("1A FB")), .init(handle: temperatures[1], value: hex("5E 08"))])
        greenhouse.request(ATT.ReadMultipleRequest(handles: [temperatures[1], humidity, battery]))
        greenhouse.respond(ATT.ReadMultipleResponse(values: hex("5E 08 7C 15 57")))
        greenhouse.request(ATT.ReadMultipleRequest(handles: [maker, battery]))
        greenhouse.respond(ATT.ReadMultipleResponse(values: Array("Glass\0".utf8) + [87]))
        greenhouse.request(ATT.ReadMultipleVariableRequest(handles: [humidity, maker]))
        greenhouse.respond(
            ATT.ReadMultipleVariableResponse(values: [
                .init(hex("7C 15")), .init(length: 20, bytes: Array("Glass & Garden E".utf8)),
            ]))
        greenhouse.respond(
            ATT.MultipleHandleValueNotification(entries: [
                .init(handle: temperatures[0], value: hex("00 80")), .init(handle: battery, value: [86]),
            ]))
        readByType(0x2A29, [.init(handle: maker, value: Array("Glass & Garden Elec".utf8))])
        greenhouse.disconnect()
        return try session.recording.btsnoop()
    }
}

extension Cast {
    /// A server with two characteristics of one type.
    fileprivate static let greenhouse = ServerLayout(
        .service(0x180A, .characteristic(0x2A29, [.read])),
        .service(
            0x181A, .characteristic(0x2A6E, [.read, .notify], descriptors: 0x2902),
            .characteristic(0x2A6E, [.read, .notify], descriptors: 0x2902), .characteristic(0x2A6F, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
}
