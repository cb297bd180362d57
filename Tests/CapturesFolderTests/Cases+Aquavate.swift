import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Sessions of the smart-bottle puck. Values come from section 13 of its protocol document where available.
extension CaptureCase {
    static let aquavate: [CaptureCase] = [
        CaptureCase(
            name: "aquavate-sync",
            title: "A puck hands over its drinks",
            shows: """
                A phone finds a puck, discovers it, subscribes, reads what there is to read, sets the clock and fetches
                three drinks in two chunks, which make one message. Then it deletes a drink. A write to Sync Control is
                a request, a read a status; both have the same layout and mean different things.
                """,
            source: "Aquavate protocol document, sections 2, 3, 6 and 13.4", file: "capture.btsnoop",
            make: sync),
        CaptureCase(
            name: "aquavate-activity",
            title: "Activity statistics that only their requests tell apart",
            shows: """
                Summary, wake events and backpack sessions share a characteristic, and their lengths coincide: what a
                notification is, the command before it tells. The first read comes before any command: twelve zero
                bytes, the summary of a puck that has just booted.
                """,
            source: "Aquavate protocol document, sections 4.8 and 8", file: "capture.btsnoop",
            options: ["--gatt", "gatt.json"], companions: ["gatt.json": tables([(nil, Aquavate.shipped)])],
            make: activity),
        CaptureCase(
            name: "aquavate-calibration",
            title: "Two ways to calibrate a puck",
            shows: """
                The bottle leads: started by a command, it goes through its states and notifies each. Afterwards the
                older way, where the client leads: while a result is there, Current State holds a raw reading, 432188,
                in the place of weight and level.
                """,
            source: "Aquavate protocol document, section 9", file: "capture.btsnoop",
            options: ["--gatt", "gatt.json"], companions: ["gatt.json": tables([(nil, Aquavate.shipped)])],
            make: calibration),
        CaptureCase(
            name: "aquavate-truncated-chunk",
            title: "A chunk that does not fit into a notification",
            shows: """
                A chunk of 20 records has 286 bytes; the notification carries 244 and says nothing of it: records 18 to
                20 are missing while the header still says 20. The records that came are decoded, and the fault is said.
                A long read gets all of it. `waivers.yaml` excuses what this firmware is known for.
                """,
            source: "Aquavate protocol document, sections 3.3 and 4.4, Q-01", file: "capture.btsnoop",
            options: ["--gatt", "gatt.json"],
            companions: ["gatt.json": tables([(nil, Aquavate.shipped)]), "waivers.yaml": truncationWaivers],
            make: truncatedChunk),
        CaptureCase(
            name: "aquavate-first-firmware",
            title: "A puck with the first firmware",
            shows: """
                Until 2026-01-21 a drink had no ID and ten bytes, which the length of a chunk tells. A puck without
                Device Settings and Activity Stats means something else by commands 0x02 and 0x04.
                """,
            source: "Aquavate protocol document, sections 13.10 and 16", file: "capture.btsnoop",
            options: ["--gatt", "gatt.json"], companions: ["gatt.json": tables([(nil, Aquavate.first)])]
        ) {
            let session = Aquavate.session()
            let puck = session.connect(to: Aquavate.device)
            let handles = Aquavate.first
            puck.exchangeMTU(client: 517, server: 247)
            puck.subscribe(handles[Aquavate.bottle(4), 0x2902])
            puck.write(handles[Aquavate.bottle(3)], hex("0000 0100 01 00 1400")) {
                puck.notify(handles[Aquavate.bottle(4)], hex("0000 0100 01 00 30327F69 2D00 1103 00 00"))
            }
            puck.write(handles[Aquavate.bottle(3)], hex("0000 0000 02 00 0000"))
            puck.write(handles[Aquavate.bottle(5)], hex("02 000000"))
            puck.write(handles[Aquavate.bottle(5)], hex("04 000000"))
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "aquavate-prd",
            title: "A puck as its requirements describe it",
            shows: """
                Another service, five characteristics, records of 16 bytes that are read and not notified, and one
                acknowledgment for all of them: the dialect of the product requirements document.
                """,
            source: "Aquavate protocol document, sections 1.2, 3.4, 4.10 and 13.9", file: "capture.btsnoop",
            make: required),
    ]

