import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Recorders' alterations of packets.
extension CaptureCase {
    static let recorder: [CaptureCase] = [
        CaptureCase(
            name: "cut-records",
            title: "Records that the recorder cut short",
            shows: """
                The recorder kept only the first bytes of some packets: a notification, the first fragment of another
                one, the end of a report and of an event. Fields whose bytes were kept are decoded, and the frame is
                marked. The fragment that follows a cut one belongs to nothing.
                """,
            source: "btsnoop (RFC 1761): included length below original length", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.report(Cast.puck, [.completeLocalName("Puck")])
            session.recording.cutLast(to: 20)
            let puck = session.connect(to: Cast.puck)
            puck.notify(0x0008, Array(1...20))
            session.recording.cutLast(to: 16)
            let long = puck.packets([0x17, 0, 4, 0, 0x1B, 8, 0] + Array(1...20), .received)
            puck.fragmentation = .leading([12])
            let fragments = puck.packets([0x17, 0, 4, 0, 0x1B, 8, 0] + Array(1...20), .received)
            session.record(fragments[0], .received)
            session.recording.cutLast(to: 14)
            session.record(fragments[1], .received)
            session.record(long[0], .received)
            session.event(HCI.DisconnectionComplete(handle: puck.handle, reason: .connectionTimeout))
            session.recording.cutLast(to: 5)
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "sections-of-both-byte-orders",
            title: "A pcapng file of two sections",
            shows: """
                The first section is little-endian, the second one big-endian. Packets have comments; the first section
                has a second interface of Ethernet, whose packet is passed over. A connection that begins in the first
                section goes on in the second.
                """,
            source: "pcapng (draft-ietf-opsawg-pcapng), 3 and 4", file: "capture.pcapng", make: twoSections),
    ]

    @Sendable
    private static func twoSections() -> [UInt8] {
        let session = HCISession()
        let puck = session.connect(to: Cast.puck)
        puck.read(0x0008, [98])
        session.recording.comment("the battery's first value")
        puck.notify(0x0008, [97])
        puck.disconnect()
        session.recording.comment("and off")
        let packets = session.recording.packets
        func block(_ packet: Recording.Packet, _ order: ByteOrder) -> [UInt8] {
            let comment = packet.comment.map { CaptureBuilder.option(1, Array($0.utf8), order) } ?? []
            return CaptureBuilder.enhancedPacket(
                [0, 0, 0, packet.direction == .received ? 1 : 0] + packet.bytes, order,
                time: UInt64(packet.time.nanoseconds / 1000), options: comment)
        }
        let ethernet = CaptureBuilder.enhancedPacket(
            [UInt8](repeating: 0xFF, count: 60), .littleEndian, interface: 1,
            time: UInt64(packets[1].time.nanoseconds / 1000))
        let first =
            CaptureBuilder.sectionHeader(.littleEndian) + CaptureBuilder.interface(201, .littleEndian)
            + CaptureBuilder.interface(1, .littleEndian)
            + packets[..<2].flatMap { block($0, .littleEndian) } + ethernet + block(packets[2], .littleEndian)
        return first + CaptureBuilder.sectionHeader(.bigEndian) + CaptureBuilder.interface(201, .bigEndian)
            + packets[3...].flatMap { block($0, .bigEndian) }
    }
}
