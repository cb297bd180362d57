import Bluetooth
import PDUTestKit
import TestKit

/// Devices that only advertise.
extension CaptureCase {
    static let beacons: [CaptureCase] = [
        CaptureCase(
            name: "ruuvi-tag",
            title: "A tag that is only heard",
            shows: """
                The second example of docs/writing-a-plugin.md: a RuuviTag in data format 5, with the values of Ruuvi's
                test vectors. `profile.yaml` is written by hand. A measurement is repeated, the next has a humidity
                above 100 %, one is cut short; then the numbers go back.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop", options: ["--plugin", "profile.yaml"]
        ) {
            let session = HCISession()
            session.recording.pace = 1_285_000_000
            let measurements = [
                "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F", "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
                "0512FCA410C37C0004FFFC040CAC364200CECBB8334C884F", "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF",
                "0512FC5394C37C0004", "0512FC5394C37C0004FFFC040CAC36420007CBB8334C884F",
            ]
            for measurement in measurements {
                session.report(
                    Cast.ruuviTag,
                    [
                        .flags([.leGeneralDiscoverable, .bredrNotSupported]),
                        .manufacturerData(company: 0x0499, hex(measurement)),
                    ], type: 3)
            }
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "beacons",
            title: "Formats that devices of many makers advertise",
            shows: """
                One advertisement each of iBeacon, Apple Continuity, AltBeacon, Swift Pair, the Connected Devices
                Platform, Exposure Notification, the four frames of Eddystone, BTHome and Fast Pair; then one of Find Hub, and
                Fast Pair data with a field of a type that is not published, which is a note and no error.
                """,
            source: "The formats' public documents, as named in Plugins/StandardServices/README.md",
            file: "capture.btsnoop"
        ) {
            let session = HCISession()
            for structure in advertised { session.report(Cast.ruuviTag, [structure], type: 3) }
            return try session.recording.btsnoop()
        },
    ]

    private static let advertised: [GAP.AdvertisingStructure] = [
        .manufacturerData(company: 0x004C, hex("0215E2C56DB5DFFB48D2B060D0F5A71096E000010002C5")),
        .manufacturerData(company: 0x004C, hex("1005031C8390960C020001")),
        .manufacturerData(company: 0x0118, hex("BEAC0102030405060708090A0B0C0D0E0F1000010002BF00")),
        .manufacturerData(company: 0x0006, hex("0300804D6F757365")),
        .manufacturerData(company: 0x0006, hex("0129200201020304000102030405060708090A0B0C0D0E0F101112")),
        .serviceData(0xFD6F, hex("000102030405060708090A0B0C0D0E0F40080000")),
        .serviceData(0xFEAA, hex("00EE0102030405060708090A0B0C0D0E0F100000")),
        .serviceData(0xFEAA, hex("10EE03676F6F2E676C2F417131387A46")),
        .serviceData(0xFEAA, hex("20000BB815800000002A0000010E")),
        .serviceData(0xFEAA, hex("30EE0102030405060708")),
        .serviceData(0xFCD2, hex("4002C40903BF13")),
        .serviceData(0xFE2C, hex("AABBCC")),
        .serviceData(0xFE2C, hex("00400A42881011C7")),
        .serviceData(0xFEAA, hex("40000102030405060708090A0B0C0D0E0F1011121380")),
        .serviceData(0xFE2C, hex("1042112233442111222AE53123F019F4D863")),
    ]
}

extension Cast {
    static let ruuviTag = device(0xCB_B833_4C884F, .random)
}