    @Sendable
    private static func sync() throws -> [UInt8] {
        let session = Aquavate.session()
        session.report(
            Aquavate.device,
            [
                .flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs16([0x180F]),
                .serviceUUIDs128([Aquavate.bottle(0)]), .connectionIntervalRange(6, 6),
            ])
        session.report(Aquavate.device, [.completeLocalName("Aquavate-A3F2")], type: 4)
        let puck = session.connect(to: Aquavate.device)
        let handles = Aquavate.shipped
        let (state, control, data) = (
            handles[Aquavate.bottle(1)], handles[Aquavate.bottle(3)], handles[Aquavate.bottle(4)]
        )
        puck.exchangeMTU(client: 517, server: 247)
        puck.discover(handles)
        for type in [Aquavate.bottle(1), Aquavate.bottle(4), Aquavate.bottle(7), Aquavate.bottle(8), 0x2A19] {
            puck.subscribe(handles[type, 0x2902])
        }
        puck.read(handles[0x2A29], hex("41717561766174 6500"))
        puck.read(handles[0x2A24], hex("5075636B2076312E3000"))
        puck.read(handles[0x2A26], hex("302E312E3000 00000000000000000000"))
        puck.read(handles[0x2A25], hex("32343A30413A43343A31323A41333A463200"))
        puck.read(handles[Aquavate.bottle(2)], hex("E1FAD943 0F010000 3E03 C409"))
        puck.read(handles[Aquavate.bottle(6)], hex("01 00 0000"))
        puck.read(state, [UInt8](repeating: 0, count: 14))
        puck.write(handles[Aquavate.bottle(5)], hex("10 40407F69"))
        puck.read(control, hex("0000 0300 00 00 1400"))
        session.recording.wait(milliseconds: 5_000)
        puck.notify(handles[0x2A19], hex("53"))
        puck.notify(state, hex("45407F69 9C01 9C01 E204 53 07 0300"))
        puck.write(control, hex("0000 0300 01 00 0200")) {
            puck.notify(
                data,
                hex(
                    """
                    0000 0200 02 00
                    65000000 30327F69 2D00 1103 00 00
                    66000000 38397F69 9600 7B02 01 00
                    """))
        }
        puck.write(control, hex("0000 0000 02 00 0000")) {
            puck.notify(data, hex("0100 0200 01 00 67000000 143F7F69 DF00 9C01 01 00"))
        }
        puck.write(control, hex("0000 0000 02 00 0000")) {
            puck.notify(state, hex("45407F69 9C01 9C01 E204 53 07 0000"))
        }
        puck.read(control, hex("0000 0000 00 00 0200"))
        puck.write(handles[Aquavate.bottle(5)], hex("12 66000000")) {
            puck.notify(state, hex("45407F69 9C01 9C01 E204 53 07 0000"))
        }
        session.recording.wait(milliseconds: 5_000)
        puck.notify(state, hex("4A407F69 9C01 9C01 4C04 53 07 0000"))
        puck.disconnect(reason: .connectionTerminatedByLocalHost)
        return try session.recording.btsnoop()
    }

    @Sendable
    private static func activity() throws -> [UInt8] {
        let session = Aquavate.session()
        let puck = session.connect(to: Aquavate.device)
        let handles = Aquavate.shipped
        let (command, stats) = (handles[Aquavate.bottle(5)], handles[Aquavate.bottle(7)])
        puck.exchangeMTU(client: 517, server: 247)
        puck.read(stats, [UInt8](repeating: 0, count: 12))
        puck.subscribe(handles[Aquavate.bottle(7), 0x2902])
        puck.write(command, hex("30 00 0000")) { puck.notify(stats, hex("17 02 00 01 00000000 0000 0000")) }
        for chunk in 0..<2 as Range<UInt8> {
            // One event an hour, ending before the events of the last chunk; each lasts a minute and is caused by
            // motion.
            let events = (0..<10).flatMap { event -> [UInt8] in
                let time = 1_769_947_200 - 7_200 - 3_600 * (20 - 10 * UInt32(chunk) - UInt32(event))
                return CaptureBuilder.integer(time, .littleEndian) + hex("3C00 00 00")
            }
            puck.write(command, [0x31, chunk, 0, 0]) { puck.notify(stats, [chunk, 3, 10, 0] + events) }
        }
        puck.write(command, hex("31 02 0000")) {
            puck.notify(
                stats, hex("02 03 03 00 20247F69 2F00 00 80 282B7F69 B500 00 01 BC3C7F69 2100 01 00"))
        }
        puck.write(command, hex("32 00 0000")) {
            puck.notify(
                stats,
                hex("00 01 02 00 C0EE7D69 28230000 0100 00 00 DD2B7F69 DC050000 0000 00 00"))
        }
        return try session.recording.btsnoop()
    }

