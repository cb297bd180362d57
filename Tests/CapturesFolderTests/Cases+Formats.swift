import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// The same conversation in every format.
extension CaptureCase {
    static let formats: [CaptureCase] = [
        format("btsnoop-1001", "btsnoop, datalink 1001 (H1)", "btsnoop") { hci.btsnoopH1() },
        format("btsnoop-1002", "btsnoop, datalink 1002 (H4)", "btsnoop") { try hci.file(.btsnoop, .h4) },
        format("btsnoop-2001", "btsnoop, datalink 2001 (Linux monitor)", "btsnoop") {
            try hci.file(.btsnoop, .linuxMonitor)
        },
        format("packetlogger-big-endian", "Apple PacketLogger, big-endian", "pklg") { hci.packetLogger(.bigEndian) },
        format("packetlogger-little-endian", "Apple PacketLogger, little-endian", "pklg") {
            hci.packetLogger(.littleEndian)
        },
        format("pcap-187", "pcap, link type 187 (H4), big-endian", "pcap") { hci.bigEndianPcap() },
        format("pcap-201", "pcap, link type 201 (H4 with direction)", "pcap") {
            try hci.file(.pcap, .h4WithDirection)
        },
        format("pcap-220", "pcap, link type 220 (USB transfers of Linux)", "pcap") {
            hci.usbPcap(.usbLinuxMapped)
        },
        format("pcap-254", "pcap, link type 254 (Linux monitor)", "pcap") { try hci.file(.pcap, .linuxMonitor) },
        format("pcapng-201", "pcapng, link type 201", "pcapng") { try hci.file(.pcapng, .h4WithDirection) },
        format("pcapng-187", "pcapng, link type 187, direction in the packet flags", "pcapng") {
            try hci.file(.pcapng, .h4)
        },
        format("btsnoop-1002-reversed", "btsnoop, datalink 1002, directions as the controller sees them", "btsnoop") {
            try reversed(hci).file(.btsnoop, .h4)
        },
        format("pcapng-201-reversed", "pcapng, link type 201, directions as the controller sees them", "pcapng") {
            try reversed(hci).file(.pcapng, .h4WithDirection)
        },
        format("gzip", "btsnoop in gzip", "btsnoop.gz") { CaptureBuilder.gzip(try hci.btsnoop()) },
        format("pcap-251", "pcap, link type 251 (LE link layer)", "pcap") { try onAir.file(.pcap, .linkLayer) },
        format("pcap-256", "pcap, link type 256 (LE link layer with pseudo-header)", "pcap") { try onAir.airPcap() },
        format("pcap-272", "pcap, link type 272 (nRF Sniffer)", "pcap") { onAir.nordicPcap() },
        format("pcap-192", "pcap, link type 192 (PPI holding 251)", "pcap") { onAir.ubertoothPcap() },
        format("pcapng-256", "pcapng, link type 256", "pcapng") { try onAir.file(.pcapng, .linkLayerWithHeader) },
    ]

    private static func format(
        _ name: String, _ title: String, _ fileExtension: String, _ make: @escaping @Sendable () throws -> [UInt8]
    ) -> CaptureCase {
        CaptureCase(
            name: "format-\(name)", title: title,
            shows: """
                The conversation of all `format-` folders: a puck is connected and discovered, its battery is read and
                notified. Every format must give the same ATT conversation.
                """,
            source: "docs/captures.md", file: "capture.\(fileExtension)", make: make)
    }

    /// A recording by a controller-side recorder that does not reverse the directions.
    private static func reversed(_ recording: Recording) -> Recording {
        for index in recording.packets.indices {
            recording.packets[index].direction = recording.packets[index].direction.opposite
        }
        return recording
    }

    private static var hci: Recording {
        let session = HCISession()
        session.report(Cast.puck, [.completeLocalName("Puck")])
        let puck = session.connect(to: Cast.puck)
        converse(puck)
        puck.disconnect()
        return session.recording
    }

    private static var onAir: Recording {
        let air = AirSession()
        air.advertise(Cast.puck, [.completeLocalName("Puck")])
        let puck = air.connect(Cast.phone, to: Cast.puck)
        converse(puck)
        puck.disconnect()
        return air.recording
    }

    private static func converse(_ puck: some ScriptedLink) {
        puck.exchangeMTU(client: 247, server: 185)
        puck.discover(Cast.battery)
        puck.read(Cast.battery[0x2A00], Array("Puck".utf8))
        puck.subscribe(Cast.battery[0x2A19, 0x2902])
        puck.notify(Cast.battery[0x2A19], [98])
    }
}
