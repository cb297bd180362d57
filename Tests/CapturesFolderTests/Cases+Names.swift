import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// The sources of attribute names, and the recorders' own metadata.
extension CaptureCase {
    static let names: [CaptureCase] = [
        CaptureCase(
            name: "declaration-read",
            title: "Declarations of characteristics read by their handles",
            shows: """
                A client discovers the services, asks for the types of all attributes and then reads the declarations of
                the characteristics one by one, by Read Request and by Read Blob Request. Each declaration is taken apart,
                and what it declares is named from then on. One handle holds five bytes that are no declaration.
                """,
            source: "Core 5.4, Vol 3, Part G, 3.3.1 and 4.8", file: "capture.btsnoop", make: declarationRead),
        CaptureCase(
            name: "read-by-type-first",
            title: "Values read by their type before discovery",
            shows: """
                A client reads the Device Name and the Battery Level by their types before it has discovered anything: the
                type that was asked for tells how the values are read.
                """,
            source: "Core 5.4, Vol 3, Part F, 3.4.4.1; Vol 3, Part G, 4.8.2", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: .deviceName))
            puck.respond(ATT.ReadByTypeResponse(entries: [.init(handle: 3, value: Array("Puck".utf8))]))
            puck.request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: 0x2A19))
            puck.respond(ATT.ReadByTypeResponse(entries: [.init(handle: 8, value: [98])]))
            puck.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "find-information-first",
            title: "Types of all attributes, without their declarations",
            shows: """
                A client reads the declaration of the Device Name alone and asks for the types of all attributes behind it. The
                handle after a declaration that was not read is its value; neither this nor what follows belongs to the
                Device Name.
                """,
            source: "Core 5.4, Vol 3, Part F, 3.4.3.1; Vol 3, Part G, 3.3.2", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.request(ATT.ReadByTypeRequest(start: 1, end: 3, type: .characteristic))
            let name = GATT.CharacteristicDeclaration(properties: .read, valueHandle: 3, type: .deviceName)
            puck.respond(ATT.ReadByTypeResponse(entries: [.init(handle: 2, value: name.encoded)]))
            puck.request(ATT.FindInformationRequest(start: 4, end: 0xFFFF))
            puck.respond(
                ATT.FindInformationResponse(entries: [
                    .init(handle: 4, type: .primaryService), .init(handle: 5, type: .characteristic),
                    .init(handle: 6, type: 0x2A19), .init(handle: 7, type: .clientCharacteristicConfiguration),
                ]))
            puck.read(3, Array("Puck".utf8))
            puck.subscribe(7)
            puck.notify(6, [98])
            puck.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "tutorial-service",
            title: "A service of another plugin's device",
            shows: """
                A soil sensor has a second service under the UUID that tutorials use, which the Aquavate profile has too.
                The sensor's own profile describes the device, so nothing of it is named or read by the other one.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop",
            options: ["--plugin", "../soil-sensor/profile.yaml"]
        ) {
            let session = HCISession()
            advertiseSoilSensor(session)
            let link = session.connect(to: Cast.soilSensor)
            link.exchangeMTU(client: 185, server: 185)
            link.discover(Cast.soilWithTutorial)
            link.read(Cast.soilWithTutorial[Cast.tutorialValue], Array(repeating: 0x2A, count: 20))
            link.notify(Cast.soilWithTutorial[Cast.sample], [0x01, 0xEA, 0x00, 0x66, 0x08, 0x20, 0x4E, 0x5A])
            link.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "log-texts-monitor",
            title: "What the Linux kernel and the host say of themselves",
            shows: """
                Records of the kernel's monitor that hold no HCI packet: a system note, a new index with the adapter's
                address and name, what is known of it, and a text that bluetoothd logs. All of them are text.
                """,
            source: "Linux, include/net/bluetooth/hci_mon.h", file: "capture.pcap"
        ) {
            let address = ByteWriter.bytes { $0.write(Cast.phone.address) }
            return monitor([
                (.systemNote, 0xFFFF, Array("Linux version 6.1.0-18-amd64 (x86_64)\0".utf8)),
                (.newIndex, 0, [0, 1] + address + Array("hci0\0\0\0\0".utf8)),
                (.openIndex, 0, []),
                (.indexInfo, 0, address + [0x0F, 0x00]),
                (.userLogging, 0xFFFF, [6, 11] + Array("bluetoothd\0".utf8) + Array("Bluetooth daemon 5.66\0".utf8)),
                (.systemNote, 0xFFFF, Array("a second text\0after the first\0".utf8)),
                (.userLogging, 0xFFFF, [3, 200, 0x62]),
                (.closeIndex, 0, []),
            ])
        },
        CaptureCase(
            name: "log-texts-packetlogger",
            title: "Messages in a PacketLogger file",
            shows: """
                PacketLogger writes texts of its own, of the kernel and of the system log between the packets. The body of
                a Config record is not described and is not shown.
                """,
            source: "Wireshark, packet-packetlogger.c (record types)", file: "capture.pklg"
        ) {
            let texts: [(PacketLoggerRecordType, String)] = [
                (.note, "Host Name - Puck's Mac\0"), (.newController, "New Controller: Bluetooth 5.0"),
                (.power, "Power on"), (.kernel, "IOBluetoothFamily: opened"),
                (.syslog, "bluetoothd: link to Puck is up"),
                (.error, "a wörd that is no ASCII"), (.config, "link key of a device"),
            ]
            let session = HCISession()
            session.connect(to: Cast.puck).notify(8, [98])
            return texts.enumerated().flatMap { index, text in
                CaptureBuilder.packetLoggerRecord(
                    text.0.rawValue, Array(text.1.utf8), .bigEndian,
                    time: session.recording.packets[0].time.nanoseconds / 1000 + Int64(index) - 10)
            } + session.recording.packetLogger(.bigEndian)
        },
    ]

    @Sendable
    private static func declarationRead() throws -> [UInt8] {
        let session = HCISession()
        let puck = session.connect(to: Cast.puck)
        let server = Cast.declared
        puck.discoverServices(server)
        let types: [(Handle, UUID)] =
            (server.services.map { ($0.start, .primaryService) }
            + server.characteristics.flatMap { [($0.declaration, .characteristic), ($0.value, $0.type)] }
            + server.descriptors.map { ($0.handle, $0.type) }).sorted { $0.0 < $1.0 }
        for long in [false, true] {
            let entries = types.filter { ($0.1.uuid16 == nil) == long }
            for start in stride(from: 0, to: entries.count, by: long ? 1 : 5) {
                let part = entries[start..<min(start + (long ? 1 : 5), entries.count)]
                puck.request(ATT.FindInformationRequest(start: part[start].0, end: part[part.endIndex - 1].0))
                puck.respond(ATT.FindInformationResponse(entries: part.map { .init(handle: $0.0, type: $0.1) }))
            }
        }
        for (index, characteristic) in server.characteristics.enumerated() {
            let declaration = GATT.CharacteristicDeclaration(
                properties: characteristic.properties, valueHandle: characteristic.value, type: characteristic.type)
            if index == 0 {
                puck.request(ATT.ReadBlobRequest(handle: characteristic.declaration, offset: 0))
                puck.respond(ATT.ReadBlobResponse(value: declaration.encoded))
            } else {
                puck.read(characteristic.declaration, declaration.encoded)
            }
        }
        puck.read(server[0x2A01], [0x12, 0x09, 0x00, 0x19, 0x2A])
        puck.subscribe(server[Cast.declaredValue, 0x2902])
        puck.notify(server[Cast.declaredValue], [1, 2, 3])
        puck.disconnect()
        return try session.recording.btsnoop()
    }

    /// A pcap file of Linux monitor records.
    private static func monitor(_ records: [(opcode: MonitorOpcode, adapter: UInt16, body: [UInt8])]) -> [UInt8] {
        CaptureBuilder.pcap(
            LinkType.linuxMonitor.rawValue,
            records.enumerated().map { index, record in
                let header =
                    CaptureBuilder.integer(record.adapter, .bigEndian)
                    + CaptureBuilder.integer(record.opcode.rawValue, .bigEndian)
                let bytes = header + record.body
                return CaptureBuilder.pcapRecord(
                    bytes, .littleEndian, seconds: 1_772_366_400, fraction: UInt32(index * 1000),
                    original: UInt32(bytes.count))
            }, .littleEndian)
    }
}

extension Cast {
    fileprivate static let declaredValue = UUID(value: 0x4D454144_4F57_0009_8000_00534F494C00)
    fileprivate static let tutorialValue = UUID(value: 0x12345678_1234_5678_1234_56789ABCDEF1)

    /// A server with 16-bit and 128-bit characteristic UUIDs.
    fileprivate static let declared = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
        .service(
            UUID(value: 0x4D454144_4F57_0008_8000_00534F494C00),
            .characteristic(declaredValue, [.notify], descriptors: 0x2902)))

    /// The soil sensor, with the service from the tutorials.
    fileprivate static let soilWithTutorial = ServerLayout(
        .service(
            soilService, .characteristic(sample, [.read, .notify], descriptors: 0x2902),
            .characteristic(interval, [.read, .write]), .characteristic(command, [.write])),
        .service(
            UUID(value: 0x12345678_1234_5678_1234_56789ABCDEF0), .characteristic(tutorialValue, [.read, .notify])))
}