    @Sendable
    private static func calibration() throws -> [UInt8] {
        let session = Aquavate.session()
        let puck = session.connect(to: Aquavate.device)
        let handles = Aquavate.shipped
        let (state, command, calibration) = (
            handles[Aquavate.bottle(1)], handles[Aquavate.bottle(5)], handles[Aquavate.bottle(8)]
        )
        puck.subscribe(handles[Aquavate.bottle(1), 0x2902])
        puck.subscribe(handles[Aquavate.bottle(8), 0x2902])
        puck.write(command, hex("20 00 0000"))
        // The time before each state, in milliseconds.
        let states: [(Int64, UInt8)] = [(300, 1), (2_000, 2), (5_000, 3), (4_000, 4), (7_000, 6), (20_000, 7)]
        for (wait, number) in states {
            session.recording.wait(milliseconds: wait)
            puck.notify(calibration, [number] + [UInt8](repeating: 0, count: 11))
        }
        session.recording.wait(milliseconds: 7_000)
        puck.notify(calibration, hex("09 00 82CD0100 F9520700 0000"))

        session.recording.wait(milliseconds: 10_000)
        puck.write(command, hex("03 01 0000")) {
            puck.notify(state, hex("70407F69 9C01 9C01 E204 53 0F 0000"))
            session.recording.wait(milliseconds: 5_000)
            puck.notify(state, hex("70407F69 9C01 9C01 E204 53 0F 0000"))
        }
        session.recording.wait(milliseconds: 500)
        puck.notify(state, hex("BE407F69 3C98 0600 E204 53 17 0000"))
        puck.write(command, hex("04 82CD0100 F9520700 E1FAD943")) {
            puck.notify(state, hex("BE407F69 3C98 0600 E204 53 17 0000"))
        }
        return try session.recording.btsnoop()
    }

    /// Waivers for the firmware's known deviations; the last one matches nothing.
    private static let truncationWaivers = """
        waivers:
          - {rule: AQ-060, reason: chunks of 20 records do not fit into a notification}
          - rule: AQ-212
            reason: the application asks for chunks of 20 records
            link: https://example.org/issues/17
          - {rule: AQ-031, reason: a waiver that excuses nothing}

        """

    @Sendable
    private static func truncatedChunk() throws -> [UInt8] {
        let session = Aquavate.session()
        let puck = session.connect(to: Aquavate.device)
        let handles = Aquavate.shipped
        let data = handles[Aquavate.bottle(4)]
        puck.exchangeMTU(client: 517, server: 247)
        puck.subscribe(handles[Aquavate.bottle(4), 0x2902])
        // Twenty drinks of 100 ml, one every hour, from a bottle that is filled after every eight.
        let records = (1...20 as ClosedRange<UInt32>).flatMap { number -> [UInt8] in
            let level = 800 - 100 * UInt16(number % 8)
            return CaptureBuilder.integer(number, .littleEndian)
                + CaptureBuilder.integer(1_769_947_200 - 3_600 * (21 - number), .littleEndian)
                + CaptureBuilder.integer(100 as UInt16, .littleEndian)
                + CaptureBuilder.integer(level, .littleEndian) + [1, 0]
        }
        let chunk = hex("0000 0100 14 00") + records
        puck.write(handles[Aquavate.bottle(3)], hex("0000 1400 01 00 1400")) {
            puck.notify(data, Array(chunk.prefix(puck.mtu - 3)))
        }
        puck.readLong(data, chunk)
        puck.write(handles[Aquavate.bottle(3)], hex("0000 0000 02 00 0000"))
        return try session.recording.btsnoop()
    }

    @Sendable
    private static func required() throws -> [UInt8] {
        let session = Aquavate.session()
        session.report(
            Aquavate.device,
            [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs128([Aquavate.prd(0xF0)])])
        session.report(Aquavate.device, [.completeLocalName("Aquavate-A3F2")], type: 4)
        let puck = session.connect(to: Aquavate.device)
        let handles = Aquavate.required
        puck.exchangeMTU(client: 517, server: 247)
        puck.discover(handles)
        puck.read(handles[0x2A24], Array("Puck v1".utf8))
        puck.subscribe(handles[Aquavate.prd(0xF1), 0x2902])
        puck.subscribe(handles[Aquavate.prd(0xF5), 0x2902])
        puck.notify(handles[Aquavate.prd(0xF1)], hex("AB02"))
        puck.read(handles[Aquavate.prd(0xF2)], hex("3E03 0F010000"))
        puck.read(handles[Aquavate.prd(0xF5)], hex("53 0F 00"))
        puck.read(handles[Aquavate.prd(0xF4)], hex("0200"))
        puck.read(
            handles[Aquavate.prd(0xF3)],
            hex("65000000 30327F69 2D00 1103 00 01 0000 66000000 38397F69 70FE 3E03 00 04 0000"))
        puck.write(handles[Aquavate.prd(0xF4)], hex("66000000"))
        puck.read(handles[Aquavate.prd(0xF4)], hex("0000"))
        puck.disconnect(reason: .connectionTerminatedByLocalHost)
        return try session.recording.btsnoop()
    }
}
