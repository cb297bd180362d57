import Bluetooth
import Captures
import TestKit

/// L2CAP PDUs that span several ACL packets.
extension CaptureCase {
    static let fragments: [CaptureCase] =
        [1, 2, 3].map { size in
            CaptureCase(
                name: "first-fragment-of-\(size)",
                title: "A first fragment of \(size) byte\(size == 1 ? "" : "s")",
                shows: """
                    A notification whose first ACL packet holds only \(size) of the 4 bytes of the L2CAP header: how long
                    the PDU is shows only with the second packet. It is decoded in the packet that completes it.
                    """,
                source: "Core 5.4, Vol 4, Part E, 5.4.2 and Vol 3, Part A, 7.2.1", file: "capture.btsnoop"
            ) {
                try fragmented(.leading([size]))
            }
        } + [
            CaptureCase(
                name: "one-byte-fragments",
                title: "Fragments of one byte",
                shows: """
                    Every ACL packet holds one byte of its L2CAP PDU, in both directions. The PDU is decoded in the
                    packet of its last byte; all others are named fragments.
                    """,
                source: "Core 5.4, Vol 4, Part E, 5.4.2", file: "capture.btsnoop"
            ) {
                try fragmented(.every(1))
            },
            CaptureCase(
                name: "interleaved-fragments",
                title: "Fragments of two connections, interleaved",
                shows: """
                    The packets of two notifications of two connections, and of a write that goes the other way, come in
                    turn. Each connection and direction is put together by itself.
                    """,
                source: "Core 5.4, Vol 4, Part E, 5.4.2 and 4.1.1", file: "capture.btsnoop"
            ) {
                let session = HCISession()
                let puck = session.connect(to: Cast.puck)
                let counter = session.connect(to: Cast.counter)
                for link in [puck, counter] { link.fragmentation = .every(5) }
                func notification(_ value: [UInt8]) -> [UInt8] {
                    L2CAP.frame(ATT.encode(ATT.HandleValueNotification(handle: 0x0008, value: value)), on: .att)
                }
                let write = L2CAP.frame(
                    ATT.encode(ATT.WriteRequest(handle: 0x0009, value: [1, 0])), on: .att)
                session.interleave(
                    (puck.packets(notification(Array(0x10...0x1F)), .received), .received),
                    (counter.packets(notification(Array(0x20...0x2F)), .received), .received),
                    (puck.packets(write, .sent), .sent))
                puck.respond(ATT.WriteResponse())
                return try session.recording.btsnoop()
            },
        ]

    private static func fragmented(_ fragmentation: Fragmentation) throws -> [UInt8] {
        let session = HCISession()
        let puck = session.connect(to: Cast.puck)
        puck.fragmentation = fragmentation
        puck.notify(0x0008, [98])
        puck.write(0x0009, [1, 0])
        return try session.recording.btsnoop()
    }
}
